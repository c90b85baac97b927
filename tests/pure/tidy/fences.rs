//! What a floor may name: floors below it, and of what is outside what its fence lets through. A path counts by what it
//! means, whatever it is called where it is. Methods are not seen: whoever calls one has its object from somebody.

use super::circles::{present, tree_of};
use super::tree::{Named, Tree};
use super::{Source, complain, root};
use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

/// What is outside, as a fence sees it: a name covers all below it.
enum Outside {
    /// These alone, of `std` and of all crates.
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

struct Fence {
    /// Where it is: the beginning of paths.
    within: &'static str,
    /// Our own modules that may not be named there.
    not_ours: &'static [&'static str],
    outside: Outside,
    /// Whether it holds for what is built for tests as well.
    tests_too: bool,
}

const fn fence(within: &'static str, not_ours: &'static [&'static str], outside: Outside) -> Fence {
    Fence { within, not_ours, outside, tests_too: false }
}

const FLOORS: &[Fence] = &[
    fence(
        "src/engine/",
        &["wire", "io", "read", "daemon", "lab", "ui"],
        Outside::Only(&[
            "std::borrow",
            "std::cmp",
            "std::collections",
            "std::fmt",
            "std::hash",
            "std::iter",
            "std::marker",
            "std::mem",
            "std::num",
            "std::ops",
            "std::str",
            "std::sync::Arc",
            // What is worked out once; nobody waits for anybody.
            "std::sync::OnceLock",
            "arcstr",
            // Graphs of steps at the door of a flow.
            "petgraph",
            "regex",
            // Derived by the types of events alone: they are the journal's format.
            "serde",
            // How far two words are apart.
            "strsim",
            "thiserror",
            "unicode_width",
            // What they expand to touches nothing.
            "macros",
        ]),
    ),
    fence(
        "src/wire/",
        &["io", "read", "daemon", "lab", "ui"],
        Outside::AllBut(&[
            "std::env",
            "std::fs",
            "std::net",
            "std::os",
            "std::process",
            "std::thread",
            "std::time::Instant",
            "std::time::SystemTime",
            "chrono::Local",
            "getrandom",
            "notify",
            "rustix",
            "tokio",
        ]),
    ),
    fence("src/io/", &["read", "daemon", "lab", "ui"], Outside::AllBut(&[])),
    fence("src/read/", &["daemon", "lab", "ui"], Outside::AllBut(&["tokio"])),
    fence("src/daemon/", &["lab", "ui"], Outside::AllBut(&[])),
    fence("src/lab/", &["ui"], Outside::AllBut(&[])),
];

/// Macros that touch something.
const OUTWARD_MACROS: &[&str] = &["print!", "println!", "eprint!", "eprintln!", "dbg!", "thread_local!"];

/// Nobody waits for a lock, and every channel has an end to what it takes.
const NO_LOCKS: Fence = Fence {
    within: "src/",
    not_ours: &[],
    outside: Outside::AllBut(&[
        "std::sync::Mutex",
        "std::sync::MutexGuard",
        "std::sync::RwLock",
        "std::sync::Condvar",
        "std::sync::Barrier",
        "std::sync::ReentrantLock",
        "tokio::sync::Mutex",
        "tokio::sync::OwnedMutexGuard",
        "tokio::sync::RwLock",
        "tokio::sync::mpsc::unbounded_channel",
        "tokio::sync::mpsc::UnboundedSender",
        "tokio::sync::mpsc::UnboundedReceiver",
        "parking_lot",
        "crossbeam",
        "flume",
    ]),
    tests_too: true,
};
/// A test may gather what it likes.
const BOUNDED: Fence =
    fence("src/", &[], Outside::AllBut(&["std::sync::mpsc::channel", "std::sync::mpsc::Sender"]));

/// What the faces see of the engine: views, words, why something is refused, and what they ask for.
const UI_SEES: &[&str] = &[
    "engine::view",
    "engine::words",
    "engine::life::StageName",
    "engine::message::refusal",
    "engine::message::Draft",
    "engine::message::Kind",
    "engine::message::Priority",
    "engine::message::Status",
    "engine::input::Command",
    "engine::input::Reply",
];
/// What the faces may not reach into, whatever it is called.
const UI_NEVER: &[&str] = &["daemon::loop", "daemon::simulation", "::worker"];
/// The only faces that hand over to `lab`.
const UI_TO_LAB: &[&str] = &["src/ui/cli/agent.rs", "src/ui/cli/lab/present.rs", "src/ui/cli/mod.rs"];
/// What stands against that from before there was this fence. None may be added; one that is gone goes from the list.
const UI_KNOWN: &[&str] = &[
    "src/ui/cli/detect/keep.rs names engine::screen::reading::ScreenState",
    "src/ui/cli/detect/rules.rs names engine::screen::reading::Rules",
];

/// The only way to what is specific to one multiplexer.
const THE_MUX: &str = "io::mux";
/// The folder of tmux, the facade in front of it, and what feeds its parser with any bytes.
const TMUX_IS_KNOWN_TO: &[&str] = &["src/io/tmux/", "src/io/mux/", "src/fuzz/"];

/// The crates that the manifest names, by the names that sources have for them.
fn crates() -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let parts = manifest
        .split("\n[")
        .filter(|part| part.lines().next().is_some_and(|head| head.ends_with("dependencies]")));
    let names = parts.flat_map(|part| part.lines().skip(1)).filter_map(|line| line.split_once(" = "));
    let names = names.map(|(name, _)| name.trim().replace('-', "_"));
    names.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')).collect()
}

