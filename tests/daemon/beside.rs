//! Commands beside a daemon that starts, ends or works: what is told of a message that is accepted is true of it, and nothing is
//! taken away from those who work.

use crate::house::{self, House};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};

/// Answers each task with its id as soon as the file `go` is there.
const PATIENT: &str = r#"
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    until [[ -e go ]]; do sleep 0.05; done
    echo "answer to $(basename "$file" .yaml)"
    echo "PATIENT OK $token"
  fi
done
"#;
const WORKER: &str = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./patient.sh], marker: PATIENT OK}\n";
const UNAVAILABLE: &str = "the daemon is ending or restarting";

/// A workspace without a daemon, in whose place a thread gives these answers and no more.
struct Played {
    house: House,
    asked: Receiver<String>,
}

impl Played {
    fn new(answers: Vec<(u16, Value)>) -> Self {
        let house = House::new("played", WORKER, &[]);
        for folder in [".tasuki", "queue"] {
            fs::create_dir(house.path(folder)).expect("a folder");
        }
        let listener = UnixListener::bind(house.path(".tasuki/socket")).expect("a socket");
        let (tell, asked) = sync_channel(answers.len());
        std::thread::spawn(move || {
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().expect("a client");
                let said = read_request(&stream);
                let body = body.to_string();
                let head = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n\r\n", body.len());
                stream.write_all(format!("{head}{body}").as_bytes()).expect("to answer");
                tell.send(said).expect("the test");
            }
        });
        Self { house, asked }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.house.tasuki().args(arguments).stdin(Stdio::null()).output().expect("tasuki")
    }

    /// m-1 has ended, as the files tell it.
    fn has_ended(&self) {
        let write = |path: &str, text: &str| {
            let path: PathBuf = self.house.path(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a view");
        };
        let head = "id: m-1\nfrom: user\nto: worker\ntype: task\nstatus: completed\nstage: completed\n";
        write("queue/done/2026-01-02/m-1.yaml", &format!("{head}attempt: 1\ncontent: 仕事\n"));
        let head = "id: r-1\nfrom: worker\nto: user\ntype: result\nstatus: completed\n";
        write("queue/results/m-1.yaml", &format!("{head}in_reply_to: m-1\ncontent: できました 🎌\n"));
    }
}

/// The first line of a request; all of it is read.
fn read_request(stream: impl Read) -> String {
    let mut lines = BufReader::new(stream);
    let (mut first, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        if let Some(text) = line.to_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().expect("a length");
        }
        first.get_or_insert(line);
    }
    lines.read_exact(&mut vec![0; length]).expect("a body");
    first.expect("a request")
}

fn problem(code: &str, why: &str) -> Value {
    json!({"code": code, "why": why, "cure": "try again in a moment"})
}

fn accepted() -> Value {
    json!({"ids": ["m-1"], "duplicates": [], "durable": true})
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], b"|", &output.stderr].concat()).into_owned()
}

const SEND: [&str; 5] = ["send", "worker", "仕事", "--id", "m-1"];

#[test]
fn a_daemon_that_starts_anew_or_has_forgotten_the_message_does_not_end_the_wait() {
    let unavailable = || (503, problem("unavailable", UNAVAILABLE));
    let forgotten = (404, problem("no-message", "m-1 is neither open nor recently finished"));
    let played = Played::new(vec![(202, accepted()), unavailable(), unavailable(), forgotten]);
    played.has_ended();
    let waited = played.run(&[&SEND[..], &["--wait"]].concat());
    assert_eq!((waited.status.code(), &*said(&waited)), (Some(0), "できました 🎌\n|"));
    assert_eq!(played.asked.try_iter().count(), 4);
    // Nor does one that is gone since: the files say that the task has ended.
    let played = Played::new(vec![(202, accepted())]);
    played.has_ended();
    let waited = played.run(&[&SEND[..], &["--wait"]].concat());
    assert_eq!((waited.status.code(), &*said(&waited)), (Some(0), "できました 🎌\n|"));
}

#[test]
fn stop_is_left_for_a_daemon_that_does_not_answer() {
    let played = Played::new(vec![(503, problem("unavailable", UNAVAILABLE))]);
    let stopped = played.run(&["stop", "--all"]);
    assert!(stopped.status.success() && said(&stopped).contains("sees it by itself"), "{stopped:?}");
    assert!(played.house.path("queue/STOP").exists());
}

#[test]
fn a_message_that_may_be_accepted_goes_again_under_its_id() {
    let unavailable = || (503, problem("unavailable", UNAVAILABLE));
    let played = Played::new(vec![unavailable()]);
    let sent = played.run(&SEND);
    assert!(sent.status.success() && said(&sent).starts_with("m-1\n|"), "{sent:?}");
    assert!(
        said(&sent).contains(UNAVAILABLE) && said(&sent).contains("m-1 waits for it in queue/"),
        "{sent:?}"
    );
    assert!(played.house.read("queue/send-m-1.yaml").contains("仕事"));

    // Who waits goes on to wait: it was accepted all the same, or its file is about to be taken.
    let not_yet = (404, problem("no-message", "m-1 is neither open nor recently finished"));
    let info = json!({"reached": true, "message": {"id": "m-1", "from": "user", "to": "worker", "type": "task",
        "status": "completed", "stage": "completed", "since": "", "accepted_at": "", "attempt": 1, "redelivered": false,
        "priority": "normal", "verified": false, "answered": true}});
    let played = Played::new(vec![unavailable(), not_yet, (200, info)]);
    let waiting = played
        .house
        .tasuki()
        .args(SEND)
        .arg("--wait")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("tasuki");
    for word in ["POST", "GET", "GET"] {
        let asked = played.asked.recv_timeout(house::PATIENCE).expect("to be asked");
        assert!(asked.starts_with(word), "{asked}");
    }
    played.has_ended();
    let waited = waiting.wait_with_output().expect("its end");
    assert_eq!((waited.status.code(), &*said(&waited)), (Some(0), "できました 🎌\n|"));
    assert!(played.house.path("queue/send-m-1.yaml").exists());

    // Where it cannot be left in `queue/` either, its id is told.
    let played = Played::new(vec![unavailable()]);
    fs::create_dir(played.house.path("queue/send-m-1.yaml")).expect("a folder");
    let sent = played.run(&SEND);
    assert_eq!(sent.status.code(), Some(1), "{sent:?}");
    assert!(said(&sent).contains("with `--id m-1`"), "{sent:?}");
}

