//! What the daemon does while something happens to its system calls.

use crate::account::{AGENT, Account};
use crate::house::House;
use crate::syscalls::strace::{Orders, Tracer};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Three messages of this many bytes fill a segment of 2 MiB.
const LARGE: usize = 900_000;

/// An agent that hands on a part of each task, and answers when the part is done.
const BOSS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    if [[ $line == "[tasuki] task "* ]]; then
      printf 'to: worker\ntoken: %s\ncontent: 一部\n' "$token" > queue/.part.tmp
      mv queue/.part.tmp queue/part.yaml
    fi
    echo "answer to $(basename "$file" .yaml)"
    echo "PLAIN OK $token"
  fi
done
"#;

/// A piece of work: what went before, and what is watched.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// Whether the start of a daemon is watched; else one that runs.
    pub(crate) starts: bool,
    prepare: fn(&mut Stage),
    act: fn(&mut Stage),
}

/// Every scene.
pub(crate) const SCENES: &[Scene] = &[
    Scene { name: "accept", starts: false, prepare: |_| {}, act: accept },
    Scene { name: "duplicate", starts: false, prepare: know, act: duplicate },
    Scene { name: "reject", starts: false, prepare: |_| {}, act: reject },
    Scene { name: "deliver", starts: false, prepare: wait_for_the_agent, act: deliver },
    Scene { name: "turn", starts: false, prepare: fill, act: turn },
    Scene { name: "start", starts: true, prepare: leave_open, act: go_on },
    Scene { name: "retention", starts: true, prepare: grow_old, act: go_on },
    Scene { name: "end", starts: false, prepare: wait_for_the_agent, act: end },
    Scene { name: "send", starts: false, prepare: wait_for_the_agent, act: send },
    Scene { name: "parts", starts: false, prepare: wait_for_the_agent, act: hand_on },
    Scene { name: "adopt", starts: true, prepare: leave_at_work, act: come_back },
];

/// A workspace for one run of a scene.
pub(crate) struct Stage {
    pub(crate) house: House,
    pub(crate) account: Account,
    beside: tempfile::TempDir,
    tracer: Option<Tracer>,
    /// Messages on their way over the socket.
    clients: Vec<(String, Child)>,
}

impl Stage {
    /// All that goes before.
    pub(crate) fn set(scene: &Scene) -> Self {
        let beside = tempfile::tempdir().expect("a folder");
        let typed = beside.path().join("typed");
        let agent = format!(
            "  - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {{TYPED: {}}}}}\n",
            typed.display()
        );
        let agents = if scene.name == "parts" {
            agent.replace("reports_to: user", "reports_to: boss") + &boss(&typed)
        } else {
            agent
        };
        let house = House::new(scene.name, &agents, &[("agent.sh", AGENT), ("boss.sh", BOSS)]);
        let mut stage =
            Self { house, account: Account::new(typed), beside, tracer: None, clients: Vec::new() };
        stage.house.start();
        (scene.prepare)(&mut stage);
        stage
    }

    /// A file that is not in the workspace.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.beside.path().join(name)
    }

    /// What is watched.
    pub(crate) fn open(&mut self, scene: &Scene, orders: &Orders) {
        if scene.starts {
            self.house.spawn_by(&orders.line());
        } else {
            self.tracer = Some(orders.attach(self.house.pid()));
        }
        (scene.act)(self);
    }

    /// While this file is there, the agent does not answer.
    fn hold(&self) -> PathBuf {
        self.beside("typed.hold")
    }

    /// Sends the tracer away.
    pub(crate) fn close(&mut self) {
        self.tracer = None;
        if self.house.ended().is_none() {
            crate::syscalls::strace::leave(self.house.pid());
        }
    }

    /// Sends an info over the socket, and does not wait for the answer.
    fn client(&mut self, id: &str) {
        let mut client = self.to_send(id);
        client.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.clients.push((id.to_owned(), client.spawn().expect("tasuki send")));
    }

    fn to_send(&self, id: &str) -> Command {
        let mut client = self.house.tasuki();
        client.args(["send", "user", "--type", "info", "--id", id]).arg(format!("言う {id}"));
        client
    }

    /// What was sent over the socket and not answered is sent again, under the same id: all of it has to end, once.
    ///
    /// # Errors
    /// Whoever cannot be answered now.
    pub(crate) fn send_again(&mut self) -> Result<(), String> {
        for (id, mut client) in std::mem::take(&mut self.clients) {
            let promised = client.wait().is_ok_and(|status| status.success());
            if !promised {
                let output = self.to_send(&id).output().map_err(|error| error.to_string())?;
                if !output.status.success() {
                    return Err(format!("{id} is not taken: {}", String::from_utf8_lossy(&output.stderr)));
                }
            }
            self.account.infos.push(id);
        }
        Ok(())
    }

    fn info(&mut self, id: &str, content: &str) {
        self.house
            .drop(&format!("{id}.yaml"), &format!("id: {id}\nto: user\ntype: info\ncontent: {content}\n"));
        self.account.infos.push(id.to_owned());
    }

    fn task(&mut self, id: &str) {
        self.house
            .drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: |\n  仕事 {id} 🎽\n"));
        self.account.tasks.push(id.to_owned());
    }

    fn nameless(&mut self, word: &str) {
        self.house.drop(&format!("{word}.yaml"), &format!("to: user\ntype: info\ncontent: {word}\n"));
        self.account.nameless.push(word.to_owned());
    }

    fn bad(&mut self, name: &str, text: &str, code: &'static str) {
        self.house.drop(name, text);
        self.account.refused.push((name.to_owned(), code));
    }

    fn settled(&self) {
        self.account.settle(&self.house, crate::house::PATIENCE).expect("what goes before");
    }
}

