//! A refused plan, as whoever wrote it can put it right: the line itself, and a cure that speaks of plans.

use super::fields::Wrong;
use crate::engine::flow::asked::SEND_AGAIN;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::counted;
use std::fmt;

/// Characters of a line that are shown on each side of the place at fault.
const SHOWN_CHARS: usize = 60;

/// Mistakes that are told besides the first: more are of one kind, as a rule.
const OTHERS_MAX: usize = 20;

/// Why a plan, or the request of a debate, is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRefusal {
    /// The class, the place and what is wrong.
    pub refusal: Refusal,
    /// The line at fault, without what a terminal would obey; empty if no line is.
    pub line_text: String,
    /// What to do about it.
    pub cure: &'static str,
    /// What is wrong besides, behind it in the text.
    pub others: Vec<PlanRefusal>,
}

impl PlanRefusal {
    /// A refusal of what stands in this text.
    pub(in crate::wire::session) fn of(wrong: impl Into<Wrong>, bytes: &[u8]) -> Self {
        Self::cured(wrong, bytes, cure)
    }

    /// The same with the cures of what the text is.
    pub(in crate::wire) fn cured(
        wrong: impl Into<Wrong>,
        bytes: &[u8],
        cure: impl Fn(&Refusal) -> &'static str,
    ) -> Self {
        let Wrong { first, others } = wrong.into();
        let one = |refusal: Refusal| {
            let cure = cure(&refusal);
            Self::with(refusal, bytes, cure)
        };
        let left_out = others.len().saturating_sub(OTHERS_MAX);
        let mut shown: Vec<Self> = others.into_iter().take(OTHERS_MAX).map(one).collect();
        if left_out > 0 {
            let why = format!("and there is more that is wrong, in {}", counted(left_out, "place"));
            let refusal = Refusal::new(Code::TooMany, why);
            shown.push(Self::with(refusal, bytes, "put these right, and see the rest"));
        }
        Self { others: shown, ..one(first) }
    }

    /// With a cure of its own.
    pub(in crate::wire::session) fn with(refusal: Refusal, bytes: &[u8], cure: &'static str) -> Self {
        let line_text = refusal.line.map(|line| line_of(bytes, line, refusal.column.unwrap_or(1)));
        Self { line_text: line_text.unwrap_or_default(), refusal, cure, others: Vec::new() }
    }

    /// What an agent is told that wrote the plan: what is wrong, and what to send instead.
    #[must_use]
    pub fn feedback(&self) -> String {
        format!("No plan can be taken from your answer: {self}\n{SEND_AGAIN}")
    }
}

impl fmt::Display for PlanRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { line, column, why, .. } = &self.refusal;
        if let (Some(line), Some(column)) = (line, column) {
            write!(f, "line {line}, column {column}: ")?;
        }
        write!(f, "{why}{}", if why.ends_with('?') { "" } else { "." })?;
        if let Some(line) = line.filter(|_| !self.line_text.is_empty()) {
            write!(f, "\n  {line} | {}", self.line_text)?;
        }
        write!(f, "\nCure: {}.", self.cure)?;
        self.others.iter().try_for_each(|other| write!(f, "\n\n{other}"))
    }
}

impl std::error::Error for PlanRefusal {}

