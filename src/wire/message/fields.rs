//! The fields of one document, each read as its type. The same for YAML and JSON: both give the same tree.

use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, BadWord, MessageId};
use crate::wire::yaml::place::{Place, shown};
use crate::wire::yaml::tree::{Entry, Node, Value};

/// A map and where it begins.
pub(in crate::wire) struct Fields<'t> {
    pub(in crate::wire) root: Place,
    pub(in crate::wire) entries: &'t [Entry<'t>],
}

/// A text and where it is.
#[derive(Clone, Copy)]
pub(in crate::wire) struct Text<'t> {
    pub(in crate::wire) field: &'static str,
    pub(in crate::wire) text: &'t str,
    pub(in crate::wire) place: Place,
}

impl<'t> Fields<'t> {
    /// The fields of a document.
    ///
    /// # Errors
    /// [`Code::NotAMap`]
    pub(in crate::wire) fn of(root: &'t Node<'t>) -> Result<Self, Refusal> {
        match &root.value {
            Value::Map(entries) => Ok(Self { root: root.place, entries }),
            _ => Err(root.place.refuse(Code::NotAMap, format!("the document is {}, not a map", root.what()))),
        }
    }

    /// What is under `field`; nothing if that is null.
    pub(in crate::wire) fn node(&self, field: &str) -> Option<&'t Node<'t>> {
        let entry = self.entries.iter().find(|entry| entry.key == field)?;
        (!entry.node.is_null()).then_some(&entry.node)
    }

    /// A text. A number or a truth is the text it is written as: `id: 42` and `token: 123456` mean what they show.
    ///
    /// # Errors
    /// [`Code::WrongType`]
    pub(in crate::wire) fn text(&self, field: &'static str) -> Result<Option<Text<'t>>, Refusal> {
        self.node(field).map(|node| text(node, field)).transpose()
    }

    /// The name of an agent, an alias, a pool, or `user`.
    ///
    /// # Errors
    /// [`Code::WrongType`], [`Code::BadName`], [`Code::BadCharacters`]
    pub(in crate::wire) fn name(&self, field: &'static str) -> Result<Option<AgentName>, Refusal> {
        self.text(field)?.map(|text| text.word(AgentName::new, Code::BadName, Code::BadName)).transpose()
    }

    /// The id of a message.
    ///
    /// # Errors
    /// [`Code::WrongType`], [`Code::BadId`], [`Code::IdTooLong`], [`Code::BadCharacters`]
    pub(in crate::wire) fn id(&self, field: &'static str) -> Result<Option<MessageId>, Refusal> {
        self.text(field)?.map(Text::id).transpose()
    }

    /// A list of ids, each once; one id may stand without brackets.
    ///
    /// # Errors
    /// As [`Fields::id`].
    pub(in crate::wire) fn ids(&self, field: &'static str) -> Result<Vec<MessageId>, Refusal> {
        let mut ids = Vec::new();
        for item in self.texts(field)? {
            let id = item.id()?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// A list of texts; one text may stand without brackets.
    ///
    /// # Errors
    /// [`Code::WrongType`]
    pub(in crate::wire) fn texts(&self, field: &'static str) -> Result<Vec<Text<'t>>, Refusal> {
        match self.node(field) {
            None => Ok(Vec::new()),
            Some(Node { value: Value::List(items), .. }) => {
                items.iter().map(|item| text(item, field)).collect()
            }
            Some(node) => Ok(vec![text(node, field)?]),
        }
    }

    /// One of the words in `all`.
    ///
    /// # Errors
    /// [`Code::WrongType`], [`Code::UnknownWord`]
    pub(in crate::wire) fn word<T: Copy>(
        &self,
        field: &'static str,
        all: &[T],
        word: impl Fn(T) -> &'static str,
    ) -> Result<Option<(T, Place)>, Refusal> {
        let Some(text) = self.text(field)? else { return Ok(None) };
        if let Some(found) = all.iter().find(|one| word(**one) == text.text) {
            return Ok(Some((*found, text.place)));
        }
        let words = all.iter().map(|one| word(*one)).collect::<Vec<_>>().join(", ");
        Err(text.refuse(Code::UnknownWord, format!("is not one of {words}")))
    }
}

impl Text<'_> {
    /// A refusal: "`field`: `text` and what is wrong with it".
    pub(in crate::wire) fn refuse(&self, code: Code, wrong: impl std::fmt::Display) -> Refusal {
        let why = format!("`{}`: {} {wrong}", self.field, shown(self.text));
        self.place.refuse(code, why).at(self.field)
    }

    /// Reads it, or refuses it with this code.
    pub(in crate::wire) fn read<T>(
        &self,
        read: impl Fn(&str) -> Option<T>,
        code: Code,
        wrong: &str,
    ) -> Result<T, Refusal> {
        read(self.text).ok_or_else(|| self.refuse(code, wrong))
    }

    fn id(self) -> Result<MessageId, Refusal> {
        self.word(MessageId::new, Code::BadId, Code::IdTooLong)
    }

    fn word<T>(self, new: impl Fn(&str) -> Result<T, BadWord>, bad: Code, long: Code) -> Result<T, Refusal> {
        new(self.text).map_err(|wrong| match wrong {
            _ if self.text.chars().any(invisible) => {
                self.refuse(Code::BadCharacters, "has invisible characters")
            }
            BadWord::TooLong { .. } => self.refuse(long, wrong),
            _ => self.refuse(bad, wrong),
        })
    }
}

/// The text of a node.
///
/// # Errors
/// [`Code::WrongType`]
pub(in crate::wire) fn text<'t>(node: &'t Node<'t>, field: &'static str) -> Result<Text<'t>, Refusal> {
    match &node.value {
        Value::Scalar { text, .. } if !node.is_null() => Ok(Text { field, text, place: node.place }),
        _ => Err(wrong_type(node, field, "a text")),
    }
}

/// The refusal of a value that is not `wanted`.
pub(in crate::wire) fn wrong_type(node: &Node<'_>, field: &'static str, wanted: &str) -> Refusal {
    let why = format!("`{field}` must be {wanted}, not {}", node.what());
    node.place.refuse(Code::WrongType, why).at(field)
}

/// Controls, zero-width and bidirectional characters, tag characters, and letters drawn as nothing: they make two names
/// look alike (Unicode TR 36, TR 39).
pub(in crate::wire) fn invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}
