//! What guards the daemon's TCP port for browsers, without touching anything: its tokens, its proofs, and its names.

mod credentials;
mod hosts;
mod tokens;

pub use credentials::{Credentials, opening_query};
pub use hosts::Hosts;
pub use tokens::{Access, Challenge, Tokens, WebToken};

use sha2::{Digest as _, Sha256};

/// Ports that a workspace may have by itself: below those that Linux gives to programs that ask for any (32768 and more), and
/// above those of well-known services.
const OWN_PORTS: std::ops::Range<u16> = 20_000..32_000;

/// The ports that a workspace tries when it has none yet. They follow from its path, so that two workspaces rarely want
/// the same, and one finds its own again.
pub fn own_ports(root: &str) -> impl Iterator<Item = u16> {
    let digest = Sha256::digest(root.as_bytes());
    let at = u16::from_be_bytes([digest[0], digest[1]]);
    let many = OWN_PORTS.end - OWN_PORTS.start;
    (0..many).map(move |step| OWN_PORTS.start + (at % many + step) % many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_has_ports_of_its_own() {
        let first = |root: &str| own_ports(root).next().unwrap();
        assert_eq!(first("/home/me/a"), first("/home/me/a"));
        assert_ne!(first("/home/me/a"), first("/home/me/b"));
        let all: std::collections::BTreeSet<u16> = own_ports("/作業場").collect();
        assert_eq!(all.len(), OWN_PORTS.len());
        assert!(all.iter().all(|port| OWN_PORTS.contains(port)));
    }
}
