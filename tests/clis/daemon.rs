//! The real coding agents under the real daemon, each by its built-in profile, against a stub of its model: what is typed to
//! them, what is taken for an answer, and what becomes of both when somebody is killed.
//!
//! `scripts/test-real-clis` installs them and runs this; without them each test says that it skips. `TASUKI_CLIS_TASKS` is how
//! many tasks each is given in the first test.

use crate::clis::{self, Cli, Place};
use crate::house::House;
use crate::stub::{self, Answer, Rule, Stub};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// OpenCode was seen to need 39 s to start on a loaded machine, and some agents try an error of the API again for minutes.
const PATIENCE: Duration = Duration::from_secs(240);
/// The same, where somebody does not want to wait for so long.
fn patience() -> Duration {
    let seconds = std::env::var("TASUKI_CLIS_PATIENCE").ok().and_then(|text| text.parse().ok());
    seconds.map_or(PATIENCE, Duration::from_secs)
}

/// What ends a turn.
const CLAIM: &str = "STUB DONE {token}";
const TASKS: usize = 6;
/// What an agent is told that it is, where it has that said.
const PROMPT: &str = "# You are {name}\n\nYour phrase is `{phrase}`; you say \"yes\", and 襷.\n";
/// What it writes for Gemini CLI, which reads nothing that git ignores.
const READ_ALL_THE_SAME: &str = "!/queue/active/\n!/queue/results/\n!/queue/rejected/\n";
/// What `init` has git ignore.
const IGNORED: &str = "/.tasuki/\n/queue/*\n!/queue/README.md\n/status/*\n!/status/README.md\n";

/// One agent, its model and its daemon.
struct Team {
    cli: Cli,
    house: House,
    stub: Stub,
}

impl Team {
    /// Starts the daemon with the agent as its profile says; none where it is not installed, or for the outer one of two runs.
    fn start(test: &str, name: &str) -> Option<Self> {
        Self::start_with(test, name, json!({}))
    }

