//! Redis that flushes its log before it answers: `appendonly yes`, `appendfsync always`, over a Unix socket as tasuki's is.
//! Each message is the value of a key of its own, so that what was taken can be counted.

use crate::crowd;
use crate::support::numbers::median;
use crate::support::stamp::{self, us};
use crate::team::message;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const PROGRAM: &str = "redis-server";
const ARGUMENTS: &str = "--port 0 --appendonly yes --appendfsync always --auto-aof-rewrite-percentage 0";
const DONE: &str = "+OK\r\n";
/// Between two looks whether it listens.
const PAUSE: Duration = Duration::from_millis(5);
/// How often that is looked for.
const LOOKS_MAX: usize = 2_000;

/// A server of its own in a new folder.
struct Redis {
    child: Child,
    socket: PathBuf,
    _folder: TempDir,
}

/// Its version, if it is installed; says so if it is not.
pub(crate) fn version() -> Option<String> {
    let output = Command::new(PROGRAM).arg("--version").output();
    let Ok(output) = output else {
        println!("  {PROGRAM} is not installed (Debian: apt install redis-server): it is left out");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split(' ').find_map(|word| word.strip_prefix("v=")).map(str::to_owned)
}

/// Durable `SET`s a second over one connection, one at a time, by the median of their times.
pub(crate) fn one_at_a_time(messages: usize) -> f64 {
    let redis = Redis::start();
    let mut stream = redis.connect();
    let took = (0..messages).map(|number| {
        let request = set(number);
        let from = stamp::now();
        let answer = ask(&mut stream, &request);
        let took = us(from, stamp::now());
        assert_eq!(answer, DONE, "s-{number}");
        took
    });
    let rate = 1e6 / median(took.collect());
    redis.has(messages);
    rate
}

/// The same by so many at once, each of whom waits for its answer.
pub(crate) fn by_a_crowd(clients: usize, messages: usize) -> f64 {
    let redis = Redis::start();
    let streams = (0..clients).map(|_| redis.connect()).collect();
    let rate = crowd::run(streams, messages, set, |number, answer| {
        assert!(DONE.starts_with(answer), "s-{number}: {answer}");
        answer == DONE
    });
    redis.has(messages);
    rate
}

fn set(number: usize) -> Vec<u8> {
    let (key, value) = (format!("s-{number}"), message(&format!("s-{number}"), "a0"));
    let head = format!("*3\r\n$3\r\nSET\r\n${}\r\n{key}\r\n${}\r\n", key.len(), value.len());
    format!("{head}{value}\r\n").into_bytes()
}

fn ask(stream: &mut UnixStream, request: &[u8]) -> String {
    stream.write_all(request).expect("Redis listens");
    let mut buffer = [0; 256];
    let length = stream.read(&mut buffer).expect("an answer");
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

impl Redis {
    #[expect(clippy::disallowed_methods, reason = "waits for another program to listen, with a limit")]
    fn start() -> Self {
        let folder = crate::team::folder();
        let socket = folder.path().join("socket");
        let mut command = Command::new(PROGRAM);
        command.args(ARGUMENTS.split(' ')).args(["--save", ""]).arg("--unixsocket").arg(&socket);
        command.arg("--dir").arg(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.spawn().expect(PROGRAM);
        let redis = Self { child, socket, _folder: folder };
        for _ in 0..LOOKS_MAX {
            if UnixStream::connect(&redis.socket).is_ok() {
                return redis;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("{PROGRAM} does not listen");
    }

    fn connect(&self) -> UnixStream {
        UnixStream::connect(&self.socket).expect("Redis listens")
    }

    /// It has taken so many, each under its own name, and it flushes always.
    fn has(&self, messages: usize) {
        let mut stream = self.connect();
        assert_eq!(ask(&mut stream, b"DBSIZE\r\n"), format!(":{messages}\r\n"));
        let told = ask(&mut stream, b"CONFIG GET appendfsync\r\n");
        assert!(told.contains("always"), "{told}");
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
