//! Whether the command of a task succeeds, with what says what it does as it was before the task.

use super::files::{COMPARED_BYTES_MAX, Mark, read};
use super::finding::Finding;
use super::gate;
use super::ground::Ground;
use super::part::{Part, Role};
use super::record::{Record, text_of};
use super::suite;
use crate::engine::evidence::Base;
use crate::io::process::{is_program, signal_name};
use crate::io::regular::open_linked;
use crate::io::run::printed::end_of;
use crate::io::run::{Keep, Ran, Run, look_up};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};

/// What is kept of that which a command prints.
const OUTPUT_BYTES: usize = 1 << 20;
/// Files that are named in one line.
const NAMED_MAX: usize = 10;

/// What is to be known of a command before a task, put into the record.
pub(super) async fn before(ground: &Ground, argv: &[String], record: &mut Record) {
    let (paths, more) = suite::paths(ground).await;
    let (here, argv) = (ground.clone(), argv.to_vec());
    let looked = tokio::task::spawn_blocking(move || {
        let program = find(&here, &argv).filter(|path| here.holds(path));
        let program = program.and_then(|path| Some((text_of(&path), mark_of(&path)?)));
        (gate::parts(&here, &argv), suite::marks(&here.cwd, &paths), program)
    });
    if let Ok((mut gate, tests, program)) = looked.await {
        // What the task is to write is its work, whatever reads or includes it.
        let expected = record.expected.keys().filter_map(|name| name.split_once(' '));
        for (_, path) in expected {
            let may_be = |part: &&mut Part| matches!(part.role, Role::Step | Role::Argument);
            if let Some(part) = gate.get_mut(path).filter(may_be) {
                part.role = Role::Work;
            }
        }
        (record.gate, record.tests, record.program, record.more_tests) = (gate, tests, program, more);
    }
}

/// Looks whether it succeeds.
pub(super) async fn check(ground: &Ground, base: &Base, record: &Record) -> Finding {
    let Some(name) = base.command.first() else {
        return Finding::Broken(
            "no command was named before the task: name it in `commands:` of the team file".to_owned(),
        );
    };
    let (paths, _) = suite::paths(ground).await;
    let (here, argv, kept) = (ground.clone(), base.command.clone(), record.clone());
    let look = move || Looked::at(&here, &argv, &kept, &paths);
    let Ok(looked) = tokio::task::spawn_blocking(look).await else {
        return Finding::Broken(
            "the files of the command could not be looked at: see the daemon's log".to_owned(),
        );
    };
    if !looked.cheats.is_empty() {
        return Finding::Failed(format!("not run: {}", named(&looked.cheats, "\n")));
    }
    let Some(program) = looked.program else {
        let cure = "install it, or correct the command in `commands:` of the team file";
        return Finding::Broken(format!("the program {name} is not to be found or not to be run: {cure}"));
    };
    match run(ground, &base.command, &program).await {
        Err(error) => Finding::Broken(format!(
            "cannot run {} in {}: {error}; correct the command in `commands:` of the team file",
            program.display(),
            ground.cwd.display()
        )),
        Ok(ran) => {
            let (here, argv, kept) = (ground.clone(), base.command.clone(), record.gate.clone());
            let look = move || gate::changes(&kept, &gate::parts(&here, &argv)).cheats;
            let changed = tokio::task::spawn_blocking(look).await.unwrap_or_default();
            judged(ground, &ran, &changed, &looked.notes)
        }
    }
}

/// What is seen before it is run.
struct Looked {
    program: Option<PathBuf>,
    /// What makes the check another one.
    cheats: Vec<String>,
    /// What whoever reads the result is to know.
    notes: Vec<String>,
}

