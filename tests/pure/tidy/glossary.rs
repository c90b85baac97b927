//! The words of the code: `docs/glossary.md` names what exists, no name stands for two things, and words that the project
//! has given up do not come back.

use super::parsed::is_for_tests;
use super::{Source, root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use syn::visit::{self, Visit};

const GLOSSARY: &str = "docs/glossary.md";
/// Names of two or more types that are left from before there was this rule: a name a line, and how many types have it.
/// None may be added. `UPDATE_EXPECT=1 cargo test --test pure tidy` writes the list anew where it has become shorter.
const KNOWN_HOMONYMS: &str = "tests/pure/tidy/known_homonyms.txt";
/// Likewise the names that use a word that was given up.
const KNOWN_WORDS: &str = "tests/pure/tidy/known_words.txt";
const MEANING_WORDS_MAX: usize = 25;

/// Words that may be no part of a name. The table in `docs/glossary.md` has the word to use.
const GIVEN_UP: &[&str] = &[
    "account",
    "bounce",
    "boxed",
    "desk",
    "herald",
    "house",
    "patience",
    "rouse",
    "rung",
    "standstill",
    "stillness",
    "story",
    "survey",
    "tale",
    "telling",
    "turning",
    "untold",
    "voice",
];
/// Words that may be no whole name: within a longer one they may be the right verb.
const GIVEN_UP_ALONE: &[&str] =
    &["assemble", "await", "beat", "put_off", "ring", "seek", "settle", "spend", "tend"];
/// Names that no type may have.
const NO_TYPE: &[&str] = &["Life"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Function,
    Module,
    Type,
    Variant,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Function => "fn",
            Self::Module => "mod",
            Self::Type => "type",
            Self::Variant => "variant",
        }
    }
}

/// A name that ships, and where it is given.
#[derive(Debug)]
struct Name {
    kind: Kind,
    name: String,
    place: String,
    /// `pub` or `pub(crate)`.
    wide: bool,
}

struct Collector<'a> {
    file: &'a str,
    names: &'a mut Vec<Name>,
}

impl Collector<'_> {
    fn add(&mut self, kind: Kind, ident: &syn::Ident, visibility: Option<&syn::Visibility>) {
        let wide = match visibility {
            Some(syn::Visibility::Public(_)) => true,
            Some(syn::Visibility::Restricted(within)) => within.path.is_ident("crate"),
            _ => false,
        };
        let name = ident.to_string().trim_start_matches("r#").to_owned();
        self.names.push(Name { kind, name, place: self.file.to_owned(), wide });
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = super::parsed::parts(item).0;
        if attributes.iter().any(is_for_tests) {
            return;
        }
        match item {
            syn::Item::Struct(item) => self.add(Kind::Type, &item.ident, Some(&item.vis)),
            syn::Item::Enum(item) => self.add(Kind::Type, &item.ident, Some(&item.vis)),
            syn::Item::Union(item) => self.add(Kind::Type, &item.ident, Some(&item.vis)),
            syn::Item::Trait(item) => self.add(Kind::Type, &item.ident, Some(&item.vis)),
            syn::Item::Type(item) => self.add(Kind::Type, &item.ident, Some(&item.vis)),
            syn::Item::Fn(item) => self.add(Kind::Function, &item.sig.ident, Some(&item.vis)),
            syn::Item::Mod(item) => self.add(Kind::Module, &item.ident, Some(&item.vis)),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            self.add(Kind::Function, &item.sig.ident, Some(&item.vis));
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add(Kind::Function, &item.sig.ident, None);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add(Kind::Variant, &variant.ident, None);
    }
}

/// The names of these sources, but for what is built for tests only.
fn names(sources: &[Source]) -> Vec<Name> {
    let tree = super::circles::tree_of(sources);
    let tests: BTreeSet<&str> =
        tree.modules.iter().filter(|module| module.test_file).map(|module| module.file.as_str()).collect();
    let mut names = Vec::new();
    for source in sources.iter().filter(|source| !tests.contains(source.path.as_str())) {
        let file = syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.path));
        Collector { file: &source.path, names: &mut names }.visit_file(&file);
    }
    names
}

