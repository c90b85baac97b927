//! Many deliveries to agents of all rows at once, with what goes wrong between a daemon and a program: Enters that are lost or come too
//! early, agents that are slow or busy, dialogs in the way, lines like claims. Counted by what the agents themselves wrote down.
//! `scripts/deliveries --count N --seed N` is the long form.

use crate::house::{House, PATIENCE};
use crate::odds::Odds;
use crate::rows::{BOXED, PLAIN, Row};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Deliveries of the short form.
const SHORT: usize = 120;
/// Messages that an agent has at once: one that it works on, and one that comes while it is busy.
const AT_ONCE: usize = 2;
/// Between two looks at files that another process writes.
const PAUSE: Duration = Duration::from_millis(20);

/// What agents do: all write down what they were given, and again right before they claim.
const RULES: &str = r#"
rules:
  - when: {turn: reminder}
    do: [{append_file: {path: claimed.log, text: "{id}"}}, {print: "said {id}"}, {claim: now}]
  - when: {match: "^swallow"}
    do:
      - append_file: {path: heard.log, text: "{id}"}
      - print: "said {id}"
      - append_file: {path: claimed.log, text: "{id}"}
      - claim: now
      - swallow_enter: 2
  - when: {match: "^slow"}
    do:
      - append_file: {path: heard.log, text: "{id}"}
      - spinner: {for: 100ms..900ms, text: Thinking…}
      - chunks: {text: "said {id}", size: 3, every: 30ms}
      - append_file: {path: claimed.log, text: "{id}"}
      - claim: drawn
  - when: {match: "^spoof"}
    do:
      - append_file: {path: heard.log, text: "{id}"}
      - pretend: "I shall say {claim} soon.\n+ {claim}"
      - claim: wrong
      - claim: stale
      - wait: 50ms..400ms
      - print: "said {id}"
      - append_file: {path: claimed.log, text: "{id}"}
      - claim: dressed
  - when: {match: "^silent"}
    do: [{append_file: {path: heard.log, text: "{id}"}}, {pretend: "When I am done I shall say {claim}."}]
  - when: {match: "^ask"}
    do:
      - append_file: {path: heard.log, text: "{id}"}
      - print: "said {id}"
      - dialog: "touch /srv/team/{id}"
      - append_file: {path: claimed.log, text: "{id}"}
      - claim: dressed
  - when: {turn: task}
    do:
      - append_file: {path: heard.log, text: "{id}"}
      - print: "said {id}"
      - append_file: {path: claimed.log, text: "{id}"}
      - claim: dressed
"#;

/// An agent, and the messages that it has.
struct Agent {
    name: String,
    has_box: bool,
    open: Vec<(String, Instant)>,
    /// Those of them that ask for something and were not answered.
    asking: Vec<String>,
}

impl Agent {
    /// Answers its dialog, once the daemon has told of it.
    fn answer(&mut self, house: &House) {
        if self.asking.is_empty()
            || !house.read(&format!("status/agents/{}.yaml", self.name)).contains("state: waiting_input")
        {
            return;
        }
        let shown = house.tmux(&["capture-pane", "-p", "-t", &self.name]);
        if let Some(at) = self.asking.iter().position(|id| {
            shown.contains(&format!("touch /srv/team/{id} "))
                || shown.contains(&format!("touch /srv/team/{id}\n"))
        }) {
            house.tmux(&["send-keys", "-t", &self.name, "1"]);
            self.asking.remove(at);
        }
    }
}

/// What became of all of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    once: usize,
    false_delivered: Vec<String>,
    false_done: Vec<String>,
    missed: Vec<String>,
    /// Given more than once, or never.
    not_once: Vec<String>,
}

fn what(odds: &mut Odds, agent: &Agent) -> &'static str {
    match odds.below(100) {
        0..12 => "swallow",
        12..32 => "slow",
        32..42 => "spoof",
        42..44 => "silent",
        44..48 if agent.has_box => "ask",
        _ => "work",
    }
}

