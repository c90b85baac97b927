//! YAML text → a tree whose every node knows its place, one document at a time, over serde-saphyr's own parser. It is the
//! strict subset that messages are written in: no anchors, aliases, merge keys or tags, keys are text and stand once,
//! and depth and size are bounded while reading. Scalars keep their text: the type of the field decides what it means.

use super::place::{Place, shown};
use super::scalar;
use crate::engine::message::refusal::{Code, Refusal};
use serde_json::Value as Json;
use serde_saphyr::granit_parser::{
    self, ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput,
};
use std::borrow::Cow;
use std::collections::HashSet;

/// Deepest nesting (durability, limits).
pub(in crate::wire) const DEPTH_MAX: usize = 32;
/// Most nodes in one document (durability, limits).
pub(in crate::wire) const NODES_MAX: usize = 10_000;

/// A value and where it begins.
#[derive(Debug)]
pub(in crate::wire) struct Node<'a> {
    pub(in crate::wire) place: Place,
    pub(in crate::wire) value: Value<'a>,
    /// What is behind a text without quotes as a comment, which may have been meant as a part of it.
    pub(in crate::wire) comment: Option<&'a str>,
}

#[derive(Debug)]
pub(in crate::wire) enum Value<'a> {
    /// Text as written; `plain` if without quotes, so that it may mean null, a truth or a number.
    Scalar { text: Cow<'a, str>, plain: bool },
    /// `[a, b]`
    List(Vec<Node<'a>>),
    /// `{a: b}`
    Map(Vec<Entry<'a>>),
}

/// A key, where it is, and its value.
#[derive(Debug)]
pub(in crate::wire) struct Entry<'a> {
    pub(in crate::wire) key: Cow<'a, str>,
    pub(in crate::wire) place: Place,
    pub(in crate::wire) node: Node<'a>,
}

impl Node<'_> {
    /// Whether nothing is written here.
    pub(in crate::wire) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if scalar::is_null(text))
    }

    /// What a text without quotes means.
    pub(in crate::wire) fn meaning(&self) -> Option<Json> {
        match &self.value {
            Value::Scalar { text, plain: true } => scalar::meaning(text),
            _ => None,
        }
    }

    /// What is here, for a sentence.
    pub(in crate::wire) fn what(&self) -> String {
        match &self.value {
            Value::Scalar { text, .. } => shown(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a map".to_owned(),
        }
    }

    /// The same value as JSON. A text without quotes that JSON would write with other letters (`1.10`, `0x1F`, `1e3`, `True`), and a
    /// number that it cannot hold (30 digits, `.inf`), stays the text that it is.
    pub(in crate::wire) fn json(&self) -> Json {
        match &self.value {
            Value::Scalar { text, plain: false } => Json::String(text.clone().into_owned()),
            Value::Scalar { text, plain: true } => match scalar::meaning(text) {
                Some(Json::Null) => Json::Null,
                Some(value) if value.to_string().as_str() == text.as_ref() => value,
                _ => Json::String(text.to_string()),
            },
            Value::List(nodes) => Json::Array(nodes.iter().map(Self::json).collect()),
            Value::Map(entries) => Json::Object(
                entries.iter().map(|entry| (entry.key.clone().into_owned(), entry.node.json())).collect(),
            ),
        }
    }
}

/// The documents of a text, in order. Ends after the first refusal.
pub(in crate::wire) struct Documents<'a> {
    parser: Parser<'a, StrInput<'a>>,
    text: &'a str,
    nodes: usize,
    nodes_max: usize,
    ended: bool,
}

impl<'a> Documents<'a> {
    pub(in crate::wire) fn of(text: &'a str) -> Self {
        Self::of_size(text, NODES_MAX)
    }

    /// With at most so many nodes in a document.
    pub(in crate::wire) fn of_size(text: &'a str, nodes_max: usize) -> Self {
        let options = granit_parser::options! {
            emit_comments: false,
            emit_anchor_events: true,
            // A key that is too long shall be called that, so the parser may look as far as a file goes.
            simple_key_max_lookahead: super::text::FILE_BYTES_MAX,
        };
        let parser = Parser::new_from_str_with_options(text, options);
        Self { parser, text, nodes: 0, nodes_max, ended: false }
    }

