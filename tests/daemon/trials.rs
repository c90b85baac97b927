//! Agents and team files as a stranger would bring them: odd programs, odd answers, odd folders.

use crate::house::House;
use std::fs;

/// Does what `acts/ID.py` says, else says what `say/ID` holds.
pub(crate) const READER: &str = include_str!("agents/reader.py");
/// The same in bash, with `say/ID` alone.
const SHELL: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ ^.tasuki..task\ ([a-z0-9-]+)\ from\ user\ \(token\ ([a-z0-9]{6})\) ]] || continue
  cat "say/${BASH_REMATCH[1]}"
  echo "TRIAL OK ${BASH_REMATCH[2]}"
done
"#;

/// One agent whose phrase is TRIAL OK; `more` are further keys of it.
pub(crate) fn agent(name: &str, command: &str, more: &str) -> String {
    format!(
        "  - {{name: {name}, reports_to: user, provider: plain, command: [{command}], marker: TRIAL OK{more}}}\n"
    )
}

/// The text of a result that must be good.
pub(crate) fn answer(house: &House, id: &str) -> String {
    let result = house.result(id);
    let parsed: serde_yaml::Value = serde_yaml::from_str(&result).expect("YAML");
    assert_eq!(parsed["type"].as_str(), Some("result"), "{id}: {result}");
    parsed["content"].as_str().expect("a text").trim_end_matches('\n').to_owned()
}

/// What the agents are to say: lines of every width around that of a window, and what else a stranger prints.
fn speeches(columns: usize) -> Vec<String> {
    let edges = |letter: &str, width: usize| {
        let lines = (columns - 3..columns + 4).chain([columns * 2 - 1, columns * 2, columns * 2 + 1, 600]);
        lines.map(|wide| format!("{}.", letter.repeat(wide / width))).collect::<Vec<_>>().join("\n")
    };
    let many = (0..500).map(|line| format!("{line} 行目 of five hundred 🎽")).collect::<Vec<_>>().join("\n");
    let odd = "x襷".repeat(columns);
    vec![
        "one line".into(),
        edges("a", 1),
        edges("襷", 2),
        edges("🎽", 2),
        many,
        format!(
            "{odd}\n y{odd}\n\n\n  indented\n[tasuki] task\n$ \nTRIAL OK\nTRIAL OK abcdef\n> quoted\n│ bar"
        ),
        "「合言葉」 TRIAL OK と言う。\n- list\n  - ● nested\n# end".into(),
    ]
}

#[test]
fn what_programs_print_comes_back_letter_by_letter() {
    let team = [
        agent("python", "python3, reader.py", ""),
        agent("prompting", "python3, reader.py", ", env: {PROMPT: '日本 > '}"),
        agent("editing", "python3, reader.py", ", env: {READLINE: '1', PROMPT: '>>> '}"),
        agent("shell", "bash, shell.sh", ""),
    ];
    for columns in [200, 80, 40] {
        let list = format!("{}settings: {{window: {columns}x24}}\n", team.concat());
        let mut house = House::new("letters", &list, &[("reader.py", READER), ("shell.sh", SHELL)]);
        fs::create_dir(house.path("say")).expect("say");
        house.start();
        // A program that is typed to before it asks prints its prompt behind the line, as a part of its answer.
        house.until("the prompts", |house| {
            let shows = |agent: &str, prompt: &str| {
                house.tmux(&["capture-pane", "-p", "-t", &format!("=tasuki:={agent}")]).contains(prompt)
            };
            shows("prompting", "日本 >") && shows("editing", ">>>")
        });
        let long = "long-".repeat(8);
        for name in ["python", "prompting", "editing", "shell"] {
            for (number, speech) in speeches(columns).iter().enumerate() {
                let id = format!("{long}{name}-{number}");
                house.write(&format!("say/{id}"), &format!("{speech}\n"));
                house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: {name}\ncontent: say it\n"));
            }
        }
        let mut bad = String::new();
        for name in ["python", "prompting", "editing", "shell"] {
            for (number, speech) in speeches(columns).iter().enumerate() {
                let id = format!("{long}{name}-{number}");
                let said = answer(&house, &id);
                let lines = speech.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
                if said != lines {
                    let (a, b) = (said.lines().count(), lines.lines().count());
                    let first = said.lines().zip(lines.lines()).find(|(a, b)| a != b);
                    bad += &format!("{columns} {id}: {a} lines of {b}; first {first:?}\n");
                }
            }
        }
        assert!(bad.is_empty(), "{bad}");
        house.end();
    }
}

#[test]
fn the_words_of_the_team_are_what_is_typed() {
    let team = agent("worker", "python3, reader.py", "")
        + "settings: {words: {task: 'read {path} and do it. 始め！'}}\n";
    let mut house = House::new("words", &team, &[("reader.py", READER)]);
    fs::create_dir(house.path("acts")).expect("acts");
    house.write("acts/w.py", "print(line[-3:])");
    house.start();
    house.drop("w.yaml", "id: w\nto: worker\ncontent: say it\n");
    assert_eq!(answer(&house, "w"), "始め！");
    house.end();
}

/// Shows whatever might be taken for a claim, long enough to be looked at, and the real one only after `act` is there.
const SPOOFER: &str = r#"
import subprocess
def show(text):
    print(text, flush=True)
    time.sleep(0.4)
show("TRIAL OK")
show("TRIAL OK abc123")
show(f"I will say TRIAL OK {token} when I am done")
show(f"TRIAL OK {token} is what I will say")
show(f'"TRIAL OK {token}"')
show("I was given: " + line)
show(open(path).read())
subprocess.run(["cat", path])
for older in sorted(os.listdir("said")):
    show(open("said/" + older).read())
assert os.path.exists(path), "closed too early"
open("said/" + id, "w").write(f"{phrase} {token}\n")
print("real", id)
"#;

#[test]
fn nothing_but_the_claim_of_the_turn_closes_it() {
    let mut house =
        House::new("spoofs", &agent("worker", "python3, reader.py", ""), &[("reader.py", READER)]);
    for folder in ["acts", "said"] {
        fs::create_dir(house.path(folder)).expect(folder);
    }
    for id in ["first", "second", "third"] {
        house.write(&format!("acts/{id}.py"), SPOOFER);
    }
    house.start();
    for id in ["first", "second", "third"] {
        let content = "  TRIAL OK\n  say TRIAL OK abc123 and then\n  TRIAL OK k7qf2m\n  (token k7qf2m)";
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: |\n{content}\n"));
        let text = answer(&house, id);
        assert!(text.starts_with("TRIAL OK\nTRIAL OK abc123\n"), "from its beginning: {text}");
        assert!(text.ends_with(&format!("real {id}")), "to its end: {text}");
        let older = fs::read_dir(house.path("said")).expect("said").count();
        assert_eq!(text.matches(&format!("id: {id}")).count(), 2, "the file was shown twice: {text}");
        house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
        assert_eq!(older, ["first", "second", "third"].iter().position(|name| *name == id).unwrap_or(9) + 1);
    }
    // The log is written behind the results.
    house.until("its log", |house| house.read("status/activity.log").matches(" completed (").count() == 3);
    let log = house.read("status/activity.log");
    assert_eq!(log.matches("was reported done").count(), 3, "one claim a task: {log}");
    house.end();
}
