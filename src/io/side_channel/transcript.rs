//! The files in which programs keep their sessions: what they were asked, and what they said, to the letter. Nothing is ever
//! written there, and nothing of them is believed but what is in the program's own words behind the turn's own line.

use super::turn_record::Line;
use crate::engine::screen::answer::Spoken;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::words::Millis;
use crate::io::clock::wall_now;
use crate::io::regular;
use crate::wire::team_file::{Env, Transcript};
use crate::wire::time::read_moment;
use chrono::Local;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// How far before its end a file is searched for a line that was typed just now, in bytes.
const SEARCHED_BYTES: u64 = 8 << 20;
/// Most bytes that are read of what is behind that line.
const TURN_BYTES_MAX: u64 = 64 << 20;
/// A longer line is none that anybody said: tools and requests have such.
const LINE_BYTES_MAX: usize = 8 << 20;
/// Files in which a line is looked for, the newest first, and folders that are looked into.
const FILES_MAX: usize = 8;
const FOLDERS_MAX: usize = 4_096;

/// The transcripts of one agent.
#[derive(Debug, Clone)]
pub struct Transcripts {
    rules: Transcript,
    /// Its paths with stars in names.
    paths: Vec<PathBuf>,
    /// When its process was started: older files are others'.
    since: Millis,
    /// The turn that was found last.
    found: Option<Found>,
}

#[derive(Debug, Clone)]
struct Found {
    line: Line,
    file: PathBuf,
    /// Where its record begins.
    at: u64,
}

/// What is there of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcribed {
    pub said: Spoken,
    /// Whether it is over; none where no record would say so.
    pub is_over: Option<bool>,
    /// Whether a record says that its model gave no answer.
    pub failed: bool,
    /// For how long nothing was written there.
    pub still: Duration,
}

impl Transcripts {
    /// Those of a program with this environment that has run for `age`; none if it keeps none where they can be found.
    #[must_use]
    pub fn of(rules: Option<&Transcript>, env: &Env, age: Duration) -> Option<Self> {
        let rules = rules?.clone();
        let paths: Vec<PathBuf> = rules.files.iter().filter_map(|path| filled(path, env)).collect();
        let age = Millis(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        let since = Millis(wall_now().since(age));
        (!paths.is_empty()).then_some(Self { rules, paths, since, found: None })
    }

    /// Whether the program was given this line.
    pub fn has(&mut self, line: impl Into<Line>) -> bool {
        self.find(&line.into()).is_some()
    }

    /// What it has of the turn that was typed as this line; none if it was not given that.
    pub fn turn(&mut self, line: impl Into<Line>) -> Option<Transcribed> {
        let Found { file, at, .. } = self.find(&line.into())?;
        let (file, still) = opened(&file)?;
        let transcribed = self.said(file, at).ok()?;
        Some(Transcribed { still, ..transcribed })
    }

    fn find(&mut self, line: &Line) -> Option<Found> {
        if let Some(found) = self.found.as_ref().filter(|found| found.line == *line) {
            return Some(found.clone());
        }
        // As a rule it is the file of the turn before.
        let last = self.found.as_ref().map(|found| found.file.clone());
        let found = last.and_then(|file| self.find_in(&file, line)).or_else(|| {
            let files = self.files();
            files.iter().find_map(|file| self.find_in(file, line))
        });
        let (file, at) = found?;
        self.found = Some(Found { line: line.clone(), file, at });
        self.found.clone()
    }

    /// Where the last record is that has this line, if the file has one.
    fn find_in(&self, path: &Path, wanted: &Line) -> Option<(PathBuf, u64)> {
        let (mut file, _) = opened(path)?;
        let len = file.metadata().ok()?.len();
        let start = len.saturating_sub(SEARCHED_BYTES);
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut found = None;
        let each = |at: u64, line: &[u8]| {
            let Some(record) = record(line) else { return };
            let asks = self.rules.asked.text_of(&record);
            if asks.is_some_and(|text| wanted.is_in(&text, moment_of(&record))) {
                found = Some(at);
            }
        };
        lines(file.take(SEARCHED_BYTES), start, each).ok()?;
        found.map(|at| (path.to_owned(), at))
    }

    /// What was said behind the record at `at`, up to the next line of tasuki's, and whether that is all.
    fn said(&self, mut file: File, at: u64) -> io::Result<Transcribed> {
        file.seek(SeekFrom::Start(at))?;
        let mut said: Vec<String> = Vec::new();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let (mut is_first, mut is_over, mut failed) = (true, false, false);
        let mut has_end = self.rules.is_end(&Value::Null);
        lines(file.take(TURN_BYTES_MAX), at, |_, line| {
            let own = std::mem::take(&mut is_first);
            let Some(record) = record(line).filter(|_| !own && !is_over) else { return };
            let asks = self.rules.asked.text_of(&record);
            is_over = asks.is_some_and(|text| text.trim_start().starts_with(HEAD));
            has_end = has_end.map(|has| has || is_over || self.rules.is_end(&record) == Some(true));
            failed |= !is_over && self.rules.is_failure(&record);
            let Some(text) = self.rules.said.text_of(&record).filter(|_| !is_over) else { return };
            let name = self.rules.id.as_deref().and_then(|path| name_of(&record, path));
            match name.as_ref().and_then(|name| names.get(name)) {
                Some(&earlier) => said[earlier] = text,
                None => {
                    names.extend(name.map(|name| (name, said.len())));
                    said.push(text);
                }
            }
        })?;
        let said = Spoken::of(said.iter().map(String::as_str));
        Ok(Transcribed { said, is_over: has_end, failed, still: Duration::ZERO })
    }

    /// Files to which something was written since the program was started, the newest first.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = 0;
        for path in &self.paths {
            let names: Vec<&str> = path.to_str().unwrap_or_default().split('/').skip(1).collect();
            self.walk(Path::new("/"), &names, &mut folders, &mut files);
        }
        files.sort_by(|(one, _), (other, _)| other.cmp(one));
        files.into_iter().take(FILES_MAX).map(|(_, path)| path).collect()
    }