impl Looked {
    fn at(ground: &Ground, argv: &[String], record: &Record, tests: &[PathBuf]) -> Self {
        let gate::Changes { mut cheats, new, work } = gate::changes(&record.gate, &gate::parts(ground, argv));
        let program = find(ground, argv);
        if let Some(path) = &program {
            cheats.extend(misplaced(ground, argv, path, record));
        }
        let outcome = suite::compare(&ground.cwd, &record.tests, tests);
        let lost = outcome.lost.iter().map(|lost| format!("the test file {lost}, which was there before"));
        cheats.extend(lost);
        let mut notes = Vec::new();
        if !outcome.changed.is_empty() {
            notes.push(format!("test files changed by the turn: {}", named(&outcome.changed, ", ")));
        }
        if !outcome.moved.is_empty() {
            notes.push(format!("test files moved by the turn: {}", named(&outcome.moved, ", ")));
        }
        if !work.is_empty() {
            notes
                .push(format!("read or run by the command, and changed by the turn: {}", named(&work, ", ")));
        }
        if !new.is_empty() {
            notes.push(format!("named by the command, and made by the turn: {}", named(&new, ", ")));
        }
        if record.more_tests {
            notes.push("the tree has more files than are compared".to_owned());
        }
        Self { program, cheats, notes }
    }
}

/// The first few of them.
fn named(all: &[String], between: &str) -> String {
    let first: Vec<&str> = all.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = all.len().saturating_sub(first.len());
    let first = first.join(between);
    if more > 0 { format!("{first}{between}and {more} more") } else { first }
}

/// Where the program is: by its path as seen from the agent's folder, or on `PATH`.
fn find(ground: &Ground, argv: &[String]) -> Option<PathBuf> {
    let name = argv.first()?;
    if name.contains('/') {
        return Some(ground.cwd.join(name)).filter(|path| is_program(path));
    }
    look_up(OsStr::new(name), ground.env.get("PATH").map(String::as_str), &ground.cwd, |_| true)
}

/// Why a program that was found by its name alone is not the one that is meant; none if it is.
fn misplaced(ground: &Ground, argv: &[String], path: &Path, record: &Record) -> Option<String> {
    let name = argv.first().filter(|name| !name.contains('/'))?;
    let was_there = || {
        let kept = record.program.as_ref();
        kept.is_some_and(|(at, mark)| *at == text_of(path) && mark_of(path).as_ref() == Some(mark))
    };
    let whose = if ground.is_in_tree(path) {
        "the agent's tree"
    } else if ground.holds(path) && !was_there() {
        "the workspace, and was not there before"
    } else {
        return None;
    };
    let place = path.display();
    Some(format!(
        "{name} is found at {place}, which is in {whose}: name it by its path in the team file, or correct PATH"
    ))
}

fn mark_of(path: &Path) -> Option<Mark> {
    Some(read(open_linked(path).ok().flatten()?, COMPARED_BYTES_MAX).ok()?.mark)
}

async fn run(ground: &Ground, argv: &[String], program: &Path) -> std::io::Result<Ran> {
    let argv: Vec<OsString> = argv.iter().map(Into::into).collect();
    let mut env = ground.env.clone();
    if let Some(path) = env.get_mut("PATH") {
        // A relative place is one of the tree, in which anybody may put a program.
        let places: Vec<&str> = path.split(':').filter(|place| place.starts_with('/')).collect();
        *path = places.join(":");
    }
    let (cwd, limit, keep) = (&ground.cwd, ground.command_limit, Keep::Last(OUTPUT_BYTES));
    Run { program, argv: &argv, cwd, env: &env, limit, keep, root: &ground.root, held: None }
        .to_its_end()
        .await
}

fn judged(ground: &Ground, ran: &Ran, changed: &[String], notes: &[String]) -> Finding {
    let ended = match ran.status {
        None => format!("not over after {} s, and ended", ground.command_limit.as_secs_f32()),
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit {code}"),
            (None, signal) => format!("ended by signal {}", signal.map(signal_name).unwrap_or_default()),
        },
    };
    let mut how = vec![ended];
    if !changed.is_empty() {
        how.push(format!("while it ran: {}", named(changed, "\n")));
    }
    how.extend(notes.iter().cloned());
    let printed = end_of(&ran.output);
    how.push(if printed.is_empty() {
        "it printed nothing".to_owned()
    } else {
        format!("the end of what it printed:\n{printed}")
    });
    // The first line says how it ended; a note has a line of its own.
    let how = how.join("\n").replacen('\n', "; ", 1);
    let passed = changed.is_empty() && ran.status.is_some_and(|status| status.success());
    if passed { Finding::Passed(how) } else { Finding::Failed(how) }
}
