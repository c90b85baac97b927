//! `tasuki top` as a person uses it: in a terminal of a tmux server of its own, beside that of the agents.

use crate::house::{House, signal};
use rustix::process::Signal;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A shell in a terminal.
struct Shell<'a> {
    house: &'a House,
    socket: String,
}

impl<'a> Shell<'a> {
    fn new(house: &'a House, size: (u16, u16)) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = format!("tasuki-top-{}-{number}", std::process::id());
        let shell = Self { house, socket };
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let mut tmux = shell.command();
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", &width, "-y", &height]);
        tmux.args(["env", "PS1=shell> ", "bash", "--norc", "--noprofile"]);
        for (name, value) in house.tasuki().get_envs() {
            match value {
                Some(value) => tmux.env(name, value),
                None => tmux.env_remove(name),
            };
        }
        assert!(tmux.current_dir(house.path("")).status().expect("tmux").success());
        shell.until("the shell", |screen| screen.contains("shell>"));
        shell
    }

    fn command(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket]).env_remove("TMUX");
        tmux
    }

    fn tmux(&self, words: &[&str]) -> String {
        let output = self.command().args(words).output().expect("tmux");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    fn text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    fn until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let start = std::time::Instant::now();
        while !holds(&self.screen()) {
            let late = start.elapsed() > crate::house::PATIENCE;
            assert!(
                !late,
                "waited for {what}\n{}\n{}",
                self.screen(),
                self.house.read("status/activity.log")
            );
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn top(&self, more: &str) {
        let program = self.house.tasuki().get_program().to_string_lossy().into_owned();
        self.text(&format!("{program} top{more}"));
        self.keys(&["Enter"]);
    }

    /// The shell has its terminal back as it was: its own screen, a cursor, letters that are shown.
    fn is_clean(&self) {
        self.until("the shell's own screen", |_| {
            self.tmux(&["display-message", "-p", "#{alternate_on}#{cursor_flag}"]) == "01\n"
        });
        self.text("echo $((6*7))");
        self.keys(&["Enter"]);
        self.until("the shell to obey", |screen| screen.contains("echo $((6*7))\n42\n"));
        self.keys(&["C-l"]);
    }
}

impl Drop for Shell<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

const PLAY: &str = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: task, match: ask}
    do:
      - dialog: "{first_line}"
      - print: "it was allowed"
      - claim: now
  - when: {turn: task}
    do:
      - print: "did {id}"
      - claim: now
"#;

/// Its boss asks where it is told to, and its worker answers at once.
fn house() -> House {
    let agents = "  - {name: boss, reports_to: user, provider: claude, marker: BOSS OK, command: [\"{tasuki}\", agent, scripted, \
                  --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n  - {name: worker, reports_to: boss, provider: plain, \
                  command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    House::new("top 画面", agents, &[("play.yaml", PLAY), ("agent.sh", crate::house::PLAIN_AGENT)])
}