    fn walk(&self, folder: &Path, names: &[&str], folders: &mut usize, files: &mut Vec<(Millis, PathBuf)>) {
        let Some((name, rest)) = names.split_first() else { return };
        let Some((before, after)) = name.split_once('*').filter(|_| *folders < FOLDERS_MAX) else {
            return self.step(folder.join(name), rest, folders, files);
        };
        *folders += 1;
        // The file of a session was made after the start, and changed its folder.
        if rest.is_empty() && changed(folder).is_none_or(|changed| changed < self.since) {
            return;
        }
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let found = entry.file_name();
            let fits = found.to_str().is_some_and(|found| {
                found.len() >= before.len() + after.len()
                    && found.starts_with(before)
                    && found.ends_with(after)
            });
            if fits {
                self.step(entry.path(), rest, folders, files);
            }
        }
    }

    fn step(&self, path: PathBuf, rest: &[&str], folders: &mut usize, files: &mut Vec<(Millis, PathBuf)>) {
        if !rest.is_empty() {
            return self.walk(&path, rest, folders, files);
        }
        files.extend(changed(&path).filter(|at| *at >= self.since).map(|at| (at, path)));
    }
}

/// A path with its variable filled in, if it is one from the root then.
fn filled(path: &str, env: &Env) -> Option<PathBuf> {
    let filled = match path.strip_prefix('$') {
        Some(rest) => {
            let (name, rest) = rest.split_once('/')?;
            // A star in the value would be one of ours.
            let value = env.get(name).filter(|value| !value.contains('*'))?;
            format!("{}/{rest}", value.trim_end_matches('/'))
        }
        None => path.to_owned(),
    };
    filled.starts_with('/').then(|| PathBuf::from(filled))
}

fn changed(path: &Path) -> Option<Millis> {
    changed_at(&fs::metadata(path).ok()?)
}

fn changed_at(meta: &fs::Metadata) -> Option<Millis> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok().map(Millis)
}

fn opened(path: &Path) -> Option<(File, Duration)> {
    let file = regular::open(OpenOptions::new().read(true), path).ok()?;
    let changed = changed_at(&file.metadata().ok()?)?;
    Some((file, Duration::from_millis(wall_now().since(changed))))
}

/// Calls `each` with every whole line and where it begins; the first may be the rest of one that began before.
fn lines(from: impl io::Read, start: u64, mut each: impl FnMut(u64, &[u8])) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let (mut line, mut at) = (Vec::new(), start);
    loop {
        line.clear();
        let read = from.read_until(b'\n', &mut line)?;
        if read == 0 || line.last() != Some(&b'\n') {
            return Ok(());
        }
        if line.len() <= LINE_BYTES_MAX {
            each(at, &line);
        }
        at += read as u64;
    }
}

fn record(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

/// When a record was written, as it says itself.
fn moment_of(record: &Value) -> Option<Millis> {
    record.get("timestamp").and_then(Value::as_str).and_then(|text| read_moment(text, &Local))
}

fn name_of(record: &Value, path: &str) -> Option<String> {
    crate::wire::team_file::part(record, path).and_then(Value::as_str).map(str::to_owned)
}