/// A path as a fence sees it.
struct Sight {
    file: String,
    test: bool,
    /// `engine::life::Stage`; all that it goes through.
    ours: Vec<String>,
    /// `std::fs::File`; also what no module or crate is called, as the name of a type.
    outside: Option<String>,
}

fn sights(tree: &Tree) -> Vec<Sight> {
    let sight = |named: &Named| {
        let module = &tree.modules[named.module];
        let meaning = tree.meaning(named);
        let ours = meaning.hops.iter().map(|hop| format!("{}::{}", tree.place(hop.module), hop.name));
        let ours = ours.chain(meaning.module.map(|module| tree.place(module))).collect();
        let outside = meaning.outside.map(|path| {
            let rest = path.strip_prefix("core::").or_else(|| path.strip_prefix("alloc::"));
            rest.map_or(path.clone(), |rest| format!("std::{rest}"))
        });
        Sight { file: module.file.clone(), test: named.test || module.test, ours, outside }
    };
    tree.named.iter().map(sight).collect()
}

/// Whether `path` is `name` or below it, or all of what is above it.
fn is_covered(path: &str, name: &str) -> bool {
    let below = path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    below || path.strip_suffix("::*").is_some_and(|above| is_covered(name, above))
}

fn is_of_a_crate(path: &str) -> bool {
    static CRATES: LazyLock<BTreeSet<String>> = LazyLock::new(crates);
    let first = path.split("::").next().unwrap_or_default();
    first == "std" || CRATES.contains(first)
}

