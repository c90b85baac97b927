//! No circle of files: whatever a file names is below it, so that each can be read and understood without those above.
//! Arrows are made of paths. What goes through a re-export goes to the file that re-exports, and from there on. Methods are
//! not seen. What is built for tests is a node of its own, above its file.

use super::tree::{Hop, Tree};
use super::{Source, root, sources};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::sync::LazyLock;

/// The circles that are left from before there was this rule. None may be added; one that is gone goes from the list.
/// `UPDATE_EXPECT=1 cargo test --test pure tidy` writes it anew if each circle is a part of one that it names.
const KNOWN: &str = "tests/pure/tidy/known_circles.txt";
/// Circles that a complaint shows of a knot.
const SHOWN_MAX: usize = 4;

/// Who names what of whom.
#[derive(Debug, Default)]
pub(super) struct Graph {
    arrows: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Graph {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut graph = Self::default();
        for named in &tree.named {
            let from = node(tree, named.module, named.test);
            for hop in tree.meaning(named).hops {
                let (to, name) = (target(tree, &hop), hop.name);
                if to != from {
                    graph.arrows.entry(from.clone()).or_default().entry(to).or_default().insert(name);
                }
            }
        }
        graph
    }

    fn next(&self, from: &str) -> impl Iterator<Item = &String> {
        self.arrows.get(from).into_iter().flat_map(BTreeMap::keys)
    }

    /// All that is reached from a file, each with the file before it on a shortest way.
    fn reached<'g>(&'g self, from: &'g str) -> BTreeMap<&'g str, &'g str> {
        let (mut before, mut open) = (BTreeMap::new(), VecDeque::from([from]));
        while let Some(at) = open.pop_front() {
            for next in self.next(at) {
                if !before.contains_key(next.as_str()) {
                    before.insert(next.as_str(), at);
                    open.push_back(next);
                }
            }
        }
        before
    }

    /// The files that reach one another, in their greatest groups.
    pub(super) fn knots(&self) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<&String, _> =
            self.arrows.keys().map(|file| (file, self.reached(file))).collect();
        let mut knots: Vec<BTreeSet<String>> = Vec::new();
        for (file, there) in &reached {
            if !there.contains_key(file.as_str()) || knots.iter().any(|knot| knot.contains(*file)) {
                continue;
            }
            let back = |other: &&String| {
                there.contains_key(other.as_str()) && reached[*other].contains_key(file.as_str())
            };
            knots.push(reached.keys().copied().filter(back).cloned().collect());
        }
        knots
    }

    /// The shortest circle through a file, which is in one.
    fn circle(&self, file: &str) -> Vec<String> {
        let before = self.reached(file);
        let mut circle = vec![file.to_owned()];
        let mut at = before[file];
        while at != file {
            circle.push(at.to_owned());
            at = before[at];
        }
        circle.reverse();
        let first = circle.iter().min().cloned().unwrap_or_default();
        let turn = circle.iter().position(|file| *file == first).unwrap_or(0);
        circle.rotate_left(turn);
        circle
    }

    /// The shortest circles of a knot, and the names that tie them.
    pub(super) fn explained(&self, knot: &BTreeSet<String>, most: usize) -> String {
        let circles: BTreeSet<Vec<String>> = knot.iter().map(|file| self.circle(file)).collect();
        let mut circles: Vec<_> = circles.into_iter().collect();
        circles.sort_by_key(Vec::len);
        let mut text = format!("{} files name one another:\n", knot.len());
        for circle in circles.iter().take(most) {
            for (at, file) in circle.iter().enumerate() {
                let next = &circle[(at + 1) % circle.len()];
                let names: Vec<&str> = self.arrows[file][next].iter().map(String::as_str).collect();
                text.push_str(&format!("  {file} names {} of {next}\n", names.join(", ")));
            }
            text.push('\n');
        }
        text
    }
}

/// A file, or what is built for tests in a file that is not.
fn node(tree: &Tree, module: usize, test: bool) -> String {
    let within = &tree.modules[module];
    let split = !within.test_file && (test || within.test);
    if split { format!("{} (tests)", within.file) } else { within.file.clone() }
}

fn target(tree: &Tree, hop: &Hop) -> String {
    let test = tree.modules[hop.module].items.get(&hop.name).is_some_and(|test| *test);
    node(tree, hop.module, test)
}

/// The tree of `src/`.
pub(super) fn present() -> &'static Tree {
    static TREE: LazyLock<Tree> = LazyLock::new(|| tree_of(&sources("src")));
    &TREE
}

/// The tree of these sources.
pub(super) fn tree_of(sources: &[Source]) -> Tree {
    Tree::of(&sources.iter().map(|source| (source.path.clone(), source.text.clone())).collect())
}

/// The circles that a list names: a file a line, an empty line after each circle.
fn listed(text: &str) -> Vec<BTreeSet<String>> {
    let circles = text.split("\n\n").map(|part| part.lines().filter(|line| !line.starts_with('#')));
    let circles = circles.map(|lines| lines.map(str::to_owned).collect::<BTreeSet<_>>());
    circles.filter(|circle| !circle.is_empty()).collect()
}

