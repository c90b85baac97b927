//! The borders on the corpus as it is, and on what chance makes of it. `PROPTEST_CASES` asks for more; a failure prints its input
//! and its seed.

use super::{BORDERS, Border, team_file};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::Path;

/// Cases a border in `cargo test`.
const CASES: u32 = 400;

/// Words that mean something at one border or another.
const WORDS: [&str; 40] = [
    "---\n",
    "\n",
    "\n  ",
    ": ",
    "- ",
    "|\n",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\\",
    "\\u001b",
    "#",
    "&a ",
    "*a",
    "!!t ",
    "~",
    "content: ",
    "to: boss\n",
    "id: ",
    "metadata: ",
    "襷",
    "👩‍💻",
    "\u{202e}",
    "\0",
    "\r\n",
    "%begin 7 5 1\n",
    "%end 7 5 1\n",
    "%output %1 ",
    "\\134",
    "k7qf2m",
    "CODING OK k7qf2m\n",
    "[tasuki] task m1 ",
    "│",
    "● ",
    "-1",
    "99999999999999999999",
];

fn corpus(border: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(border);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn each_border_takes_its_corpus() {
    for (name, border) in BORDERS {
        let corpus = corpus(name);
        assert!(corpus.len() >= 5, "{name} has {} inputs", corpus.len());
        corpus.iter().for_each(|input| border(input));
    }
}

/// One change of an input.
#[derive(Debug, Clone)]
enum Change {
    Byte(prop::sample::Index, u8),
    Bit(prop::sample::Index, u8),
    Word(prop::sample::Index, &'static str),
    Cut(prop::sample::Index, prop::sample::Index),
    Double(prop::sample::Index, prop::sample::Index),
    Beside(prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        2 => (place(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        2 => (place(), 0u8..8).prop_map(|(at, bit)| Change::Bit(at, bit)),
        4 => (place(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Change::Word(at, word)),
        2 => (place(), place()).prop_map(|(from, to)| Change::Cut(from, to)),
        1 => (place(), place()).prop_map(|(from, to)| Change::Double(from, to)),
        1 => (place(), place()).prop_map(|(which, at)| Change::Beside(which, at)),
    ]
}

impl Change {
    fn make(&self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let span = |from: &prop::sample::Index, to: &prop::sample::Index, len: usize| {
            let (from, to) = (from.index(len + 1), to.index(len + 1));
            from.min(to)..from.max(to)
        };
        match self {
            Self::Byte(at, byte) if !input.is_empty() => *at.get_mut(input) = *byte,
            Self::Bit(at, bit) if !input.is_empty() => *at.get_mut(input) ^= 1 << bit,
            Self::Byte(..) | Self::Bit(..) => {}
            Self::Word(at, word) => {
                let at = at.index(input.len() + 1);
                drop(input.splice(at..at, word.bytes()));
            }
            Self::Cut(from, to) => drop(input.drain(span(from, to, input.len()))),
            Self::Double(from, to) => {
                let part = input[span(from, to, input.len())].to_vec();
                input.extend(part);
            }
            Self::Beside(which, at) => {
                let other = which.get(corpus);
                input.extend(&other[at.index(other.len() + 1)..]);
            }
        }
    }
}

fn takes_changed(name: &str, border: Border) {
    let corpus = corpus(name);
    let changed = (any::<prop::sample::Index>(), prop::collection::vec(change(), 1..8));
    let config = Config { failure_persistence: None, ..Config::with_cases(cases()) };
    let ran = TestRunner::new(config).run(&changed, |(which, changes)| {
        let mut input = which.get(&corpus).clone();
        changes.iter().for_each(|change| change.make(&mut input, &corpus));
        border(&input);
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{name}: {error}"));
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

#[test]
fn each_border_takes_what_chance_makes_of_it() {
    for (name, border) in BORDERS {
        takes_changed(name, border);
    }
}

/// Pieces of team files, right and wrong.
const TEAM_PIECES: [&str; 46] = [
    "agents: ",
    "settings: ",
    "providers: ",
    "routes: ",
    "session: ",
    "tmux_socket: ",
    "name: ",
    "reports_to: ",
    "provider: ",
    "command: ",
    "marker: ",
    "env: ",
    "pool: ",
    "aliases: ",
    "timeout: ",
    "retries: ",
    "based_on: ",
    "words: ",
    "system_prompt: ",
    "cwd: ",
    "- ",
    "  ",
    "\n",
    "\n  ",
    "\n  - ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "a",
    "b",
    "user",
    "scripted",
    "plain",
    "30s",
    "襷 OK",
    "\"\\u001b[31m\"",
    "'",
    "\"",
    "&a ",
    "*a",
    "!t ",
    "|\n",
    "\t",
    "---\n",
];

#[test]
fn any_pieces_of_team_files_are_judged() {
    let pieces = prop::collection::vec(prop::sample::select(&TEAM_PIECES[..]), 0..60);
    let config = Config { failure_persistence: None, ..Config::with_cases(cases()) };
    let ran = TestRunner::new(config).run(&pieces, |pieces| {
        team_file(pieces.concat().as_bytes());
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}
