//! What a person puts aside of what waits: it stays away over restarts, and comes back when it happens again.

use crate::events::Stream;
use crate::house::House;
use crate::looking::ok;
use crate::over_socket::{ask, get};
use serde_json::Value;

fn ids(needs: &Value) -> Vec<String> {
    let needs = needs["needs"].as_array().expect("needs");
    needs.iter().map(|need| need["id"].as_str().expect("an id").to_owned()).collect()
}

fn by_verb(house: &House) -> Vec<String> {
    ids(&serde_json::from_str(&ok(house, &["needs", "--json"])).expect("JSON"))
}

/// The need of this id.
fn need(house: &House, id: &str) -> Value {
    let needs = get(house, "/api/needs");
    let found = needs["needs"].as_array().expect("needs").iter().find(|need| need["id"] == id);
    found.unwrap_or_else(|| panic!("{id}: {needs}")).clone()
}

const AGENTS: &str = r"  - {name: boss, reports_to: user, provider: plain, command: [cat], marker: BOSS OK}
  - {name: m1, reports_to: boss, provider: plain, command: [cat], marker: M1 OK, timeout: 1s}
  - {name: m2, reports_to: boss, provider: plain, command: [cat], marker: M2 OK, timeout: 1s}
";

/// Two failed tasks, a letter, and a refused file.
fn failed(name: &str) -> House {
    let mut house = House::new(name, AGENTS, &[]);
    house.start();
    for (id, to) in [("f-1", "m1"), ("f-2", "m2")] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: {to}\ncontent: 駄目 🎌\n"));
    }
    house.drop("bad.yaml", "to: nobody\ncontent: だれ\n");
    house.drop("i-1.yaml", "id: i-1\nfrom: boss\nto: user\ntype: info\ncontent: お知らせ\n");
    for id in ["f-1", "f-2"] {
        house.result(id);
    }
    house.until("the refusal and the letter", |house| {
        house.path("queue/rejected/bad.yaml.reason.yaml").exists()
            && house.path("queue/inbox/i-1.yaml").exists()
    });
    house
}

/// The key of an agent, as its program has it.
fn agent_key(house: &House) -> String {
    let pid = get(house, "/api/agents/boss")["agent"]["pid"].as_u64().expect("its process");
    let environ = std::fs::read_to_string(format!("/proc/{pid}/environ")).expect("its environment");
    let key = environ.split('\0').find_map(|pair| pair.strip_prefix("TASUKI_AGENT_KEY="));
    key.expect("its key").to_owned()
}

#[test]
fn what_is_put_aside_stays_away_over_restarts_until_it_happens_again() {
    let mut house = failed("dismiss 片付け");
    let whole = need(&house, "failed.f-1");
    let path = whole["dismiss"]["path"].as_str().expect("its address").to_owned();
    assert_eq!(path, "/api/needs/failed.f-1/dismiss");
    assert_eq!(whole["dismiss"]["command"], "tasuki needs --dismiss failed.f-1");
    let mut stream = Stream::open(&house, "?view=true", None).expect("a stream");
    let first = stream.next().expect("a view");
    assert!(ids(&first.data["needs"]).contains(&"failed.f-1".to_owned()), "{first:?}");
    // The page is shown it at once, long before it would look again by itself.
    let (status, done) = ask(&house, &format!("POST {path}"), "");
    assert_eq!((status, &done["what"]), (200, &"failed.f-1 is dismissed".into()), "{done}");
    let began = std::time::Instant::now();
    loop {
        let event = stream.next().expect("a view");
        if event.data["needs"].is_object() {
            assert!(!ids(&event.data["needs"]).contains(&"failed.f-1".to_owned()), "{event:?}");
            break;
        }
    }
    assert!(began.elapsed().as_secs() < 12, "{:?}", began.elapsed());
    assert_eq!(get(&house, "/api/status")["pulse"]["failed"], 1);
    assert_eq!(ask(&house, &format!("POST {path}"), "").0, 200, "again");
    // The message itself is as it was.
    assert_eq!(get(&house, "/api/messages/f-1")["status"], "failed");
    for _ in 0..2 {
        house.kill();
        assert!(!by_verb(&house).contains(&"failed.f-1".to_owned()), "without a daemon");
        house.start();
        house.until("the daemon", |house| ok(house, &["status", "--json"]).contains("\"pid\""));
        assert!(!ids(&get(&house, "/api/needs")).contains(&"failed.f-1".to_owned()));
    }
    // A failure that is later than the one that was put aside is another.
    let file = house.files(".tasuki/dismissed").remove(0);
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    house.write(
        &format!(".tasuki/dismissed/{name}"),
        r#"{"id":"failed.f-1","since":"2026-01-01T00:00:00.000Z"}"#,
    );
    std::fs::rename(&file, house.path(".tasuki/dismissed/x.json")).expect("a change of the folder");
    need(&house, "failed.f-1");
    house.end();
}