fn accept(stage: &mut Stage) {
    stage.nameless("uno");
    stage.info("one", "一つ");
    let both =
        "id: two\nto: user\ntype: info\ncontent: a\n---\nid: three\nto: user\ntype: info\ncontent: b\n";
    stage.house.drop("both.yaml", both);
    stage.account.infos.extend(["two", "three"].map(str::to_owned));
}

fn know(stage: &mut Stage) {
    stage.info("known", "same");
    stage.task("worked");
    stage.settled();
}

fn duplicate(stage: &mut Stage) {
    stage.house.drop("again.yaml", "id: known\nto: user\ntype: info\ncontent: same\n");
    stage.house.drop("worked.yaml", "id: worked\nto: worker\ncontent: |\n  仕事 worked 🎽\n");
    stage.bad("other.yaml", "id: known\nto: user\ntype: info\ncontent: other\n", "id-conflict");
    stage.info("next", "new");
}

fn reject(stage: &mut Stage) {
    stage.bad("empty.yaml", "", "empty");
    stage.bad("nobody.yaml", "to: nobody\ncontent: hello\n", "unknown-agent");
    stage.info("good", "new");
}

fn wait_for_the_agent(stage: &mut Stage) {
    stage.house.until("an agent", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
}

fn deliver(stage: &mut Stage) {
    stage.task("t-1");
    let text = "to: worker\ncontent: |\n  tres\n";
    stage.house.drop("tres.yaml", text);
    stage.account.nameless.push("tres".to_owned());
}

fn large(stage: &mut Stage, id: &str) {
    stage.info(id, &"襷".repeat(LARGE / 3));
}

fn fill(stage: &mut Stage) {
    stage.task("before");
    stage.settled();
    large(stage, "large-0");
    large(stage, "large-1");
    stage.settled();
    stage.house.write("queue/STOP", "");
    stage.house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    stage.task("held");
    stage.house.until("it", |house| house.path("queue/active/held.yaml").exists());
}

fn turn(stage: &mut Stage) {
    large(stage, "large-2");
    stage.nameless("quatro");
    stage.info("small", "小");
    stage.house.drop("before-again.yaml", "id: before\nto: worker\ncontent: |\n  仕事 before 🎽\n");
    fs::remove_file(stage.house.path("queue/STOP")).expect("STOP");
}

fn leave_open(stage: &mut Stage) {
    stage.task("first");
    stage.settled();
    stage.house.write("queue/STOP", "");
    stage.house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    stage.task("open-1");
    stage.task("open-2");
    stage.house.until("it", |house| house.path("queue/active/open-2.yaml").exists());
    stage.nameless("cinco");
    stage.house.kill();
    stage.nameless("seis");
    stage.bad("blank.yaml", "", "empty");
}

fn go_on(stage: &mut Stage) {
    stage.info("late", "遅い");
    // Whoever stopped the team lets it go on.
    let _ = fs::remove_file(stage.house.path("queue/STOP"));
}

fn grow_old(stage: &mut Stage) {
    stage.task("young");
    stage.settled();
    stage.house.end();
    let then = "queue/done/2020-09-13";
    fs::create_dir(stage.house.path(then)).expect("a day long ago");
    for id in ["old-1", "old-2"] {
        fs::write(stage.house.path(&format!("{then}/{id}.yaml")), "id: old\n").expect("an old message");
        let result = format!("queue/results/{id}.yaml");
        fs::write(stage.house.path(&result), "id: old\n").expect("an old result");
        age(&stage.house.path(&result));
        stage.account.gone.push(result);
    }
    stage.account.gone.push(then.to_owned());
}

fn age(path: &Path) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 86_400);
    fs::File::options().write(true).open(path).expect("the file").set_modified(then).expect("its time");
}

fn end(stage: &mut Stage) {
    stage.task("last");
    stage.info("word", "さようなら");
    let pid = i32::try_from(stage.house.pid()).ok().and_then(rustix::process::Pid::from_raw);
    // It may be dead by now.
    let _ = rustix::process::kill_process(pid.expect("a pid"), rustix::process::Signal::TERM);
}

fn send(stage: &mut Stage) {
    stage.client("said-1");
    stage.client("said-2");
    stage.task("dropped");
}

fn boss(typed: &Path) -> String {
    format!(
        "  - {{name: boss, reports_to: user, provider: plain, command: [bash, ./boss.sh], marker: PLAIN OK, env: {{TYPED: {}}}}}\n",
        typed.display()
    )
}

fn hand_on(stage: &mut Stage) {
    stage.house.drop("whole.yaml", "id: whole\nto: boss\ncontent: 全部\n");
    stage.account.tasks.push("whole".to_owned());
}

fn leave_at_work(stage: &mut Stage) {
    fs::write(stage.hold(), "").expect("a file");
    stage.task("begun");
    // Two that come within one tick of the file system's clock have no order.
    stage.house.until("work", |house| house.read("queue/active/begun.yaml").contains("status: in_progress"));
    stage.task("next");
    stage.house.until("the next", |house| house.path("queue/active/next.yaml").exists());
    stage.house.kill();
}

fn come_back(stage: &mut Stage) {
    stage.info("later", "あとで");
    fs::remove_file(stage.hold()).expect("the file");
}