/// The words of a name: `ClaimsDesk` and `claims_desk` are `claims` and `desk`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && !before.is_uppercase() {
            words.push(String::new());
        }
        before = c;
        if c != '_' {
            let last = words.len() - 1;
            words[last].extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_given_up(name: &Name) -> bool {
    let words = words(&name.name);
    words.iter().any(|word| GIVEN_UP.contains(&word.as_str()))
        || GIVEN_UP_ALONE.contains(&words.join("_").as_str())
        || name.kind == Kind::Type && NO_TYPE.contains(&name.name.as_str())
}

/// What is counted, and where each of them is.
type Found = BTreeMap<String, Vec<String>>;

fn given_up(names: &[Name]) -> Found {
    let mut found = Found::new();
    for name in names.iter().filter(|name| is_given_up(name)) {
        let key = format!("{} {}", name.kind.word(), name.name);
        found.entry(key).or_default().push(name.place.clone());
    }
    found
}

/// Types that others see and that share a name, but for generic ones.
fn homonyms(names: &[Name], generic: &BTreeSet<String>) -> Found {
    let mut found = Found::new();
    let seen =
        names.iter().filter(|name| name.kind == Kind::Type && name.wide && !generic.contains(&name.name));
    seen.for_each(|name| found.entry(name.name.clone()).or_default().push(name.place.clone()));
    found.retain(|_, places| places.len() > 1);
    found
}

/// A list: `what count` a line.
fn listed(text: &str) -> BTreeMap<String, usize> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let entry = |line: &str| {
        let (what, count) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no count in {line:?}"));
        (what.to_owned(), count.parse().unwrap_or_else(|_| panic!("no count in {line:?}")))
    };
    lines.map(entry).collect()
}

fn list(found: &Found) -> String {
    found.iter().map(|(what, places)| format!("{what} {}\n", places.len())).collect()
}

/// What is more than the list says, and what is less.
fn breaches(found: &Found, known: &BTreeMap<String, usize>, path: &str) -> Vec<String> {
    let more = found.iter().filter(|(what, places)| places.len() > known.get(*what).copied().unwrap_or(0));
    let more = more.map(|(what, places)| format!("{what} is not in {path}: {}", places.join(", ")));
    let less = known.iter().filter(|(what, count)| found.get(*what).map_or(0, Vec::len) < **count);
    let less = less.map(|(what, _)| format!("{what} is gone, or is there less often; write {path} anew"));
    more.chain(less).collect()
}

/// Compares with the list, or writes it where it has become shorter and that is asked for.
fn hold(found: &Found, path: &str) {
    let file = root().join(path);
    let known = listed(&fs::read_to_string(&file).unwrap_or_default());
    let grown = found.iter().any(|(what, places)| places.len() > known.get(what).copied().unwrap_or(0));
    println!("{path}: {} names", found.values().map(Vec::len).sum::<usize>());
    if !grown && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, list(found)).expect("the list");
        return;
    }
    super::complain(&breaches(found, &known, path));
}

/// A table of a page: the cells of each row below the heading.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, part) =
        page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no ## {heading}"));
    let part = part.split("\n## ").next().unwrap_or_default();
    let rows = part.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    rows.map(cells).collect()
}