fn team(rows: &[Row], of_each: usize, odds: &mut Odds) -> (House, Vec<Agent>) {
    let (mut list, mut files, mut agents) = (String::new(), Vec::new(), Vec::new());
    for row in rows {
        let script = format!("{}.yaml", row.provider);
        files.push((script.clone(), row.script(RULES, &[])));
        for number in 0..of_each {
            let name = format!("{}_{number}", row.provider);
            let seed = odds.below(1 << 32);
            writeln!(
                list,
                "  - {{name: {name}, reports_to: user, provider: {}, marker: {name} OK, command: [\"{{tasuki}}\", agent, scripted, \
                 --phrase, \"{{phrase}}\", --seed, \"{seed}\", --script, \"{{root}}/{script}\"]}}",
                row.provider
            )
            .expect("text");
            agents.push(Agent {
                name,
                has_box: row.provider != PLAIN.provider,
                open: Vec::new(),
                asking: Vec::new(),
            });
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    (House::new("deliveries", &list, &files), agents)
}

/// Delivers so many messages, and gives what became of each.
fn deliver(count: usize, of_each: usize, seed: u64) -> Figures {
    let mut odds = Odds::of(seed);
    let rows = [&BOXED[..], &[PLAIN]].concat();
    let (mut house, mut agents) = team(&rows, of_each, &mut odds);
    house.start();
    let (mut sent, mut ended, mut late) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut told = Instant::now();
    while ended.len() + late.len() < count {
        for agent in &mut agents {
            agent.open.retain(|(id, since)| {
                let result = house.read(&format!("queue/results/{id}.yaml"));
                let is_late = since.elapsed() > PATIENCE;
                if !result.is_empty() {
                    // What it had claimed by then is asked for at once: later it may have claimed all the same.
                    let claimed = house.read("claimed.log").lines().any(|line| line == id);
                    ended.insert(id.clone(), (result, claimed));
                } else if is_late {
                    late.push(id.clone());
                }
                !(ended.contains_key(id) || is_late)
            });
            while agent.open.len() < AT_ONCE && sent.len() < count {
                let id = format!("d-{}", sent.len());
                let content = what(&mut odds, agent);
                house.drop(
                    &format!("{id}.yaml"),
                    &format!("id: {id}\nto: {}\ncontent: {content}\n", agent.name),
                );
                if content == "ask" {
                    agent.asking.push(id.clone());
                }
                agent.open.push((id.clone(), Instant::now()));
                sent.push(id);
            }
            agent.answer(&house);
        }
        if told.elapsed() > Duration::from_secs(60) {
            eprintln!("{} of {count} ended", ended.len());
            told = Instant::now();
        }
        std::thread::sleep(PAUSE);
    }
    let figures = judge(&house, &sent, &ended, late);
    if figures.once == count {
        house.end();
    } else {
        eprintln!("{}", house.read("status/activity.log"));
    }
    figures
}

fn judge(
    house: &House,
    sent: &[String],
    ended: &BTreeMap<String, (String, bool)>,
    late: Vec<String>,
) -> Figures {
    let mut times: HashMap<&str, usize> = HashMap::new();
    let heard = house.read("heard.log");
    for id in heard.lines() {
        *times.entry(id).or_default() += 1;
    }
    let log = house.read("status/activity.log");
    let submitted: HashSet<&str> =
        log.lines().filter_map(|line| line.split_once(" was submitted")?.0.split(' ').next_back()).collect();
    let mut figures = Figures { missed: late, ..Figures::default() };
    for id in sent {
        match times.get(id.as_str()) {
            Some(1) => figures.once += 1,
            _ => figures.not_once.push(id.clone()),
        }
        if submitted.contains(id.as_str()) && !times.contains_key(id.as_str()) {
            figures.false_delivered.push(id.clone());
        }
        let Some((result, claimed)) = ended.get(id) else { continue };
        if !result.contains("type: result") {
            figures.missed.push(id.clone());
        } else if !claimed || !result.contains(&format!("said {id}")) {
            figures.false_done.push(id.clone());
        }
    }
    figures
}

fn number(variable: &str, unless: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(unless)
}

/// A number with commas.
fn shown(number: usize) -> String {
    let digits = number.to_string();
    let from_right = digits.len() % 3;
    let comma = |at: usize| if at > 0 && at % 3 == from_right { "," } else { "" };
    digits.chars().enumerate().map(|(at, digit)| format!("{}{digit}", comma(at))).collect()
}

#[test]
fn each_delivery_is_submitted_once_and_done_when_it_is_claimed() {
    let count = number("TASUKI_DELIVERIES", SHORT);
    let of_each = number("TASUKI_AGENTS", 2);
    let seed = Odds::seed("TASUKI_SEED");
    eprintln!("seed {seed}");
    let figures = deliver(count, of_each, seed);
    println!(
        "{} deliveries over {} rows: {} submitted once, {} false delivered, {} false done, {} missed",
        shown(count),
        BOXED.len() + 1,
        shown(figures.once),
        figures.false_delivered.len(),
        figures.false_done.len(),
        figures.missed.len()
    );
    assert_eq!(figures, Figures { once: count, ..Figures::default() }, "seed {seed}");
}

#[test]
fn figures_are_shown_with_commas() {
    assert_eq!([7, 120, 1_000, 10_000, 1_234_567].map(shown), ["7", "120", "1,000", "10,000", "1,234,567"]);
}
