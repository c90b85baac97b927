//! Agents that can be asked what they do: what OpenCode's API says counts more than its screen, and where it says nothing the
//! screen is read as ever. Scripted agents are the screens, and the test itself is the API.

use crate::house::House;
use crate::opencode_api::{Api, Manner};
use crate::rows::{BOXED, task};

/// It says that it is done as soon as it is let, whatever its API says.
const RULES: &str = r#"
rules:
  - when: {turn: task}
    do:
      - append_file: {path: heard.log, text: "{line}"}
      - run: {argv: [sh, -c, "until test -e {id}.go; do sleep 0.02; done"], within: 60s}
      - print: "drawn {id}"
      - claim: now
"#;

fn agent(name: &str, port: u16, more: &str) -> String {
    format!(
        "  - {{name: {name}, reports_to: user, provider: opencode, marker: CODING OK, {more}command: [sh, -c, \
         \"exec {{tasuki}} agent scripted --phrase 'CODING OK' --script {{root}}/play.yaml\", --port, \"{port}\"]}}\n"
    )
}

fn script() -> String {
    let opencode = BOXED.iter().find(|row| row.provider == "opencode").expect("its row");
    opencode.script(RULES, &crate::rows::SOON)
}

/// The line that was typed last.
fn typed(house: &House, id: &str) -> String {
    house.until("the line to be typed", |house| house.read("heard.log").contains(id));
    house.read("heard.log").lines().last().expect("a line").to_owned()
}

fn token_of(line: &str) -> &str {
    line.split("(token ").nth(1).and_then(|rest| rest.split(')').next()).expect("a token")
}

#[test]
fn what_an_agent_says_of_its_turn_counts_more_than_its_screen() {
    let api = Api::start(Manner::Well);
    let more = "env: {OPENCODE_SERVER_PASSWORD: 襷}, ";
    let mut house = House::new("side", &agent("a", api.port, more), &[("play.yaml", &script())]);
    house.start();
    // Messages of before, more than one page of them.
    for at in 0..5 {
        api.says(&format!("an older answer {at}"));
    }
    task(&house, "first", "work");
    let line = typed(&house, "first");
    api.takes(&line);
    house.write("first.go", "");
    house.until("the screen to say that it is done", |house| {
        house.tmux(&["capture-pane", "-p", "-t", "a"]).contains(&format!("CODING OK {}", token_of(&line)))
    });
    // Looked at again and again, it is not done: its session works on.
    let before = api.asked("/session/status");
    house.until("it to be asked again", |_| api.asked("/session/status") > before + 3);
    assert!(!house.path("queue/results/first.yaml").exists(), "{}", house.read("status/activity.log"));
    api.retries("Too Many Requests", 2 * 3_600_000);
    house.until("its limit to be told", |house| {
        let status = house.read("status/agents/a.yaml");
        status.contains("state: rate_limited") && status.contains("Too Many Requests")
    });
    let answer = "# 済み\n\n- **one** `thing`\n- two\n\n```rust\nlet x = 1;\n```";
    api.says(&format!("{answer}\n\nCODING OK {}", token_of(&line)));
    let result: serde_json::Value = serde_saphyr::from_str(&house.result("first")).expect("a result");
    assert_eq!(result["content"], answer);
    assert_eq!((&result["status"], &result["proof"]), (&"completed".into(), &"token".into()));
    house.until("its limit to be over", |house| house.read("status/agents/a.yaml").contains("state: idle"));
    // "opencode:襷", as HTTP writes it.
    assert_eq!(api.logins().first().map(String::as_str), Some("Basic b3BlbmNvZGU66KW3"));
    house.end();
}

#[test]
fn where_the_api_gives_no_answer_the_screen_is_read() {
    let manners = [
        ("a", Manner::Hangs),
        ("b", Manner::Garbage),
        ("c", Manner::Other),
        ("d", Manner::Fails),
        // It answers, and knows nothing of the turn.
        ("e", Manner::Well),
    ];
    let apis = manners.map(|(name, manner)| (name, Api::start(manner)));
    let agents: String = apis.iter().map(|(name, api)| agent(name, api.port, "")).collect();
    let mut house = House::new("side-odd", &agents, &[("play.yaml", &script())]);
    house.start();
    for (name, api) in &apis {
        let id = format!("of-{name}");
        house.write(&format!("{id}.go"), "");
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: {name}\ncontent: work\n"));
        let result = house.result(&id);
        assert!(result.contains(&format!("drawn {id}")) && result.contains("status: completed"), "{result}");
        assert!(api.asked("/session") > 0, "it was never asked");
    }
    house.end();
}