/// The line with this number, from 1, around a column: CR, LF and CR LF end a line, as they do for places.
fn line_of(bytes: &[u8], number: u64, column: u64) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut rest = text;
    for _ in 1..number {
        let Some(end) = rest.find(['\n', '\r']) else { return String::new() };
        let length = if rest.get(end..).is_some_and(|rest| rest.starts_with("\r\n")) { 2 } else { 1 };
        rest = rest.get(end + length..).unwrap_or_default();
    }
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let before = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(SHOWN_CHARS);
    let mut chars = line.chars().skip(before);
    let mut shown = if before > 0 { "…".to_owned() } else { String::new() };
    for c in chars.by_ref().take(2 * SHOWN_CHARS) {
        match c {
            '"' | '\'' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown.push_str(if chars.next().is_some() { "…" } else { "" });
    shown.trim_end().to_owned()
}

/// What to do about a class, where plans need other words than messages.
fn cure(refusal: &Refusal) -> &'static str {
    match refusal.code {
        Code::Empty | Code::Blank | Code::NotAMap => {
            "write `tasks:` and below it a list of tasks, each with `name:` and `description:`"
        }
        Code::Syntax => {
            "correct the YAML there: indent with spaces, not tabs; text with `: `, ` #` or a quote in it belongs in quotes or below `description: |`"
        }
        Code::CutOff => "close what is open there, and send the plan to its end",
        Code::TooLarge => "put long texts into files, and name their paths in the descriptions",
        Code::TooManyNodes | Code::GraphTooLarge => "make fewer tasks; another plan can follow this one",
        Code::TooManyDocuments => "write one plan, without a `---` in it",
        Code::Anchor => {
            "write the value out; text that begins with `&` or `*` belongs in quotes or below `description: |`"
        }
        Code::Tag => {
            "remove the `!tag`; text that begins with `!` belongs in quotes or below `description: |`"
        }
        Code::WrongType if refusal.field == Some("tasks") => {
            "write `tasks:` and below it a list of tasks, each with `name:` and `description:`"
        }
        Code::ContentEmpty if refusal.field == Some("tasks") => {
            "write one task at least, such as `- {name: Keys, description: Write src/keys.rs.}`"
        }
        Code::WrongType => "write it as the JSON Schema of plans has it (protocol/plan.schema.json)",
        Code::UnknownWord if refusal.field == Some(super::fields::KEY) => {
            "use one of the keys that a plan has, or take the line out"
        }
        Code::UnknownWord | Code::PathOutside if refusal.field == Some("expect") => refusal.cure(),
        Code::UnknownWord if refusal.field == Some("hire") => refusal.cure(),
        Code::UnknownWord => "use one of the words listed",
        Code::BadId => "call it `task-` and a number, such as task-1, or leave `id` out of all tasks",
        Code::IdConflict => "give each task an `id` of its own, or leave `id` out of all tasks",
        Code::Cycle => "take one of these dependencies out",
        Code::UnknownDependency if refusal.field == Some("worktree_strategy") => {
            "add the task whose worktree it has to `dependencies`, or leave `worktree_strategy` out"
        }
        Code::UnknownDependency if refusal.field == Some("share_with") => {
            "name one of its `dependencies` in `share_with:`"
        }
        Code::UnknownDependency => "name the `id` of a task of this plan",
        Code::ContentEmpty => {
            "write it in the task: `name:` is its title, `description:` all that its agent is to know"
        }
        Code::OutOfRange => "use a value within the range given",
        Code::BadCharacters => "write it in one line, and take invisible and control characters out",
        Code::PathOutside => "use paths below the repository, such as src/auth/**",
        Code::BadName if refusal.field == Some("model") => "write the name of the model alone",
        Code::NotYours if refusal.field == Some("share_with") => {
            "write `worktree_strategy: Shared`, or take `share_with` out"
        }
        Code::NotYours if refusal.field == Some("to") => refusal.cure(),
        Code::NotYours => "keep one of the two",
        _ => refusal.cure(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_around_its_place_and_tame() {
        assert_eq!(line_of("a\r\nb\rc\nd".as_bytes(), 3, 1), "c");
        assert_eq!(line_of(b"a\n", 2, 1), "");
        assert_eq!(line_of(b"a", 7, 1), "");
        assert_eq!(line_of("\u{feff}認証 \u{1b}[2J \"x\"".as_bytes(), 1, 1), "認証 \\u{1b}[2J \"x\"");
        let long = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let shown = line_of(long.as_bytes(), 1, 501);
        assert!(shown.contains("aXb") && shown.chars().count() == 122 && shown.starts_with('…'), "{shown}");
    }
}