fn list(circles: &[BTreeSet<String>]) -> String {
    let lines = |circle: &BTreeSet<String>| circle.iter().map(|file| format!("{file}\n")).collect::<String>();
    circles.iter().map(lines).collect::<Vec<_>>().join("\n")
}

/// What there is to be said about the circles, and what is known of them.
fn breaches(graph: &Graph, known: &[BTreeSet<String>]) -> Vec<String> {
    let knots = graph.knots();
    let new = knots.iter().filter(|knot| !known.contains(knot)).map(|knot| {
        let grown = !known.iter().any(|known| knot.is_subset(known));
        let what =
            if grown { "a new circle" } else { "a known circle has become smaller; write the list anew" };
        format!("{what}: {}", graph.explained(knot, SHOWN_MAX))
    });
    let gone = known.iter().filter(|known| !knots.iter().any(|knot| knot.is_subset(known)));
    new.chain(gone.map(|gone| format!("a circle is gone, and goes from {KNOWN}: {gone:?}"))).collect()
}

#[test]
fn no_circle_of_files_is_added() {
    let graph = Graph::of(present());
    let path = root().join(KNOWN);
    let known = listed(&fs::read_to_string(&path).unwrap_or_default());
    let knots = graph.knots();
    println!("{} circles, {} files in them", knots.len(), knots.iter().map(BTreeSet::len).sum::<usize>());
    if std::env::var_os("SHOW_CIRCLES").is_some() {
        knots.iter().for_each(|knot| println!("{}", graph.explained(knot, 40)));
    }
    let smaller = knots.iter().all(|knot| known.iter().any(|known| knot.is_subset(known)));
    if smaller && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, list(&knots)).expect("the list");
        return;
    }
    super::complain(&breaches(&graph, &known));
}

/// A house of these files.
fn house(files: &[(&str, &str)]) -> Graph {
    let source = |(path, text): &(&str, &str)| Source { path: (*path).to_owned(), text: (*text).to_owned() };
    Graph::of(&tree_of(&files.iter().map(source).collect::<Vec<_>>()))
}

fn knots(files: &[(&str, &str)]) -> String {
    list(&house(files).knots()).replace("src/", "").replace('\n', " ").trim_end().to_owned()
}

#[test]
fn a_circle_is_found_however_it_is_closed() {
    let (root, b) = (("src/lib.rs", "mod a; mod b;"), ("src/b.rs", "use crate::a::A; pub struct B;"));
    assert_eq!(knots(&[root, ("src/a.rs", "pub struct A;"), b]), "");
    for text in [
        "use super::b::B; pub struct A;",
        "pub struct A { b: crate::b::B }",
        "use super::*; pub struct A; fn f() -> b::B { x }",
        "use crate::b as other; pub struct A; impl A { fn f(&self) -> Vec<other::B> { x } }",
        "pub struct A; fn f() { assert!(matches!(x, super::b::B)) }",
        "pub use crate::b::*; pub struct A;",
    ] {
        assert_eq!(knots(&[root, ("src/a.rs", text), b]), "a.rs b.rs", "{text}");
    }
    // What goes through a module's own names goes to that module.
    let within = ("src/a/within.rs", "use super::A; pub struct Within;");
    let lib = ("src/lib.rs", "mod a;");
    assert_eq!(knots(&[lib, ("src/a/mod.rs", "mod within; pub struct A;"), within]), "");
    assert_eq!(
        knots(&[lib, ("src/a/mod.rs", "mod within; pub use within::Within; pub struct A;"), within]),
        "a/mod.rs a/within.rs"
    );
    let by_name = [
        lib,
        ("src/a/mod.rs", "mod within; mod a; pub use a::A; pub use within::Within;"),
        ("src/a/a.rs", "pub struct A;"),
    ];
    assert_eq!(
        knots(&[&by_name[..], &[within]].concat()),
        "a/mod.rs a/within.rs",
        "through what it passes on"
    );
    let beside = ("src/a/within.rs", "use super::a::A; pub struct Within;");
    assert_eq!(knots(&[&by_name[..], &[beside]].concat()), "", "past it");
    // Tests are above what they test.
    let tested = "pub struct A; #[cfg(test)] mod tests { use super::*; use crate::b::B; }";
    assert_eq!(knots(&[root, ("src/a.rs", tested), b]), "");
}

#[test]
fn the_list_of_known_circles_only_shrinks() {
    let files = [
        ("src/lib.rs", "mod a; mod b; mod c;"),
        ("src/a.rs", "use crate::b::B; pub struct A;"),
        ("src/b.rs", "use crate::a::A; pub struct B;"),
        ("src/c.rs", "pub struct C;"),
    ];
    let graph = house(&files);
    let found = |known: &str| breaches(&graph, &listed(known)).join("; ");
    assert_eq!(found("# as it was\nsrc/a.rs\nsrc/b.rs\n"), "");
    let new = found("");
    assert!(new.starts_with("a new circle: 2 files name one another:\n  src/a.rs names B of src/b.rs\n  src/b.rs names A of src/a.rs\n"), "{new}");
    assert!(found("src/a.rs\nsrc/b.rs\nsrc/c.rs\n").starts_with("a known circle has become smaller"));
    assert!(found("src/a.rs\nsrc/b.rs\n\nsrc/c.rs\nsrc/d.rs\n").starts_with("a circle is gone"));
}
