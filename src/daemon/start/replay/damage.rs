//! Damage to the journal of a real life: each is found, none spreads to a message whose lines it did not touch, and the
//! daemon goes on from it. `TASUKI_DAMAGE=20000` makes so many trials, `TASUKI_SEED=N` other ones.

use super::lived::{ids, live, team};
use super::{Memory, extract};
use crate::engine::words::{MessageId, Seq};
use crate::io::fake::Chance;
use crate::io::journal::{Journal, Kind, ReadOrder, StepLine, fsck, scan};
use crate::wire::events;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Trials in `cargo test`: some ten seconds on a machine that does nothing else.
const TRIALS: u64 = 1_500;
/// Threads, each with a journal of its own.
const THREADS: u64 = 4;

type Files = BTreeMap<String, Vec<u8>>;

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Harm {
    Flip,
    Byte,
    Cut,
    Blank,
    TakenOut,
    Doubled,
    Swapped,
    Overwritten,
}

const HARMS: [Harm; 8] = [
    Harm::Flip,
    Harm::Byte,
    Harm::Cut,
    Harm::Blank,
    Harm::TakenOut,
    Harm::Doubled,
    Harm::Swapped,
    Harm::Overwritten,
];

/// One file's damage.
struct Hurt {
    name: String,
    harm: Harm,
    bytes: Vec<u8>,
    /// Bytes of the whole file that may have gone.
    touched: Range<usize>,
}

/// A line of the whole journal.
struct Line {
    name: String,
    span: Range<usize>,
    text: String,
    /// Its number, if it is no snapshot.
    step: Option<u64>,
}

/// All that is known of each message.
type Told = BTreeMap<String, (String, Vec<Option<u32>>)>;

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// It was reported.
    Found,
    /// All lines are as they were.
    Nothing,
    /// Something is behind the end of a closed segment, where a write that failed may leave anything.
    Behind,
    /// The newest segment ends after another whole line: as if the rest had never been written.
    Shorter,
}

/// In memory where there is such a place: thousands of journals are opened.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn read(dir: &Path) -> Files {
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file());
    files
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect()
}

fn lay(dir: &Path, files: &Files) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
    files.iter().for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
}

