//! What was dropped, and what has to become of it: each message ends once and with the right text, each bad file is set
//! aside with its reason, nothing is typed twice unless it says so.

use crate::house::House;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two looks at files that another process writes.
const PAUSE: Duration = Duration::from_millis(10);

/// An agent that writes down each line that was typed, with whether it said that it comes again, and answers like
/// [`crate::house::PLAIN_AGENT`], but not while there is a file `TYPED.hold`. Its log is beside the workspace, where nothing cuts
/// its power.
pub(crate) const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    id=$(basename "$file" .yaml)
    echo "$id $(grep -c '^redelivered: true' "$file") $token" >> "$TYPED"
    while [[ -e $TYPED.hold ]]; do sleep 0.02; done
    echo "answer to $id"
    sed -n '/^content:/,/^[a-z_]*:/p' "$file" | sed -n 's/^  //p'
    echo "PLAIN OK $token"
  fi
done
"#;

/// What was dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Account {
    /// Tasks, by id: each has one result, which names it.
    pub(crate) tasks: Vec<String>,
    /// What only has to be taken in, by id.
    pub(crate) infos: Vec<String>,
    /// Words of drops without an id: each is in one message.
    pub(crate) nameless: Vec<String>,
    /// Words of drops of which at most one message may have come.
    pub(crate) maybe: Vec<String>,
    /// Bad files: their names, and the code of each reason.
    pub(crate) refused: Vec<(String, &'static str)>,
    /// Files that have to go.
    pub(crate) gone: Vec<String>,
    /// The agents' own log of what was typed.
    pub(crate) typed: PathBuf,
}

impl Account {
    /// Nothing yet; agents write to `typed`.
    pub(crate) fn new(typed: PathBuf) -> Self {
        Self { typed, ..Self::default() }
    }

    /// Waits until all of it has ended, and looks whether it ended well.
    ///
    /// # Errors
    /// What is lost, or doubled, or wrong.
    pub(crate) fn settle(&self, house: &House, patience: Duration) -> Result<(), String> {
        let start = Instant::now();
        while let Err(missing) = self.is_complete(house) {
            if start.elapsed() > patience {
                return Err(format!("LOST or stuck: {missing}"));
            }
            std::thread::sleep(PAUSE);
        }
        self.is_right(house)
    }

    /// Whether everything has come to its end.
    pub(crate) fn is_complete(&self, house: &House) -> Result<(), String> {
        let waits =
            house.files("queue").into_iter().find(|path| path.extension().is_some_and(|end| end == "yaml"));
        if let Some(path) = waits {
            return Err(format!("{} lies in the queue", path.display()));
        }
        if let Some(path) = house.files(".tasuki/claim").first() {
            return Err(format!("{} was claimed and not done away with", path.display()));
        }
        let done = done(house);
        for id in self.infos.iter().chain(&self.tasks) {
            if !done.contains_key(id) {
                return Err(format!("{id} has not ended"));
            }
        }
        // A view that a power cut has emptied is written again.
        let is_empty = |id: &String| house.read(&format!("queue/results/{id}.yaml")).is_empty();
        if let Some(id) = self.tasks.iter().find(|id| is_empty(id)) {
            return Err(format!("{id} has no result"));
        }
        for word in &self.nameless {
            if !done.values().any(|text| text.contains(word)) {
                return Err(format!("the drop with {word} has not ended"));
            }
        }
        if let Some(path) = self.gone.iter().find(|path| house.path(path).exists()) {
            return Err(format!("{path} is still there"));
        }
        for (name, _) in &self.refused {
            let there = |end| house.path(&format!("queue/rejected/{name}{end}")).exists();
            if !(there("") && there(".reason.yaml")) {
                return Err(format!("{name} was not refused"));
            }
        }
        Ok(())
    }

    /// Whether it ended well.
    fn is_right(&self, house: &House) -> Result<(), String> {
        let done = done(house);
        for id in &self.tasks {
            let result = house.read(&format!("queue/results/{id}.yaml"));
            if !(result.contains("type: result") && result.contains(&format!("answer to {id}"))) {
                return Err(format!("{id} has a wrong result: {result}"));
            }
        }
        for word in self.nameless.iter().chain(&self.maybe) {
            let with: Vec<_> =
                done.iter().filter(|(_, text)| text.contains(word)).map(|(id, _)| id).collect();
            if with.len() > 1 {
                let claims = claims(house, word);
                return Err(format!("DOUBLE: the drop with {word} became {with:?}, of {claims:?}"));
            }
        }
        for (name, code) in &self.refused {
            let reason = house.read(&format!("queue/rejected/{name}.reason.yaml"));
            if !reason.contains(&format!("code: {code}")) {
                return Err(format!("{name} was refused for another reason: {reason}"));
            }
        }
        self.typed_once()
    }

    /// Nothing is typed twice blindly: what comes again says so.
    fn typed_once(&self) -> Result<(), String> {
        let typed = fs::read_to_string(&self.typed).unwrap_or_default();
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        for line in typed.lines() {
            let Some((id, rest)) = line.split_once(' ') else { continue };
            let before = seen.entry(id).or_default();
            if *before > 0 && !rest.starts_with("1 ") {
                return Err(format!("DOUBLE: {id} was typed again and did not say so: {typed}"));
            }
            *before += 1;
        }
        Ok(())
    }
}

/// The names under which a drop was claimed.
fn claims(house: &House, word: &str) -> BTreeSet<String> {
    let segments =
        house.files(".tasuki/journal").into_iter().filter_map(|path| fs::read_to_string(path).ok());
    let names = segments.flat_map(|text| {
        let names = text.split("\"name\":\"").skip(1).filter_map(|rest| rest.split('"').next());
        names.filter(|name| name.contains(word)).map(str::to_owned).collect::<Vec<_>>()
    });
    names.collect()
}

/// What is finished, by id.
pub(crate) fn done(house: &House) -> BTreeMap<String, String> {
    let days = fs::read_dir(house.path("queue/done")).into_iter().flatten().flatten();
    let files =
        days.filter_map(|day| fs::read_dir(day.path()).ok()).flatten().flatten().map(|file| file.path());
    let whole = files.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let read = |path: PathBuf| {
        let id = path.file_stem()?.to_str().filter(|name| !name.starts_with('.'))?.to_owned();
        Some((id, fs::read_to_string(path).ok().filter(|text| !text.is_empty())?))
    };
    whole.filter_map(read).collect()
}
