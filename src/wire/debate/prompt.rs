//! What a role is told in a round: its system prompt, what the round asks for, the task, and how to answer. The text is made when the
//! debate begins; what is known only when the role begins stands in it as marks, which [`fill`] replaces.
//!
//! A mark holds the debate's UUID, which is made after the request has come. So no task, prompt or file can have one in it. Texts of
//! roles can, and are put in without being looked through again.

mod outputs;
#[cfg(test)]
mod tests;
mod words;

pub use outputs::PriorOutput;

use super::request::{DebateRequest, RoleDefinition};
use super::shorten::{cap, shorten};
use crate::engine::flow::id::FlowId;
use crate::wire::team_file::Language;
use words::Words;

/// Most characters of a prompt where nothing else is known of the model: some 100,000 tokens of English, which leaves half of the
/// usual window of 200,000 for what a role reads itself.
pub const PROMPT_CHARS_DEFAULT: usize = 400_000;
/// The same for models on one's own machine: their usual window is 8,192 tokens.
pub const PROMPT_CHARS_LOCAL: usize = 24_000;

/// Most characters of a prompt for this provider and model.
#[must_use]
pub fn prompt_chars_max(provider: Option<&str>, model: Option<&str>) -> usize {
    let is_local = provider == Some("ollama")
        || model.is_some_and(|model| ["ollama/", "lmstudio/"].iter().any(|head| model.starts_with(head)));
    if is_local { PROMPT_CHARS_LOCAL } else { PROMPT_CHARS_DEFAULT }
}

/// Of which debate, role and round a text is.
#[derive(Debug, Clone, Copy)]
pub struct RoleStep<'a> {
    pub id: &'a FlowId,
    pub request: &'a DebateRequest,
    pub role: &'a RoleDefinition,
    pub round: u8,
    /// Most characters of the text, as [`prompt_chars_max`] says. Files are shortened to keep to it, and never the task.
    pub chars_max: usize,
}

/// A file that a role is shown in the first round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// As the request names it.
    pub path: String,
    pub text: String,
}

/// The text for a role in a round, with marks for what is known later. Files stand in the first round alone.
#[must_use]
pub fn step_text(step: &RoleStep<'_>, files: &[ContextFile]) -> String {
    let words = Words::of(step.request.language());
    let (name, rounds) = (&step.role.name, step.request.rounds);
    let mut parts = vec![step.role.system_prompt.trim_end().to_owned()];
    let is_last = step.round >= rounds;
    let head = words.round_head(step.round, rounds, is_last);
    parts.push(match (step.round, is_last) {
        (1, _) => format!("{head}\n\n{}", words.propose(name)),
        (_, false) => {
            format!(
                "{head}\n\n{}\n\n{}\n\n{}",
                words.outputs_so_far,
                outputs_mark(step.id),
                words.criticise(name)
            )
        }
        (_, true) => {
            format!(
                "{head}\n\n{}\n\n{}\n\n{}",
                words.outputs_of_all,
                outputs_mark(step.id),
                words.agree(name)
            )
        }
    });
    finish(step, &words, parts, if step.round == 1 { files } else { &[] })
}

/// The text for the one who is asked alone, to compare the debate with: all rounds' work in one answer.
#[must_use]
pub fn baseline_text(step: &RoleStep<'_>, files: &[ContextFile]) -> String {
    let words = Words::of(step.request.language());
    let head = format!("{}\n\n{}", words.alone_head, words.alone);
    finish(step, &words, vec![head], files)
}

/// The parts with the task, the files and the closing words behind them.
fn finish(step: &RoleStep<'_>, words: &Words, mut parts: Vec<String>, files: &[ContextFile]) -> String {
    parts.push(format!("{}\n\n{}", words.task_head, step.request.task.trim_end()));
    let closing = words.closing(&seconds_mark(step.id));
    if !files.is_empty() {
        // Two ends of lines behind each part.
        let taken: usize = parts.iter().chain([&closing]).map(|part| part.chars().count() + 2).sum();
        parts.push(context(words, files, step.chars_max.saturating_sub(taken)));
    }
    parts.push(closing);
    parts.join("\n\n") + "\n"
}

/// Room for a file's path and fences beside its text.
const FILE_FRAME_CHARS: usize = 40;

fn context(words: &Words, files: &[ContextFile], room: usize) -> String {
    let mut text = format!("{}\n\n{}", words.files_head, words.files);
    let paths: usize = files.iter().map(|file| file.path.chars().count() + FILE_FRAME_CHARS).sum();
    let lengths: Vec<usize> = files.iter().map(|file| file.text.chars().count()).collect();
    let most = cap(&lengths, room.saturating_sub(text.chars().count() + paths));
    for file in files {
        let path = file.path.replace(['`', '\n', '\r'], "");
        let short = shorten(file.text.trim_end(), most);
        let fence = outputs::fence(&short);
        text.push_str(&format!("\n\n`{path}`\n\n{fence}\n{short}\n{fence}"));
    }
    text
}

fn outputs_mark(id: &FlowId) -> String {
    format!("{{{{tasuki:outputs:{id}}}}}")
}

fn seconds_mark(id: &FlowId) -> String {
    format!("{{{{tasuki:seconds:{id}}}}}")
}

/// The debate whose marks a text has: those of its closing words, which stand behind whatever a user wrote.
#[must_use]
pub fn debate_of(text: &str) -> Option<FlowId> {
    let (_, behind) = text.rsplit_once("{{tasuki:seconds:")?;
    let (id, _) = behind.split_once("}}")?;
    FlowId::new(id).ok().filter(|found| found.as_str() == id)
}

/// What is known when a role begins.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    pub id: &'a FlowId,
    pub language: Language,
    /// What was said in the rounds before, by round and role.
    pub outputs: &'a [PriorOutput<'a>],
    /// Until the role's time is up.
    pub seconds_left: u64,
    /// Most characters of the whole, as [`prompt_chars_max`] says.
    pub chars_max: usize,
}

/// The text that a role gets, and notes on what had no room in it. What was said before is data there: JSON in one block.
#[must_use]
pub fn fill(text: &str, filling: &Filling<'_>) -> (String, Vec<String>) {
    let text = text.replace(&seconds_mark(filling.id), &filling.seconds_left.to_string());
    let (before, behind) = match text.split_once(&outputs_mark(filling.id)) {
        Some(parts) => parts,
        None if filling.outputs.is_empty() => return (text, Vec::new()),
        // A person has written the text anew; what was said before still belongs to it.
        None => (text.as_str(), ""),
    };
    let before = if behind.is_empty() { format!("{}\n\n", before.trim_end()) } else { before.to_owned() };
    let taken = before.chars().count() + behind.chars().count();
    let room = filling.chars_max.saturating_sub(taken);
    let (block, mut notes) = outputs::block(&Words::of(filling.language), filling.outputs, room);
    let filled = [&before, &*block, behind].concat();
    let length = filled.chars().count();
    if length > filling.chars_max {
        notes.push(format!(
            "the prompt has {} characters, and {} may be read by the model",
            super::shorten::grouped(length),
            super::shorten::grouped(filling.chars_max)
        ));
    }
    (filled, notes)
}
