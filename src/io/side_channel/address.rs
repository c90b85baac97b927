//! Where a program can be asked, as its command line says it: on this machine only, and only where its port is known.

use crate::wire::team_file::Env;
use hyper::Uri;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Where to ask, and as whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) at: SocketAddr,
    /// Name and password, where the program wants them.
    pub(super) login: Option<(String, String)>,
}

impl Address {
    /// As `opencode --port N [--hostname H]` and `opencode attach URL` say it.
    pub(super) fn of_opencode(argv: &[String], env: &Env) -> Option<Self> {
        let at = match value_of(argv, "--port") {
            Some(port) => {
                let host = local(value_of(argv, "--hostname").unwrap_or("127.0.0.1"))?;
                SocketAddr::new(host, port.parse().ok().filter(|port| *port != 0)?)
            }
            None => {
                let url = argv.iter().skip_while(|word| *word != "attach").find(|word| word.contains("://"));
                let url: Uri = url?.parse().ok()?;
                let plain = url.scheme_str() == Some("http");
                let port = url.port_u16().filter(|port| plain && *port != 0)?;
                SocketAddr::new(local(url.host()?)?, port)
            }
        };
        let var = |name: &str| env.get(name).filter(|value| !value.is_empty()).cloned();
        let password = value_of(argv, "--password").map(str::to_owned);
        let login = password.or_else(|| var("OPENCODE_SERVER_PASSWORD")).map(|password| {
            let name = value_of(argv, "--username").map(str::to_owned);
            let name = name.or_else(|| var("OPENCODE_SERVER_USERNAME"));
            (name.unwrap_or_else(|| "opencode".to_owned()), password)
        });
        Some(Self { at, login })
    }

    /// Whether a program of our own user listens there: on one machine others may have programs, too.
    pub(super) fn is_ours(&self) -> bool {
        let uid = rustix::process::geteuid().as_raw();
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].iter().any(|path| {
            let Ok(file) = fs::File::open(path) else { return false };
            let mut lines = BufReader::new(file).lines().map_while(Result::ok);
            lines.any(|line| listener(&line) == Some((self.at.port(), uid)))
        })
    }
}

/// The value of an option, in the same word or the next.
fn value_of<'a>(argv: &'a [String], option: &str) -> Option<&'a str> {
    let mut words = argv.iter();
    loop {
        let word = words.next()?;
        if word == option {
            return words.next().map(String::as_str);
        }
        if let Some(value) = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
    }
}

/// The address of this machine that a host stands for; none if it may be another machine.
fn local(host: &str) -> Option<IpAddr> {
    if host == "localhost" {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    match host.trim_start_matches('[').trim_end_matches(']').parse().ok()? {
        IpAddr::V4(host) if host.is_unspecified() => Some(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(host) if host.is_unspecified() => Some(Ipv6Addr::LOCALHOST.into()),
        host => Some(host).filter(IpAddr::is_loopback),
    }
}

/// Port and user of a line of the kernel's table, if it is one that listens:
/// `0: 0100007F:3710 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 …`.
fn listener(line: &str) -> Option<(u16, u32)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let port = fields.get(1)?.rsplit(':').next()?;
    if *fields.get(3)? != "0A" {
        return None;
    }
    Some((u16::from_str_radix(port, 16).ok()?, fields.get(7)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(command: &str) -> Option<String> {
        let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
        Address::of_opencode(&argv, &Env::default()).map(|address| address.at.to_string())
    }

    #[test]
    fn only_a_known_port_of_this_machine_is_asked() {
        let at = |command: &str| at(command).unwrap_or_default();
        assert_eq!(at("opencode --port 4096"), "127.0.0.1:4096");
        assert_eq!(at("env A=b opencode --port=4096 --agent x"), "127.0.0.1:4096");
        assert_eq!(at("opencode --hostname 0.0.0.0 --port 4096"), "127.0.0.1:4096");
        assert_eq!(at("opencode --hostname ::1 --port 4096"), "[::1]:4096");
        assert_eq!(at("opencode attach http://localhost:4096 --mini"), "127.0.0.1:4096");
        assert_eq!(at("opencode attach --mini http://[::1]:4096/"), "[::1]:4096");
        let unknown = [
            "opencode --mini",
            "opencode --port 0",
            "opencode --port",
            "opencode --port 99999",
            "opencode --port 4096 --hostname 192.168.0.7",
            "opencode --port 4096 --hostname example.org",
            "opencode attach http://example.org:4096",
            "opencode attach https://localhost:4096",
            "opencode attach http://localhost",
            "opencode attach",
        ];
        assert_eq!(unknown.map(at), [""; 10]);
    }

    #[test]
    fn a_password_is_taken_from_where_the_program_takes_it() {
        let words = |command: &str| command.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let env: Env = [("OPENCODE_SERVER_PASSWORD".to_owned(), "secret".to_owned())].into();
        let login = |command: &str, env: &Env| Address::of_opencode(&words(command), env).unwrap().login;
        let pair = |name: &str, password: &str| Some((name.to_owned(), password.to_owned()));
        assert_eq!(login("opencode --port 1", &Env::default()), None);
        assert_eq!(login("opencode --port 1", &env), pair("opencode", "secret"));
        let attach = "opencode attach http://localhost:1 --password other --username me";
        assert_eq!(login(attach, &env), pair("me", "other"));
    }

    #[test]
    fn who_listens_is_known_by_the_kernel() {
        let here = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let _another = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address { at: here.local_addr().unwrap(), login: None };
        assert!(address.is_ours());
        drop(here);
        assert!(!address.is_ours());
        let line =
            "   0: 0100007F:3710 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 65";
        assert_eq!(listener(line), Some((0x3710, 1000)));
        // An open connection to that port is none that listens.
        assert_eq!(listener(&line.replace(" 0A ", " 01 ")), None);
        assert_eq!(listener("  sl  local_address rem_address   st tx_queue"), None);
    }
}
