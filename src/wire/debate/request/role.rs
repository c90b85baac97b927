//! One role of a request: the id of a built-in one, or an object with prompts of its own.

use super::super::roles::{built_in, built_in_ids};
use super::limits::{
    BASELINE, CONTEXT_FILES_MAX, ROLE_ID_BYTES_MAX, ROLE_KEYS, ROLES_MAX, SYSTEM_PROMPT_BYTES_MAX,
};
use super::values;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::suggest::nearest;
use crate::wire::message::fields::{Fields, Text, text, wrong_type};
use crate::wire::session::plan::{Mistakes, is_misspelt, one_line, unknown_keys};
use crate::wire::team_file::Language;
use crate::wire::yaml::place::{Place, shown};
use crate::wire::yaml::tree::{Node, Value};
use std::path::{Component, Path};
use std::sync::Arc;

/// Someone who debates, with all that it is told of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleDefinition {
    pub id: String,
    /// How people call it.
    pub name: String,
    /// What it is told of itself before each round.
    pub system_prompt: Arc<str>,
    /// Paths of the files that it is shown in the first round, as they were written.
    pub initial_context: Vec<String>,
    /// Profile of its agent; none for the request's.
    pub provider: Option<String>,
    /// Model of its agent; none for the request's.
    pub model: Option<String>,
}

/// A role, and where it stands.
pub(super) struct Placed {
    pub(super) role: RoleDefinition,
    place: Place,
}

/// An item of `roles`: a word of a text with commas, or a node.
pub(super) enum Item<'t> {
    Word(Text<'t>),
    Node(&'t Node<'t>),
}

/// What is under `roles`. A text is a list whose items are parted by commas.
pub(super) fn items<'t>(fields: &Fields<'t>) -> Result<Vec<Item<'t>>, Refusal> {
    let shape = format!("a list of roles: {}, or maps with `id` and `system_prompt`", built_in_ids());
    let Some(node) = fields.node("roles") else {
        let why = format!("`roles` is missing: it must be {shape}");
        return Err(fields.root.refuse(Code::WrongType, why).at("roles"));
    };
    let items: Vec<Item<'t>> = match &node.value {
        Value::List(nodes) => nodes.iter().map(Item::Node).collect(),
        Value::Scalar { .. } => {
            let words = text(node, "roles")?;
            let word = |word: &'t str| Item::Word(Text { text: word.trim(), ..words });
            words.text.split(',').filter(|word| !word.trim().is_empty()).map(word).collect()
        }
        Value::Map(_) => return Err(wrong_type(node, "roles", &shape)),
    };
    if items.is_empty() {
        let why = "`roles` is empty, so there is nobody to debate";
        return Err(node.place.refuse(Code::ContentEmpty, why).at("roles"));
    }
    if items.len() > ROLES_MAX {
        let why = format!("there are {} roles; at most {ROLES_MAX} are allowed", items.len());
        return Err(node.place.refuse(Code::TooMany, why).at("roles"));
    }
    Ok(items)
}

/// One role as far as it can be read. One that is none has an empty id.
pub(super) fn role(item: &Item<'_>, language: Language, wrong: &mut Mistakes) -> Placed {
    let place = match item {
        Item::Word(word) => word.place,
        Item::Node(node) => node.place,
    };
    found(item, language, wrong).unwrap_or_else(|| Placed { role: RoleDefinition::default(), place })
}

fn found(item: &Item<'_>, language: Language, wrong: &mut Mistakes) -> Option<Placed> {
    let (place, fields) = match item {
        Item::Word(word) => return named(word, language, wrong),
        Item::Node(node) => match &node.value {
            Value::Scalar { .. } if !node.is_null() => {
                let word = wrong.keep(text(node, "roles"))?;
                return named(&word, language, wrong);
            }
            Value::Map(entries) => (node.place, Fields { root: node.place, entries }),
            _ => {
                wrong.add([wrong_type(node, "roles", "a list of ids and of maps with `id`")]);
                return None;
            }
        },
    };
    wrong.add(unknown_keys(&fields, &ROLE_KEYS, "a role").map(|refusal| values::below("roles", refusal)));
    let id_text = match values::needed(&fields, "id", "a word such as `architect`") {
        Err(_) if is_misspelt(&fields, &ROLE_KEYS, "id") => None,
        read => wrong.keep(read),
    };
    let place = id_text.as_ref().map_or(place, |text| text.place);
    let id = id_text.as_ref().and_then(|text| wrong.keep(id(text)));
    let known = id.as_deref().and_then(built_in);
    let name = wrong.keep(name(&fields)).flatten();
    let prompt = wrong.keep(system_prompt(&fields));
    let has_prompt = prompt.as_ref().is_none_or(Option::is_some) || known.is_some();
    if let (false, Some(id)) = (has_prompt || is_misspelt(&fields, &ROLE_KEYS, "system_prompt"), &id) {
        let why = format!("the role `{id}` has no `system_prompt`, and {}", not_built_in(id));
        wrong.add([place.refuse(Code::UnknownWord, why).at("roles")]);
    }
    let (initial_context, provider) = (context(&fields, wrong), wrong.keep(values::provider(&fields)));
    let own = |own: Option<&'static str>| own.map(str::to_owned);
    let role = RoleDefinition {
        name: name
            .or_else(|| own(known.map(|role| role.name(language))))
            .or_else(|| id.clone())
            .unwrap_or_default(),
        system_prompt: prompt
            .flatten()
            .or_else(|| known.map(|role| role.system_prompt(language).into()))
            .unwrap_or_default(),
        initial_context,
        provider: provider.flatten(),
        model: wrong.keep(values::model(&fields)).flatten(),
        id: id.unwrap_or_default(),
    };
    Some(Placed { role, place })
}

