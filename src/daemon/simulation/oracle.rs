//! What must be true at the end, read from the files alone: the journal's segments, the queue, what was refused, and the
//! views.

use super::callers::{Fate, Letter};
use super::hiring::{HIRED, HIRED_FOR_STEPS, HIRED_TO_SPEAK};
use super::people::Dropped;
use super::promises::check_commands;
use super::state::{Now, Run};
use super::told::JournalSays;
use super::wrong::Wrong;
use crate::engine::flow::flow::Flow;
use crate::engine::message::Kind;
use crate::engine::words::AgentName;
use crate::io::journal::fsck;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Whether a drop or a claim lies there still.
pub(super) fn anything_lies_there(root: &Path) -> bool {
    let drops = fs::read_dir(root.join("queue")).into_iter().flatten().flatten();
    let is_drop = |name: &str| name.ends_with(".yaml") && !name.starts_with('.');
    let claims = fs::read_dir(root.join(".tasuki/claim")).into_iter().flatten().flatten();
    drops.into_iter().any(|entry| entry.file_name().to_str().is_some_and(is_drop)) || claims.count() > 0
}

impl Run {
    /// The engine as it is in memory.
    pub(super) fn engine(&self) -> Option<&crate::engine::engine::Engine> {
        match &self.now {
            Now::Alive(life) => Some(&life.daemon.engine),
            Now::Dead(..) => None,
        }
    }
}

/// Checks everything.
pub(super) fn check_end(run: &mut Run) -> Result<(), Wrong> {
    let dir = run.root.join(".tasuki/journal");
    let told = JournalSays::read(&run.segments())?;
    run.trace.count("messages", told.accepted.len() as u64);
    let for_steps = told.hired.iter().filter(|(name, _)| name.as_str().starts_with(HIRED_FOR_STEPS));
    run.trace.count("agents hired for steps", for_steps.map(|(_, times)| u64::from(*times)).sum());
    let ends = told.ended.values().flatten().filter_map(|end| end.why.as_deref());
    let given_up = ends.filter(|why| why.contains("which was hired for it, is given up")).count();
    run.trace.count("agents of steps that were given up", given_up as u64);
    check_ids(&told)?;
    run.callers.told.check(&told)?;
    check_commands(&told)?;
    run.deeds.check(&told)?;
    run.callers.roster.check(&told)?;
    told.flows.check()?;
    told.flows.debates().into_iter().for_each(|(what, times)| run.trace.count(what, times));
    run.callers.flows.check(&told.flows)?;
    let mut copies: BTreeMap<&str, u32> = BTreeMap::new();
    let letters = &run.callers.letters;
    let dropped = run.people.drops.iter().flat_map(|drop| &drop.contents);
    for content in dropped.chain(letters.iter().flat_map(|letter| &letter.contents)) {
        *copies.entry(content).or_default() += 1;
    }
    let alone = |content: &str| copies.get(content) == Some(&1);
    for drop in &run.people.drops {
        check_drop(&run.root, drop, &told, &alone)?;
    }
    for letter in letters {
        check_letter(letter, &told, &alone).map_err(|why| format!("{why}: {letter:?}"))?;
    }
    check_routes(run, &told)?;
    let answered =
        |content: &str| run.people.drops.iter().any(|drop| drop.answer && drop.contents[0] == content);
    run.read.check(&run.root, &told, &answered)?;
    let lost =
        |name: &str| run.people.drops.iter().any(|drop| drop.name == name && drop.cut && !drop.durable);
    run.texts.check(&told, &lost)?;
    check_reasons(&run.root)?;
    run.history.check(&run.root, &told)?;
    check_views(&run.root, &told)?;
    check_replay(run, &dir)
}

fn check_ids(told: &JournalSays) -> Result<(), Wrong> {
    for (id, all) in &told.accepted {
        if all.len() != 1 {
            return Err(format!("{id} was accepted {} times", all.len()));
        }
        let ended = told.ended.get(id).map_or(0, Vec::len);
        if ended != 1 {
            return Err(format!("{id} ({:?}) has {ended} ends", all[0].kind));
        }
    }
    Ok(())
}