    fn event(&mut self) -> Result<(Event<'a>, Span), Refusal> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(self.scan_error(&error)),
            None => {
                Err(Place::of(self.text.as_bytes(), self.text.len())
                    .refuse(Code::CutOff, "the file ends here"))
            }
        }
    }

    fn document(&mut self) -> Result<Option<Node<'a>>, Refusal> {
        loop {
            match self.event()? {
                (Event::StreamEnd, _) => return Ok(None),
                (Event::StreamStart | Event::DocumentEnd, _) => {}
                (Event::DocumentStart(..), _) => {
                    self.nodes = 0;
                    let first = self.event()?;
                    return self.node(first, 0).map(Some);
                }
                // Nothing else can come between documents.
                (_, span) => {
                    return Err(place(span.start).refuse(Code::Syntax, "this belongs to no document"));
                }
            }
        }
    }

    /// The node that begins with `event`, inside of `depth` others.
    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<Node<'a>, Refusal> {
        let place = place(span.start);
        self.nodes += 1;
        if self.nodes > self.nodes_max {
            let why = format!("there are more than {} values in a document", self.nodes_max);
            return Err(place.refuse(Code::TooManyNodes, why));
        }
        self.plain_node(&event, span)?;
        let comment = match &event {
            Event::Scalar(_, ScalarStyle::Plain, ..) => self.comment_after(span.end),
            _ => None,
        };
        let value = match event {
            Event::Scalar(text, style, ..) => Value::Scalar { text, plain: style == ScalarStyle::Plain },
            Event::SequenceStart(..) => Value::List(self.list(depth_below(depth, place)?)?),
            Event::MappingStart(..) => Value::Map(self.map(depth_below(depth, place)?)?),
            _ => return Err(place.refuse(Code::Syntax, "a value was expected here")),
        };
        Ok(Node { place, value, comment })
    }

    /// The comment in the rest of a line.
    fn comment_after(&self, end: Marker) -> Option<&'a str> {
        let rest = self.text.get(end.byte_offset()?..)?;
        let rest = rest.lines().next()?.trim();
        rest.starts_with('#').then_some(rest)
    }

    /// The comment that is in the place of a value.
    fn comment_of_nothing(&self, key_end: Marker) -> Option<&'a str> {
        let rest = self.text.get(key_end.byte_offset()?..)?.lines().next()?;
        let rest = rest.split_once(':')?.1.trim();
        rest.starts_with('#').then_some(rest)
    }

    /// Refuses a node with an anchor or a tag, and an alias.
    fn plain_node(&mut self, event: &Event<'a>, span: Span) -> Result<(), Refusal> {
        if event.is_alias() {
            return Err(place(span.start).refuse(Code::Anchor, "`*` refers to another value"));
        }
        if event.anchor_id().is_some_and(|id| id > 0) {
            // The parser names the anchor right after its node.
            let (_, span) = self.event()?;
            return Err(place(span.start).refuse(Code::Anchor, "`&` names a value for use elsewhere"));
        }
        if let Some(tag) = event.tag() {
            let at = span.tag_start().unwrap_or(span.start);
            return Err(place(at).refuse(Code::Tag, format!("there is a tag, {}", shown(&tag.original()))));
        }
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node<'a>>, Refusal> {
        let mut nodes = Vec::new();
        loop {
            match self.event()? {
                (Event::SequenceEnd, _) => return Ok(nodes),
                first => nodes.push(self.node(first, depth)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Entry<'a>>, Refusal> {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut seen = Keys::default();
        loop {
            let first = match self.event()? {
                (Event::MappingEnd, _) => return Ok(entries),
                first => first,
            };
            let key_end = first.1.end;
            let (key, place) = key(self.node(first, depth)?)?;
            if seen.stood_before(&key, &entries) {
                return Err(duplicate(&key, place, &entries));
            }
            let first = self.event()?;
            let mut node = self.node(first, depth)?;
            if node.is_null() {
                node.comment = self.comment_of_nothing(key_end);
            }
            entries.push(Entry { key, place, node });
        }
    }

    fn scan_error(&self, error: &ScanError) -> Refusal {
        if let Some(tab) = self.indenting_tab(error) {
            let why = "a tab indents this line, and YAML allows only spaces there";
            return tab.refuse(Code::Syntax, why);
        }
        let at_end = error.marker().byte_offset().is_some_and(|at| at >= self.text.trim_end().len());
        let code = match error.kind() {
            ErrorKind::UnknownAnchor | ErrorKind::MissingAnchorOrAliasName => Code::Anchor,
            ErrorKind::RecursionLimitExceeded => Code::TooDeep,
            ErrorKind::MissingLowSurrogate
            | ErrorKind::InvalidLowSurrogate
            | ErrorKind::InvalidLowSurrogateHexEscape
            | ErrorKind::UnpairedLowSurrogate => Code::LoneSurrogate,
            ErrorKind::UndeclaredTagHandle
            | ErrorKind::InvalidTagTerminator
            | ErrorKind::MissingTagUri
            | ErrorKind::UnclosedVerbatimTag
            | ErrorKind::InvalidTagEscape => Code::Tag,
            ErrorKind::UnclosedFlowCollection { .. } | ErrorKind::UnclosedQuotedScalar => Code::CutOff,
            _ if at_end => Code::CutOff,
            _ => Code::Syntax,
        };
        let why = match code {
            Code::TooDeep => format!("values are nested more than {DEPTH_MAX} deep"),
            _ => error.info().to_owned(),
        };
        place(*error.marker()).refuse(code, why)
    }

    /// Where a tab is in the way. The parser names the text before it, which may be lines above, or what is behind it.
    fn indenting_tab(&self, error: &ScanError) -> Option<Place> {
        let reaches_below = match error.kind() {
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar => true,
            // A tab has ended the text of a `|` block.
            ErrorKind::ExpectedBlockMappingKey | ErrorKind::ExpectedBlockSequenceEntry => false,
            _ => return None,
        };
        let before = self.text.get(..error.marker().byte_offset()?)?;
        let mut start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        for line in self.text.get(start..)?.split_inclusive(['\n', '\r']) {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let tab = line.get(..indent)?.find('\t').filter(|_| !line.trim().is_empty());
            if let Some(tab) = tab {
                return Some(Place::of(self.text.as_bytes(), start + tab));
            }
            if !reaches_below {
                return None;
            }
            start += line.len();
        }
        None
    }
}

impl<'a> Iterator for Documents<'a> {
    type Item = Result<Node<'a>, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.document().transpose();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Finds a key that was before: by comparing while the map is small, as nearly all are, then by a set.
#[derive(Default)]
struct Keys(HashSet<String>);

impl Keys {
    fn stood_before(&mut self, key: &str, entries: &[Entry<'_>]) -> bool {
        const COMPARED_MAX: usize = 24;
        if entries.len() < COMPARED_MAX {
            return entries.iter().any(|entry| entry.key == key);
        }
        if self.0.is_empty() {
            self.0.extend(entries.iter().map(|entry| entry.key.to_string()));
        }
        !self.0.insert(key.to_owned())
    }
}

/// A key must be text: quoted, or plain and not null, a truth or a number.
fn key(node: Node<'_>) -> Result<(Cow<'_, str>, Place), Refusal> {
    let place = node.place;
    match node.value {
        Value::Scalar { text, plain: true } if text == "<<" => {
            Err(place.refuse(Code::MergeKey, "`<<` would merge another map into this one"))
        }
        Value::Scalar { text, plain }
            if !plain || matches!(scalar::meaning(&text), Some(Json::String(_))) =>
        {
            Ok((text, place))
        }
        Value::Scalar { text, .. } => {
            Err(place
                .refuse(Code::KeyNotText, format!("the key {} is not text; put it in quotes", shown(&text))))
        }
        Value::List(_) | Value::Map(_) => {
            Err(place.refuse(Code::KeyNotText, "a list or a map is used as a key"))
        }
    }
}

fn duplicate(key: &str, place: Place, entries: &[Entry<'_>]) -> Refusal {
    let line = entries.iter().find(|entry| entry.key == key).map_or(0, |entry| entry.place.line);
    place.refuse(Code::DuplicateKey, format!("the key {} is already on line {line}", shown(key)))
}

fn depth_below(depth: usize, place: Place) -> Result<usize, Refusal> {
    if depth < DEPTH_MAX {
        return Ok(depth + 1);
    }
    Err(place.refuse(Code::TooDeep, format!("values are nested more than {DEPTH_MAX} deep")))
}

fn place(marker: Marker) -> Place {
    Place { line: marker.line() as u64, column: marker.col() as u64 + 1 }
}
