//! What the words mean by which an end is known: the page about them has each sentence that the faces say.

use tasuki::engine::event::Proof;
use tasuki::engine::life::CompletionSource;
use tasuki::wire::message::evidence::{SOURCES, meaning};

#[test]
fn the_page_about_evidence_has_every_word_and_every_sentence() {
    let page = include_str!("../../docs/evidence.md");
    for source in SOURCES {
        let row = format!("| `{}` |", source.word());
        assert!(page.contains(&row), "{row}");
        let proofs = match source {
            CompletionSource::Person => vec![Proof::Person],
            CompletionSource::ProcessExit | CompletionSource::Idle => vec![Proof::Weak],
            CompletionSource::Marker | CompletionSource::Reply | CompletionSource::Hook => {
                vec![Proof::Strong, Proof::Weak]
            }
        };
        for proof in proofs {
            let row = format!("| `{}`, `{}` | {} |", source.word(), proof.word(), meaning(source, proof));
            assert!(page.contains(&row), "{row}");
        }
    }
    let said = meaning(CompletionSource::Marker, Proof::Strong);
    assert_eq!(said, "the agent printed its done marker with this task's token");
}
