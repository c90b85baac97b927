//! What a file still tells that is refused: who sent it, and where the field stands that is at fault.

use super::fields::Fields;
use super::text;
use super::tree::Documents;
use crate::engine::refusal::{Code, Refusal};
use crate::engine::words::AgentName;

/// The sender that the refused document names, if it can be read so far. `document` is that of a refusal by
/// [`super::draft::read`].
#[must_use]
pub fn sender(bytes: &[u8], document: usize) -> Option<AgentName> {
    let node = Documents::of(text::read(bytes).ok()?).nth(document)?.ok()?;
    Fields::of(&node).ok()?.name("from").ok()?
}

/// What makes a text no YAML, with the line and column at which a person looks for it.
pub(in crate::io) fn fault(text: &str) -> Option<Refusal> {
    let fault = Documents::of(text).find_map(Result::err)?;
    matches!(fault.code, Code::Syntax | Code::CutOff).then_some(fault)
}

/// A refusal by the engine, which knows fields and no lines, with the line and column of its field. The engine counts
/// the documents that say something; here all count.
pub(in crate::io) fn located(bytes: &[u8], mut refusal: Refusal) -> Refusal {
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
