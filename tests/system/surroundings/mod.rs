//! Faults of the surroundings, through the real binary: team files, tmux, folders, disks, sockets and neighbours that are not
//! as they should be. Each is told with its place and its cure, under the exit code of the contract, and nothing is lost.

mod damage;
mod disks;
mod folders;
mod limits;
mod lost;
mod moved;
mod neighbours;
mod sizes;
mod sockets;
mod team_files;
mod tmux;
mod unserved;
mod users;
mod worktrees;

use crate::house::{House, PATIENCE};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) fn am_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Said where a test cannot be what its name says, past the net in which a test's output is caught.
pub(crate) fn not_tested(what: &str) {
    writeln!(std::io::stderr(), "NOT TESTED: {what}").expect("stderr");
}

/// What a command said, if it ended with this code; each line of it is one that a terminal may show.
pub(crate) fn said(command: &mut Command, code: i32) -> String {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a command");
    let start = Instant::now();
    while child.try_wait().expect("its state").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("to end it"); // a daemon that runs where it should not
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("what it said");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{command:?}: {text}");
    assert!(!text.contains("panicked") && !text.contains('\u{1b}'), "{text}");
    println!("{text}");
    text
}

/// Both ways to start: each ends with this code and says all of these words.
pub(crate) fn neither_starts(house: &House, code: i32, words: &[&str]) {
    for verb in ["daemon", "up"] {
        let text = said(house.tasuki().arg(verb), code);
        for word in words {
            assert!(text.contains(word), "`tasuki {verb}` does not say {word:?}:\n{text}");
        }
    }
}

/// A task goes through.
pub(crate) fn works(house: &House, id: &str) {
    house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: 仕事 😀\n"));
    let result = house.result(id);
    assert!(result.contains(&format!("answer to {id}")), "{result}");
}