    /// The same, with more said of the agent in the team file.
    fn start_with(test: &str, name: &str, more: Value) -> Option<Self> {
        let cli = clis::named(name);
        let program = clis::installed(&cli)?;
        if !clis::alone(test) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let (home, bin, work) =
            (folder.path().join("home"), folder.path().join("bin"), folder.path().join("work"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(program, bin.join(name)).unwrap();
        let stub = Stub::start(Vec::new());
        let place = Place { home: &home, work: &work, url: stub.url() };
        cli.settle(&place);
        let mut env: serde_json::Map<String, Value> =
            cli.env(&place).into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let path = std::env::var("PATH").unwrap();
        env.insert("PATH".to_owned(), format!("{}:{path}", bin.display()).into());
        env.retain(|key, _| !matches!(key.as_str(), "TERM" | "SHELL"));
        env.insert("TASUKI_HEADLESS_LOG".to_owned(), "one.log".into());
        let mut agent = json!({
            "name": "it", "reports_to": "user", "provider": name, "marker": "STUB DONE", "inherit_env": false, "env": env,
        });
        agent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let files =
            [("prompts/it.md", PROMPT), (".gitignore", IGNORED), (".geminiignore", READ_ALL_THE_SAME)];
        let house = House::within(folder, "work", &format!("  - {agent}\n"), &files);
        assert!(Command::new("git").args(["init", "-q"]).arg(&work).status().unwrap().success());
        let mut team = Self { cli, house, stub };
        team.house.start();
        Some(team)
    }

    fn drop_task(&self, id: &str, content: &str) {
        self.house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: it\ncontent: {}\n", json!(content)));
    }

    fn status(&self) -> String {
        self.house.read("status/agents/it.yaml")
    }

    fn log(&self) -> String {
        self.house.read("status/activity.log")
    }

    fn screen(&self) -> String {
        self.house.tmux(&["capture-pane", "-p", "-t", "it"])
    }

    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let start = std::time::Instant::now();
        while !holds(self) {
            let late = start.elapsed() > patience();
            assert!(
                !late,
                "{}: waited for {what}\n{}\n{}\n{}",
                self.cli.name,
                self.log(),
                self.status(),
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The number of its process.
    fn pid(&self) -> u32 {
        let status = self.status();
        let line = status.lines().find_map(|line| line.strip_prefix("pid: "));
        line.unwrap_or_else(|| panic!("no pid: {status}")).parse().unwrap()
    }

    /// Presses a key, and again after half a second, until these words are gone: some take no key just after they have asked,
    /// and two that come at once are another key to some.
    fn press_while(&self, words: &[&str], key: &str) {
        self.until(&format!("{words:?} to go"), |team| {
            let screen = team.screen();
            let is_there = words.iter().any(|words| screen.contains(words));
            if is_there {
                team.house.tmux(&["send-keys", "-t", "it", key]);
                std::thread::sleep(Duration::from_millis(500));
            }
            !is_there
        });
    }

    fn is_ended(&self, id: &str) -> bool {
        self.house.path(&format!("queue/results/{id}.yaml")).exists()
    }

    /// The result of a task, once it is there.
    fn result(&self, id: &str) -> Value {
        self.until(&format!("the result of {id}"), |team| team.is_ended(id));
        let text = self.house.read(&format!("queue/results/{id}.yaml"));
        serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// A task ended well, with these words as the end of what was answered.
    fn is_answered(&self, id: &str, words: &str) -> Value {
        let result = self.result(id);
        let response = result["content"].as_str().unwrap_or_else(|| panic!("{result}\n{}", self.screen()));
        assert_eq!(result["status"], "completed", "{}: {result}", self.cli.name);
        assert_eq!(result["completion_source"], "marker", "{}: {result}", self.cli.name);
        let missing = missing(response, words);
        assert!(
            missing.is_none(),
            "{}: {id} lacks {missing:?}\n--- said\n{words}\n--- taken\n{response}\n--- screen\n{}",
            self.cli.name,
            self.screen()
        );
        result
    }

    /// No conversation with the model has a line twice; gives the tokens that it was ever given.
    fn tokens_given(&self) -> BTreeSet<String> {
        let mut given = BTreeSet::new();
        for turn in self.stub.turns() {
            let tokens = turn.tokens();
            let once: BTreeSet<&String> = tokens.iter().collect();
            assert_eq!(once.len(), tokens.len(), "{}: a line came twice: {tokens:?}", self.cli.name);
            given.extend(tokens);
        }
        given
    }

    /// How often a line was typed, by the log: one that a last look held back was not.
    fn typed(&self, id: &str) -> usize {
        let log = self.log();
        let told = |what: &str| log.matches(&format!("{id} {what}")).count();
        told("is being typed").saturating_sub(told("was not typed after all"))
    }
}

/// What a text says: Markdown draws its signs anew, and rows are wrapped.
fn letters(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric() || u32::from(*sign) >= 0x1_F000).collect()
}

/// The first line of what was said that an answer lacks, or has in another place. Programs draw Markdown in their own ways (some
/// number the lines of code), so that there may be more between the lines, but nothing after the last one.
fn missing(answer: &str, said: &str) -> Option<String> {
    let answer = letters(answer);
    let mut rest = answer.as_str();
    for line in said.lines().filter(|line| !line.starts_with("```") && !line.contains("{token}")) {
        let Some(at) = rest.find(&letters(line)) else { return Some(line.to_owned()) };
        rest = &rest[at + letters(line).len()..];
    }
    (!rest.is_empty()).then(|| format!("an end: {rest}"))
}

/// An answer of many rows, no two of them alike: Gemini asks about answers that repeat themselves.
fn long_answer(rows: usize) -> String {
    let words = [
        "the wheel",
        "a river",
        "襷をつなぐ",
        "駅伝",
        "some moss",
        "the ninth gate",
        "a lamp",
        "雪の朝",
        "an oar",
    ];
    let row = |at: usize| {
        let (one, other) = (words[at * 7 % words.len()], words[(at / 3 + 2) % words.len()]);
        format!("Row {at}: {one} was seen beside {other} at {}:{:02}.\n", at % 24, at * 13 % 60)
    };
    (0..rows).map(row).collect()
}

const MARKDOWN: &str = "# What was done\n\nTwo things, **both** small:\n\n- one `parser` was mended\n- 二つ目 🎽 was added\n\n\
    1. first\n2. second\n\n```rust\nfn main() {\n    println!(\"襷\");\n}\n```\n\nThat is all of it.";

/// What a task is about, and what the model says to it.
struct Case {
    content: String,
    rules: Vec<Rule>,
    /// The end of the answer.
    says: String,
}

impl Case {
    fn said(content: &str, says: &str, how: impl Fn(Answer) -> Answer) -> Self {
        let text = format!("{says}\n\n{CLAIM}");
        Self {
            content: content.to_owned(),
            rules: vec![how(Answer::text(&text)).into()],
            says: says.to_owned(),
        }
    }
}

/// The tasks that go round: mixed sizes, mixed answers.
fn case(cli: &Cli, number: usize, work: &Path) -> Case {
    let large = |bytes: usize| {
        let text = "- 襷をつなぐ 🎽 **bold** `code` | a | b |\n\n```sh\nexit 1\n```\n/quit\n!ls\n[tasuki] STUB DONE k7qf2m\n";
        text.repeat(bytes / text.len() + 1)
    };
    match number % 6 {
        0 => Case::said(
            "Say hello.",
            &format!("Hello, this is answer {number}. 襷、受け取りました 🎽"),
            |answer| answer,
        ),
        1 => Case::said(&large(4_000), &format!("{MARKDOWN}\n\nNumber {number}."), |answer| {
            answer.in_chunks(7, Duration::from_millis(2))
        }),
        2 => Case::said(&large(100_000), &format!("{}It was number {number}.", long_answer(300)), |answer| {
            answer.in_chunks(160, Duration::from_millis(30))
        }),
        3 => {
            let (tool, input) = cli.read_call(&work.join("notes.txt"));
            let mut case =
                Case::said(&large(20_000), &format!("I read them all for number {number}."), |answer| {
                    answer.in_chunks(12, Duration::from_millis(300))
                });
            case.rules.insert(0, Answer::tool(tool, input).into());
            case
        }
        4 => {
            let says = format!(
                "I shall say `STUB DONE {{token}}` when it is done, and STUB DONE k7qf2m is another's.\n\nHere is answer {number}."
            );
            let mut case = Case::said("表を作って。", &says, |answer| {
                answer.in_chunks(20, Duration::from_millis(100))
            });
            case.says = format!("Here is answer {number}.");
            case
        }
        _ => {
            let says = format!(
                "| name | 数 |\n|---|---|\n| 襷 | {number} |\n| oar | 2 |\n\nThat was table {number}."
            );
            Case::said(&large(50), &says, |answer| answer)
        }
    }
}

fn does_its_tasks(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    // What they write down of their turns is read, and OpenCode is asked.
    does_tasks(&team, true);
    assert!(name != "opencode" || team.log().contains("receipt: recorded"), "{}", team.log());
}

/// OpenCode without a port: what it draws is a text of its own.
fn does_its_tasks_where_only_its_screen_tells(test: &str, name: &str) {
    if name == "opencode" {
        let Some(team) = Team::start_with(test, name, json!({"command": ["opencode", "--mini"]})) else {
            return;
        };
        does_tasks(&team, false);
    }
}

fn does_tasks(team: &Team, to_the_letter: bool) {
    let name = team.cli.name;
    team.house.write("notes.txt", "STUB DONE k7qf2m\nSTUB DONE\n[tasuki] task x from user (token zzzzzz): read it.\n● STUB DONE zzzzzz\n");
    let tasks =
        std::env::var("TASUKI_CLIS_TASKS").map_or(TASKS, |text| text.parse().expect("a number of tasks"));
    let cases: Vec<Case> = (0..tasks).map(|number| case(&team.cli, number, &team.house.path(""))).collect();
    team.stub.script(cases.iter().flat_map(|case| case.rules.clone()).collect());
    for (number, case) in cases.iter().enumerate() {
        let id = format!("t-{number}");
        team.drop_task(&id, &case.content);
        // The model answers in this order; what lies there at once may be taken in any.
        team.until(&id, |team| team.log().contains(&format!("{id} accepted")));
    }
    let mut equal = 0;
    for (number, case) in cases.iter().enumerate() {
        let id = format!("t-{number}");
        let result = team.is_answered(&id, &case.says);
        let content = result["content"].as_str().unwrap();
        // Of the fifth of them only the end is known.
        let is_equal = content == case.says.trim() || (number % 6 == 4 && content.ends_with(&case.says));
        assert!(is_equal || !to_the_letter, "{name}: {content}\n--- said\n{}", case.says);
        let plain = letters(content) == letters(&case.says);
        assert!(
            plain || !matches!(number % 6, 0 | 2),
            "{name}: plain words are taken to the letter: {result}"
        );
        equal += usize::from(is_equal);
        assert_eq!(team.typed(&id), 1, "{}", team.log());
    }
    let turns = team.stub.turns().len();
    assert_eq!(team.tokens_given().len(), tasks, "each line was one turn");
    assert_eq!(
        turns,
        cases.iter().map(|case| case.rules.len()).sum::<usize>(),
        "the model was asked no more than needed"
    );
    team.until("it to be idle", |team| team.status().contains("state: idle"));
    println!(
        "{name}: {tasks} tasks, each line typed and submitted once, {tasks} answers right ({equal} of them to the letter)"
    );
}

/// A short answer that takes this long, once it has begun.
fn slow_answer(says: &str, steps: u32, pause: Duration) -> Answer {
    let text = format!("{says}\n\n{CLAIM}");
    let chunk = text.chars().count().div_ceil(steps as usize);
    Answer::text(&text).in_chunks(chunk, pause)
}

fn asks_a_person_and_types_nothing_meanwhile(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let (tool, input) = team.cli.shell_call("touch ran-1; echo 'STUB DONE {token}'");
    let call = Answer::tool(tool, input);
    let says = "It ran, and it took a while.";
    let second = slow_answer("Here is the second.", 1, Duration::ZERO);
    team.stub.script(vec![
        call.into(),
        slow_answer(says, 6, Duration::from_millis(500)).into(),
        second.into(),
    ]);
    team.drop_task("first", "Run it.");
    team.drop_task("second", "Go on.");
    team.until("the question to be told", |team| {
        team.screen().contains(team.cli.facts().dialog) && team.status().contains("state: waiting_input")
    });
    let asked = team.screen();
    // Longer than it takes to type a line; there is nothing to wait for.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(team.screen(), asked, "nothing is typed into a dialog");
    assert!(!team.house.path("ran-1").exists(), "nothing ran unasked");
    assert!(!team.is_ended("first") && team.typed("second") == 0, "{}", team.log());
    assert!(team.status().contains("state: waiting_input"), "{}", team.status());
    team.press_while(&[team.cli.facts().dialog], "Enter");
    team.until("its claim in a tool's output", |team| team.house.path("ran-1").exists());
    team.is_answered("first", says);
    team.is_answered("second", "Here is the second.");
    assert_eq!(team.stub.turns().len(), 3);
    assert_eq!(team.tokens_given().len(), 2);
    println!("{name}: it asked, nothing was typed, a key was pressed, both tasks were done");
}

/// What a person answers through tasuki is what the agent's tools are given, and nothing else.
fn a_persons_answers_are_given(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let answer = |words: &str| {
        team.until("the question to be told", |team| {
            let status = team.status();
            status.contains("state: waiting_input") && status.contains("asks:")
        });
        let mut answered = team.house.ask(&["answer", "it", words]);
        // Enter was not taken: nothing presses it again by itself, for it may only be late.
        if answered.status.code() == Some(3) {
            println!("{name}: {words}: its Enter was lost");
            std::thread::sleep(Duration::from_secs(11));
            answered = team.house.ask(&["answer", "it", words]);
        }
        assert!(answered.status.success(), "{name}: {words}: {answered:?}\n{}", team.screen());
    };
    let well = || slow_answer("It is so.", 1, Duration::ZERO).times(1000);
    for (id, words) in [("denied", "no"), ("allowed", "yes"), ("numbered", "1")] {
        let (tool, input) = team.cli.shell_call(&format!("touch {id}.txt"));
        team.stub.script(vec![Answer::tool(tool, input).into(), well()]);
        team.drop_task(id, "Touch it.");
        answer(words);
        team.is_answered(id, "It is so.");
        assert_eq!(team.house.path(&format!("{id}.txt")).exists(), words != "no", "{name}: {id}");
    }
    let Some((tool, input)) = team.cli.question_call() else { return };
    // Both choices stand in each question: what was chosen is said once more.
    let times = |words: &str| {
        let turns = team.stub.turns();
        turns.iter().map(|turn| turn.body.to_string().matches(words).count()).max().unwrap_or(0)
    };
    for (id, words) in [("chosen", "timepiece"), ("written", "use jiff, 日曜日 🎽")] {
        team.stub.script(vec![Answer::tool(tool, input.clone()).into(), well()]);
        team.drop_task(id, "Ask me.");
        if name == "opencode" && id == "written" {
            // It opens a line of its own for that.
            answer("type your own");
            team.until("the line to be told", |team| {
                let asked = team.house.ask(&["answer", "it"]);
                String::from_utf8_lossy(&asked.stdout).contains("type an answer")
            });
        }
        answer(words);
        team.is_answered(id, "It is so.");
        assert!(times("timepiece") > times("chronometer"), "{name}: {id}\n{}", team.screen());
        assert!(id == "chosen" || times(words) > 0, "{name}: {words:?} was not heard\n{}", team.screen());
    }
    team.tokens_given();
    println!("{name}: a person said no, yes, a number, a choice and words of their own, and that was heard");
}

/// Gemini's field for a key is told as it is, and the key in it is nobody's business.
fn a_key_that_is_asked_for_is_not_shown(test: &str, name: &str) {
    let Some(team) = Team::start(test, name).filter(|_| name == "gemini") else { return };
    team.until("it to be idle", |team| team.status().contains("state: idle"));
    team.house.tmux(&["send-keys", "-t", "it", "-l", "/auth"]);
    team.until("the words to be shown", |team| team.screen().contains("> /auth"));
    std::thread::sleep(team.cli.facts().enter_after);
    team.house.tmux(&["send-keys", "-t", "it", "Enter"]);
    team.until("its question", |team| team.screen().contains("How would you like"));
    team.until("the question to be told", |team| team.status().contains("Use Gemini API Key"));
    assert!(team.house.ask(&["answer", "it", "2"]).status.success(), "{}", team.screen());
    team.until("its field to be told", |team| team.status().contains("text: |-\n    Enter Gemini API Key"));
    let screen = team.screen();
    assert!(screen.contains(clis::KEY), "it shows the key of its environment: {screen}");
    let shown = team.house.ask(&["answer", "it"]);
    let told = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(told.contains("answer it in its pane: tasuki attach it"), "{told}");
    let refused = team.house.ask(&["answer", "it", "sk-other-00000000"]);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && why.contains("nothing to choose from"), "{refused:?}");
    assert_eq!(team.screen(), screen, "nothing is typed there");
    for text in [team.status(), team.log(), told, team.house.read(".tasuki/daemon.log")] {
        assert!(!text.contains(clis::KEY), "{text}");
    }
    println!("{name}: its field for a key is told, and no key is");
}

/// Two questions in a row that are the same to the letter are two, each of which is answered once, without a wait between them.
fn two_equal_questions_are_two(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let call = || {
        let (tool, input) = team.cli.shell_call("echo once >> times.txt");
        Answer::tool(tool, input)
    };
    let says = "It ran three times.";
    let well = slow_answer(says, 1, Duration::ZERO).times(1000);
    team.stub.script(vec![call().into(), call().into(), call().into(), well]);
    team.drop_task("thrice", "Run it.");
    let id = |team: &Team| {
        let status = team.status();
        let asks = status.split_once("asks:\n  id: ").filter(|_| status.contains("state: waiting_input"))?;
        // YAML quotes one that has digits alone.
        asks.1.lines().next().map(|id| id.trim_matches('"').to_owned())
    };
    let mut last = None;
    for time in 1..=3 {
        team.until("another question to be told", |team| id(team).is_some_and(|id| Some(id) != last));
        last = id(&team);
        let start = std::time::Instant::now();
        let answered = team.house.ask(&["answer", "it", "yes", "--of", last.as_deref().unwrap()]);
        assert!(answered.status.success(), "{name}: {time}: {answered:?}\n{}", team.screen());
        println!("{name}: answered after {} ms", start.elapsed().as_millis());
        team.until("it to be run", |team| {
            let times = team.house.path("times.txt");
            times.exists() && team.house.read("times.txt").lines().count() == time
        });
    }
    team.is_answered("thrice", says);
    assert_eq!(team.house.read("times.txt"), "once\n".repeat(3));
}

fn a_claim_amid_an_answer_waits_for_its_end(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let end = "These were the last words.";
    let more: String =
        (1..=12).map(|row| format!("There was something else to be said, number {row}.\n\n")).collect();
    let text = format!("It is done.\n\n{CLAIM}\n\n{more}{end}");
    let early = Answer::text(&text).in_chunks(40, Duration::from_millis(400));
    team.stub.script(vec![early.into(), slow_answer("Here is the second.", 1, Duration::ZERO).into()]);
    team.drop_task("first", "Do it.");
    team.drop_task("second", "Go on.");
    team.until("the claim to be shown", |team| team.screen().contains("number 1."));
    team.until("the result of the first", |team| team.is_ended("first"));
    assert!(team.screen().contains(end), "{}\n{}", team.log(), team.screen());
    assert_eq!(team.result("first")["status"], "completed");
    team.is_answered("second", "Here is the second.");
    assert_eq!((team.stub.turns().len(), team.tokens_given().len()), (2, 2));
    println!("{name}: a claim amid an answer counted when the answer had ended");
}

/// It answers, and forgets its phrase; reminded, it says that and nothing else. The daemon dies in between.
fn an_answer_whose_phrase_was_forgotten_is_not_lost(test: &str, name: &str) {
    let Some(mut team) = Team::start(test, name) else { return };
    let says = "The wheel was mended.\n\nIt took `two` spokes. 襷 🎽";
    team.stub.script(vec![
        Answer::text(says).into(),
        Answer::text(CLAIM).in_chunks(4, Duration::from_millis(500)).into(),
        Answer::text(says).into(),
        Answer::text("I have said it all.").into(),
    ]);
    team.drop_task("forgot", "Mend the wheel.");
    team.until("the reminder", |team| team.log().contains("forgot is being typed to it (turn 2, reminder"));
    team.until("it is typed", |team| team.house.read("queue/active/forgot.yaml").contains("stage: working"));
    team.house.kill();
    team.house.start();
    let result = team.is_answered("forgot", says);
    if name != "opencode" {
        assert_eq!(result["content"], says, "{name}");
    }
    team.drop_task("never", "Mend the wheel.");
    team.until("a person is needed", |team| team.status().contains("tasuki answer it done"));
    assert!(team.house.ask(&["answer", "it", "done"]).status.success());
    let result = team.result("never");
    assert_eq!((&result["proof"], &result["status"]), (&json!("person"), &json!("completed")), "{result}");
    let missing = missing(result["content"].as_str().unwrap(), &format!("{says}\nI have said it all."));
    assert!(missing.is_none(), "{name}: {missing:?} {result}");
    team.house.end();
}

/// A program that knows nothing of tokens: what it draws of a line is not its letters.
fn a_line_without_a_token_is_done_once(test: &str, name: &str) {
    let more = json!({"delivery": "inline", "token": false});
    let Some(mut team) = Team::start_with(test, name, more) else { return };
    let lines = [
        "Say `hello` to **all** of `them`.",
        "Say `hello` to **all** of `them`.",
        "Now _once_ more, and `that` is all.",
    ];
    let says = |number: usize| format!("Said **{number}** of `them`. 襷");
    team.stub.script(
        (0..lines.len()).map(|at| Answer::text(&format!("{}\n\nSTUB DONE", says(at))).into()).collect(),
    );
    for (at, line) in lines.iter().enumerate() {
        let id = format!("line-{at}");
        team.drop_task(&id, line);
        let result = team.is_answered(&id, &says(at));
        assert_eq!(result["proof"], "weak", "{result}");
        assert_eq!(team.typed(&id), 1, "{}", team.log());
    }
    assert_eq!(
        team.stub.turns().last().map(|turn| turn
            .user_texts()
            .iter()
            .filter(|text| text.contains("hello"))
            .count()),
        Some(2),
        "{name}"
    );
    team.house.end();
}

fn goes_on_after_errors_of_its_model(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let limit = || Answer::status(429, "rate_limit_error", "Too many requests").header("retry-after", "1");
    let begun = Answer::text("This is the first half of").in_chunks(9, Duration::from_millis(200));
    let errors: Vec<(&str, Answer)> = vec![
        ("overloaded", Answer::status(529, "overloaded_error", "Overloaded")),
        ("broken", Answer::status(500, "api_error", "Internal server error")),
        ("limited", limit()),
        ("cut", Answer::Cut),
        ("cut-later", begun.then(stub::script::Then::IsCut)),
        ("refused", Answer::status(400, "invalid_request_error", "The stub takes no such thing")),
    ];
    let only = std::env::var("TASUKI_CLIS_ERROR").ok();
    for (id, error) in errors {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|name| name == id)) {
            continue;
        }
        let start = std::time::Instant::now();
        let says = format!("This was answered after {id}.");
        let well = slow_answer(&says, 2, Duration::from_millis(100));
        // Claude Code asks a model that refuses several times more, each time for less.
        let times = if (name, id) == ("claude", "refused") { 10 } else { 1 };
        team.stub.script(vec![error.times(times), well.times(1000)]);
        team.drop_task(id, "Do it.");
        let result = team.is_answered(id, &says);
        if id == "refused" {
            // What its program shows of that is no answer.
            assert_eq!(result["content"], says.as_str(), "{name}");
        }
        println!("{name}: {id} after {} s: {} lines", start.elapsed().as_secs(), team.typed(id));
    }
    team.tokens_given();
}

fn a_login_that_is_refused_waits_for_a_person(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let says = "The login is good again.";
    // Without this header Claude Code tries for three minutes.
    let refused = Answer::status(401, "authentication_error", "Incorrect API key provided");
    team.stub.script(vec![refused.header("x-should-retry", "false").times(1000)]);
    team.drop_task("first", "Do it.");
    team.drop_task("second", "Go on.");
    team.until("the error to be told", |team| team.status().contains("state: error"));
    std::thread::sleep(Duration::from_secs(3));
    assert!(!team.is_ended("first") && team.typed("second") == 0, "{}", team.log());
    assert!(team.status().contains("state: error"), "{}", team.status());
    team.stub.script(vec![slow_answer(says, 1, Duration::ZERO).times(1000)]);
    assert!(team.house.ask(&["agent", "restart", "it"]).status.success());
    team.is_answered("first", says);
    team.is_answered("second", says);
    team.tokens_given();
    println!("{name}: a refused login was told, nothing was typed, both tasks were done after a restart");
}

fn a_model_that_hangs_ends_with_the_time_of_the_task(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    team.stub.script(vec![Answer::Hangs.times(1000)]);
    // Its own time alone is short: on a loaded machine a good answer may take as long.
    team.house.drop("first.yaml", "id: first\nto: it\ncontent: Do it.\ntimeout: 8s\n");
    let result = team.result("first");
    assert_eq!(result["status"], "failed", "{result}");
    let says = "It answers again.";
    team.stub.script(vec![slow_answer(says, 1, Duration::ZERO).times(1000)]);
    team.drop_task("second", "Go on.");
    team.is_answered("second", says);
    assert!(team.log().contains("it was interrupted, and its turn has ended"), "{}", team.log());
    team.tokens_given();
    println!("{name}: a hanging model was given up in time and interrupted, and the next task was done");
}

/// Its one-shot command is given a large task, and one whose model says no.
fn it_is_asked_once(test: &str, name: &str) {
    let command = json!(["{tasuki}", "agent", "headless", "--provider", name]);
    let more = json!({"provider": "headless", "command": command});
    let Some(team) = Team::start_with(test, name, more) else { return };
    let says = "# A plan\n\n1. 襷をつなぐ 🎽\n2. `cargo test`";
    team.stub.script(vec![Answer::text(says).times(1000)]);
    team.drop_task("plan", &format!("Make a plan of this.\n\n{}", "襷 and more\n".repeat(20_000)));
    let result = team.result("plan");
    println!("{name}: {result}\n{}", team.house.read("one.log"));
    assert_eq!(
        (&result["content"], &result["completion_source"]),
        (&says.into(), &"reply".into()),
        "{name}: {result}"
    );
    assert!(result["usage"]["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{name}: {result}");
    let asked = team.stub.turns();
    let is_whole = asked
        .iter()
        .any(|turn| turn.user_texts().iter().any(|text| text.matches("襷 and more").count() == 20_000));
    assert!(is_whole, "{name}: its model was told the whole task");
    let refused = Answer::status(400, "invalid_request_error", "The stub takes no such thing");
    team.stub.script(vec![refused.times(1000)]);
    team.house.drop("refused.yaml", "id: refused\nto: it\ncontent: Do it.\ntimeout: 60s\n");
    let result = team.result("refused");
    println!("{name}: {result}\n{}", team.house.read("one.log"));
    assert_eq!(
        (&result["status"], &result["completion_source"]),
        (&"failed".into(), &"reply".into()),
        "{name}: {result}"
    );
}

/// A turn that is called off is broken off: before its first word, amid its words, and while it asks something; what comes next is
/// done, and nothing of the turn is in the input box.
fn what_is_called_off_is_broken_off(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let (tool, input) = team.cli.shell_call("touch ran-1");
    let words =
        slow_answer("It goes on and on, word after word, for a very long time.", 60, Duration::from_secs(1));
    let cases: [(&str, Answer, &str); 3] = [
        ("mute", Answer::Hangs, ""),
        ("amid", words, "It goes"),
        ("asks", Answer::tool(tool, input), team.cli.facts().dialog),
    ];
    for (id, answer, shown) in cases {
        team.stub.script(vec![answer.times(1000)]);
        team.drop_task(id, "Do it.");
        team.until("its turn to be under way", |team| {
            let under_way = team.house.read(&format!("queue/active/{id}.yaml")).contains("stage: working");
            under_way && team.screen().contains(shown)
        });
        if shown.is_empty() {
            team.until("it to be seen to work", |team| team.screen().contains(team.cli.facts().busy));
        }
        let start = std::time::Instant::now();
        let cancelled = team.house.ask(&["cancel", id]);
        let told = String::from_utf8_lossy(&cancelled.stdout).into_owned();
        assert!(
            told.contains("it was interrupted, and its turn has ended"),
            "{name} {id}: {cancelled:?}\n{}",
            team.screen()
        );
        println!("{name}: {id} in {} ms: {}", start.elapsed().as_millis(), told.trim());
        assert!(!team.screen().contains("read queue/active") || !told.is_empty(), "{}", team.screen());
        let next = format!("after-{id}");
        let says = format!("This is what came after {id}.");
        team.stub.script(vec![slow_answer(&says, 2, Duration::from_millis(100)).times(1000)]);
        team.drop_task(&next, "Go on.");
        team.is_answered(&next, &says);
        let why = team.house.ask(&["why", id]);
        assert!(String::from_utf8_lossy(&why.stdout).contains("was interrupted"), "{why:?}");
    }
    assert!(!team.house.path("ran-1").exists(), "nothing ran unasked");
    team.tokens_given();
}

/// What a person types, and what may go on though it was called off, is no idleness.
fn it_is_busy_with_what_is_no_task(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let words = || slow_answer("It goes on, word after word.", 16, Duration::from_millis(500));
    team.stub.script(vec![words().times(1000)]);
    team.until("it to be idle", |team| team.status().contains("state: idle"));
    team.house.tmux(&["send-keys", "-t", "it", "-l", "Say something long."]);
    team.until("the words to be shown", |team| team.screen().contains("Say something long."));
    std::thread::sleep(team.cli.facts().enter_after);
    team.house.tmux(&["send-keys", "-t", "it", "Enter"]);
    team.until("a person's turn to be told", |team| team.status().contains("state: busy"));
    team.until("its end to be told", |team| team.status().contains("state: idle"));
    assert!(!team.status().contains("word after word"), "what it did is not what it does: {}", team.status());
    team.drop_task("free", "Do it.");
    team.until("its turn to be under way", |team| {
        let under_way = team.house.read("queue/active/free.yaml").contains("stage: working");
        under_way && team.screen().contains(team.cli.facts().busy)
    });
    let told = team.house.ask(&["cancel", "--let-finish", "free"]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("may finish"), "{told:?}");
    team.until("it to be told", |team| {
        team.status().contains("state: busy") || team.status().contains("state: idle")
    });
    team.until("its end to be told", |team| team.status().contains("state: idle"));
}

/// A final error does not keep the agent for ever: the time of the task runs on, a cancel frees it, and a person may type.
fn an_error_is_not_believed_for_ever(test: &str, name: &str) {
    let Some(team) = Team::start(test, name) else { return };
    let refused = || {
        Answer::status(401, "authentication_error", "Incorrect API key provided")
            .header("x-should-retry", "false")
    };
    let told =
        |team: &Team| team.status().contains("state: error") || team.status().contains("state: rate_limited");
    team.stub.script(vec![refused().times(1000)]);
    // OpenCode was seen to take half a minute until it says that its key was refused, and longer on a loaded machine.
    let timeout = if name == "opencode" { "150s" } else { "20s" };
    team.house.drop("timed.yaml", &format!("id: timed\nto: it\ncontent: Do it.\ntimeout: {timeout}\n"));
    team.until("the error to be told", told);
    let result = team.result("timed");
    assert_eq!(result["status"], "failed", "{result}");
    assert!(result["content"].as_str().unwrap().contains("its screen says"), "{result}");
    team.until("the error to be told once more", told);
    // What comes next waits for its turn to be looked at again, or for a person who has seen to it.
    let says = "The login is good again.";
    team.stub.script(vec![slow_answer(says, 1, Duration::ZERO).times(1000)]);
    let forced = team.house.ask(&["pane", "send", "--force", "it", "Say something."]);
    assert!(forced.status.success(), "{forced:?}\n{}", team.screen());
    team.until("it to be well", |team| team.status().contains("state: idle"));
    team.stub.script(vec![refused().times(1000)]);
    team.drop_task("off", "Do it.");
    team.until("the error to be told", told);
    let noted = |team: &Team| {
        let status = String::from_utf8_lossy(&team.house.ask(&["status"]).stdout).into_owned();
        status.contains("note: nothing has been typed to it since") && status.contains("tasuki cancel off")
    };
    team.until("a note with what helps", noted);
    team.stub.script(vec![slow_answer(says, 1, Duration::ZERO).times(1000)]);
    team.drop_task("next", "Go on.");
    let cancelled = team.house.ask(&["cancel", "off"]);
    assert!(cancelled.status.success(), "{cancelled:?}");
    team.is_answered("next", says);
    // A reminder finds out that it is over.
    team.stub.script(vec![refused().into(), slow_answer(says, 1, Duration::ZERO).times(1000)]);
    team.drop_task("reminded", "Do it.");
    team.is_answered("reminded", says);
    team.tokens_given();
}

/// By its profile alone, and by a command of its own that begins with the profile's program.
fn its_system_prompt_arrives(test: &str, name: &str) {
    let model = match name {
        "claude" => "claude-haiku-4-5",
        "codex" => "gpt-6-luna",
        "gemini" => "gemini-2.5-pro",
        "qwen" => "other-model",
        _ => "stub/other-model",
    };
    let options = clis::named(name).facts().options;
    let own: Vec<&str> = [name].iter().chain(options).copied().collect();
    for more in [json!({"model": model}), json!({"model": model, "command": own})] {
        let mut said = json!({"system_prompt": "prompts/it.md"});
        said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let Some(team) = Team::start_with(test, name, said) else { return };
        let says = "It was told what it is.";
        let (tool, input) = team.cli.read_call(&team.house.path("queue/active/first.yaml"));
        team.stub
            .script(vec![Answer::tool(tool, input).into(), slow_answer(says, 1, Duration::ZERO).times(1000)]);
        team.drop_task("first", "Do it.");
        team.is_answered("first", says);
        let turns = team.stub.turns();
        let body = turns[0].body.to_string();
        for words in ["# You are it", "Your phrase is `STUB DONE`", "襷"] {
            assert!(body.contains(words), "{name}: {more}: {words} did not arrive\n{body}");
        }
        let asked = format!("{} {}", turns[0].path, turns[0].body["model"]);
        assert!(asked.contains(model.trim_start_matches("stub/")), "{name}: {asked}");
        // The file of its task is one that git ignores, and says all that is needed.
        let read = turns.last().unwrap().body.to_string();
        assert!(read.contains("phrase: STUB DONE"), "{name}: it could not read its task\n{read}");
        team.tokens_given();
    }
    println!("{name}: its system prompt, its model and its task came to it");
}

fn a_killed_daemon_loses_and_doubles_nothing(test: &str, name: &str) {
    let Some(mut team) = Team::start(test, name) else { return };
    let says = "It was done once.";
    team.stub.script(vec![slow_answer(says, 10, Duration::from_millis(150)).times(1000)]);
    team.until("it to be idle", |team| team.status().contains("state: idle"));
    // After the intent is written: before, while and after the line is pasted, around its Enter, while the model answers.
    let moments = [0, 10, 60, 150, 250, 350, 450, 600, 1_000, 1_600, 2_200];
    for (number, moment) in moments.into_iter().enumerate() {
        let id = format!("k-{number}");
        team.drop_task(&id, "Do it.");
        team.until("its line to be typed", |team| team.typed(&id) > 0);
        std::thread::sleep(Duration::from_millis(moment));
        team.house.kill();
        team.house.start();
        team.is_answered(&id, says);
    }
    let given = team.tokens_given();
    let turns = team.stub.turns().len();
    assert_eq!(
        (given.len(), turns),
        (moments.len(), moments.len()),
        "each task was one turn: {}",
        team.log()
    );
    println!("{name}: {} kills of the daemon, each task submitted once and answered", moments.len());
}

fn a_killed_program_is_started_again(test: &str, name: &str) {
    let Some(team) = Team::start_with(test, name, json!({"restart": "always"})) else { return };
    let says = "It was done in the end.";
    team.stub.script(vec![slow_answer(says, 10, Duration::from_millis(200)).times(1000)]);
    for number in 0..3 {
        let id = format!("k-{number}");
        team.drop_task(&id, "Do it.");
        team.until("its turn to be under way", |team| team.log().contains(&format!("{id} was submitted")));
        std::thread::sleep(Duration::from_millis(300 * number));
        let old = family(team.pid());
        kill(team.pid());
        team.is_answered(&id, says);
        team.until("the old one's processes to end", |_| old.iter().all(|process| !process.lives()));
    }
    team.tokens_given();
    println!("{name}: 3 kills of the program while it worked, each task done in the end");
}

fn nothing_outlives_its_pane(test: &str, name: &str) {
    let Some(mut team) = Team::start(test, name) else { return };
    team.until("it to be idle", |team| team.status().contains("state: idle"));
    let gone = |team: &Team, old: &[Process], what: &str| {
        team.until(&format!("its processes to end after {what}"), |_| old.iter().all(|one| !one.lives()));
    };
    let old = family(team.pid());
    assert!(team.house.ask(&["agent", "restart", "it"]).status.success());
    gone(&team, &old, "a restart");
    team.until("it to be idle again", |team| team.status().contains("state: idle"));
    let old = family(team.pid());
    assert!(team.house.ask(&["agent", "stop", "it"]).status.success());
    gone(&team, &old, "a stop");
    assert!(team.house.ask(&["agent", "start", "it"]).status.success());
    team.until("it to be idle once more", |team| team.status().contains("state: idle"));
    // In the middle of a tool of its, which has a session of its own.
    let (tool, input) = team.cli.shell_call("touch ran-2; tail -f /dev/null");
    team.stub.script(vec![Answer::tool(tool, input).into()]);
    team.drop_task("first", "Run it.");
    team.until("the question to be told", |team| {
        team.screen().contains(team.cli.facts().dialog) && team.status().contains("state: waiting_input")
    });
    team.press_while(&[team.cli.facts().dialog], "Enter");
    team.until("the tool to run", |team| {
        family(team.pid()).iter().any(|one| one.command.starts_with("tail -f"))
    });
    let old = family(team.pid());
    assert!(team.house.ask(&["down"]).status.success());
    team.house.wait();
    gone(&team, &old, "the end of the daemon");
    println!(
        "{name}: nothing of it lived on after a restart, a stop and the end of the daemon ({} processes)",
        old.len()
    );
}

/// A process, known by its number and the time of its start.
#[derive(Debug)]
struct Process {
    pid: u32,
    start: String,
    command: String,
}

impl Process {
    fn lives(&self) -> bool {
        stat(self.pid).is_some_and(|(_, _, state, start)| state != "Z" && start == self.start)
    }
}

/// Its parent, its session, its state and the time of its start.
fn stat(pid: u32) -> Option<(u32, u32, String, String)> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = line.rsplit_once(") ")?.1.split(' ').collect();
    Some((fields[1].parse().ok()?, fields[3].parse().ok()?, fields[0].to_owned(), fields[19].to_owned()))
}

/// A process with its session and all that descend from it.
fn family(pid: u32) -> Vec<Process> {
    let numbers =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let all: Vec<(u32, (u32, u32, String, String))> =
        numbers.filter_map(|number| Some((number, stat(number)?))).collect();
    let parent = |of: u32| all.iter().find(|(number, _)| *number == of).map_or(0, |(_, stat)| stat.0);
    let is_of = |number: u32| {
        let mut at = number;
        while at > 1 && at != pid {
            at = parent(at);
        }
        at == pid
    };
    let found = all.iter().filter(|(number, (_, session, ..))| *session == pid || is_of(*number));
    found
        .map(|(number, (.., start))| {
            let command = fs::read_to_string(format!("/proc/{number}/cmdline")).unwrap_or_default();
            Process { pid: *number, start: start.clone(), command: command.replace('\0', " ") }
        })
        .collect()
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A module an agent, so that each is a test by name.
macro_rules! agents {
    ($tests:tt $($name:ident),*) => {$( agents!(@one $name $tests); )*};
    (@one $name:ident [$($test:ident),*]) => {
        mod $name {
            $(#[test]
            fn $test() {
                super::$test(concat!("daemon::", stringify!($name), "::", stringify!($test)), stringify!($name));
            })*
        }
    };
}

agents!([
    does_its_tasks,
    does_its_tasks_where_only_its_screen_tells,
    its_system_prompt_arrives,
    asks_a_person_and_types_nothing_meanwhile,
    a_persons_answers_are_given,
    a_key_that_is_asked_for_is_not_shown,
    two_equal_questions_are_two,
    a_claim_amid_an_answer_waits_for_its_end,
    an_answer_whose_phrase_was_forgotten_is_not_lost,
    a_line_without_a_token_is_done_once,
    goes_on_after_errors_of_its_model,
    a_login_that_is_refused_waits_for_a_person,
    a_model_that_hangs_ends_with_the_time_of_the_task,
    it_is_asked_once,
    what_is_called_off_is_broken_off,
    it_is_busy_with_what_is_no_task,
    an_error_is_not_believed_for_ever,
    a_killed_daemon_loses_and_doubles_nothing,
    a_killed_program_is_started_again,
    nothing_outlives_its_pane
] claude, codex, gemini, qwen, opencode);
