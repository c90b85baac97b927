//! Reads sources into a tree: what each module declares, defines and imports, and every path that is in it, those in
//! macros and attributes as well.

use super::tree::{Module, Named, Tree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, TraitItem, UseTree};

/// Reads the crate that begins with this file.
pub(super) fn root(tree: &mut Tree, files: &BTreeMap<String, String>, file: &str) {
    let module = Module { file: file.to_owned(), ..Module::default() };
    let folder = Path::new(file).parent().expect("a folder").to_owned();
    read(tree, files, module, folder);
}

/// Reads a file into a module, and its children from `folder`.
fn read(tree: &mut Tree, files: &BTreeMap<String, String>, module: Module, folder: PathBuf) -> usize {
    let file =
        syn::parse_file(&files[&module.file]).unwrap_or_else(|error| panic!("{}: {error}", module.file));
    let (number, test) = (tree.modules.len(), module.test);
    tree.modules.push(module);
    Reader { tree, files, module: number, folder, test }.visit_file(&file);
    number
}

struct Reader<'a> {
    tree: &'a mut Tree,
    files: &'a BTreeMap<String, String>,
    module: usize,
    /// Where the files of its children are.
    folder: PathBuf,
    test: bool,
}

impl Reader<'_> {
    /// Visits what has these attributes.
    fn within(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.test;
        self.test |= attributes.iter().any(is_for_tests);
        visit(self);
        self.test = before;
    }

    fn here(&mut self) -> &mut Module {
        &mut self.tree.modules[self.module]
    }

    fn name(&mut self, path: Vec<String>) {
        let (module, test) = (self.module, self.test);
        self.tree.named.push(Named { module, path, test });
    }

    fn declare(&mut self, item: &syn::ItemMod) {
        let name = word(&item.ident);
        let parent = Some(self.module);
        let above = &self.tree.modules[self.module];
        let (file, test, test_file) = (above.file.clone(), self.test, above.test_file);
        let folder = self.folder.join(&name);
        let child = if let Some((_, items)) = &item.content {
            let number = self.tree.modules.len();
            self.tree.modules.push(Module { file, parent, test, test_file, ..Module::default() });
            let mut inner = Reader { tree: &mut *self.tree, files: self.files, module: number, folder, test };
            items.iter().for_each(|item| inner.visit_item(item));
            number
        } else {
            let beside = self.folder.join(format!("{name}.rs")).display().to_string();
            let inside = folder.join("mod.rs").display().to_string();
            let file = if self.files.contains_key(&beside) { beside } else { inside };
            assert!(self.files.contains_key(&file), "{file}, which is declared, does not exist");
            let module = Module { file, parent, test, test_file: test, ..Module::default() };
            read(self.tree, self.files, module, folder)
        };
        self.here().children.insert(name, child);
    }

    /// All paths that an import names.
    fn import(&mut self, before: &[String], tree: &UseTree) {
        let mut path = before.to_vec();
        let called = match tree {
            UseTree::Path(within) => {
                path.push(word(&within.ident));
                return self.import(&path, &within.tree);
            }
            UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(before, tree)),
            UseTree::Glob(_) => {
                self.here().globs.push(path.clone());
                path.push("*".to_owned());
                return self.name(path);
            }
            UseTree::Name(name) if name.ident == "self" => path.last().cloned().unwrap_or_default(),
            UseTree::Name(name) => {
                path.push(word(&name.ident));
                word(&name.ident)
            }
            UseTree::Rename(name) => {
                if name.ident != "self" {
                    path.push(word(&name.ident));
                }
                word(&name.rename)
            }
        };
        self.here().imports.entry(called).or_insert_with(|| path.clone());
        self.name(path);
    }

    /// The paths in what a macro or an attribute is given, and in an attribute's strings.
    fn tokens(&mut self, mut cursor: Cursor<'_>, strings: bool) {
        while !cursor.eof() {
            if let Some((inside, _, _, after)) = cursor.any_group() {
                self.tokens(inside, strings);
                cursor = after;
            } else if let Some((first, after)) = cursor.ident() {
                cursor = self.path_in_tokens(word(&first), after);
            } else if let Some((literal, after)) = cursor.literal() {
                let text = literal.to_string();
                let path = text.trim_matches('"');
                if strings && path.contains("::") && syn::parse_str::<syn::Path>(path).is_ok() {
                    self.name(path.split("::").map(str::to_owned).collect());
                }
                cursor = after;
            } else if let Some((_, after)) = cursor.token_tree() {
                cursor = after;
            } else {
                return;
            }
        }
    }

    fn path_in_tokens<'c>(&mut self, first: String, after: Cursor<'c>) -> Cursor<'c> {
        let (mut path, mut cursor) = (vec![first], after);
        while let Some(after) = punctuation(cursor, ':').and_then(|after| punctuation(after, ':'))
            && let Some((next, after)) = after.ident()
        {
            path.push(word(&next));
            cursor = after;
        }
        let calls = punctuation(cursor, '!').is_some_and(|after| punctuation(after, '=').is_none());
        if calls && path.len() == 1 {
            self.name(vec![format!("{}!", path[0])]);
        } else if path.len() > 1 {
            self.name(path);
        }
        cursor
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = parts(item);
        self.within(attributes, |reader| {
            if let Some(name) = name {
                let test = reader.test;
                let known = reader.here().items.entry(word(name)).or_insert(test);
                *known &= test;
            }
            match item {
                Item::Mod(module) => reader.declare(module),
                _ => visit::visit_item(reader, item),
            }
        });
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&[], &item.tree);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        self.within(attributes, |reader| visit::visit_impl_item(reader, item));
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes: &[Attribute] = if let TraitItem::Fn(item) = item { &item.attrs } else { &[] };
        self.within(attributes, |reader| visit::visit_trait_item(reader, item));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.within(&field.attrs, |reader| visit::visit_field(reader, field));
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.within(&variant.attrs, |reader| visit::visit_variant(reader, variant));
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        self.within(&field.attrs, |reader| visit::visit_field_value(reader, field));
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.within(&arm.attrs, |reader| visit::visit_arm(reader, arm));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.within(&local.attrs, |reader| visit::visit_local(reader, local));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.name(path.segments.iter().map(|segment| word(&segment.ident)).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.get_ident() {
            self.name(vec![format!("{name}!")]);
        }
        self.visit_path(&call.path);
        let tokens = TokenBuffer::new2(call.tokens.clone());
        self.tokens(tokens.begin(), false);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.visit_path(attribute.path());
        if let Meta::List(list) = &attribute.meta {
            let tokens = TokenBuffer::new2(list.tokens.clone());
            // Elsewhere a string is for people.
            let names = ["serde", "schemars", "arg", "command"].iter().any(|name| list.path.is_ident(name));
            self.tokens(tokens.begin(), names);
        }
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

fn punctuation(cursor: Cursor<'_>, c: char) -> Option<Cursor<'_>> {
    cursor.punct().filter(|(punct, _)| punct.as_char() == c).map(|(_, after)| after)
}

fn word(ident: &syn::Ident) -> String {
    let word = ident.to_string();
    word.strip_prefix("r#").map(str::to_owned).unwrap_or(word)
}

/// `#[cfg(test)]`, and whatever else wants `test`.
pub(super) fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    if !list.path.is_ident("cfg") {
        return false;
    }
    let words = list.tokens.to_string().replace(' ', "");
    !words.contains("not(test") && words.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
}

/// The attributes of an item, and the name that it defines.
pub(super) fn parts(item: &Item) -> (&[Attribute], Option<&syn::Ident>) {
    match item {
        Item::Const(item) => (&item.attrs, Some(&item.ident)),
        Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
        Item::Static(item) => (&item.attrs, Some(&item.ident)),
        Item::Struct(item) => (&item.attrs, Some(&item.ident)),
        Item::Trait(item) => (&item.attrs, Some(&item.ident)),
        Item::TraitAlias(item) => (&item.attrs, Some(&item.ident)),
        Item::Type(item) => (&item.attrs, Some(&item.ident)),
        Item::Union(item) => (&item.attrs, Some(&item.ident)),
        Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
        Item::Impl(item) => (&item.attrs, None),
        Item::Mod(item) => (&item.attrs, None),
        Item::Use(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}
