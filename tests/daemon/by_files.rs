//! Who looks is shown the same by the daemon and by the files alone, but for what must differ; and is answered while the daemon has
//! its hands full.

use crate::house::House;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use tasuki::io::workspace::{Surroundings, Workspace};
use tasuki::read::{Answers, Model};
use tasuki::wire::api::{
    AgentQuery, AgentsQuery, InboxQuery, MessageQuery, MessagesQuery, NeedsQuery, StatusQuery, TeamQuery,
};

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
/// Longer than any look takes on a loaded machine.
const AT_ONCE: Duration = Duration::from_secs(5);
const DROPS: usize = 1_000;

/// What a question is answered, by the daemon or by the files.
enum Asked<'m> {
    Daemon(&'m str),
    Files(&'m mut Model),
}

impl Asked<'_> {
    fn answer<Q: Answers>(&mut self, question: Q) -> Value {
        let shown = match self {
            Self::Daemon(socket) => ask(socket, &question.address()),
            Self::Files(model) => match question.answer(model) {
                Ok(answer) => serde_json::to_value(answer).expect("JSON"),
                Err(problem) => serde_json::to_value(problem).expect("JSON"),
            },
        };
        without_moment(shown)
    }

    /// All questions there are.
    fn all(&mut self) -> Vec<(&'static str, Value)> {
        let id = |id: &str| MessageQuery { id: id.to_owned() };
        let open = MessagesQuery { state: Some("open".to_owned()), ..MessagesQuery::default() };
        vec![
            ("list", self.answer(MessagesQuery::default())),
            ("list of what is open", self.answer(open)),
            ("m-1", self.answer(id("m-1"))),
            ("m-2", self.answer(id("m-2"))),
            ("m-3", self.answer(id("m-3"))),
            ("nobody", self.answer(id("nobody"))),
            ("needs", self.answer(NeedsQuery {})),
            ("inbox", self.answer(InboxQuery {})),
            ("team", self.answer(TeamQuery {})),
            ("status", self.answer(StatusQuery {})),
            ("agents", self.answer(AgentsQuery {})),
            ("worker", self.answer(AgentQuery { name: "worker".to_owned() })),
        ]
    }
}

