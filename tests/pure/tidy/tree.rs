//! The modules of the sources as they are declared, and every path that each of them names, resolved to the module that
//! defines it or to what is outside (`std`, crates).

use super::parsed;
use std::collections::{BTreeMap, BTreeSet};

/// Stands for the crate itself where the program names its library.
const LIBRARY: &str = "tasuki";
/// More imports of imports than any path goes through.
const IMPORTS_MAX: usize = 16;

/// A module: a file, or a part of one.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The file that it is in, from the root of the repository.
    pub(super) file: String,
    pub(super) parent: Option<usize>,
    /// Built for tests only.
    pub(super) test: bool,
    /// The whole file is: a file of tests is a node of its own, an inline test module is split off its file.
    pub(super) test_file: bool,
    pub(super) children: BTreeMap<String, usize>,
    /// What is defined here, and whether for tests only.
    pub(super) items: BTreeMap<String, bool>,
    /// What is imported here, by the name that it has here.
    pub(super) imports: BTreeMap<String, Vec<String>>,
    pub(super) globs: Vec<Vec<String>>,
}

/// A path that is in a source.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) module: usize,
    pub(super) path: Vec<String>,
    /// It is in what is built for tests only.
    pub(super) test: bool,
}

/// A module that a path goes to, and the name that it takes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) module: usize,
    pub(super) name: String,
}

/// Where a path ends.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Module(usize),
    Item,
    Outside(Vec<String>),
}

/// All modules of a crate, and all that they name.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) modules: Vec<Module>,
    pub(super) named: Vec<Named>,
}

/// What a path means.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// The modules of ours that it takes something from.
    pub(super) hops: Vec<Hop>,
    /// The module of ours that it ends at.
    pub(super) module: Option<usize>,
    /// What it means outside, as `std::fs::File`; a macro as `println!`; all of a module as `std::fs::*`.
    pub(super) outside: Option<String>,
}

impl Tree {
    /// Reads these files, from `src/lib.rs` and `src/main.rs` on, by their paths.
    pub(super) fn of(files: &BTreeMap<String, String>) -> Self {
        let mut tree = Self::default();
        parsed::root(&mut tree, files, "src/lib.rs");
        if files.contains_key("src/main.rs") {
            parsed::root(&mut tree, files, "src/main.rs");
        }
        let reached: BTreeSet<&String> = tree.modules.iter().map(|module| &module.file).collect();
        let missed: Vec<&String> = files.keys().filter(|file| !reached.contains(file)).collect();
        assert!(missed.is_empty(), "no module is made of {missed:?}");
        tree
    }

    /// The place of a module in the words of a path: `engine::life`.
    pub(super) fn place(&self, module: usize) -> String {
        let within = &self.modules[module];
        let Some(parent) = within.parent else { return String::new() };
        let name = self.modules[parent].children.iter().find(|(_, child)| **child == module);
        let name = name.map_or("?", |(name, _)| name.as_str());
        let above = self.place(parent);
        if above.is_empty() { name.to_owned() } else { format!("{above}::{name}") }
    }

    /// What a path means where it is.
    pub(super) fn meaning(&self, named: &Named) -> Meaning {
        let mut hops = Vec::new();
        let (module, outside) = match self.scoped(named.module, &named.path, &mut hops, 0) {
            End::Outside(path) => (None, Some(path.join("::"))),
            End::Module(module) => (Some(module), None),
            End::Item => (None, None),
        };
        Meaning { hops, module, outside }
    }

    /// A path from the inside of a module.
    fn scoped(&self, at: usize, path: &[String], hops: &mut Vec<Hop>, depth: usize) -> End {
        let Some((first, rest)) = path.split_first() else { return End::Module(at) };
        let above = |module: usize| self.modules[module].parent.unwrap_or(module);
        match first.as_str() {
            "crate" => self.member(self.root_of(at), rest, hops, depth),
            LIBRARY => self.member(0, rest, hops, depth),
            "self" if rest.is_empty() => End::Module(at),
            "self" => self.member(at, rest, hops, depth),
            "super" => match rest.first().map(String::as_str) {
                Some("super") => self.scoped(above(at), rest, hops, depth),
                _ => self.member(above(at), rest, hops, depth),
            },
            _ if depth > IMPORTS_MAX => End::Item,
            _ => self.found(at, first, rest, hops, depth).unwrap_or_else(|| End::Outside(path.to_vec())),
        }
    }

    /// The rest of a path that has come to a module.
    fn member(&self, at: usize, path: &[String], hops: &mut Vec<Hop>, depth: usize) -> End {
        let Some((first, rest)) = path.split_first() else { return End::Module(at) };
        if first == "self" || first == "super" {
            return self.scoped(at, path, hops, depth);
        }
        if !self.modules[at].children.contains_key(first) {
            hops.push(Hop { module: at, name: first.clone() });
        }
        // A macro may define it: it counts as this module's own.
        self.found(at, first, rest, hops, depth).unwrap_or(End::Item)
    }

    /// A name of a module, and what follows it.
    fn found(
        &self,
        at: usize,
        first: &str,
        rest: &[String],
        hops: &mut Vec<Hop>,
        depth: usize,
    ) -> Option<End> {
        let module = &self.modules[at];
        if let Some(child) = module.children.get(first) {
            return Some(self.member(*child, rest, hops, depth));
        }
        if module.items.contains_key(first) {
            return Some(End::Item);
        }
        if depth > IMPORTS_MAX {
            return None;
        }
        if let Some(path) = module.imports.get(first) {
            if path.len() == 1 && path[0] == first {
                return Some(End::Outside([path.as_slice(), rest].concat()));
            }
            // What the import itself goes through is told where it is.
            return Some(self.after(self.scoped(at, path, &mut Vec::new(), depth + 1), rest, hops, depth));
        }
        for path in &module.globs {
            if let End::Module(of) = self.scoped(at, path, &mut Vec::new(), depth + 1)
                && of != at
                && self.has(of, first, depth + 1)
            {
                return self.found(of, first, rest, hops, depth + 1);
            }
        }
        None
    }

    fn after(&self, end: End, rest: &[String], hops: &mut Vec<Hop>, depth: usize) -> End {
        match end {
            End::Module(module) => self.member(module, rest, hops, depth + 1),
            End::Outside(path) => End::Outside([path.as_slice(), rest].concat()),
            End::Item => End::Item,
        }
    }

    fn has(&self, module: usize, name: &str, depth: usize) -> bool {
        self.found(module, name, &[], &mut Vec::new(), depth).is_some()
    }

    fn root_of(&self, module: usize) -> usize {
        self.modules[module].parent.map_or(module, |parent| self.root_of(parent))
    }
}
