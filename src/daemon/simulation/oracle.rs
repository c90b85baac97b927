//! What must be true at the end, read from the files alone: the journal's segments, the queue, what was refused, and the
//! views.

use super::people::Dropped;
use super::run::{Run, Wrong};
use crate::engine::event::Event;
use crate::engine::message::Kind;
use crate::engine::words::MessageId;
use crate::io::journal::{Order, fsck, scan};
use crate::io::wire::events;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// What the journal tells, over all lives.
#[derive(Debug, Default)]
struct Told {
    /// How often each id was accepted, and as what.
    accepted: BTreeMap<MessageId, (u32, Kind)>,
    contents: BTreeMap<String, u32>,
    ended: BTreeMap<MessageId, u32>,
    /// Names of files that were refused.
    refused: BTreeSet<String>,
    answers: Vec<String>,
}

impl Told {
    fn read(dir: &Path) -> Result<Self, Wrong> {
        let (mut told, mut wrong) = (Self::default(), None);
        let scanned = scan(dir, 1, Order::OldestFirst, &mut |entry| {
            if entry.kind == crate::io::journal::Kind::Step {
                match events::decode(entry.payload) {
                    Ok(events) => events.into_iter().for_each(|event| told.take(event)),
                    Err(error) => wrong = Some(error.to_string()),
                }
            }
            ControlFlow::Continue(())
        });
        scanned.map_err(|error| error.to_string())?;
        wrong.map_or(Ok(told), Err)
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Accepted { message, body, .. } => {
                self.accepted.entry(message.id.clone()).or_insert((0, message.kind)).0 += 1;
                *self.contents.entry(body.content.to_string()).or_default() += 1;
            }
            Event::Ended { id, answer, .. } => {
                *self.ended.entry(id).or_default() += 1;
                self.answers.extend(answer.map(|answer| answer.body.content.to_string()));
            }
            Event::Refused { name, .. } => self.refused.extend(name.map(|name| name.to_string())),
            _ => {}
        }
    }
}

/// Whether a drop or a claim lies there still.
pub(super) fn anything_lies_there(root: &Path) -> bool {
    let drops = fs::read_dir(root.join("queue")).into_iter().flatten().flatten();
    let is_drop = |name: &str| name.ends_with(".yaml") && !name.starts_with('.');
    let claims = fs::read_dir(root.join(".tasuki/claim")).into_iter().flatten().flatten();
    drops.into_iter().any(|entry| entry.file_name().to_str().is_some_and(is_drop)) || claims.count() > 0
}

/// Checks everything.
pub(super) fn check_end(run: &mut Run) -> Result<(), Wrong> {
    let dir = run.root.join(".tasuki/journal");
    let told = Told::read(&dir)?;
    run.trace.count("messages", told.accepted.len() as u64);
    check_ids(run, &told)?;
    let mut copies: BTreeMap<&str, u32> = BTreeMap::new();
    for content in run.people.drops.iter().flat_map(|drop| &drop.contents) {
        *copies.entry(content).or_default() += 1;
    }
    for drop in &run.people.drops {
        check_drop(&run.root, drop, &told, &|content| copies.get(content) == Some(&1))?;
    }
    check_reasons(&run.root)?;
    check_views(&run.root, &told)?;
    check_replay(run, &dir)
}

fn check_ids(run: &Run, told: &Told) -> Result<(), Wrong> {
    for (id, (times, kind)) in &told.accepted {
        if *times != 1 {
            return Err(format!("{id} was accepted {times} times"));
        }
        let ended = told.ended.get(id).copied().unwrap_or(0);
        if ended != 1 {
            return Err(format!("{id} ({kind:?}) has {ended} ends"));
        }
    }
    match run.promised.iter().find(|id| !told.accepted.contains_key(*id)) {
        Some(id) => Err(format!("a caller was told that {id} is accepted, and the journal does not know it")),
        None => Ok(()),
    }
}

fn check_drop(root: &Path, drop: &Dropped, told: &Told, alone: &dyn Fn(&str) -> bool) -> Result<(), Wrong> {
    let times = |content: &String| told.contents.get(content).copied().unwrap_or(0);
    let fail = |why: &str| Err(format!("{}: {why}: {:?}", drop.name, drop.text));
    if drop.contents.iter().any(|content| times(content) > 1) {
        return fail("accepted twice");
    }
    // What was not flushed may have been torn.
    if drop.cut && !drop.durable {
        return Ok(());
    }
    let accepted = drop.contents.iter().filter(|content| times(content) == 1).count();
    // One that came again in a file of its own may have been accepted from there.
    let own: Vec<u32> = drop.contents.iter().filter(|content| alone(content)).map(times).collect();
    if own.contains(&0) && own.contains(&1) {
        return fail("accepted in part");
    }
    let answers = |content: &String| drop.answer && told.answers.iter().any(|text| text.contains(content));
    if accepted > 0 || drop.contents.iter().any(answers) {
        return Ok(());
    }
    if is_rejected(root, drop) || told.refused.contains(&drop.name) {
        return Ok(());
    }
    fail("neither accepted nor refused")
}

fn is_rejected(root: &Path, drop: &Dropped) -> bool {
    let stem = drop.name.trim_end_matches(".yaml");
    let entries = fs::read_dir(root.join("queue/rejected")).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let is_it = entry.file_name().to_str().is_some_and(|name| name.starts_with(stem));
        is_it && fs::read_to_string(entry.path()).is_ok_and(|text| text == drop.text)
    })
}

/// A reason that is there is whole: nobody makes it again.
fn check_reasons(root: &Path) -> Result<(), Wrong> {
    let entries = fs::read_dir(root.join("queue/rejected")).into_iter().flatten().flatten();
    let reasons =
        entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(".reason.yaml"));
    for path in reasons {
        let text = fs::read(&path).unwrap_or_default();
        if !text.ends_with(b"\n") || text.contains(&0) {
            return Err(format!("{} is not whole: {:?}", path.display(), String::from_utf8_lossy(&text)));
        }
    }
    Ok(())
}

fn check_views(root: &Path, told: &Told) -> Result<(), Wrong> {
    let whole = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.len() > 0);
    for (id, (_, kind)) in &told.accepted {
        let result = root.join(format!("queue/results/{id}.yaml"));
        if *kind == Kind::Task && !whole(&result) {
            return Err(format!("{id} has no result to be read"));
        }
        let days = fs::read_dir(root.join("queue/done")).into_iter().flatten().flatten();
        if !days.into_iter().any(|day| whole(&day.path().join(format!("{id}.yaml")))) {
            return Err(format!("{id} is not in queue/done"));
        }
        if root.join(format!("queue/active/{id}.yaml")).exists() && *kind == Kind::Task {
            return Err(format!("{id} has ended and is still in queue/active"));
        }
    }
    Ok(())
}

/// The journal gives the state that is in memory, and is sound.
fn check_replay(run: &Run, dir: &Path) -> Result<(), Wrong> {
    let Some(engine) = run.engine() else { return Err("the daemon does not run".to_owned()) };
    let report = fsck(dir).map_err(|error| error.to_string())?;
    if !report.is_sound() {
        return Err(format!("the journal is damaged: {report:?}"));
    }
    let (_, memory) = crate::daemon::memory::open(dir, "after", run.settings.team.clone())
        .map_err(|error| error.to_string())?;
    let (here, there) = (engine.state(), memory.engine.state());
    if here.open != there.open || here.agents != there.agents || here.halted != there.halted {
        return Err(format!("a replay gives another state:\n{there:#?}\nis not\n{here:#?}"));
    }
    Ok(())
}