/// A role that is named alone, and so must be built in.
fn named(word: &Text<'_>, language: Language, wrong: &mut Mistakes) -> Option<Placed> {
    let id = wrong.keep(id(word))?;
    let Some(role) = built_in(&id) else {
        let why = format!("`{id}` is named alone, and {}", not_built_in(&id));
        wrong.add([word.place.refuse(Code::UnknownWord, why).at("roles")]);
        return None;
    };
    let role = RoleDefinition {
        id,
        name: role.name(language).to_owned(),
        system_prompt: role.system_prompt(language).into(),
        initial_context: Vec::new(),
        provider: None,
        model: None,
    };
    Some(Placed { role, place: word.place })
}

fn not_built_in(id: &str) -> String {
    let all = built_in_ids();
    match nearest(id, all.split(", ")) {
        Some(near) => format!("the built-in roles are {all}; did you mean `{near}`?"),
        None => format!("the built-in roles are {all}"),
    }
}

/// Two roles of one id, and one that is called as the step of the baseline.
pub(super) fn same_ids(roles: &[Placed], baseline: bool) -> Vec<Refusal> {
    let mut found = Vec::new();
    for (at, Placed { role, place }) in roles.iter().enumerate() {
        if role.id.is_empty() {
            continue;
        }
        let same = |before: &&Placed| before.role.id == role.id;
        if let Some(before) = roles.iter().take(at).find(same) {
            let why = match before.place.line {
                // Who has written all in one line has no lines to be led to.
                line if line == place.line => format!("the role `{}` is named twice", role.id),
                line => format!("the role `{}` is already on line {line}", role.id),
            };
            found.push(place.refuse(Code::IdConflict, why).at("roles"));
        } else if baseline && role.id == BASELINE {
            let why = format!("no role can be called `{BASELINE}` beside `baseline: true`");
            found.push(place.refuse(Code::IdConflict, why).at("roles"));
        }
    }
    found
}

fn id(text: &Text<'_>) -> Result<String, Refusal> {
    let bytes = text.text.as_bytes();
    let is_inner = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    let is_good = bytes.first().is_some_and(|byte| is_inner(byte) && !matches!(byte, b'_' | b'-'))
        && bytes.iter().all(is_inner)
        && bytes.len() <= ROLE_ID_BYTES_MAX;
    if is_good {
        return Ok(text.text.to_owned());
    }
    let all = built_in_ids();
    let near = nearest(text.text.trim(), all.split(", ")).map(|near| format!("; did you mean `{near}`?"));
    let why = format!(
        "{} is no id of a role, which is `[a-z0-9][a-z0-9_-]{{0,{}}}`{}",
        shown(text.text),
        ROLE_ID_BYTES_MAX - 1,
        near.unwrap_or_default()
    );
    Err(text.place.refuse(Code::BadId, why).at("id"))
}

/// A name in one line. An empty one is none.
fn name(fields: &Fields<'_>) -> Result<Option<String>, Refusal> {
    let text = fields.text("name")?.filter(|text| !text.text.trim().is_empty());
    text.map(|text| one_line(&text)).transpose()
}

/// A system prompt. An empty one is none.
fn system_prompt(fields: &Fields<'_>) -> Result<Option<Arc<str>>, Refusal> {
    let Some(text) = fields.text("system_prompt")?.filter(|text| !text.text.trim().is_empty()) else {
        return Ok(None);
    };
    if text.text.len() > SYSTEM_PROMPT_BYTES_MAX {
        let why = format!(
            "`system_prompt` has {} bytes; at most {SYSTEM_PROMPT_BYTES_MAX} are allowed",
            text.text.len()
        );
        return Err(text.place.refuse(Code::ContentTooLarge, why).at("system_prompt"));
    }
    Ok(Some(text.text.trim_end().into()))
}

/// The files that a role is shown. A path that is none is empty.
pub(super) fn context(fields: &Fields<'_>, wrong: &mut Mistakes) -> Vec<String> {
    let texts = wrong.keep(fields.texts("initial_context")).unwrap_or_default();
    if let Some(text) = texts.get(CONTEXT_FILES_MAX) {
        let why = format!(
            "`initial_context`: there are {} files; at most {CONTEXT_FILES_MAX} are allowed",
            texts.len()
        );
        wrong.add([text.place.refuse(Code::TooMany, why).at("initial_context")]);
    }
    texts.iter().map(|text| wrong.keep(path(text)).unwrap_or_default()).collect()
}

/// A path that does not leave the folder of the debate by its letters. An absolute one is for whoever knows that folder.
fn path(text: &Text<'_>) -> Result<String, Refusal> {
    values::plain(text)?;
    let mut depth = 0_usize;
    for part in Path::new(text.text).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth == 0 => {
                return Err(text.refuse(Code::PathOutside, "leaves the folder of the debate"));
            }
            Component::ParentDir => depth -= 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(text.text.to_owned())
}
