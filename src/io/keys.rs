//! The agents' keys: each launch has one, so that what it sends over the socket is known to be its own. A key follows
//! from a secret of the workspace, the agent and the launch: it outlives the daemon and dies with the launch.

use crate::engine::words::{AgentName, Nonce};
use crate::io::regular;
use sha2::{Digest, Sha256};
use std::fs::{OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Bytes of the secret: as strong as the hash.
const SECRET_BYTES: usize = 32;

/// Makes keys.
#[derive(Clone)]
pub struct Keys {
    secret: [u8; SECRET_BYTES],
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

impl Keys {
    /// Reads the workspace's secret, or makes one (0600).
    ///
    /// # Errors
    /// If the file can neither be read nor made, or the system has no random bytes.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut secret = [0; SECRET_BYTES];
        match regular::open(OpenOptions::new().read(true), path) {
            Ok(mut file) => {
                if file.read_exact(&mut secret).is_ok() {
                    file.set_permissions(Permissions::from_mode(0o600))?; // whoever copied it may have widened that
                    return Ok(Self { secret });
                }
            } // a crash cut it off: a new one makes the agents' old keys void, nothing else
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        getrandom::fill(&mut secret).map_err(|error| io::Error::other(error.to_string()))?;
        let mut new = OpenOptions::new();
        let mut file = regular::open(new.write(true).create(true).truncate(true).mode(0o600), path)?;
        // One that was there and torn keeps its mode.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(&secret)?;
        file.sync_all()?;
        Ok(Self { secret })
    }

    /// The key of a launch: 32 hex digits.
    #[must_use]
    pub fn of(&self, agent: &AgentName, nonce: Nonce) -> String {
        let digest = Sha256::new().chain_update(self.secret).chain_update(agent.as_str()).chain_update([0]);
        let digest = digest.chain_update(nonce.0.to_be_bytes()).finalize();
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_outlives_the_daemon_and_dies_with_the_launch() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let agent = AgentName::new("mm").unwrap();
        let first = Keys::open(&path).unwrap().of(&agent, Nonce(1));
        assert_eq!(first, Keys::open(&path).unwrap().of(&agent, Nonce(1)));
        assert_ne!(first, Keys::open(&path).unwrap().of(&agent, Nonce(2)));
        assert_ne!(first, Keys::open(&path).unwrap().of(&AgentName::new("gb").unwrap(), Nonce(1)));
        assert_eq!(first.len(), 32);
        let mode = || path.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(), 0o600, "nobody else reads it");
        // Torn, and open to others.
        std::fs::write(&path, "torn").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert_ne!(first, Keys::open(&path).unwrap().of(&agent, Nonce(1)));
        assert_eq!(mode(), 0o600);
        // Whole, and open to others.
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        Keys::open(&path).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn what_is_no_file_is_neither_waited_for_nor_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (secret, other) = (folder.path().join("secret"), folder.path().join("other"));
        std::fs::write(&other, [7; SECRET_BYTES]).unwrap();
        let places: [fn(&Path, &Path); 3] = [
            |secret, _| rustix::fs::mkfifoat(rustix::fs::CWD, secret, rustix::fs::Mode::RWXU).unwrap(),
            |secret, other| std::os::unix::fs::symlink(other, secret).unwrap(),
            |secret, _| std::fs::create_dir(secret).unwrap(),
        ];
        for put in places {
            put(&secret, &other);
            let error = Keys::open(&secret).unwrap_err().to_string();
            assert!(error.contains("secret is not a file: move it away"), "{error}");
            let _ = std::fs::remove_file(&secret);
        }
    }
}
