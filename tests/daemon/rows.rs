//! Each row of the table of providers, played by scripted agents that look and behave as those CLIs do, under the CLIs' own profiles,
//! through the real daemon and real tmux. What an agent was asked is counted by its own record.

use crate::house::House;
use crate::trials::answer;

/// One kind of program.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// The profile, and the script in `protocol/examples/` that plays it.
    pub(crate) provider: &'static str,
    /// What a limit says there, and what an expired login.
    pub(crate) limit: &'static str,
    pub(crate) login: &'static str,
}

/// Those with an input box.
pub(crate) const BOXED: [Row; 5] = [
    Row {
        provider: "claude",
        limit: "You've hit your session limit · resets 3pm (UTC)",
        login: "Please run /login · API Error: 401",
    },
    Row {
        provider: "codex",
        limit: "You’ve hit your usage limit. Try again at 3:05 PM.",
        login: "unexpected status 401 Unauthorized: Incorrect API key provided",
    },
    Row {
        provider: "gemini",
        limit: "[API Error: You have exhausted your daily quota on this model.]",
        login: "[API Error: API key not valid. Please pass a valid API key.]",
    },
    Row {
        provider: "qwen",
        limit: "[API Error: 429 You exceeded your current quota.]",
        login: "[API Error: 401 Incorrect API key provided]",
    },
    Row {
        provider: "opencode",
        limit: "Weekly usage limit reached. It will reset in 2 hours 5 minutes.",
        login: "Incorrect API key provided: stub-key.",
    },
];

/// A program that reads lines.
pub(crate) const PLAIN: Row = Row { provider: "plain", limit: "", login: "" };

