//! What is quoted of a screen: without secrets, and each dialog under a name of its own.

use crate::asking::{house_of, text, until_asked};
use crate::house::House;
use std::cell::RefCell;

/// Made up.
const KEY: &str = "q7Xv-9LmZt2Rw8Kd_4Pb6Yn0Hs3Gc5Jf1";
/// The same in the middle of each row of a narrow program, and where it is cut.
const QUOTES: &str = r#"
type_line
ask "with $MY_API_KEY\n and ${MY_API_KEY:0:17}\n ${MY_API_KEY:17}\n and …${MY_API_KEY:20}\n and $TASUKI_AGENT_KEY"
draw "it says ghp_$(printf 'a1%.0s' {1..18}) and ${MY_API_KEY:0:20}\n${MY_API_KEY:20}"
IFS= read -rsn1 key
claim "the answer is $MY_API_KEY"
"#;

/// Every text of the workspace that is a view or a record, but what the test itself wrote.
fn records(house: &House) -> String {
    let mut all = String::new();
    let mut folders = vec![house.path("status"), house.path(".tasuki"), house.path("queue")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let bytes = std::fs::read(entry.path()).unwrap_or_default();
                all += &format!("== {}\n{}\n", entry.path().display(), String::from_utf8_lossy(&bytes));
            }
        }
    }
    all
}

fn assert_hidden(house: &House, own_key: &str) {
    let asked = [
        &["status"][..],
        &["status", "--json"],
        &["why", "first"],
        &["log", "-n", "500"],
        &["answer", "a"],
        &["detect", "explain", "a"],
        &["pane", "read", "a"],
        &["doctor"],
    ];
    let told: String = asked.iter().map(|words| text(&house.ask(words))).collect();
    let all = records(house) + &told;
    for secret in [KEY, own_key] {
        for at in 0..secret.len() - 8 {
            let piece = &secret[at..at + 8];
            let found = all.find(piece).map(|at| &all[at.saturating_sub(300)..(at + 60).min(all.len())]);
            assert!(found.is_none(), "{piece} of {secret}: {}", found.unwrap_or_default());
        }
    }
}

#[test]
fn no_view_and_no_record_shows_what_the_environment_hides() {
    let env = format!(", env: {{MY_API_KEY: {KEY}}}");
    let mut house = house_of("quotes-key", "", QUOTES, &env);
    until_asked(&house, "Do you want to proceed");
    let status = house.read("status/agents/a.yaml");
    let hidden = "*".repeat(KEY.len());
    assert!(status.contains(&format!("with {hidden}")), "{status}");
    let pid = house.tmux(&["list-panes", "-t", "a", "-F", "#{pane_pid}"]);
    let environ = std::fs::read_to_string(format!("/proc/{}/environ", pid.trim())).expect("its environment");
    let own_key =
        environ.split('\0').find_map(|pair| pair.strip_prefix("TASUKI_AGENT_KEY=")).expect("its key");
    assert_hidden(&house, own_key);
    // A daemon that finds it running knows as much, whatever is set by then.
    house.kill();
    house.start();
    until_asked(&house, "Do you want to proceed");
    assert_hidden(&house, own_key);
    assert!(house.ask(&["answer", "a", "no"]).status.success());
    house.until("what it does to be told", |house| house.read("status/agents/a.yaml").contains("doing: "));
    assert_hidden(&house, own_key);
    assert!(!records(&house).contains(&"a1".repeat(18)), "what its maker gave a shape");
    // An answer is kept to the letter.
    house.tmux(&["send-keys", "-t", "a", "x"]);
    assert!(house.result("first").contains(&format!("the answer is {KEY}")), "{}", house.result("first"));
    house.end();
}

/// The id of the question that is there; none while it is drawn anew.
fn id_now(house: &House) -> Option<String> {
    let shown = house.ask(&["answer", "a", "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).ok()?;
    Some(shown["asks"]["id"].as_str().or(shown["id"].as_str())?.to_owned())
}

fn id_of(house: &House) -> String {
    let id = RefCell::new(None);
    house.until("a question", |house| {
        *id.borrow_mut() = id_now(house);
        id.borrow().is_some()
    });
    id.into_inner().expect("an id")
}

#[test]
fn a_dialog_keeps_its_id_while_it_is_animated_and_the_next_one_has_another() {
    // Each picture in one piece: a shell writes a row at a time.
    let play = r#"
tick() { at=0; while [ ! -e go ]; do at=$((at + 1)); draw "────────────\n ⠋ ls (${at}s)\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel" | cat; sleep 0.2; done; }
type_line; tick; ask ls; ask ls; claim"#;
    let mut house = house_of("quotes-ids", "", play, "");
    until_asked(&house, "Do you want to proceed");
    let first = id_of(&house);
    for seconds in ["(12s)", "(18s)"] {
        house.until("it to go on", |house| house.tmux(&["capture-pane", "-p", "-t", "a"]).contains(seconds));
        assert_eq!(id_of(&house), first);
    }
    std::fs::write(house.path("go"), "").expect("the end of it");
    house.until("another question", |house| house.read("status/agents/a.yaml").contains("3. No"));
    let second = id_of(&house);
    assert_ne!(first, second);
    // Nobody can tell that it went: the same is there again.
    house.ask(&["answer", "a", "yes", "--of", &second]);
    // It asks the same again: what was given for the one before does not count.
    house.until("the third question", |house| house.read("keys.log").contains("enter at 1"));
    house.until("it to be refused", |house| {
        text(&house.ask(&["answer", "a", "yes", "--of", &second])).contains("it now asks something else")
    });
    house.until("its own id", |house| id_now(house).is_some_and(|id| id != second));
    house.until("its answer", |house| {
        house.ask(&["answer", "a", "no", "--of", &id_of(house)]).status.success()
    });
    assert!(house.result("first").contains("status: completed"));
    house.end();
}

#[test]
fn what_is_typed_into_a_field_for_a_key_is_not_told() {
    let play = r#"type_line; draw '────────────\n Why? Enter your API key\n '
IFS= read -rs word; typed=$word; draw "────────────\n Why? Enter your API key\n $word"; IFS= read -rsn1 key; claim"#;
    let mut house = house_of("quotes-field", "", play, "");
    until_asked(&house, "Enter your API key");
    let answered = house.ask(&["answer", "a", "hunter-of-two"]);
    assert!(!records(&house).contains("hunter-of-two"), "{}", text(&answered));
    house.end();
}