fn breaches(sights: &[Sight], fence: &Fence) -> Vec<String> {
    let within = sights.iter().filter(|sight| sight.file.starts_with(fence.within));
    let within = within.filter(|sight| fence.tests_too || !sight.test);
    let found = within.flat_map(|sight| {
        let ours =
            sight.ours.iter().filter(|path| fence.not_ours.iter().any(|floor| is_covered(path, floor)));
        let outside = sight.outside.iter().filter(|path| match fence.outside {
            Outside::Only(names) if path.ends_with('!') => {
                names.contains(&"macros") && OUTWARD_MACROS.contains(&path.as_str())
            }
            Outside::Only(_) if !is_of_a_crate(path) => false,
            Outside::Only(names) => {
                // A module alone, to name something in it by: what is named in it is seen as well.
                let leads_on = names.iter().any(|name| is_covered(name, path)) && !path.ends_with("::*");
                !names.iter().any(|name| is_covered(path, name) && !path.ends_with("std::*")) && !leads_on
            }
            Outside::AllBut(names) => names.iter().any(|name| is_covered(path, name)),
        });
        ours.chain(outside).map(|path| format!("{} names {path}", sight.file)).collect::<Vec<_>>()
    });
    found.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What names tmux and is not of those that may. Who goes by way of [`THE_MUX`] may.
fn tmux_breaches(sights: &[Sight]) -> BTreeSet<String> {
    let outside = sights.iter().filter(|sight| !sight.test);
    let outside =
        outside.filter(|sight| !TMUX_IS_KNOWN_TO.iter().any(|within| sight.file.starts_with(within)));
    let found = outside.filter_map(|sight| {
        let first =
            sight.ours.iter().find(|path| is_covered(path, THE_MUX) || is_covered(path, "io::tmux"))?;
        is_covered(first, "io::tmux").then(|| format!("{} names {first}", sight.file))
    });
    found.collect()
}

/// What the faces name that they should not.
fn ui_breaches(sights: &[Sight]) -> BTreeSet<String> {
    let faces = sights.iter().filter(|sight| sight.file.starts_with("src/ui/") && !sight.test);
    let found = faces.flat_map(|sight| {
        let breach = |path: &&String| {
            // A module leads on to what is seen of it.
            let fits = |seen: &&str| is_covered(path, seen) || is_covered(seen, path);
            let engine = is_covered(path, "engine") && !UI_SEES.iter().any(fits);
            let lab = is_covered(path, "lab") && !UI_TO_LAB.contains(&sight.file.as_str());
            let never = is_covered(path, "daemon")
                && UI_NEVER
                    .iter()
                    .any(|part| is_covered(path, part) || format!("{path}::").contains(&format!("{part}::")));
            engine || lab || never
        };
        sight
            .ours
            .iter()
            .filter(breach)
            .map(|path| format!("{} names {path}", sight.file))
            .collect::<Vec<_>>()
    });
    found.collect()
}

fn seen() -> Vec<Sight> {
    sights(present())
}

#[test]
fn floors_look_down_only_and_the_engine_is_pure() {
    let seen = seen();
    complain(&FLOORS.iter().flat_map(|fence| breaches(&seen, fence)).collect::<Vec<_>>());
}

#[test]
fn all_channels_are_bounded_and_there_are_no_locks() {
    let seen = seen();
    complain(&[NO_LOCKS, BOUNDED].iter().flat_map(|fence| breaches(&seen, fence)).collect::<Vec<_>>());
}

#[test]
fn faces_see_views_and_reach_into_no_worker() {
    let found = ui_breaches(&seen());
    let known: BTreeSet<String> = UI_KNOWN.iter().map(|&line| line.to_owned()).collect();
    let new = found.difference(&known).map(|line| format!("{line}, which no face may"));
    let gone = known.difference(&found).map(|line| format!("gone, and goes from the list: {line}"));
    complain(&new.chain(gone).collect::<Vec<_>>());
}

#[test]
fn one_folder_alone_knows_which_multiplexer_there_is() {
    complain(&tmux_breaches(&seen()).into_iter().collect::<Vec<_>>());
}

/// What is in a small house whose file `at` holds `text`.
fn within(at: &str, text: &str) -> Vec<Sight> {
    let mut files = vec![
        (
            "src/lib.rs",
            "pub mod engine; pub mod wire; pub mod io; pub mod read; pub mod daemon; pub mod lab; pub mod ui;",
        ),
        ("src/engine/mod.rs", "pub mod life; pub mod view; pub mod words;"),
        ("src/engine/life.rs", "pub struct Stage;"),
        ("src/engine/view.rs", "pub struct Seen;"),
        ("src/engine/words.rs", "pub struct Name;"),
        ("src/wire/mod.rs", "pub fn read() {}"),
        ("src/io/mod.rs", "pub mod clock; pub use clock as again; pub mod mux; pub mod tmux;"),
        ("src/io/mux/mod.rs", "pub use super::tmux::Tmux as Mux;"),
        ("src/io/tmux.rs", "pub struct Tmux;"),
        ("src/io/clock.rs", "pub fn now() {}"),
        ("src/daemon/mod.rs", "pub mod r#loop; pub mod panes;"),
        ("src/daemon/loop/mod.rs", "pub struct Daemon;"),
        ("src/daemon/panes/mod.rs", "pub mod worker;"),
        ("src/daemon/panes/worker.rs", "pub struct Worker;"),
        ("src/read/mod.rs", "pub struct Model;"),
        ("src/lab/mod.rs", "pub fn play() {}"),
        ("src/ui/mod.rs", "pub mod cli;"),
        ("src/ui/cli.rs", "pub fn main() {}"),
    ];
    files.retain(|(path, _)| *path != at);
    files.push((at, text));
    let source = |(path, text): (&str, &str)| Source { path: path.to_owned(), text: text.to_owned() };
    sights(&tree_of(&files.into_iter().map(source).collect::<Vec<_>>()))
}

fn floor_breaches(at: &str, text: &str) -> String {
    let seen = within(at, text);
    FLOORS.iter().flat_map(|fence| breaches(&seen, fence)).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_fence_cannot_be_gone_around() {
    let engine = |text: &str| floor_breaches("src/engine/life.rs", text);
    for text in [
        "use crate::io::clock;",
        "use crate::{engine::words::Name, io::clock::now};",
        "use super::super::io;",
        "fn f() { crate::io::clock::now() }",
        "fn f() { super::super::io::again::now() }",
        "use crate as house; fn f() { house::io::clock::now() }",
        "fn f() { vec![crate::io::clock::now()]; }",
        "#[serde(with = \"crate::wire::read\")] struct S;",
        "mod inner { pub(super) use super::super::super::io::clock::now; }",
        "use std::time::Instant;",
        "use std::time; fn f() { time::SystemTime::now(); }",
        "use std::{collections::BTreeMap, time::Instant};",
        "use std as s; fn f() { s::fs::read(\"x\"); }",
        "use std::*; fn f() { fs::read(\"x\"); }",
        "use core::time::Duration;",
        "fn f() { ::std::process::exit(1) }",
        "use std::{net, thread, env, io};",
        "use rustix::fs::stat;",
        "fn f(x: &mut [u8]) { getrandom::fill(x); }",
        "use notify::Event;",
        "use serde_json::Value;",
        "use chrono::{Utc, Local};",
        "fn f() { assert!(tokio::task::id() != x); }",
        "use std::sync::Mutex;",
        "fn f() { println!(\"x\"); }",
        "fn f<T: crate::wire::Form>(x: T) {}",
        "impl From<crate::daemon::r#loop::Daemon> for X { fn f() {} }",
    ] {
        assert_ne!(engine(text), "", "{text}");
    }
    for text in [
        "// use tokio;\n/// [`crate::io::clock`]\nuse std::collections::BTreeMap;",
        "use super::words::Name; use std::{fmt, sync::Arc}; fn f() -> fmt::Result { let serde_x = Arc::new(1); }",
        "#[derive(serde::Serialize, thiserror::Error)] #[error(\"tokio::x\")] struct S;",
        "#[cfg(test)] mod tests { use std::fs; }",
        "fn f() -> String { format!(\"{}\", Self::io()) }",
    ] {
        assert_eq!(engine(text), "", "{text}");
    }
    assert_eq!(
        floor_breaches("src/io/clock.rs", "use crate::daemon::panes;"),
        "src/io/clock.rs names daemon::panes"
    );
    assert_ne!(floor_breaches("src/wire/mod.rs", "use tokio as t; fn f() { t::spawn(x) }"), "");
    assert_ne!(floor_breaches("src/read/mod.rs", "use crate::daemon::panes;"), "");
    assert_ne!(floor_breaches("src/io/clock.rs", "use crate::read::Model;"), "");
    assert_eq!(floor_breaches("src/daemon/panes/worker.rs", "use crate::read::Model;"), "");
    assert_ne!(floor_breaches("src/daemon/mod.rs", "pub mod r#loop; pub mod panes; use super::lab;"), "");
    assert_ne!(floor_breaches("src/lab/mod.rs", "use crate::ui::cli::main;"), "");
    assert_eq!(floor_breaches("src/ui/cli.rs", "use crate::lab::play;"), "");
}

#[test]
fn a_lock_is_found_and_a_channel_without_end() {
    let found = |text: &str| {
        let seen = within("src/io/clock.rs", text);
        breaches(&seen, &NO_LOCKS).len() + breaches(&seen, &BOUNDED).len()
    };
    for text in [
        "use std::sync::{Arc, Mutex};",
        "use std::sync; struct S { all: sync::RwLock<u8> }",
        "use tokio::sync::Mutex as Quiet;",
        "static A: parking_lot::Mutex<u8> = x;",
        "use std::sync::mpsc; fn f() { let (a, b) = mpsc::channel::<u8>(); }",
        "use tokio::sync::mpsc; fn f() { let (a, b) = mpsc::unbounded_channel(); }",
        "fn f() { select! { _ = std::sync::mpsc::channel() => {} } }",
        "use std::sync::*;",
        "#[cfg(test)] mod tests { use std::sync::Mutex; }",
    ] {
        assert_ne!(found(text), 0, "{text}");
    }
    for text in [
        "use std::sync::{Arc, LazyLock, OnceLock};",
        "use tokio::sync::mpsc; fn f() { let (a, b) = mpsc::channel(1); }",
        "use std::sync::mpsc; fn f() { let (a, b) = mpsc::sync_channel(1); }",
        "#[cfg(test)] mod tests { fn f() { std::sync::mpsc::channel(); } }",
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
}

#[test]
fn who_names_tmux_is_found() {
    let found = |text: &str| tmux_breaches(&within("src/daemon/panes/worker.rs", text)).len();
    for text in [
        "use crate::io::tmux::Tmux;",
        "use crate::io::{mux::Mux, tmux};",
        "fn f(x: crate::io::tmux::Tmux) {}",
        "use super::super::super::io::tmux as x;",
    ] {
        assert_ne!(found(text), 0, "{text}");
    }
    for text in ["use crate::io::mux::Mux;", "use crate::io::mux; fn f(x: mux::Mux) {}"] {
        assert_eq!(found(text), 0, "{text}");
    }
}

#[test]
fn a_face_that_looks_too_deep_is_found() {
    let found = |text: &str| ui_breaches(&within("src/ui/cli.rs", text)).len();
    for text in [
        "use crate::engine::life::Stage;",
        "use crate::engine; fn f(x: engine::life::Stage) {}",
        "use crate::daemon::panes::worker::Worker;",
        "use super::super::daemon::panes::worker;",
        "use crate::daemon::r#loop::Daemon;",
        "use crate::lab::play;",
    ] {
        assert_ne!(found(text), 0, "{text}");
    }
    assert_eq!(found("use crate::engine::{view::Seen, words::Name}; use crate::daemon::panes;"), 0);
}
