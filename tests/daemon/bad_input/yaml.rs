//! Classes 1 to 22: what is no YAML, or more of it than is read.

use crate::bad_input::table::{Case, Then, fixtures};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = fixtures_without_made();
    cases.extend(large());
    // A hundred documents are taken, and one of them is as good as none.
    let many = "to: worker\ncontent: x\n---\n".repeat(101);
    cases.push(
        Case::refused(
            16,
            "16-too-many-documents.yaml",
            many,
            "too-many-documents",
            "more than 100 documents",
        )
        .in_document(100)
        .at(301, 1),
    );
    cases.push(
        Case::refused(13, "13-bomb.yaml", "to: &a [x, x]\ncontent: &b [*a, *a]\n", "anchor", "`&`").at(1, 5),
    );
    cases.push(
        Case::refused(11, "11-brackets.yaml", "[".repeat(200_000), "too-deep", "more than 32 deep")
            .at(1, 256),
    );
    cases
}

/// The classes 10, 12 and 22 are made, since they are large.
fn fixtures_without_made() -> Vec<Case> {
    [fixtures(1..=9), fixtures(11..=11), fixtures(13..=21)].concat()
}

fn large() -> Vec<Case> {
    let head = "to: worker\ncontent: x\nmetadata:\n  a: ";
    let file = |size: usize| format!("to: user\ntype: info\ncontent: {}\n", "x".repeat(size - 30));
    let nodes = |count: usize| format!("{head}[{}]\n", "1,".repeat(count - 9));
    let metadata = |size: usize| format!("{head}{}\n", "y".repeat(size - 8));
    vec![
        Case::refused(10, "10-too-large.yaml", file((1 << 20) + 1), "too-large", "at most 1048576 are read"),
        Case::done(10, "10-large-enough.yaml", file(1 << 20)),
        Case::refused(
            12,
            "12-too-many-nodes.yaml",
            nodes(10_001),
            "too-many-nodes",
            "more than 10000 values",
        )
        .at(4, 19_989),
        Case::done(12, "12-nodes-enough.yaml", nodes(10_000)),
        Case::refused(
            22,
            "22-metadata.yaml",
            metadata(65_537),
            "metadata-too-large",
            "at most 65536 are kept",
        )
        .at(4, 3),
        Case::done(22, "22-metadata-enough.yaml", metadata(65_536)),
    ]
}

impl Case {
    fn in_document(mut self, document: u64) -> Self {
        if let Then::Refused(refused) = &mut self.then {
            refused.document = document;
        }
        self
    }
}