/// Whoever sent it was told the truth, and whoever was told nothing finds all of it or none.
fn check_letter(letter: &Letter, told: &JournalSays, alone: &dyn Fn(&str) -> bool) -> Result<(), Wrong> {
    let fail = |why: &str| Err(why.to_owned());
    let times = |content: &String| told.times(content);
    if letter.contents.iter().any(|content| times(content) > 1) {
        return fail("accepted twice");
    }
    let own: Vec<usize> = letter.contents.iter().filter(|content| alone(content)).map(times).collect();
    if own.contains(&0) && own.contains(&1) {
        return fail("accepted in part");
    }
    match letter.fate {
        Fate::Unknown => return fail("nobody knows what became of it"),
        Fate::Accepted if letter.contents.iter().any(|content| times(content) == 0) => {
            return fail("said to be accepted, and it is not there");
        }
        Fate::Refused if own.contains(&1) => return fail("said to be refused, and it is there"),
        // The key of one that was sent again may have become void after it was accepted.
        Fate::Void if own.contains(&1) && letter.sent == 1 => return fail("accepted with a void key"),
        _ => {}
    }
    let owner = letter.key.as_ref().and_then(|(_, owner)| owner.as_ref());
    let own = letter.contents.iter().filter(|content| alone(content));
    let ids = own.flat_map(|content| told.contents.get(content).into_iter().flatten());
    for message in ids.map(|id| &told.accepted[id][0]) {
        if message.verified != owner.is_some() || owner.is_some_and(|owner| *owner != message.from) {
            return Err(format!("taken as {}'s, verified: {}", message.from, message.verified));
        }
    }
    Ok(())
}

/// Nobody tasks whom he may not.
fn check_routes(run: &Run, told: &JournalSays) -> Result<(), Wrong> {
    let tasks = told.accepted.values().flatten().filter(|message| message.kind == Kind::Task);
    for message in tasks {
        let may = match message.from.as_str() {
            "user" => !message.to.is_user(),
            _ if message.to.as_str() == "tasuki" => true, // how a refused part is kept
            "boss" => ["ann", "bob", "crew", "hal", "ida"].contains(&message.to.as_str()),
            "ann" => message.to.as_str() == "eve",
            "hal" => message.to.as_str() == "ida", // it may have been hired to report there
            _ => false,
        };
        if !may {
            return Err(format!("{} may not task {}: {}", message.from, message.to, message.id));
        }
    }
    // What nobody of a pool had is answered in the pool's name.
    let team = &run.settings.team;
    let of_nobody = |name: &&AgentName| !team.members.contains_key(*name) && !team.pools.contains_key(*name);
    let mut senders = told.accepted.values().flatten().map(|message| &message.from);
    let known = |name: &str| {
        let is_for_flows = [HIRED_FOR_STEPS, HIRED_TO_SPEAK].iter().any(|of| name.starts_with(of));
        ["user", "tasuki"].contains(&name) || HIRED.contains(&name) || is_for_flows
    };
    match senders.find(|name| of_nobody(name) && !known(name.as_str())) {
        Some(name) => Err(format!("a message of {name}, who is nobody")),
        None => Ok(()),
    }
}

fn check_drop(
    root: &Path,
    drop: &Dropped,
    told: &JournalSays,
    alone: &dyn Fn(&str) -> bool,
) -> Result<(), Wrong> {
    let times = |content: &String| told.times(content);
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
    let own: Vec<usize> = drop.contents.iter().filter(|content| alone(content)).map(times).collect();
    if own.contains(&0) && own.contains(&1) {
        return fail("accepted in part");
    }
    let answers =
        |content: &String| drop.answer && told.answers().any(|answer| answer.body.content.contains(content));
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

fn check_views(root: &Path, told: &JournalSays) -> Result<(), Wrong> {
    let whole = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.len() > 0);
    for (id, all) in &told.accepted {
        let kind = all[0].kind;
        let result = root.join(format!("queue/results/{id}.yaml"));
        if kind == Kind::Task && !whole(&result) {
            return Err(format!("{id} has no result to be read"));
        }
        let days = fs::read_dir(root.join("queue/done")).into_iter().flatten().flatten();
        if !days.into_iter().any(|day| whole(&day.path().join(format!("{id}.yaml")))) {
            return Err(format!("{id} is not in queue/done"));
        }
        if root.join(format!("queue/active/{id}.yaml")).exists() && kind == Kind::Task {
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
    let (_, memory) = crate::daemon::start::replay::open(dir, "after", run.settings.team.clone())
        .map_err(|error| error.to_string())?;
    let (here, there) = (engine.state(), memory.fold.engine.state());
    let told = JournalSays::read(&run.segments())?;
    let is_told = |flow: &Flow| told.flows.flows.get(&flow.head.id).is_some_and(|said| said.is_as(flow));
    if let Some(flow) = here.flows.values().find(|flow| !is_told(flow)) {
        return Err(format!("the journal has another flow: {flow:#?}"));
    }
    let same = here.open == there.open
        && here.agents == there.agents
        && here.hired == there.hired
        && here.flows == there.flows;
    if !same || here.halted != there.halted || engine.team() != memory.fold.engine.team() {
        return Err(format!("a replay gives another state:\n{there:#?}\nis not\n{here:#?}"));
    }
    Ok(())
}