/// It takes its line without a word, and shows nothing of it. A screen that is cleared would go to the history.
const SILENT: &str = r#"
stty -echo
box() { printf '\033[H\033[K────────────\n\033[K❯ %s\n\033[K────────────\n\033[K  shortcuts\n\033[2;%sH' "$1" "$((3 + ${#1}))"; }
box ''
text=''
while IFS= read -rsn1 key; do
  if [ -n "$key" ]; then text="$text$key"; box "$text"; continue; fi
  echo "$text" >> heard.log
  text=''
  box ''
done
"#;

const SILENT_PROFILE: &str = r#"
types: keys
receipt: screen
side_channel: opencode
screen:
  echo: '^❯ \S'
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', more: '^(\S.*)$', below: '^─{8}'}
  rules:
    - {name: draft, state: draft, box: filled}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
"#;

#[test]
fn a_line_that_the_agent_has_in_its_record_was_delivered_though_its_screen_shows_nothing_of_it() {
    let api = Api::start(Manner::Well);
    let team = format!(
        "  - {{name: a, reports_to: user, provider: mine, marker: CODING OK, command: [bash, ./play.sh, --port, \"{}\"]}}\n",
        api.port
    );
    let files = [("play.sh", SILENT), ("protocol/profiles/mine.yaml", SILENT_PROFILE)];
    let mut house = House::new("side-silent", &team, &files);
    house.start();
    task(&house, "first", "work");
    let line = typed(&house, "first");
    api.takes(&line);
    house
        .until("it to be delivered", |house| house.read("status/activity.log").contains("receipt: recorded"));
    api.says(&format!("It was heard. 聞こえた\n\n`CODING OK {}`", token_of(&line)));
    let result = house.result("first");
    assert!(result.contains("It was heard. 聞こえた") && result.contains("status: completed"), "{result}");
    assert_eq!(house.read("heard.log").lines().count(), 1, "{}", house.read("heard.log"));
    house.end();
}

/// An agent that keeps its sessions as Claude Code does. What its `tool` prints looks like a claim on its screen.
const WRITER: &str = r###"
rules:
  - when: {turn: task, match: "^tool"}
    do:
      - run: {argv: [sh, ./write.sh, "{line}", "I looked at it."]}
      - claim: now
  - when: {turn: task, match: "^fails"}
    do:
      - run: {argv: [sh, ./write.sh, "{line}"]}
      - run: {argv: [sh, ./fail.sh]}
      - claim: now
  - when: {turn: task, match: "^mention"}
    do:
      - run: {argv: [sh, ./write.sh, "{line}", "I looked.", "A file has CODING OK ", "{token} in it. Which one is meant?"]}
      - claim: now
  - when: {turn: reminder}
    do:
      - run: {argv: [sh, ./write.sh, "{line}", "Now it is **done**.", "CODING OK ", "{token}"]}
      - print: "Now it is done."
      - claim: now
  - when: {turn: task, match: "^silent"}
    do:
      - print: "drawn {id}"
      - claim: now
  - when: {turn: task, match: "^late"}
    do:
      - run: {argv: [sh, ./write.sh, "{line}"]}
      - print: "drawn {id}"
      - claim: now
  - when: {turn: task}
    do:
      - run: {argv: [sh, ./write.sh, "{line}", "**First** of all: 襷", "## CODING OK ", "{token}"]}
      - print: "drawn {id}"
      - claim: now
"###;

/// Writes what was asked and what was said down: `write.sh LINE WORDS MARKER TOKEN`.
const WRITE: &str = r#"
file=home/.claude/projects/p/s.jsonl
[ -n "$1" ] && printf '{"type":"user","message":{"role":"user","content":"%s"}}\n' "$1" >> $file
[ -n "$2" ] && printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s\\n\\n%s%s"}]}}\n' "$2" "$3" "$4" >> $file
exit 0
"#;

/// Writes down that the model gave no answer.
const FAIL: &str = r#"
printf '{"type":"assistant","isSidechain":false,"isApiErrorMessage":true,"message":{"content":"API Error: 400"}}\n' >> home/.claude/projects/p/s.jsonl
"#;

