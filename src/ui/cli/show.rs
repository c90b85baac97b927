//! `tasuki show`: one message with its content, its answer and its parts.

use super::ages::{Exact, age};
use super::context::{Context, Ended};
use super::dropping;
use super::failure::{Failure, Kind};
use super::inbox;
use super::list::{back_at, standing, table};
use super::look::look;
use super::marks::Letters;
use super::table::{harmless, harmless_lines};
use crate::engine::message::{self, Status};
use crate::engine::view::ONLY_THE_END;
use crate::engine::words::MessageId;
use crate::io::client::Client;
use crate::io::clock::Clock;
use crate::wire::api::{AnswerInfo, MessageDetails, MessageQuery};
use crate::wire::message::checked::{EvidenceInfo, expected};
use crate::wire::message::view::MessageView;
use crate::wire::time::rfc3339_ms;
use std::io::{IsTerminal, Write};

/// Shows a message: its content, its answer with evidence, and its parts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki show msg-a1b2c3d4e5f6
  tasuki show msg-a1b2c3d4e5f6 --answer > answer.md     only the answer's text, byte for byte
  tasuki show msg-a1b2c3d4e5f6 --json | jq -r .answer.proof

The line `done:` says how tasuki knows that, and behind `by` and `proof:` stand the words that files and logs have for it: \
docs/evidence.md explains each. `tasuki why ID` prints what happened to it.

Exit codes:
  1  with --answer: the message failed or was cancelled
  2  there is no such message
  4  with --answer: it has no answer yet")]
pub(super) struct Args {
    /// Message id
    id: MessageId,
    /// Print only the text of the answer, as it was given
    #[arg(long)]
    answer: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let question = MessageQuery { id: args.id.to_string() };
    let details = look(context, &workspace, &client, &question).map_err(|failure| {
        let lies = dropping::lies(&workspace, &args.id).filter(|_| failure.problem.code == "no-message");
        match lies {
            Some(lies) => Failure::new(Kind::Rejected, "not-accepted", lies, failure.problem.cure),
            None => failure,
        }
    })?;
    let details = details.answer;
    if details.answer.is_some() {
        inbox::answer_is_read(context, &workspace, &details.message);
    }
    if args.answer {
        return answer_alone(context, &details);
    }
    let letters = Letters::of(context, false);
    let now = rfc3339_ms(Clock::start().wall());
    context.tell(&details, || page(&details, letters, &now))
}

/// The answer's text, for a pipe. What the exit code says of it is said on the standard error.
fn answer_alone(context: &Context, details: &MessageDetails) -> Ended {
    let MessageDetails { message, answer, .. } = details;
    if let Some(answer) = answer {
        if context.globals.json {
            context.say_json(answer)?;
        } else {
            print_bytes(&answer.text)?;
        }
        if answer.truncated {
            context.remark(format!("note: {ONLY_THE_END}; its beginning is missing here"));
        }
    }
    let (id, status) = (&message.id, message.status);
    let why = format!("`tasuki why {id}` prints what happened");
    match status {
        Status::Completed if answer.is_some() => Ok(()),
        Status::Completed => {
            let kind = message.kind.word();
            let said = format!("{id} has no answer: nobody answers a message of type {kind}");
            Err(Failure::new(Kind::Rejected, "no-answer", said, why))
        }
        Status::Failed | Status::Cancelled => {
            let reason = message.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
            let said = match status {
                Status::Cancelled => {
                    format!("{id} was {}", message.reason.as_deref().unwrap_or("called off"))
                }
                _ => format!("{id} {}{reason}", status.word()),
            };
            Err(Failure::new(Kind::Failed, status.word(), said, why))
        }
        Status::Pending | Status::InProgress => {
            let said = format!("{id} has no answer yet: it is {}", standing(message).words);
            let cure = format!("wait until queue/results/{id}.yaml is there; {why}");
            Err(Failure::new(Kind::TimedOut, "no-answer-yet", said, cure))
        }
    }
}

/// As it is into a pipe; a terminal obeys nothing of it.
fn print_bytes(text: &str) -> Ended {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        writeln!(out, "{}", harmless_lines(text).trim_end_matches('\n'))?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    Ok(out.flush()?)
}

fn page(details: &MessageDetails, letters: Letters, now: &str) -> String {
    let MessageDetails { message, content, answer, part_messages: parts, said, .. } = details;
    let mut lines = vec![heading(message, letters, now)];
    lines.extend(ended(details).into_iter().map(|fact| format!("  {}", harmless(&fact))));
    lines.extend(facts(message).into_iter().map(|fact| format!("  {fact}")));
    if let Some(expect) = details.expect.as_deref() {
        lines.push(harmless(&format!("  expects {}", expected(expect).join(", "))));
    }
    lines.push(String::new());
    match content {
        Some(content) => lines.extend(text_of(content)),
        None => lines.push("  its content cannot be read any more".to_owned()),
    }
    for failed in &details.feedback {
        lines.push(String::new());
        lines.push(format!("a check of turn {} failed, {}:", failed.turn, failed.at));
        lines.extend(found(&failed.checks));
    }
    if let Some(answer) = answer {
        lines.push(String::new());
        lines.push(harmless(&headline(answer, &message.id)));
        if answer.text.trim().is_empty() {
            lines.push("  (no text)".to_owned());
        }
        lines.extend(text_of(&answer.text));
        if !answer.evidence.is_empty() {
            lines.push(String::new());
            lines.push("what was checked:".to_owned());
            lines.extend(found(&answer.evidence));
        }
    }
    if let Some(said) = said {
        lines.push(String::new());
        lines.push("what its agent had said before:".to_owned());
        lines.extend(text_of(said));
    }
    if !parts.is_empty() {
        lines.push(String::new());
        lines.push(table(parts, letters, now));
    }
    lines.join("\n")
}

