//! The names by which a browser may reach the port: a page of any other name is somebody else's.

/// The names of one port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hosts {
    port: u16,
    /// Whether `[::1]` of this port is ours as well. Where it is not, it may be another user's, and so may `localhost`: whoever
    /// listens there could pass a page's challenge on to us and show it our proof.
    has_v6: bool,
}

impl Hosts {
    /// The names of a port that listens on 127.0.0.1, and on `[::1]` if `has_v6`.
    #[must_use]
    pub const fn new(port: u16, has_v6: bool) -> Self {
        Self { port, has_v6 }
    }

    /// Number of the port.
    #[must_use]
    pub const fn port(self) -> u16 {
        self.port
    }

    /// Whether a `Host` is one of ours, letter by letter. Browsers write a name in small letters and a port without zeros; a
    /// name that is written otherwise comes from no browser.
    #[must_use]
    pub fn holds(self, host: &[u8]) -> bool {
        let names: &[&str] = if self.has_v6 { &["127.0.0.1", "localhost", "[::1]"] } else { &["127.0.0.1"] };
        names.iter().any(|name| format!("{name}:{}", self.port).as_bytes() == host)
    }

    /// Whether an `Origin` is that of a page of ours.
    #[must_use]
    pub fn holds_origin(self, origin: &[u8]) -> bool {
        origin.strip_prefix(b"http://").is_some_and(|host| self.holds(host))
    }

    /// The origin of the page, under the name that people are told.
    #[must_use]
    pub fn origin(self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_names_are_ours_and_no_other() {
        let (both, v4) = (Hosts::new(7410, true), Hosts::new(7410, false));
        for host in ["127.0.0.1:7410", "localhost:7410", "[::1]:7410"] {
            assert!(both.holds(host.as_bytes()), "{host}");
            assert!(both.holds_origin(format!("http://{host}").as_bytes()), "{host}");
            assert_eq!(v4.holds(host.as_bytes()), host.starts_with("127."), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:",
            "127.0.0.1:80",
            "127.0.0.1:07410",
            "127.0.0.1:7410.",
            "127.0.0.1:74100",
            "127.0.0.1.:7410",
            "127.0.0.2:7410",
            "127.1:7410",
            "2130706433:7410",
            "0x7f.0.0.1:7410",
            "0.0.0.0:7410",
            "localhost.:7410",
            "LOCALHOST:7410",
            "localhost:7410@evil.example",
            "evil.example@localhost:7410",
            "localhost:7410, evil.example",
            "localhost.evil.example:7410",
            "evil.example:7410",
            "127.0.0.1.nip.io:7410",
            "::1:7410",
            "[0:0:0:0:0:0:0:1]:7410",
            "[::ffff:127.0.0.1]:7410",
            "[::1]",
            " 127.0.0.1:7410",
            "127.0.0.1:7410 ",
            "127.0.0.1:7410\0",
            "127.0.0.1:7410/",
            "１２７.0.0.1:7410",
        ] {
            assert!(!both.holds(host.as_bytes()), "{host}");
            assert!(!both.holds_origin(format!("http://{host}").as_bytes()), "{host}");
        }
        for origin in
            ["null", "", "127.0.0.1:7410", "https://127.0.0.1:7410", "HTTP://127.0.0.1:7410", "file://"]
        {
            assert!(!both.holds_origin(origin.as_bytes()), "{origin}");
        }
    }
}
