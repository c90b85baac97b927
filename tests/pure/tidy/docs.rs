//! Doc comments: every public item has one, and none says less than the name below it.

use super::{Source, sources};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Attribute, Visibility};

/// Words that add nothing to a name.
const EMPTY_WORDS: &str = "a an the of to in is it its and or as that which for from by with this one was be are has have on at what \
    who how where if not no than so there more all each any whose their them they such into does do did here when since whether \
    will may";
/// What these derive makes texts for people of the comments.
const SHOWN: [&str; 6] = ["JsonSchema", "clap", "Subcommand", "ValueEnum", "Parser", "Args"];

/// The words of a text, in small letters and without their endings; those of a name in one word too.
fn words(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        if !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && before.is_ascii_lowercase()) {
            all.push(String::new());
        }
        if c.is_ascii_alphabetic()
            && let Some(word) = all.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    all.retain(|word| !word.is_empty());
    all
}

fn stem(word: &str) -> &str {
    let ending = ["ing", "ed", "es", "s", "d"]
        .into_iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() >= 3));
    let stem = ending.unwrap_or(word);
    if stem.len() > 2 { stem.trim_end_matches('e') } else { stem }
}

/// Whether a comment has no word that the line below it lacks.
fn says_less(comment: &str, line: &str) -> bool {
    let empty: BTreeSet<&str> = EMPTY_WORDS.split_whitespace().collect();
    let line = words(line);
    let known: BTreeSet<&str> = line.iter().map(|word| stem(word)).collect();
    words(comment).iter().all(|word| empty.contains(word.as_str()) || known.contains(stem(word)))
}

/// Whether a line is a field or a variant.
fn is_member(line: &str) -> bool {
    let inner = line.strip_prefix("    ").map(str::trim_start).unwrap_or_default();
    let bare = inner.strip_prefix("pub").map_or(inner, |rest| {
        rest.trim_start_matches('(').split_once(") ").map_or(rest.trim_start(), |(_, rest)| rest)
    });
    let end = bare.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(bare.len());
    let (name, rest) = bare.split_at(end);
    match name.chars().next() {
        Some('a'..='z' | '_') => rest.starts_with(": "),
        Some('A'..='Z') => {
            (rest.is_empty() || rest.starts_with([',', '(']) || rest.starts_with(" {")) && !rest.contains('=')
        }
        _ => false,
    }
}

/// Comments of one line above fields and variants that say less than these, as `file:line: comment`.
fn empty_comments(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let is_doc = |at: usize| lines.get(at).is_some_and(|line| line.trim_start().starts_with("///"));
    let mut shown = false;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let head = line.trim_start();
        if head.starts_with("#[derive") {
            shown = SHOWN.iter().any(|derive| head.contains(derive));
        } else if line.starts_with('}') {
            shown = false;
        }
        if !is_doc(at) || at > 0 && is_doc(at - 1) || is_doc(at + 1) || shown {
            continue;
        }
        let below = (at + 1..lines.len()).find(|below| !lines[*below].trim_start().starts_with("#["));
        let Some(below) = below.map(|below| lines[below]).filter(|below| is_member(below)) else { continue };
        if says_less(head, below) {
            found.push(format!("{}:{}: {head}", source.path, at + 1));
        }
    }
    found
}

/// Public items without a comment.
#[derive(Default)]
struct Bare {
    names: Vec<String>,
}

impl Bare {
    fn see(&mut self, visibility: &Visibility, attributes: &[Attribute], name: &impl ToString) {
        let has_doc = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        if matches!(visibility, Visibility::Public(_)) && !has_doc {
            self.names.push(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Bare {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.see(&item.vis, &item.attrs, &item.sig.ident);
    }
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.see(&item.vis, &item.attrs, &item.ident);
        visit::visit_item_trait(self, item);
    }
    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.see(&item.vis, &item.attrs, &item.sig.ident);
    }
    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }
}

fn bare(text: &str) -> Vec<String> {
    let mut bare = Bare::default();
    bare.visit_file(&syn::parse_file(text).expect("a source"));
    bare.names
}

#[test]
fn every_public_item_says_what_it_is() {
    let all = sources("src");
    let found: Vec<String> = all
        .iter()
        .flat_map(|source| bare(&source.text).into_iter().map(|name| format!("{}: {name}", source.path)))
        .collect();
    super::complain(&found);
}

#[test]
fn no_comment_says_less_than_the_name() {
    super::complain(&sources("src").iter().flat_map(empty_comments).collect::<Vec<_>>());
}

#[test]
fn a_comment_that_says_less_and_an_item_without_one_are_found() {
    let found = |text: &str| empty_comments(&Source { path: "a.rs".to_owned(), text: text.to_owned() }).len();
    assert_eq!(found("struct A {\n    /// Its pane.\n    pub pane: PaneId,\n}"), 1);
    assert_eq!(found("enum A {\n    /// It was accepted.\n    #[x]\n    Accepted,\n}"), 1);
    assert_eq!(found("struct A {\n    /// In ms.\n    pub pane: u64,\n}"), 0);
    assert_eq!(found("#[derive(JsonSchema)]\nstruct A {\n    /// Its pane.\n    pub pane: PaneId,\n}"), 0);
    assert_eq!(found("struct A {\n    /// Its pane,\n    /// the pane.\n    pub pane: PaneId,\n}"), 0);
    assert_eq!(
        bare("pub fn a() {} fn b() {} /// C.\npub struct C; impl C { pub fn d(&self) {} }"),
        ["a", "d"]
    );
}
