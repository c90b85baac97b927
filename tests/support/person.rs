//! A person at a terminal in which tmux shows the agents.

use crate::house::House;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A person's terminal with tmux in it.
pub(crate) struct Person {
    client: Child,
    keys: ChildStdin,
}

impl Person {
    /// Attaches at a window, and waits until that is so.
    pub(crate) fn at(house: &House, window: &str) -> Self {
        let socket = house.read("tasuki.yaml");
        let socket = socket.lines().find_map(|line| line.strip_prefix("tmux_socket: ")).expect("a socket");
        let attach = format!("stty cols 80 rows 24; exec tmux -L {socket} attach -t ={window}");
        let mut command = Command::new("script");
        command.args(["-qfc", &attach, "/dev/null"]).env_remove("TMUX").env("TERM", "screen-256color");
        let mut client = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("`script`");
        let (keys, mut shown) = (client.stdin.take().expect("keys"), client.stdout.take().expect("a screen"));
        // What a person sees must be taken away, or tmux waits.
        std::thread::spawn(move || while shown.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) {});
        house.until("a person", |house| {
            house.tmux(&["list-clients", "-F", "#{client_tty}"]).contains("/dev/")
        });
        Self { client, keys }
    }

    /// Types keys as they are.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys");
        self.keys.flush().expect("keys");
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}