fn heading(view: &MessageView, letters: Letters, now: &str) -> String {
    let MessageView { id, from, to, kind, .. } = view;
    let standing = standing(view);
    let since = age(Some(&standing.since), now, Exact::Seconds);
    let since = if view.status.has_ended() { format!("{since} ago") } else { format!("for {since}") };
    let back = back_at(&standing, now).map_or(String::new(), |back| format!(", {back}"));
    let place = view.place.as_ref().map_or(String::new(), |place| format!(", {}", place.words()));
    let parts = if view.parts > 0 { format!(" ({})", view.parts) } else { String::new() };
    let bold = anstyle::Style::new().bold();
    let (mark, words) = (letters.message(view), standing.words);
    format!(
        "{mark} {bold}{id}{bold:#}: {} from {from} to {to}; {words}{place}{parts} {since}{back}",
        kind.word()
    )
}

/// How it ended, in plain words, and what became of it since.
fn ended(details: &MessageDetails) -> Vec<String> {
    let MessageDetails { message, answer, retried_as, put_aside, .. } = details;
    let mut facts = Vec::new();
    match (message.status, &message.reason) {
        (Status::Failed, Some(reason)) => facts.push(format!("failed: {reason}")),
        (Status::Failed, None) => {
            let by = answer.as_ref().filter(|answer| answer.source.is_some());
            facts.extend(
                by.map(|answer| format!("failed: {} says so itself, see its error below", answer.from)),
            );
        }
        (Status::Cancelled, Some(reason)) => facts.push(reason.clone()),
        (Status::Completed, _) => {
            let meaning = answer.as_ref().and_then(|answer| answer.meaning.as_ref());
            facts.extend(meaning.map(|meaning| format!("done: {meaning}")));
        }
        _ => {}
    }
    facts.extend(retried_as.as_ref().map(|id| format!("tried again as {id}")));
    facts.extend(put_aside.as_ref().map(|at| format!("put aside {at}")));
    facts
}

/// What else is known of it, each in a line.
fn facts(view: &MessageView) -> Vec<String> {
    let mut facts = vec![format!("accepted {}", view.accepted_at)];
    if let Some(agent) = view.agent.as_ref().filter(|agent| **agent != view.to) {
        facts.push(format!("given to {agent}"));
    }
    let one = |word: &str, id: Option<&MessageId>| id.map(|id| format!("{word} {id}"));
    facts.extend(one("a part of", view.parent.as_ref()));
    facts.extend(one("answers", view.in_reply_to.as_ref()));
    facts.extend(one("repeats", view.retry_of.as_ref()));
    if !view.depends_on.is_empty() {
        let ids: Vec<&str> = view.depends_on.iter().map(MessageId::as_str).collect();
        facts.push(format!("after {}", ids.join(", ")));
    }
    let is_news = view.waits_for.as_ref() != view.reason.as_ref() && !view.status.has_ended();
    let reason = view.reason.as_ref().filter(|_| is_news);
    facts.extend(reason.map(|reason| harmless(&format!("reason: {reason}"))));
    facts.extend(view.waits_for.as_ref().map(|waits| harmless(&format!("waits for {waits}"))));
    if view.verified == Some(false) && !view.from.is_user() {
        facts.push("its sender did not prove who it is".to_owned());
    }
    facts
}

/// From whom an answer is, and how that is known.
fn headline(answer: &AnswerInfo, id: &MessageId) -> String {
    let AnswerInfo { from, at, kind, proof, .. } = answer;
    let by = answer.source.as_ref().map_or(String::new(), |source| format!(", by {source}, proof: {proof}"));
    let cut = if answer.truncated { format!("; {ONLY_THE_END}") } else { String::new() };
    let what = if *kind == message::Kind::Error { "error" } else { "answer" };
    format!("{what} to {id} from {from}{by}, {at}{cut}")
}

/// What checks found: a line each, and below one that failed its whole account.
fn found(checks: &[EvidenceInfo]) -> Vec<String> {
    let mut lines = Vec::new();
    for EvidenceInfo { check, passed, how, .. } in checks {
        let verdict = if *passed { "passed" } else { "failed" };
        let mut told = how.lines();
        lines.push(harmless(&format!("  {check} {verdict}: {}", told.next().unwrap_or_default())));
        if !passed {
            lines.extend(told.map(|line| format!("    {}", harmless(line))));
        }
    }
    lines
}

fn text_of(text: &str) -> Vec<String> {
    text.trim_end().lines().map(|line| format!("  {}", harmless(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_checked_is_told_in_a_line_and_what_failed_whole() {
        let check = |check: &str, passed, how: &str| EvidenceInfo {
            check: check.into(),
            passed,
            how: how.into(),
            ..EvidenceInfo::default()
        };
        let checks = [
            check("commit", true, "3f2a1b0: 足す 🎏\nand more"),
            check("command test", false, "exit code 101\n\u{1b}[31mfailed\u{1b}[0m: 1"),
            check("file a", false, ""),
        ];
        let told = [
            "  commit passed: 3f2a1b0: 足す 🎏",
            "  command test failed: exit code 101",
            "     [31mfailed [0m: 1",
            "  file a failed: ",
        ];
        assert_eq!(found(&checks).join("\n"), told.join("\n"));
    }
}