/// The lines of a segment, whatever separates them.
fn spans(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = None;
    for (at, byte) in bytes.iter().chain(b"\n").enumerate() {
        match (start, matches!(byte, b'\n' | 0)) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                spans.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    spans
}

fn lines(files: &Files) -> Vec<Line> {
    let segments = files.iter().filter(|(name, _)| name.ends_with(".jsonl"));
    let each = |(name, bytes): (&String, &Vec<u8>)| {
        let line = |span: Range<usize>| {
            let text = String::from_utf8(bytes[span.clone()].to_vec()).unwrap();
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            let step = json.get("events").and_then(|_| json["seq"].as_u64());
            Line { name: name.clone(), span, text, step }
        };
        spans(bytes).into_iter().map(line).collect::<Vec<_>>()
    };
    segments.flat_map(each).collect()
}

fn hurt(files: &Files, chance: &mut Chance) -> Hurt {
    let name = files.keys().nth(chance.below(files.len() as u64) as usize).unwrap().clone();
    let harm = HARMS[chance.below(HARMS.len() as u64) as usize];
    let mut bytes = files[&name].clone();
    let len = bytes.len();
    let at = chance.below(len as u64) as usize;
    let longest = if chance.one_in(3) { 600 } else { 40 };
    let run = 1 + chance.below(longest) as usize;
    let piece = at..len.min(at + run);
    let other = chance.below((len - piece.len() + 1) as u64) as usize;
    let hull = at.min(other)..piece.end.max(other + piece.len());
    let mut touched = piece.clone();
    match harm {
        Harm::Flip => {
            bytes[at] ^= 1 << chance.below(8);
            touched = at..at + 1;
        }
        Harm::Byte => {
            bytes[at] = chance.below(256) as u8;
            touched = at..at + 1;
        }
        Harm::Cut => {
            bytes.truncate(at);
            touched = at..len;
        }
        Harm::Blank => bytes[piece].fill(if chance.one_in(2) { b'\n' } else { 0 }),
        Harm::TakenOut => {
            bytes.drain(piece.clone());
            touched = piece.start..piece.end + 1; // the next line may have lost what separates it
        }
        Harm::Doubled => {
            let copy = bytes[piece.clone()].to_vec();
            bytes.splice(piece.end..piece.end, copy);
            touched = piece.end.saturating_sub(1)..piece.end + 1;
        }
        Harm::Swapped => {
            let (one, two) =
                (files[&name][piece.clone()].to_vec(), files[&name][other..other + piece.len()].to_vec());
            bytes[piece].copy_from_slice(&two);
            bytes[other..other + one.len()].copy_from_slice(&one);
            touched = hull; // what is before a line that came too early is not believed
        }
        Harm::Overwritten => {
            let copy = files[&name][piece].to_vec();
            bytes[other..other + copy.len()].copy_from_slice(&copy);
            touched = hull;
        }
    }
    Hurt { name, harm, bytes, touched }
}

/// The steps that tell of a message.
fn own_steps(lines: &[Line], id: &str) -> impl Iterator<Item = u64> {
    lines
        .iter()
        .filter(move |line| line.step.is_some() && line.text.contains(id))
        .filter_map(|line| line.step)
}

/// What a start knows of each message, and what each step says that tells of it.
fn look(dir: &Path, lines: &[Line]) -> Result<(Told, Journal), String> {
    let mut memory = Memory::new(team());
    let opened = Journal::open(dir, "boot-2", extract, &mut |entry| memory.take(entry));
    let (journal, _) = opened.map_err(|error| error.to_string())?;
    let mut steps = BTreeMap::new();
    let mut each = |entry: &crate::io::journal::Entry<'_>| {
        if entry.kind == Kind::Step {
            steps.insert(entry.seq.0, crc32fast::hash(entry.payload.as_bytes()));
        }
        ControlFlow::Continue(())
    };
    scan(dir, 1, ReadOrder::OldestFirst, &mut each).map_err(|error| error.to_string())?;
    let (mut archive, mut reader) = (journal.archive(), journal.reader());
    let mut told = Told::new();
    for id in ids() {
        let own = MessageId::new(&id).unwrap();
        let state = memory.fold.engine.state();
        let known = match (state.open.get(&own), state.finished.get(&own)) {
            (Some(open), _) => {
                let place = memory.fold.places.get(&open.body.seq).ok_or("no place")?;
                let body = reader.step(open.body.seq, *place).ok();
                let body = body.and_then(|record| events::body_of(&record.payload, open.body.index));
                format!("{open:?} {body:?}")
            }
            (None, Some(finished)) => format!("{:?}", finished.known()),
            (None, None) => match archive.known(&own).map_err(|error| error.to_string())? {
                Some(known) => {
                    let outcome = crate::daemon::journal::snapshot::outcome_of(known.outcome);
                    format!("{:?}", crate::engine::message::Known { digest: known.digest, outcome })
                }
                None => "unknown".to_owned(),
            },
        };
        let steps: Vec<_> = own_steps(lines, &id).map(|seq| steps.get(&seq).copied()).collect();
        told.insert(id, (known, steps));
    }
    Ok((told, journal))
}

/// Messages that the damage may have cost something: one of their lines was touched, or one of a message on which they
/// depend.
fn touched(lines: &[Line], hurt: &Hurt) -> BTreeSet<String> {
    // Where a piece was laid over what separates two lines, the one behind it may be a part of what is before.
    let is_laid_over = matches!(hurt.harm, Harm::Overwritten | Harm::Swapped);
    let hit = |line: &&Line| {
        let (start, end) = (line.span.start.saturating_sub(1), line.span.end);
        let first = if is_laid_over { start } else { line.span.start };
        line.name == hurt.name && first < hurt.touched.end && hurt.touched.start < end
            || line.name == hurt.name && hurt.harm == Harm::TakenOut && hurt.touched.contains(&(start + 1))
    };
    let steps = lines.iter().filter(hit).filter(|line| line.step.is_some());
    let texts: Vec<&str> = steps.map(|line| line.text.as_str()).collect();
    let named = |id: &str| texts.iter().any(|text| text.contains(id));
    let all = ids().into_iter();
    all.filter(|id| named(id) || named(&format!("{}a", &id[..id.len() - 1]))).collect()
}

