//! How it is known that something happened, in plain words. The words themselves are those of `tasuki why` and of the files.

/// What says that a task is done.
const SOURCES: [(&str, &str); 6] = [
    ("marker", "it printed its done marker"),
    ("reply", "it answered with `tasuki reply` or a file"),
    ("hook", "a hook of its program said that it is done"),
    ("process_exit", "its program ended without an error"),
    ("idle", "it fell silent, which counts as done here"),
    ("person", "a person took what it had said for the answer"),
];

/// What says that a task has reached its agent.
const RECEIPTS: [(&str, &str); 5] = [
    ("enter_only", "Enter was pressed, and more cannot be seen"),
    ("echoed", "the line was on its screen, and Enter was pressed"),
    ("read", "its program took the line from the terminal"),
    ("recorded", "the line is in its own record of the session"),
    ("acknowledged", "it said so itself"),
];

/// What an answer is worth.
const PROOFS: [(&str, &str); 2] =
    [("token", "it showed this task's token, or its own key"), ("weak", "nobody showed a token or a key")];

/// Every word with what it means.
pub(super) fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOURCES.into_iter().chain(PROOFS).chain(RECEIPTS)
}

fn meaning(words: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// How an answer is known: what says that it is done, and what that is worth.
pub(super) fn answered(source: &str, proof: &str) -> String {
    let Some(how) = meaning(&SOURCES, source) else { return format!("by {source}, proof {proof}") };
    match (source, proof) {
        ("marker", "token") => format!("{how} with this task's token"),
        ("marker", "weak") => format!("{how} without a token"),
        ("reply", "token") => format!("{how}, with its own key or this task's token"),
        ("reply", "weak") => format!("{how}, without a key or a token"),
        _ => how.to_owned(),
    }
}

/// The evidence of a step.
pub(super) fn plain(evidence: &str) -> String {
    if let Some((source, proof)) = evidence.split_once(", proof: ") {
        return answered(source, proof);
    }
    let known = meaning(&RECEIPTS, evidence).or_else(|| meaning(&SOURCES, evidence));
    known.map_or_else(|| evidence.to_owned(), str::to_owned)
}

/// The sentence of a step without the words of its evidence, which is told in plain ones behind it.
pub(super) fn without_words(text: &str, evidence: &str) -> String {
    let (source, proof) = evidence.split_once(", proof: ").unwrap_or((evidence, ""));
    let inner = |before: &str| {
        let (head, found) = text.split_once(before)?;
        let (inner, behind) = found.split_once(')')?;
        let rest = inner.strip_prefix(source)?;
        let rest = rest.strip_prefix(&*format!(", proof: {proof}")).unwrap_or(rest);
        let rest = rest.trim_start_matches([',', ';', ' ']);
        let rest = if rest.is_empty() { String::new() } else { format!(" ({rest})") };
        Some(format!("{head}{rest}{behind}"))
    };
    inner(" (by ").or_else(|| inner(" (receipt: ")).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::life::{CompletionSource, Receipt};

    #[test]
    fn every_word_of_evidence_has_a_meaning() {
        use CompletionSource as Source;
        let sources =
            [Source::Reply, Source::Hook, Source::Marker, Source::ProcessExit, Source::Idle, Source::Person];
        let receipts =
            [Receipt::EnterOnly, Receipt::Echoed, Receipt::Read, Receipt::Recorded, Receipt::Acknowledged];
        let all =
            sources.iter().map(|source| source.word()).chain(receipts.iter().map(|receipt| receipt.word()));
        for word in all {
            assert_ne!(plain(word), word);
            assert!(words().any(|(known, _)| known == word), "{word}");
        }
        assert_eq!(plain("marker, proof: token"), "it printed its done marker with this task's token");
        assert_eq!(plain("screen, rule x"), "screen, rule x");
        assert_eq!(answered("other", "weak"), "by other, proof weak");
    }

    #[test]
    fn evidence_is_not_told_twice() {
        assert_eq!(without_words("was submitted (receipt: echoed)", "echoed"), "was submitted");
        assert_eq!(without_words("completed (by marker)", "marker, proof: token"), "completed");
        let empty = "completed (by marker, proof: weak, with nothing else said)";
        assert_eq!(without_words(empty, "marker, proof: weak"), "completed (with nothing else said)");
        let failed = "failed (by reply, proof: weak): no room (2 MB)";
        assert_eq!(without_words(failed, "reply, proof: weak"), "failed: no room (2 MB)");
        for text in ["is held: who (knows)", "completed (by marker)", ""] {
            assert_eq!(without_words(text, "on disk in 3 ms"), text);
        }
    }
}