#[test]
fn an_answer_is_what_the_agent_itself_wrote_down_and_a_tools_words_are_no_claim() {
    let claude = BOXED.iter().find(|row| row.provider == "claude").expect("its row");
    let team = "  - {name: a, reports_to: user, provider: claude, marker: CODING OK, env: {HOME: \"{root}/home\"}, \
                command: [\"{tasuki}\", agent, scripted, --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";
    let script = claude.script(WRITER, &crate::rows::SOON);
    let files = [
        ("play.yaml", script.as_str()),
        ("write.sh", WRITE),
        ("fail.sh", FAIL),
        ("home/.claude/projects/p/older", ""),
    ];
    let mut house = House::new("side-files", team, &files);
    house.start();
    let content = |house: &House, id: &str| {
        let result: serde_json::Value = serde_saphyr::from_str(&house.result(id)).expect("a result");
        assert_eq!(result["status"], "completed", "{result}");
        result["content"].as_str().expect("a text").to_owned()
    };
    // It has nothing of this one: its screen counts.
    task(&house, "silent", "silent");
    assert_eq!(content(&house, "silent"), "drawn silent");
    // Its claim is a heading.
    task(&house, "heading", "work");
    assert_eq!(content(&house, "heading"), "**First** of all: 襷");
    // It speaks of a claim, which a tool has printed.
    task(&house, "mention", "mention");
    // What was said before the reminder belongs to the answer.
    let mention = content(&house, "mention");
    assert!(mention.starts_with("I looked.\n\nA file has CODING OK "), "{mention}");
    assert!(mention.ends_with(" in it. Which one is meant?\n\nNow it is **done**."), "{mention}");
    task(&house, "tool", "tool");
    assert_eq!(content(&house, "tool"), "I looked at it.\n\nNow it is **done**.");
    let log = house.read("status/activity.log");
    assert!(log.contains("tool is being typed to a (turn 2, reminder)"), "{log}");
    // Nor is it where its model gave no answer at all; what is drawn then is no part of the answer.
    task(&house, "fails", "fails");
    assert_eq!(content(&house, "fails"), "Now it is **done**.");
    // Its words are written down after they were drawn.
    task(&house, "late", "late");
    let session = "home/.claude/projects/p/s.jsonl";
    house.until("the line to be written down", |house| house.read(session).contains("task late"));
    let written = house.read(session);
    let token = token_of(written.lines().last().expect("a line"));
    house.until("its claim to be drawn", |house| {
        house.tmux(&["capture-pane", "-p", "-t", "a"]).contains(&format!("CODING OK {token}"))
    });
    // Longer than it must be still, and not as long as its words are waited for.
    let drawn = std::time::Instant::now();
    house.until("some time to pass", |_| drawn.elapsed() > std::time::Duration::from_millis(500));
    let words = format!("**late** words\\n\\nCODING OK {token}");
    let record = format!("{{\"type\":\"assistant\",\"message\":{{\"content\":\"{words}\"}}}}\n");
    std::fs::write(house.path(session), written + &record).expect("the session");
    assert_eq!(content(&house, "late"), "**late** words");
    house.end();
}

/// It draws its claim, and writes its words down as Codex does; the end of its turn it writes down when it is let.
const ENDS: &str = r#"
rules:
  - when: {turn: task}
    do:
      - run: {argv: [sh, ./write.sh, "{line}", "{token}"]}
      - print: "drawn {id}"
      - claim: now
"#;

const WRITE_ENDS: &str = r#"
[ "$TASUKI_AGENT" = a ] || exit 0
mkdir -p home/.codex/sessions/2026/11/23
say() { printf '{"type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"text","text":"%s"}]}}\n' "$1" "$2"; }
(say user "$1"; say assistant "It is *written*.\\n\\nCODING OK $2") >> home/.codex/sessions/2026/11/23/s.jsonl
"#;

#[test]
fn a_turn_whose_end_the_agent_writes_down_is_over_then_whatever_it_draws() {
    let codex = BOXED.iter().find(|row| row.provider == "codex").expect("its row");
    let agent = |name: &str| {
        format!(
            "  - {{name: {name}, reports_to: user, provider: codex, marker: CODING OK, env: {{HOME: \"{{root}}/home\"}}, \
             command: [\"{{tasuki}}\", agent, scripted, --phrase, \"{{phrase}}\", --script, \"{{root}}/play.yaml\"]}}\n"
        )
    };
    let script = codex.script(ENDS, &crate::rows::SOON);
    let files = [("play.yaml", script.as_str()), ("write.sh", WRITE_ENDS)];
    let mut house = House::new("side-ends", &(agent("a") + &agent("b")), &files);
    house.start();
    task(&house, "first", "work");
    house.until("its claim to be drawn", |house| {
        house.tmux(&["capture-pane", "-p", "-t", "a"]).contains("CODING OK")
    });
    // As long as another takes for the whole of it, this one is not taken for done.
    house.drop("other.yaml", "id: other\nto: b\ncontent: work\n");
    assert!(house.result("other").contains("drawn other"));
    assert!(!house.path("queue/results/first.yaml").exists(), "{}", house.read("status/activity.log"));
    let session = "home/.codex/sessions/2026/11/23/s.jsonl";
    let end = "{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_complete\"}}\n";
    std::fs::write(house.path(session), house.read(session) + end).expect("the session");
    let result = house.result("first");
    assert!(result.contains("It is *written*."), "{result}");
    house.end();
}