/// The same without what is of the moment: the daemon, its notes, the time, and since when an agent is in its state.
fn without_moment(mut value: Value) -> Value {
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for key in ["now", "daemon", "notes"] {
                fields.remove(key);
            }
            if fields.contains_key("agent_name") {
                fields.remove("since");
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

fn ask(socket: &str, path: &str) -> Value {
    let mut stream = UnixStream::connect(socket).expect("the daemon");
    let request = format!("GET {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("to ask");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

fn socket(house: &House) -> String {
    let status = house.ask(&["status", "--json"]);
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    status["daemon"]["socket"].as_str().expect("a daemon").to_owned()
}

fn of_files(house: &House) -> Model {
    let workspace = Workspace::at(&house.path("")).expect("a workspace");
    let around = Surroundings {
        vars: std::env::vars_os().collect(),
        cwd: house.path(""),
        exe: env!("CARGO_BIN_EXE_tasuki").into(),
        home: None,
        config: None,
        temp: std::env::temp_dir(),
        uid: rustix::process::geteuid().as_raw(),
    };
    Model::of_files(&workspace, &around).expect("what the files say")
}

/// One task is done, one is worked on, one waits, something is unread, and something was refused.
fn busy_house(name: &str) -> House {
    let mut house = House::new(name, WORKER, &[("patient.sh", PATIENT)]);
    house.start();
    house.write("go", "");
    house.drop("a.yaml", "id: m-1\nto: worker\ncontent: |\n  # 最初\n  more\n");
    assert!(house.result("m-1").contains("answer to m-1"));
    std::fs::remove_file(house.path("go")).expect("to stop");
    house.drop("b.yaml", "id: m-2\nto: worker\ncontent: second\n");
    house.drop("c.yaml", "id: m-3\nto: worker\ncontent: third\n");
    house.drop("d.yaml", "id: i-1\nto: user\ntype: info\ncontent: for you\n");
    house.drop("e.yaml", "to: nobody\ncontent: x\n");
    house.until("all of it", |house| {
        let status = house.read("status/agents/worker.yaml");
        status.contains("current_task: m-2")
            && status.contains("task m-2 from user")
            && status.contains("queued: 1")
            && !house.files("queue/inbox").is_empty()
            && !house.files("queue/rejected").is_empty()
    });
    // Nothing moves any more, and the status files say so.
    let at = socket(&house);
    house.until("it to rest", |_| {
        let seq = |value: &Value| value["seq"].clone();
        let before = seq(&ask(&at, "/api/status"));
        std::thread::sleep(Duration::from_millis(300));
        before == seq(&ask(&at, "/api/status"))
    });
    house
}

#[test]
fn whoever_looks_sees_the_same_with_the_daemon_and_after_it_was_killed() {
    let mut house = busy_house("見る");
    let at = socket(&house);
    let shown = Asked::Daemon(&at).all();
    let list = &shown[0].1["messages"];
    let ids: Vec<_> =
        list.as_array().expect("a list").iter().map(|one| (&one["id"], &one["title"])).collect();
    assert_eq!(json!(ids), json!([["m-3", "third"], ["m-2", "second"], ["i-1", "for you"], ["m-1", "最初"]]));
    house.kill_alone();
    let mut model = of_files(&house);
    for ((what, before), (_, after)) in shown.iter().zip(Asked::Files(&mut model).all()) {
        match *what {
            // What waits waits for a daemon now.
            "needs" => assert_eq!(before["needs"], after["needs"], "{what}"),
            _ => assert_eq!(*before, after, "{what}"),
        }
    }
    house.start();
    house.write("go", "");
    for id in ["m-2", "m-3"] {
        assert!(house.result(id).contains(&format!("answer to {id}")), "it goes on");
    }
    house.end();
}

#[test]
fn whoever_looks_sees_the_same_after_the_daemon_and_its_agents_ended() {
    let mut house = busy_house("終わる");
    let at = socket(&house);
    let shown = Asked::Daemon(&at).all();
    assert!(house.ask(&["down"]).status.success());
    house.wait();
    let mut model = of_files(&house);
    for ((what, before), (_, after)) in shown.iter().zip(Asked::Files(&mut model).all()) {
        match *what {
            // Its end is a step of the journal, and nobody works any more.
            "status" | "agents" | "worker" | "needs" => {}
            "list" | "list of what is open" => {
                let ids = |page: &Value| {
                    let rows = page["messages"].as_array().expect("a list");
                    rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
                };
                assert_eq!(ids(before), ids(&after), "{what}");
            }
            "m-2" | "m-3" => assert_eq!(before["content"], after["content"], "{what}"),
            _ => assert_eq!(*before, after, "{what}"),
        }
    }
    let status = Asked::Files(&mut model).answer(StatusQuery {});
    assert_eq!(
        json!([status["open"], status["unread"], status["agents"][0]["state"]]),
        json!([2, 1, "stopped"])
    );
    // The command says the same.
    let said = house.ask(&["status", "--json"]);
    let said: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!((&said["open"], &said["unread"], &said["daemon"]), (&json!(2), &json!(1), &Value::Null));
}

#[test]
fn whoever_looks_is_answered_at_once_while_a_thousand_drops_are_taken() {
    let mut house = House::plain("千");
    house.start();
    let at = socket(&house);
    house.write("queue/STOP", "");
    for number in 0..DROPS {
        house.drop(
            &format!("d-{number}.yaml"),
            &format!("id: d-{number}\nto: worker\ncontent: number {number}\n"),
        );
    }
    let (mut looks, mut seen) = (0_u64, 0);
    while seen < DROPS {
        let start = Instant::now();
        let open = ask(&at, "/api/status")["open"].as_u64().expect("a number");
        let page = ask(&at, "/api/messages?limit=50");
        assert!(start.elapsed() < AT_ONCE, "{:?} for a look", start.elapsed());
        assert!(usize::try_from(open).expect("few") >= seen, "nothing is shown and then not");
        let shown = page["messages"].as_array().expect("a list").len();
        assert!(shown >= usize::try_from(open).expect("few").min(50), "{shown} of {open}");
        (looks, seen) = (looks + 1, usize::try_from(open).expect("few"));
    }
    println!("{looks} looks");
    house.end();
}