/// What a cell has in code spans.
fn spans(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn glossary() -> String {
    fs::read_to_string(root().join(GLOSSARY)).expect("the glossary")
}

fn generic(page: &str) -> BTreeSet<String> {
    table(page, "Generic names").iter().flat_map(|row| spans(&row[0])).collect()
}

/// What is wrong with the terms of the page, given the types and modules that there are.
fn wrong_terms(page: &str, types: &BTreeSet<&str>, modules: &BTreeSet<String>) -> Vec<String> {
    let (rows, mut wrong) = (table(page, "Terms"), Vec::new());
    let fold = |row: &Vec<String>| row[0].to_lowercase();
    for pair in rows.windows(2).filter(|pair| fold(&pair[0]) >= fold(&pair[1])) {
        wrong.push(format!("{:?} stands before {:?}", pair[0][0], pair[1][0]));
    }
    for row in rows {
        let [term, meaning, code] = row.as_slice() else {
            wrong.push(format!("not three cells: {row:?}"));
            continue;
        };
        let length = meaning.split_whitespace().count();
        if length > MEANING_WORDS_MAX {
            wrong.push(format!("{term}: {length} words"));
        }
        let there = |name: &String| match name.rsplit_once("::") {
            Some((module, name)) if name.starts_with(char::is_uppercase) => {
                types.contains(name) && modules.contains(module)
            }
            None if name.starts_with(char::is_uppercase) => types.contains(name.as_str()),
            _ => modules.contains(name),
        };
        let spans = spans(code);
        if spans.is_empty() {
            wrong.push(format!("{term}: no type and no module"));
        }
        let gone = spans.iter().filter(|name| !there(name));
        wrong.extend(gone.map(|name| format!("{term}: there is no `{name}`")));
    }
    wrong
}

#[test]
fn the_glossary_names_what_exists() {
    let names = names(&sources("src"));
    let types: BTreeSet<&str> =
        names.iter().filter(|name| name.kind == Kind::Type).map(|name| name.name.as_str()).collect();
    let tree = super::circles::present();
    let modules = (0..tree.modules.len()).map(|module| tree.place(module)).collect();
    let page = glossary();
    super::complain(&wrong_terms(&page, &types, &modules));
    let gone = generic(&page).into_iter().filter(|name| !types.contains(name.as_str()));
    super::complain(&gone.map(|name| format!("no type is called {name}")).collect::<Vec<_>>());
    assert!(table(&page, "Terms").len() > 50);
}

#[test]
fn no_name_stands_for_two_types() {
    hold(&homonyms(&names(&sources("src")), &generic(&glossary())), KNOWN_HOMONYMS);
}

#[test]
fn words_that_were_given_up_do_not_come_back() {
    hold(&given_up(&names(&sources("src"))), KNOWN_WORDS);
}

fn of(files: &[(&str, &str)]) -> Vec<Name> {
    let source = |(path, text): &(&str, &str)| Source { path: (*path).to_owned(), text: (*text).to_owned() };
    names(&files.iter().map(source).collect::<Vec<_>>())
}

#[test]
fn homonyms_are_found() {
    let files = [
        ("src/lib.rs", "mod a; mod b; #[cfg(test)] mod t;"),
        (
            "src/a.rs",
            "pub struct Told; pub(crate) enum Shown {} struct Own; pub type Args = u8; pub struct One;",
        ),
        (
            "src/b.rs",
            "pub mod c { pub trait Told {} pub struct Shown; } pub struct Own; pub struct Args; #[cfg(test)] pub struct One;",
        ),
        ("src/t.rs", "pub struct Told; pub struct One;"),
    ];
    let found = homonyms(&of(&files), &BTreeSet::from(["Args".to_owned()]));
    assert_eq!(list(&found), "Shown 2\nTold 2\n");
    assert_eq!(found["Told"], ["src/a.rs", "src/b.rs"]);
}

#[test]
fn words_that_were_given_up_are_found_in_every_kind_of_name() {
    assert_eq!(words("ClaimsDesk"), ["claims", "desk"]);
    assert_eq!(words("put_off"), ["put", "off"]);
    assert_eq!(words("String"), ["string"]);
    let files = [
        ("src/lib.rs", "mod a; mod tale; mod life;"),
        (
            "src/a.rs",
            "struct ClaimsDesk; enum Rung { House } trait Life { fn beat(); } impl A { fn boxed_up() {} } fn ring() {}
             fn settle_owed() {} fn heartbeat() {} struct Household; fn put_off() {}
             #[cfg(test)] mod tests { fn story() {} }",
        ),
        ("src/tale.rs", ""),
        ("src/life.rs", "struct Storyboard;"),
    ];
    assert_eq!(
        list(&given_up(&of(&files))),
        "fn beat 1\nfn boxed_up 1\nfn put_off 1\nfn ring 1\nmod tale 1\ntype ClaimsDesk 1\ntype Life 1\ntype Rung 1\nvariant House 1\n"
    );
}

#[test]
fn the_lists_only_shrink() {
    let found = Found::from([("fn ring".to_owned(), vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()])]);
    let said = |known: &str| breaches(&found, &listed(known), "list.txt");
    assert_eq!(said("# as it was\nfn ring 2\n"), [""; 0]);
    assert_eq!(said(""), ["fn ring is not in list.txt: src/a.rs, src/b.rs"]);
    assert_eq!(said("fn ring 1\n").len(), 1);
    assert_eq!(said("fn ring 3\n"), ["fn ring is gone, or is there less often; write list.txt anew"]);
    assert_eq!(said("fn beat 1\nfn ring 2\n").len(), 1);
}

#[test]
fn a_term_that_names_nothing_is_found() {
    let types = BTreeSet::from(["Agent", "Turn"]);
    let modules = BTreeSet::from(["engine".to_owned(), "engine::life".to_owned()]);
    let page = |rows: &str| {
        format!("\n## Terms\n\n| term | meaning | in the code |\n|---|---|---|\n{rows}\n## Other\n")
    };
    let wrong = |rows: &str| wrong_terms(&page(rows), &types, &modules).join("; ");
    assert_eq!(
        wrong("| agent | a program | `Agent`, `engine` |\n| Turn | one line | `engine::life::Turn` |\n"),
        ""
    );
    assert_eq!(wrong("| agent | a program | `Agnt` |\n"), "agent: there is no `Agnt`");
    assert_eq!(wrong("| agent | a program | `engine::lif` |\n"), "agent: there is no `engine::lif`");
    assert_eq!(
        wrong("| agent | a program | `engine::Agent` |\n| agent | x | `Agent` |\n"),
        "\"agent\" stands before \"agent\""
    );
    assert_eq!(wrong("| turn | x | `Turn` |\n| agent | x | `Agent` |\n"), "\"turn\" stands before \"agent\"");
    assert_eq!(wrong(&format!("| agent | {} | `Agent` |\n", "x ".repeat(26))), "agent: 26 words");
    assert_eq!(wrong("| agent | a program | |\n"), "agent: no type and no module");
}