/// One trial.
fn tried(
    dir: &Path,
    whole: &Files,
    lines: &[Line],
    before: &Told,
    seed: u64,
) -> Result<(Harm, Came), String> {
    let mut chance = Chance::new(seed);
    let hurt = hurt(whole, &mut chance);
    let say = |what: &str| format!("{:?} of {} at {:?}: {what}", hurt.harm, hurt.name, hurt.touched);
    let mut files = whole.clone();
    files.insert(hurt.name.clone(), hurt.bytes.clone());
    lay(dir, &files);
    let report = fsck(dir).map_err(|error| say(&error.to_string()))?;
    let newest = whole.keys().rfind(|name| name.ends_with(".jsonl")).unwrap();
    let texts = |bytes: &[u8]| spans(bytes).into_iter().map(|span| bytes[span].to_vec()).collect::<Vec<_>>();
    let (old, new) = (&whole[&hurt.name], &hurt.bytes);
    let same = if hurt.name.ends_with(".ids") { old == new } else { texts(old) == texts(new) };
    // Behind the last line of a closed segment, its newline included, there may be the remains of a write that failed.
    let end = spans(old).last().map_or(0, |span| span.end);
    let is_behind = old.get(..end) == new.get(..end);
    let came = match () {
        () if !report.is_sound() || report.torn.is_some() => Came::Found,
        () if same => Came::Nothing,
        () if hurt.name == *newest && texts(old).starts_with(&texts(new)) => Came::Shorter,
        () if hurt.name.ends_with(".jsonl") && (texts(new).starts_with(&texts(old)) || is_behind) => {
            Came::Behind
        }
        () => return Err(say("it was not found")),
    };
    let (after, mut journal) = look(dir, lines).map_err(|why| say(&why))?;
    let lost = if same { BTreeSet::new() } else { touched(lines, &hurt) };
    for (id, told) in before {
        if !lost.contains(id) && after.get(id) != Some(told) {
            return Err(say(&format!(
                "{id} was not touched, and is\n{:?}, not\n{told:?}\n{report:#?}",
                after[id]
            )));
        }
    }
    if seed.is_multiple_of(8) {
        let next =
            StepLine { seq: journal.next_seq(), at: crate::engine::words::Millis(1), events: "[]".into() };
        journal.append(&[next], true).map_err(|error| say(&error.to_string()))?;
        let seq = Seq(journal.next_seq().0);
        drop(journal);
        let (again, journal) = look(dir, lines).map_err(|why| say(&why))?;
        let known = |told: &Told| told.values().map(|(known, _)| known.clone()).collect::<Vec<_>>();
        if known(&again) != known(&after) || journal.next_seq() != seq {
            return Err(say("it does not go on"));
        }
    }
    Ok((hurt.harm, came))
}

#[test]
fn damage_is_found_and_stays_where_it_is() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seed, trials) = (number("TASUKI_SEED").unwrap_or(1), number("TASUKI_DAMAGE").unwrap_or(TRIALS));
    let dir = scratch();
    live(dir.path());
    let whole = read(dir.path());
    println!(
        "seed {seed}, {trials} trials, {:?}",
        whole.iter().map(|(name, bytes)| (name, bytes.len())).collect::<Vec<_>>()
    );
    let lines = lines(&whole);
    let (before, _) = look(dir.path(), &lines).unwrap();
    let threads = THREADS.min(trials);
    let results = std::thread::scope(|scope| {
        let (whole, lines, before) = (&whole, &lines, &before);
        let run = |thread: u64| {
            let scratch = scratch();
            let each = |trial: u64| {
                let one = seed.wrapping_mul(1_000_003) + trial;
                let tried =
                    catch_unwind(AssertUnwindSafe(|| tried(scratch.path(), whole, lines, before, one)));
                tried.unwrap_or_else(|_| Err("it panicked".to_owned())).map_err(|why| (trial, why))
            };
            (0..trials).filter(|trial| trial % threads == thread).map(each).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let mut counts: BTreeMap<(Harm, Came), u64> = BTreeMap::new();
    results.iter().flatten().for_each(|what| *counts.entry(*what).or_default() += 1);
    println!("{counts:#?}");
    let wrong: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    if let Some((trial, why)) = wrong.first() {
        let some: Vec<_> = wrong.iter().take(12).map(|(_, why)| why.lines().next().unwrap()).collect();
        panic!("{} of {trials} went wrong, {some:#?}; trial {trial} of seed {seed}: {why}", wrong.len());
    }
    let count =
        |came: Came| counts.iter().filter(|((_, one), _)| *one == came).map(|(_, count)| count).sum::<u64>();
    let harmless = [Came::Nothing, Came::Behind, Came::Shorter].map(count);
    assert!(
        count(Came::Found) + harmless.iter().sum::<u64>() == trials
            && harmless.iter().sum::<u64>() * 10 < trials
    );
}