#[test]
fn whoever_waits_over_a_restart_or_asks_again_after_a_new_segment_gets_the_answer() {
    let mut house = House::new("待つ", WORKER, &[("patient.sh", PATIENT)]);
    house.start();
    let mut command = house.tasuki();
    command.args(SEND).args(["--wait", "--within", "60s"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = command.spawn().expect("tasuki");
    house.until("it to be typed", |house| {
        house.read("status/agents/worker.yaml").contains("current_task: m-1")
    });
    house.end();
    house.start();
    house.write("go", "");
    let waited = waiting.wait_with_output().expect("its end");
    assert_eq!((waited.status.code(), &*said(&waited)), (Some(0), "answer to m-1\n|"));

    // Segments of 2 MiB: the daemon forgets what ended in an earlier one.
    house.write("big.txt", &"襷".repeat(300_000));
    while !house.path(".tasuki/journal/000002.jsonl").exists() {
        let sent = house.tasuki().args(["send", "user", "--type", "info", "--file", "big.txt"]).output();
        assert!(sent.expect("tasuki").status.success());
    }
    let status = said(&house.tasuki().args(["status", "--json"]).output().expect("tasuki"));
    let socket =
        status.split("\"socket\": \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a socket");
    // It is shown from the segment in which it ended.
    house.until("the new segment", |_| ask(socket, "/api/status").contains("\"open\":0"));
    let shown = ask(socket, "/api/messages/m-1");
    assert!(shown.contains("\"completed\"") && shown.contains("\"text\":\"answer to m-1\""), "{shown}");
    let waited = ask(socket, "/api/messages/m-1/wait");
    assert!(waited.contains("\"reached\":true"), "{waited}");
    for how in ["--wait", "--delivered"] {
        let again = house.tasuki().args(SEND).args([how, "--within", "60s"]).output().expect("tasuki");
        assert_eq!(again.status.code(), Some(0), "{again:?}");
        let words = if how == "--wait" { "answer to m-1\n|" } else { "m-1 is completed\n|" };
        assert_eq!(said(&again), words);
    }
    house.end();
}

#[test]
fn a_rebuild_beside_a_daemon_leaves_an_info_to_its_reader() {
    let mut house = House::plain("読む人");
    house.start();
    let sent =
        ["send", "worker", "お知らせ", "--type", "info", "--id", "i-1", "--delivered", "--within", "60s"];
    let sent = house.tasuki().args(sent).output().expect("tasuki");
    assert!(sent.status.success(), "{sent:?}");
    house.until("it to be done", |house| done(house).is_some());
    let (open, done) = (house.read("queue/active/i-1.yaml"), done(&house).expect("it is done"));
    assert!(open.contains("お知らせ"), "its agent was told to read it");
    let shown = fs::read_to_string(&done).expect("a view");
    let rebuild = || said(&house.tasuki().args(["fsck", "--rebuild"]).output().expect("tasuki"));
    let kept = rebuild();
    assert!(kept.contains("finished messages: 0 written again"), "{kept}");
    assert_eq!(house.read("queue/active/i-1.yaml"), open);
    fs::remove_file(&done).expect("to remove it");
    let written = rebuild();
    assert!(written.contains("finished messages: 1 written again"), "{written}");
    assert_eq!(fs::read_to_string(&done).expect("a view"), shown);
    assert_eq!(house.read("queue/active/i-1.yaml"), open);
    house.end();
}

/// Each verb reads what the daemon wrote, in a folder where agents may write too.
#[test]
fn no_verb_waits_for_a_pipe_in_the_place_of_a_view() {
    let mut house = House::new("pipes", WORKER, &[("patient.sh", PATIENT)]);
    house.start();
    house.end();
    let pipe = |name: &str| {
        let _ = fs::remove_file(house.path(name));
        let path = house.path(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).expect(name);
    };
    let places =
        ["status/agents/zz.yaml", "queue/active/zz.yaml", "status/activity.log", "status/daemon.yaml"];
    places.into_iter().chain([".tasuki/start.err"]).for_each(pipe);
    for words in [&["status"][..], &["log"], &["why", "zz"], &["up"], &["status"], &["down"]] {
        house.ask(words);
    }
    let meta = house.path(".tasuki/start.err").metadata().expect("what `up` made");
    assert!(meta.is_file() && meta.permissions().mode() & 0o777 == 0o600, "{meta:?}");
}

/// What the daemon says there.
fn ask(socket: &str, path: &str) -> String {
    let mut stream = UnixStream::connect(socket).expect("the daemon");
    let request = format!("GET {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("to ask");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// `queue/done/DAY/i-1.yaml`
fn done(house: &House) -> Option<PathBuf> {
    let days = fs::read_dir(house.path("queue/done")).into_iter().flatten().flatten();
    days.map(|day| day.path().join("i-1.yaml")).find(|path| path.exists())
}
