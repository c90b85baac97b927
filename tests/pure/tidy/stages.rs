//! Whoever adds a stage finds all that it means in `engine/life/`: elsewhere nobody tells one stage from another by its variant,
//! but asks what it means.

use super::circles::{present, tree_of};
use super::tree::Tree;
use super::{Source, complain};
use std::collections::BTreeSet;

/// Floors with a `Stage` of their own are not among these.
const FLOORS: [&str; 5] = ["src/engine/", "src/wire/", "src/io/", "src/daemon/", "src/ui/"];
/// It is made elsewhere of a message that has ended, and holds all that is known of that.
const MADE_ELSEWHERE: &str = "Finished";

/// The variants that are named where they should not be.
fn breaches(tree: &Tree) -> Vec<String> {
    let mut found = BTreeSet::new();
    for named in &tree.named {
        let module = &tree.modules[named.module];
        let outside = FLOORS.iter().any(|floor| module.file.starts_with(floor));
        if !outside || module.file.starts_with("src/engine/life/") || named.test || module.test {
            continue;
        }
        let imported = module.imports.get(&named.path[0]);
        let path = imported.map_or(named.path.clone(), |path| [path, &named.path[1..]].concat());
        let variants = path.windows(2).filter(|pair| pair[0] == "Stage").map(|pair| &pair[1]);
        let variants = variants.filter(|name| !name.starts_with(char::is_lowercase));
        found.extend(variants.filter(|name| *name != MADE_ELSEWHERE).map(|name| {
            format!("{} names Stage::{name}: ask what it means, by a method of `Stage`", module.file)
        }));
    }
    found.into_iter().collect()
}

#[test]
fn a_stage_is_told_from_others_in_engine_life_alone() {
    complain(&breaches(present()));
}

#[test]
fn a_stage_that_is_told_elsewhere_is_found() {
    let found = |path: &str, text: &str| {
        let mut files = vec![
            ("src/lib.rs", "pub mod engine; pub mod io;"),
            ("src/engine/mod.rs", "pub mod life; pub mod view;"),
            ("src/engine/life/mod.rs", "pub enum Stage { Queued, Held }"),
            ("src/engine/view.rs", ""),
            ("src/io/mod.rs", ""),
        ];
        files.retain(|(other, _)| *other != path);
        files.push((path, text));
        let source = |(path, text): (&str, &str)| Source { path: path.to_owned(), text: text.to_owned() };
        breaches(&tree_of(&files.into_iter().map(source).collect::<Vec<_>>())).len()
    };
    for text in [
        "use super::life::Stage; fn f(x: Stage) -> bool { matches!(x, Stage::Held) }",
        "use super::life::Stage as S; fn f(x: S) { match x { S::Queued => {}, _ => {} } }",
        "fn f(x: u8) { crate::engine::life::Stage::Held; }",
        "use super::life::Stage::{Held, Queued};",
        "use super::life::Stage::*;",
    ] {
        assert_ne!(found("src/engine/view.rs", text), 0, "{text}");
    }
    assert_ne!(found("src/io/mod.rs", "use crate::engine::life::Stage; fn f() { Stage::Held; }"), 0);
    for text in [
        "use super::life::Stage; fn f(x: u8) -> Stage { x.is_none_or(Stage::is_held); Stage::Finished(x) }",
        "#[cfg(test)] mod tests { use super::super::life::Stage; fn f() { Stage::Held; } }",
    ] {
        assert_eq!(found("src/engine/view.rs", text), 0, "{text}");
    }
    assert_eq!(found("src/engine/life/mod.rs", "pub enum Stage { Held } fn f() { Stage::Held; }"), 0);
}
