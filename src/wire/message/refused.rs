//! What a file still tells that is refused: who sent it, and where the field is that is at fault.

use super::fields::Fields;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, Token};
use crate::wire::yaml::text;
use crate::wire::yaml::tree::Documents;

/// The sender that the refused document names, if it can be read so far. `document` is that of a refusal by
/// [`super::draft::read`].
#[must_use]
pub fn sender(bytes: &[u8], document: usize) -> Option<AgentName> {
    let node = Documents::of(text::read(bytes).ok()?).nth(document)?.ok()?;
    Fields::of(&node).ok()?.name("from").ok()?
}

/// The token on the first line that says `token:`, of a text that need not be YAML: whoever knows a token is its sender.
#[must_use]
pub fn token(bytes: &[u8]) -> Option<Token> {
    let mut lines = text::read(bytes).ok()?.lines();
    let value = lines.find_map(|line| line.trim_start().strip_prefix("token:"))?;
    let value = value.split('#').next().unwrap_or(value);
    Token::new(value.trim().trim_matches(['"', '\''])).ok()
}

/// What makes a text no YAML, with the line and column at which a person looks for it.
#[must_use]
pub fn fault(text: &str) -> Option<Refusal> {
    let fault = Documents::of(text).find_map(Result::err)?;
    matches!(fault.code, Code::Syntax | Code::CutOff).then_some(fault)
}

/// A refusal by the engine, which knows fields and no lines, with the line and column of its field. The engine counts
/// the documents that say something; here all count.
pub(crate) fn located(bytes: &[u8], mut refusal: Refusal) -> Refusal {
    let (None, Some(field)) = (refusal.line, refusal.field) else { return refusal };
    let Ok(text) = text::read(bytes) else { return refusal };
    let documents = Documents::of(text).map_while(Result::ok).enumerate();
    let Some((document, node)) = documents.filter(|(_, node)| !node.is_null()).nth(refusal.document) else {
        return refusal;
    };
    refusal.document = document;
    if let Some(place) = Fields::of(&node).ok().and_then(|fields| Some(fields.node(field)?.place)) {
        (refusal.line, refusal.column) = (Some(place.line), Some(place.column));
    }
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"---\n---\nfrom: boss\nto: x\n---\nto: y\nfrom: [z]\n---\nto: \"";

    #[test]
    fn a_refused_document_names_its_sender() {
        let name = |document| sender(FILE, document).map(|name| name.to_string());
        assert_eq!(
            [name(0), name(1), name(2), name(3), name(4)],
            [None, Some("boss".into()), None, None, None]
        );
        assert_eq!(sender(b"from: \xff", 0), None);
    }

    #[test]
    fn a_token_is_found_in_what_is_no_yaml() {
        let found = |text: &str| token(text.as_bytes()).map(|token| token.to_string());
        for text in
            ["to: [x\ntoken: k7qf2m\n", "token:   'k7qf2m' # mine\n\t: {", "a: \"\n  token: \"k7qf2m\"\r\n"]
        {
            assert_eq!(found(text).as_deref(), Some("k7qf2m"), "{text}");
        }
        for text in ["", "token: [", "token: abcdef\n", "a token: k7qf2m\n", "token: {k7qf2m"] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_field_is_found_in_the_document_that_is_meant() {
        let at = |document, field| {
            let refusal = Refusal { document, ..Refusal::new(Code::NoRoute, "why").at(field) };
            let found = located(FILE, refusal);
            (found.document, found.line.zip(found.column))
        };
        assert_eq!(at(0, "to"), (1, Some((4, 5))));
        assert_eq!(at(1, "to"), (2, Some((6, 5))));
        assert_eq!(at(1, "parent"), (2, None), "a field that is not there has no place");
        assert_eq!(at(2, "to"), (2, None), "nor has one that cannot be read");
    }
}