/// What the agents of these tests do. Each writes down what it was asked.
const RULES: &str = r#"
rules:
  - when: {turn: task, match: "^swallow"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - claim: now
      - swallow_enter: 2
  - when: {turn: task, match: "^draw"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "said {id}"
      - redraw: {text: "step {n} of 18 of {id}", times: 18, every: 10ms}
      - claim: drawn
  - when: {turn: task, match: "^lie"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "said {id}"
      - claim: now
      - spinner: {for: 1500ms, text: Thinking…}
      - append_file: {path: heard.log, text: "over"}
  - when: {turn: task, match: "^ask"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "said {id}"
      - dialog: "touch /srv/team/other"
      - claim: dressed
  - when: {turn: task, match: "^limit"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - limit: "{the limit}"
  - when: {turn: task, match: "^login"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - error: "{the login}"
  - when: {turn: task, match: "^fail"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "said {id}"
      - claim: now
      - error: "Bad request: that model is gone"
  - when: {turn: task, match: "^crash"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "half of"
      - run: {argv: [cp, calm.yaml, play.yaml]}
      - exit: 3
  - when: {turn: task, match: "^all at once"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "{content}"
      - claim: now
  - when: {turn: task, match: "^slow"}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - chunks: {text: "said {id} in pieces, 少しずつ, one after the other", size: 4, every: 60ms}
      - claim: now
  - when: {turn: task}
    do:
      - append_file: {path: heard.log, text: "{id} {redelivered}"}
      - print: "said {id}\n二つ目 🎽 and the rest of it"
      - claim: dressed
"#;

/// For tests of what comes later: ready at once.
pub(crate) const SOON: [(&str, &str); 2] = [("ready_after", "50ms"), ("before_ready", "keep")];

/// What an ordinary task is answered with.
fn ordinary(id: &str) -> String {
    format!("said {id}\n二つ目 🎽 and the rest of it")
}

impl Row {
    /// Its script: manners and look of the example with other rules, and with `changes` to lines of it.
    pub(crate) fn script(&self, rules: &str, changes: &[(&str, &str)]) -> String {
        if self.provider == PLAIN.provider {
            return rules.to_owned();
        }
        let path =
            format!("{}/protocol/examples/like-{}.script.yaml", env!("CARGO_MANIFEST_DIR"), self.provider);
        let text = std::fs::read_to_string(path).expect("the example");
        let mut head = text.split("\nrules:").next().expect("its head").to_owned();
        for (key, value) in changes {
            let line = head.lines().find(|line| line.starts_with(&format!("{key}:"))).map(str::to_owned);
            head = head.replace(&line.unwrap_or_default(), "");
            head += &format!("\n{key}: {value}\n");
        }
        let rules = rules.replace("{the limit}", self.limit).replace("{the login}", self.login);
        head + &rules
    }

    /// A workspace with an agent of it, called `a`.
    pub(crate) fn house(&self, name: &str, rules: &str, changes: &[(&str, &str)]) -> House {
        let team = format!(
            "  - {{name: a, reports_to: user, provider: {}, marker: CODING OK, command: [\"{{tasuki}}\", agent, scripted, \
             --phrase, \"{{phrase}}\", --script, \"{{root}}/play.yaml\"]}}\n",
            self.provider
        );
        House::new(
            &format!("{}-{name}", self.provider),
            &team,
            &[("play.yaml", &self.script(rules, changes))],
        )
    }
}

/// Does the same with each row, all at once; a failure names its row.
pub(crate) fn each(rows: &[Row], test: impl Fn(Row) + Sync) {
    let failed: Vec<&str> = std::thread::scope(|scope| {
        let running: Vec<_> = rows.iter().map(|row| (row.provider, scope.spawn(|| test(*row)))).collect();
        running.into_iter().filter_map(|(name, run)| run.join().is_err().then_some(name)).collect()
    });
    assert!(failed.is_empty(), "failed: {failed:?}");
}

pub(crate) fn task(house: &House, id: &str, content: &str) {
    house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: a\ncontent: {content}\n"));
}

fn status(house: &House) -> String {
    house.read("status/agents/a.yaml")
}

fn screen(house: &House) -> String {
    house.tmux(&["capture-pane", "-p", "-S", "-", "-t", "a"])
}

/// Each of these was heard once. That it may be a repetition is said where a line was lost before it was entered.
fn heard_once(house: &House, ids: &[&str]) {
    let heard = house.read("heard.log");
    for id in ids {
        let times = heard.lines().filter(|line| line.split(' ').next() == Some(id)).count();
        assert_eq!(times, 1, "{id}: {heard}\n{}", house.read("status/activity.log"));
    }
}

/// No line of this task was typed. One may be about to be, as long as what is in the way was not there yet: then that is taken back.
fn not_typed(house: &House, id: &str) {
    assert!(!screen(house).contains(id), "{}", screen(house));
    let log = house.read("status/activity.log");
    let count = |what: &str| log.matches(&format!("{id} {what}")).count();
    assert_eq!(count("is being typed"), count("was not typed after all"), "{log}");
}

fn accepted(house: &House, id: &str) {
    house.until("it to be accepted", |house| {
        house.read("status/activity.log").contains(&format!("{id} accepted"))
    });
}

#[test]
fn every_row_is_given_each_task_once_whatever_becomes_of_its_enter() {
    each(&[&BOXED[..], &[PLAIN]].concat(), |row| {
        let mut house = row.house("once", RULES, &[]);
        house.start();
        // What comes before it is ready waits, or is lost and typed again.
        task(&house, "before", "early");
        assert_eq!(answer(&house, "before"), ordinary("before"));
        task(&house, "swallow", "swallow");
        house.result("swallow");
        for (id, content) in [("after", "work"), ("draw", "draw"), ("slow", "slow")] {
            task(&house, id, content);
        }
        assert_eq!(answer(&house, "after"), ordinary("after"));
        let drawn = answer(&house, "draw");
        let lines: Vec<&str> = drawn.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["said draw", "step 18 of 18 of draw"]);
        assert_eq!(answer(&house, "slow"), "said slow in pieces, 少しずつ, one after the other");
        heard_once(&house, &["before", "swallow", "after", "draw", "slow"]);
        house.end();
    });
}

#[test]
fn an_enter_that_comes_too_early_is_pressed_again() {
    each(&BOXED, |row| {
        for early in ["swallow", "newline"] {
            // Later than any profile waits.
            let changes = [("enter_after_paste", "900ms"), ("early_enter", early), SOON[0], SOON[1]];
            let mut house = row.house(early, RULES, &changes);
            house.start();
            for id in ["one", "two"] {
                task(&house, id, "work");
            }
            for id in ["one", "two"] {
                assert_eq!(answer(&house, id), ordinary(id));
            }
            heard_once(&house, &["one", "two"]);
            let log = house.read("status/activity.log");
            // A program that still draws its first screen may be found busy once more: then nothing is typed.
            let count = |what: &str| log.matches(what).count();
            assert_eq!(count(" is being typed") - count(" was not typed after all"), 2, "{log}");
            house.end();
        }
    });
}

#[test]
fn a_claim_counts_only_once_the_screen_says_that_the_turn_is_over() {
    each(&BOXED, |row| {
        let mut house = row.house("lies", RULES, &SOON);
        house.start();
        task(&house, "lie", "lie");
        assert_eq!(answer(&house, "lie"), "said lie");
        assert!(house.read("heard.log").ends_with("over\n"), "closed while it worked");
        // Busy: what comes meanwhile is not typed into it.
        task(&house, "slow", "slow");
        house.until("the slow one to be heard", |house| house.read("heard.log").contains("slow"));
        task(&house, "next", "work");
        accepted(&house, "next");
        not_typed(&house, "next");
        assert_eq!(answer(&house, "next"), ordinary("next"));
        heard_once(&house, &["lie", "slow", "next"]);
        house.end();
    });
}

#[test]
fn a_dialog_and_a_draft_are_left_alone_and_told() {
    each(&BOXED, |row| {
        let mut house = row.house("persons", RULES, &SOON);
        house.start();
        task(&house, "ask", "ask");
        house.until("the dialog to be told", |house| status(house).contains("state: waiting_input"));
        task(&house, "next", "work");
        accepted(&house, "next");
        not_typed(&house, "next");
        house.tmux(&["send-keys", "-t", "a", "1"]);
        assert!(answer(&house, "ask").starts_with("said ask"), "{}", answer(&house, "ask"));
        assert_eq!(answer(&house, "next"), ordinary("next"));
        house.tmux(&["send-keys", "-t", "a", "-l", "my own words"]);
        house.until("the words to stand in the box", |house| screen(house).contains("my own words"));
        task(&house, "later", "work");
        house.until("the reason to be told", |house| {
            status(house).contains("somebody's unsent words are in its input box")
        });
        not_typed(&house, "later");
        house.tmux(&["send-keys", "-t", "a", "C-u"]);
        assert_eq!(answer(&house, "later"), ordinary("later"));
        heard_once(&house, &["ask", "next", "later"]);
        assert!(!house.read("heard.log").contains("my own words"));
        house.end();
    });
}

#[test]
fn an_error_that_leaves_it_free_is_no_reason_to_wait_and_a_draft_that_looks_like_one_is() {
    let opencode = BOXED.into_iter().find(|row| row.provider == "opencode").expect("a row of it");
    let mut house = opencode.house("failing", RULES, &SOON);
    house.start();
    task(&house, "fails", "fail");
    assert!(answer(&house, "fails").starts_with("said fails"), "{}", answer(&house, "fails"));
    task(&house, "next", "work");
    assert_eq!(answer(&house, "next"), ordinary("next"));
    // Nothing but blank rows is around its box: with two of its own a draft is where an error would.
    house.tmux(&["set-buffer", "my own words\n\n"]);
    house.tmux(&["paste-buffer", "-p", "-t", "a"]);
    house.until("the words to stand in the box", |house| screen(house).contains("my own words"));
    task(&house, "later", "work");
    house.until("the reason to be told", |house| {
        status(house).contains("somebody's unsent words are in its input box")
    });
    not_typed(&house, "later");
    heard_once(&house, &["fails", "next"]);
    house.end();
}

#[test]
fn nothing_is_typed_at_a_limit_nor_where_the_login_has_expired() {
    each(&BOXED, |row| {
        for (word, state) in [("limit", "rate_limited"), ("login", "error")] {
            let mut house = row.house(word, RULES, &SOON);
            house.start();
            task(&house, word, word);
            house.until("it to be told", |house| status(house).contains(&format!("state: {state}")));
            if word == "login" {
                // What to do is behind the program's own words.
                let status = status(&house).split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(status.contains("→ log in with") && status.contains("or fix its key"), "{status}");
                assert!(!status.contains("{name}"), "{status}");
            }
            task(&house, "next", "work");
            accepted(&house, "next");
            task(&house, "more", "work");
            accepted(&house, "more");
            not_typed(&house, "next");
            heard_once(&house, &[word]);
            house.end();
        }
    });
}

#[test]
fn a_line_that_a_paste_hides_is_sent_once() {
    each(&BOXED, |row| {
        let mut house = row.house("collapse", RULES, &[("paste_collapse", "40"), SOON[0], SOON[1]]);
        house.start();
        for id in ["one", "two"] {
            task(&house, id, "work");
        }
        for id in ["one", "two"] {
            assert_eq!(answer(&house, id), ordinary(id));
        }
        heard_once(&house, &["one", "two"]);
        house.end();
    });
}

#[test]
fn an_agent_on_the_alternate_screen_is_given_each_task_once() {
    each(&BOXED, |row| {
        let mut house = row.house("alt", RULES, &[("at_start", "[alt_screen: on]"), SOON[0], SOON[1]]);
        house.start();
        for id in ["one", "two"] {
            task(&house, id, "work");
        }
        for id in ["one", "two"] {
            assert_eq!(answer(&house, id), ordinary(id));
        }
        heard_once(&house, &["one", "two"]);
        house.end();
    });
}

#[test]
fn a_trust_dialog_at_the_start_waits_for_a_person() {
    each(&BOXED[..4], |row| {
        let mut house = row.house("trust", RULES, &[("at_start", "[trust: ~/project]"), SOON[0], SOON[1]]);
        house.start();
        house.until("it to be told", |house| status(house).contains("state: waiting_input"));
        task(&house, "next", "work");
        accepted(&house, "next");
        not_typed(&house, "next");
        let yes = if row.provider == "claude" { "2" } else { "1" };
        house.tmux(&["send-keys", "-t", "a", yes]);
        assert_eq!(answer(&house, "next"), ordinary("next"));
        heard_once(&house, &["next"]);
        house.end();
    });
}

#[test]
fn an_agent_that_crashes_is_started_again_and_the_rest_is_done_once() {
    each(&[&BOXED[..], &[PLAIN]].concat(), |row| {
        let mut house = row.house("crash", RULES, &SOON);
        house.start();
        house.write("calm.yaml", &row.script(&RULES.replace("^crash", "^never"), &SOON));
        for (id, content) in [("one", "work"), ("crash", "crash"), ("two", "work")] {
            task(&house, id, content);
            assert_eq!(answer(&house, id), ordinary(id));
        }
        heard_once(&house, &["one", "two"]);
        let heard = house.read("heard.log");
        assert!(heard.contains("crash false\ncrash true\n"), "{heard}");
        house.end();
    });
}

#[test]
fn an_answer_of_many_rows_at_once_hides_no_receipt() {
    each(&BOXED, |row| {
        let mut house = row.house("rows", RULES, &SOON);
        house.start();
        let lines: Vec<String> = (0..900).map(|number| format!("row {number} of them")).collect();
        let content = format!("all at once\n{}", lines.join("\n"));
        house.drop(
            "many.yaml",
            &format!("id: many\nto: a\ncontent: |\n  {}\n", content.replace('\n', "\n  ")),
        );
        let said = answer(&house, "many");
        assert_eq!(said.lines().filter(|line| line.trim().starts_with("row ")).count(), 900, "{said}");
        let log = house.read("status/activity.log");
        assert_eq!(house.read("heard.log"), "many false\n", "{log}");
        assert!(log.contains("many was submitted") && !log.contains("in doubt"), "{log}");
        house.end();
    });
}
