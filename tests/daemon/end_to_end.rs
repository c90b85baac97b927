//! Everything together: the built binary, its daemon in the background, real tmux, and two shell scripts as agents. One
//! prints its phrase and token, the other answers with `tasuki reply`.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const TEAM: &str = "\
session: e2e
agents:
  - name: shell
    reports_to: user
    provider: plain
    command: [bash, shell.sh]
    marker: SHELL OK
  - name: replier
    reports_to: user
    provider: plain
    command: [bash, replier.sh]
    marker: REPLIER OK
";
const SHELL: &str = r#"
while IFS= read -r line; do
  token=${line##*(token }; token=${token%%)*}
  id=${line#*task }; id=${id%% *}
  sed -n 's/^content: /I read: /p' "queue/active/$id.yaml"
  echo "SHELL OK $token"
done
"#;
const REPLIER: &str = r#"
while IFS= read -r line; do
  token=${line##*(token }; token=${token%%)*}
  "$BIN" reply --ack "$token"
  case $line in
    *m-bad*) echo 'できません' | "$BIN" reply --failed "$token" - ;;
    *) "$BIN" reply "$token" 'できました 🎌' ;;
  esac
done
"#;

/// A workspace whose daemon and tmux server end with it.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self(folder);
        assert_eq!(code(&world.run(&["init", "--provider", "plain"])), 0);
        let write = |name: &str, text: &str| std::fs::write(world.path().join(name), text).unwrap();
        write("tasuki.yaml", TEAM);
        write("shell.sh", SHELL);
        write("replier.sh", &REPLIER.replace("$BIN", env!("CARGO_BIN_EXE_tasuki")));
        world
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tasuki"));
        program.current_dir(self.path()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        program.env("HOME", self.path().join("home")).env("LANG", "C.UTF-8").stdin(Stdio::null());
        program.args(arguments).output().unwrap()
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {output:?}\n{}", self.daemon_log());
        String::from_utf8(output.stdout).unwrap()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn daemon_log(&self) -> String {
        std::fs::read_to_string(self.path().join(".tasuki/daemon.log")).unwrap_or_default()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let attach = self.run(&["attach", "--print"]);
        let _ = self.run(&["down"]);
        let words = String::from_utf8_lossy(&attach.stdout).into_owned();
        if let Some(socket) = words.split_whitespace().nth(2) {
            let _ = Command::new("tmux").args(["-L", socket, "kill-server"]).stderr(Stdio::null()).status();
        }
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

#[test]
fn a_message_goes_all_the_way_and_its_answer_comes_back() {
    let world = World::new();
    assert!(world.ok(&["send", "shell", "先に 来た", "--id", "m-early"]).contains("m-early"));
    world.ok(&["up", "--within", "60s"]);
    assert!(world.run(&["up"]).status.success(), "up again changes nothing");

    assert_eq!(
        world.ok(&["send", "shell", "襷 🎌", "--id", "m-1", "--wait", "--within", "60s"]),
        "I read: 襷 🎌\n"
    );
    let early = world.ok(&["send", "shell", "先に 来た", "--id", "m-early", "--wait", "--within", "60s"]);
    assert_eq!(
        early, "I read: 先に 来た\n",
        "the drop that was there before the daemon, sent again as a duplicate"
    );
    assert_eq!(
        world.ok(&["send", "replier", "x", "--id", "m-2", "--follow", "--within", "60s"]),
        "できました 🎌\n"
    );
    assert!(world.read("queue/results/m-2.yaml").contains("completion_source: reply"));
    let failed = world.run(&["send", "replier", "x", "--id", "m-bad", "--wait", "--within", "60s"]);
    assert_eq!((code(&failed), &*failed.stdout), (1, "できません\n".as_bytes()), "{failed:?}");
    world.ok(&["send", "shell", "y", "--delivered", "--within", "60s"]);

    let status: serde_json::Value = serde_json::from_str(&world.ok(&["status", "--json"])).unwrap();
    assert_eq!(status["agents"][0]["agent_name"], "shell");
    assert!(status["daemon"]["socket"].as_str().unwrap().ends_with("/socket"));
    let story = world.ok(&["why", "m-1"]);
    for word in ["accepted: task from user to shell", "receipt: ", "completed (by marker)"] {
        assert!(story.contains(word), "`{word}` is not in:\n{story}");
    }
    holds_and_goes_on(&world);
    lives_on_without_its_daemon(&world);
    world.ok(&["down"]);
    after_the_end(&world);
}

fn holds_and_goes_on(world: &World) {
    world.ok(&["stop", "--all"]);
    let late = world.run(&["send", "shell", "z", "--id", "m-held", "--wait", "--within", "1s"]);
    assert_eq!(code(&late), 4, "{late:?}");
    world.ok(&["cancel", "m-held"]);
    assert_eq!(code(&world.run(&["cancel", "m-held"])), 2, "it has ended");
    let again: serde_json::Value = serde_json::from_str(&world.ok(&["retry", "m-held", "--json"])).unwrap();
    let id = again["id"].as_str().unwrap();
    world.ok(&["stop", "--off"]);
    let after = ["send", "shell", "x", "--depends-on", id, "--wait", "--within", "60s"];
    assert_eq!(world.ok(&after), "I read: x\n", "the same again was done before it");
    let result = std::fs::read_to_string(world.path().join(format!("queue/results/{id}.yaml"))).unwrap();
    assert!(result.contains("I read: z"), "{result}");
    let journal = std::fs::read_to_string(world.path().join(".tasuki/journal/000001.jsonl")).unwrap();
    assert!(journal.contains(r#""retry_of":"m-held""#), "{journal}");
}

fn lives_on_without_its_daemon(world: &World) {
    let shell = || {
        let status: serde_json::Value = serde_json::from_str(&world.ok(&["status", "--json"])).unwrap();
        (status["daemon"]["pid"].as_u64(), status["agents"][1]["pid"].as_u64())
    };
    let (daemon, agent) = shell();
    let second = world.run(&["daemon"]);
    assert_eq!(code(&second), 1, "the lock is held: {second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains(&daemon.unwrap().to_string()), "{second:?}");
    world.ok(&["down", "--keep-agents"]);
    world.ok(&["up", "--within", "60s"]);
    let (new, same) = shell();
    assert_ne!(daemon, new);
    assert_eq!((agent, same.is_some()), (same, true), "the agent was adopted");
    assert_eq!(world.ok(&["send", "shell", "再び", "--wait", "--within", "60s"]), "I read: 再び\n");
}

/// What is known without a daemon, and that the views follow from the journal byte for byte.
fn after_the_end(world: &World) {
    assert!(world.ok(&["status"]).contains("no daemon is running"));
    let again = world.ok(&["why", "m-1"]);
    assert!(again.contains("completed (by marker)"), "{again}");
    let before = world.read("queue/results/m-2.yaml");
    let done = std::fs::read_dir(world.path().join("queue/done")).unwrap().next().unwrap().unwrap().path();
    let kept = std::fs::read_to_string(done.join("m-2.yaml")).unwrap();
    std::fs::remove_file(world.path().join("queue/results/m-2.yaml")).unwrap();
    std::fs::remove_file(done.join("m-2.yaml")).unwrap();
    assert!(world.ok(&["fsck", "--rebuild"]).contains("finished messages: 1 written again"));
    assert_eq!(world.read("queue/results/m-2.yaml"), before);
    assert_eq!(std::fs::read_to_string(done.join("m-2.yaml")).unwrap(), kept);
}