#[test]
fn a_person_watches_answers_and_hands_over_in_a_terminal() {
    let mut house = house();
    house.start();
    let house = &house;
    let shell = Shell::new(house, (80, 24));
    shell.top("");
    shell.until("the team", |screen| {
        screen.contains("∘ boss") && screen.contains("∘ worker") && screen.contains("q quit")
    });

    house.drop("first.yaml", "id: first\nto: boss\ncontent: ask for one.txt 🎽\n");
    shell.until("the question", |screen| {
        screen.contains("? boss") && screen.contains("ASKS YOU") && screen.contains("1 NEEDS YOU")
    });
    shell.keys(&["a"]);
    shell.until("its choices", |screen| {
        screen.contains("tasuki answer boss NUMBER --of") && screen.contains("2 No")
    });
    shell.keys(&["1"]);
    assert!(house.result("first").contains("it was allowed"));
    shell.until("the answer to be told", |screen| screen.contains("∘ boss") && screen.contains("0 need you"));

    shell.keys(&["n"]);
    shell.until("the composer", |screen| screen.contains("New task"));
    shell.keys(&["Up", "C-u"]);
    shell.text("nobody");
    shell.keys(&["Enter"]);
    shell.text("家計簿 q X H");
    shell.keys(&["Enter"]);
    shell.until("why it is refused", |screen| screen.contains("Refused:") && screen.contains("家計簿 q X H"));
    shell.keys(&["Up", "C-u"]);
    shell.text("worker");
    shell.keys(&["Enter", "Enter"]);
    shell.until("it to be accepted", |screen| screen.contains("is accepted: it is on the disk"));
    house.until("its answer", |house| house.files("queue/results").len() == 2);

    shell.keys(&["H"]);
    shell.until("the hold", |screen| screen.contains("ALL TYPING IS HELD"));
    assert!(house.path("queue/STOP").exists());
    shell.keys(&["H"]);
    shell.until("to be asked", |screen| screen.contains("y yes  n no"));
    shell.keys(&["y"]);
    shell.until("the work to go on", |screen| !screen.contains("ALL TYPING IS HELD"));
    assert!(!house.path("queue/STOP").exists());

    shell.tmux(&["resize-window", "-x", "160", "-y", "45"]);
    shell.until("two columns", |screen| {
        screen.contains("2 Tasks") && screen.contains("1 Needs you") && screen.contains("┼")
    });
    shell.tmux(&["resize-window", "-x", "20", "-y", "4"]);
    shell.until("a small one", |screen| screen.lines().count() == 4 && screen.contains("tasuki"));
    shell.tmux(&["resize-window", "-x", "80", "-y", "24"]);
    shell.until("one column", |screen| screen.contains("q quit") && screen.contains("∘ worker"));
    shell.keys(&["q"]);
    shell.is_clean();
}

#[test]
fn the_terminal_is_given_back_however_it_ends() {
    let mut house = house();
    house.start();
    {
        let house = &house;
        let shell = Shell::new(house, (100, 30));
        let is_there = |screen: &str| screen.contains("∘ worker");
        shell.top(" --ascii");
        shell.until("ASCII", |screen| {
            screen.contains(". worker") && !screen.contains('─') && screen.contains("----")
        });
        shell.keys(&["C-c"]);
        shell.is_clean();
        shell.top(" --color never");
        shell.until("the team", is_there);
        shell.keys(&["C-z"]);
        shell.is_clean();
        shell.text("fg");
        shell.keys(&["Enter"]);
        shell.until("the team again", is_there);
        shell.keys(&["j", "Enter"]);
        shell.until("the agent's own window", |screen| {
            !screen.contains("q quit") && !screen.contains("3 Team")
        });
        // Its keys are tmux's only once it is there.
        house.until("the attached terminal", |house| {
            !house.tmux(&["list-clients", "-F", "#{client_tty}"]).trim().is_empty()
        });
        shell.keys(&["C-b", "d"]);
        shell.until("the team once more", is_there);
        for last in [Signal::TERM, Signal::HUP] {
            let pid = shell.tmux(&["display-message", "-p", "#{pane_pid}"]);
            let tops = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", pid.trim()))
                .expect("its children");
            signal(&tops, last).expect("to end it");
            shell.is_clean();
            if last == Signal::TERM {
                shell.top("");
                shell.until("the team", is_there);
            }
        }
    }
    house.end();
}

#[test]
fn without_a_daemon_it_shows_the_files_and_goes_on_when_one_starts() {
    let mut house = house();
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    house.result("t");
    house.end();
    let shell_house = &mut house;
    let socket = {
        let shell = Shell::new(shell_house, (80, 24));
        shell.top("");
        shell.until("the files", |screen| {
            screen.contains("no daemon is running (tasuki up)") && screen.contains(" worker ")
        });
        let socket = shell.socket.clone();
        std::mem::forget(shell);
        socket
    };
    shell_house.start();
    let shell = Shell { house: shell_house, socket };
    shell.until("the daemon", |screen| screen.contains("∘ worker") && !screen.contains("no daemon"));
    shell.keys(&["q"]);
    shell.is_clean();
}
