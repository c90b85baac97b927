//! The real coding agents, each in a tmux pane against a stub of its model: what tasuki's built-in profiles go by is there.
//!
//! `scripts/test-real-clis` installs them and runs this; without them each test says that it skips.

use crate::clis::{self, Cli, Place};
use crate::stub::{Answer, Rule, Stub};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// OpenCode was seen to need 39 s to start on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Between two looks at a screen.
const PAUSE: Duration = Duration::from_millis(50);
/// A screen that is still for so long is quiet.
const QUIET: Duration = Duration::from_millis(100);
const DOORBELL: &str = "[tasuki] task msg-a1b2c3d4e5f6 from grand_boss (token k7qf2m): read \
                        queue/active/msg-a1b2c3d4e5f6.yaml and do it.";
const CLAIM: &str = "TASUKI DONE k7qf2m";

/// An agent in the one pane of a tmux server of its own.
struct Pane {
    cli: Cli,
    folder: tempfile::TempDir,
    stub: Stub,
}

impl Pane {
    fn start(cli: Cli, program: &Path, script: Vec<Rule>) -> Self {
        let pane = Self { cli, folder: tempfile::tempdir().unwrap(), stub: Stub::start(script) };
        let (home, work) = (pane.folder.path().join("home"), pane.work());
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(work.join("queue/active")).unwrap();
        fs::write(work.join("queue/active/msg-a1b2c3d4e5f6.yaml"), "id: msg-a1b2c3d4e5f6\n").unwrap();
        assert!(Command::new("git").args(["init", "-q"]).arg(&work).status().unwrap().success());
        let place = Place { home: &home, work: &work, url: pane.stub.url() };
        cli.settle(&place);
        let mut command = Command::new("tmux");
        command.args(["-L", "clis", "-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "-c"]);
        command.arg(&work).args(["env", "-i"]);
        command.args(cli.env(&place).into_iter().map(|(key, value)| format!("{key}={value}")));
        command.arg(program).args(cli.facts().options);
        let started = command.env("TMUX_TMPDIR", pane.folder.path()).env_remove("TMUX").status().unwrap();
        assert!(started.success(), "{}", cli.name);
        pane.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
        pane
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-L", "clis"]).args(args);
        let output = command.env("TMUX_TMPDIR", self.folder.path()).env_remove("TMUX").output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What is in the pane and in its history.
    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-400"])
    }

    fn wait(&self, what: &str, mut holds: impl FnMut(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return screen;
            }
            assert!(Instant::now() < deadline, "{}: {what}\n{screen}", self.cli.name);
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until this holds and the screen is still.
    fn wait_quiet(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let (mut last, mut since) = (String::new(), Instant::now());
        self.wait(what, |screen| {
            if screen != last {
                (last, since) = (screen.to_owned(), Instant::now());
            }
            holds(screen) && since.elapsed() >= QUIET
        })
    }

    fn is_ready(&self, screen: &str) -> bool {
        screen.contains(self.cli.facts().ready) && !screen.contains(self.cli.facts().busy)
    }

    fn ready(&self) -> String {
        self.wait_quiet("it is ready", |screen| self.is_ready(screen))
    }

    /// Types a line as the daemon does, and enters it.
    fn type_line(&self, line: &str) {
        self.tmux(&["set-buffer", "-b", "line", "--", line]);
        self.tmux(&["paste-buffer", "-p", "-d", "-r", "-b", "line"]);
        let token = "token k7qf2m";
        self.wait_quiet("the line is echoed", |screen| screen.contains(token));
        // No event tells when the agent takes an Enter for an Enter: the time is a fact of the agent.
        std::thread::sleep(self.cli.facts().enter_after);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Presses a key, and again after half a second, until these words are gone.
    fn press_while(&self, words: &str, key: &str) {
        self.wait(key, |screen| {
            let is_there = screen.contains(words);
            if is_there {
                self.tmux(&["send-keys", key]);
                // Two that come at once are another key to some.
                std::thread::sleep(Duration::from_millis(500));
            }
            !is_there
        });
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        command.args(["-L", "clis", "kill-server"]).env("TMUX_TMPDIR", self.folder.path());
        // A server that is gone already is no harm.
        let _ = command.env_remove("TMUX").output();
    }
}

/// Whether the claim is on a row of its own, as tasuki looks for it.
fn is_claimed(screen: &str) -> bool {
    screen.lines().any(|row| row.trim().trim_start_matches(['●', '•', '✦', '⏺']).trim() == CLAIM)
}

fn takes_a_doorbell_and_answers(test: &str, name: &str) {
    let cli = clis::named(name);
    let Some(program) = clis::installed(&cli) else { return };
    if !clis::alone(test) {
        return;
    }
    let answer = format!("I read the file and did what it asked.\n\nTwo tests were added.\n\n{CLAIM}");
    let pane = Pane::start(cli, &program, vec![Answer::text(&answer).into()]);
    assert!(!pane.ready().contains(CLAIM));
    assert_eq!(pane.tmux(&["display-message", "-p", "#{alternate_on}"]).trim(), "0", "the main screen");
    pane.type_line(DOORBELL);
    let screen = pane.wait_quiet("its answer is shown", |screen| is_claimed(screen) && pane.is_ready(screen));
    assert!(screen.contains("Two tests were added."), "{screen}");
    let turns = pane.stub.turns();
    assert_eq!(turns.len(), 1, "{name}: one line is one turn: {turns:?}");
    assert_eq!(turns[0].body.to_string().matches("token k7qf2m").count(), 1, "the line came whole and once");
    assert!(turns[0].stream, "{name} takes its answers in a stream");
}

fn asks_before_a_tool_and_stops_when_told(test: &str, name: &str) {
    let cli = clis::named(name);
    let Some(program) = clis::installed(&cli) else { return };
    if !clis::alone(test) {
        return;
    }
    let (tool, input) = cli.shell_call("touch ran-1");
    let script = vec![Answer::tool(tool, input).into(), Answer::text("It ran.").into(), Answer::Hangs.into()];
    let pane = Pane::start(cli, &program, script);
    pane.ready();
    pane.type_line(DOORBELL);
    pane.wait_quiet("it asks", |screen| screen.contains(cli.facts().dialog));
    assert!(!pane.work().join("ran-1").exists(), "nothing ran unasked");
    // Claude Code takes no key just after it has asked.
    pane.press_while(cli.facts().dialog, "Enter");
    pane.wait_quiet("it is done", |screen| screen.contains("It ran.") && pane.is_ready(screen));
    assert!(pane.work().join("ran-1").exists());
    pane.type_line(DOORBELL);
    pane.wait("it works", |screen| screen.contains(cli.facts().busy));
    // OpenCode wants to be told twice.
    pane.press_while(cli.facts().busy, "Escape");
    assert_eq!(pane.stub.turns().len(), 3);
}

/// A module an agent, so that each is a test by name.
macro_rules! agents {
    ($($name:ident),*) => {$(
        mod $name {
            #[test]
            fn takes_a_doorbell_and_answers() {
                let test = concat!("panes::", stringify!($name), "::takes_a_doorbell_and_answers");
                super::takes_a_doorbell_and_answers(test, stringify!($name));
            }

            #[test]
            fn asks_before_a_tool_and_stops_when_told() {
                let test = concat!("panes::", stringify!($name), "::asks_before_a_tool_and_stops_when_told");
                super::asks_before_a_tool_and_stops_when_told(test, stringify!($name));
            }
        }
    )*};
}

agents!(claude, codex, gemini, qwen, opencode);

#[test]
fn each_recorded_screen_has_its_facts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    for cli in clis::all() {
        let files = fs::read_dir(folder.join(cli.name)).unwrap();
        let is_drawn =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("drawn-"));
        let is_screen =
            |path: &PathBuf| path.extension().is_some_and(|kind| kind != "table") && !is_drawn(path);
        let mut names: Vec<PathBuf> = files.map(|file| file.unwrap().path()).filter(is_screen).collect();
        names.sort();
        assert!(names.len() >= 50, "{}: {} files", cli.name, names.len());
        for pair in names.chunks(2) {
            let [facts, screen] = pair else { panic!("one is missing: {pair:?}") };
            assert_eq!(facts.with_extension("txt"), *screen);
            let facts = fs::read_to_string(facts).unwrap();
            assert!(facts.starts_with("alt=") && facts.contains(" cursor=") && facts.contains(" title="));
        }
    }
}