#[test]
fn only_what_loses_nothing_is_put_aside_and_letters_that_nobody_saw_stay() {
    let mut house = failed("dismissable 片付");
    house.drop("i-2.yaml", "id: i-2\nfrom: boss\nto: user\ntype: info\ncontent: 二通目\n");
    house.until("the letter", |house| house.path("queue/inbox/i-2.yaml").exists());
    assert!(house.ask(&["stop", "--all"]).status.success());
    house.until("it to be known", |house| ids(&get(house, "/api/needs")).contains(&"halted".to_owned()));
    assert_eq!(need(&house, "halted")["dismiss"], Value::Null);
    let (status, problem) = ask(&house, "POST /api/needs/halted/dismiss", "");
    assert_eq!((status, &problem["code"]), (409, &"not-dismissable".into()), "{problem}");
    assert!(problem["cure"].as_str().is_some_and(|cure| cure.contains("`tasuki stop --off`")), "{problem}");
    assert_eq!(ask(&house, "POST /api/needs/nothing/dismiss", "").0, 404);
    // An agent decides nothing for people: its own key opens this to it no more than a strange one.
    let key = agent_key(&house);
    let (status, problem) =
        ask(&house, "POST /api/needs/failed.f-1/dismiss", &format!("Authorization: Bearer {key}\r\n"));
    assert_eq!((status, &problem["code"]), (403, &"not-yours".into()), "{problem}");
    // A letter that came after the one that was the newest is not counted as read.
    let path = need(&house, "unread")["dismiss"]["path"].as_str().expect("its address").to_owned();
    assert_eq!(path, "/api/needs/unread.i-2/dismiss");
    house.drop("i-3.yaml", "id: i-3\nfrom: boss\nto: user\ntype: info\ncontent: 三通目\n");
    house.until("the letter", |house| house.path("queue/inbox/i-3.yaml").exists());
    assert_eq!(ask(&house, &format!("POST {path}"), "").0, 200);
    let letters = house.files("queue/inbox");
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(need(&house, "unread")["message"], "i-3");
    // All at once: failed tasks and refused files, and no letter.
    let said = ok(&house, &["needs", "--dismiss-all"]);
    for what in ["failed.f-1 is dismissed", "failed.f-2 is dismissed", "refused.bad.yaml is dismissed"] {
        assert!(said.contains(what), "{said}");
    }
    assert_eq!(by_verb(&house), ["halted", "unread"]);
    assert!(house.path("queue/rejected/bad.yaml").exists(), "the file stays");
    assert!(ok(&house, &["needs", "--dismiss-all"]).contains("nothing to dismiss"));
    // The same file refused again is shown again. It is another one if it is refused in a later millisecond.
    std::thread::sleep(std::time::Duration::from_millis(5));
    house.drop("bad.yaml", "to: nobody\ncontent: また\n");
    house.until("it to be shown", |house| by_verb(house).iter().any(|id| id.starts_with("refused.bad")));
    // Without a daemon, by the message's id.
    house.kill();
    assert!(ok(&house, &["needs", "--dismiss", "unread"]).contains("counts as read"));
    assert_eq!(house.files("queue/inbox").len(), 0);
    assert_eq!(house.ask(&["needs", "--dismiss", "halted"]).status.code(), Some(2));
}

#[test]
fn a_task_that_is_called_like_the_letters_is_dismissed_and_agents_dismiss_nothing_from_files() {
    let mut house = failed("dismiss 同名");
    for id in ["unread-badge", "unread.x"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: m1\ncontent: 駄目\n"));
        house.result(id);
        assert!(ok(&house, &["needs", "--dismiss", id]).contains(&format!("failed.{id} is dismissed")));
    }
    assert!(house.path("queue/inbox/i-1.yaml").exists(), "it was read by nobody");
    house.kill();
    let by_agent = house.tasuki().args(["needs", "--dismiss", "unread"]).env("TASUKI_AGENT", "m1").output();
    let by_agent = by_agent.expect("tasuki");
    assert_eq!(by_agent.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&by_agent.stderr).contains("an agent may not dismiss"));
    assert!(house.path("queue/inbox/i-1.yaml").exists());
}
