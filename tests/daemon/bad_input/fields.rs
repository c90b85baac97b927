//! Classes 23 to 38: fields that are missing, wrong, or name what is not there.

use crate::bad_input::table::{Case, fixtures};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = [fixtures(23..=25), fixtures(27..=27), fixtures(29..=35), fixtures(38..=38)].concat();
    let escapes = |count: usize| format!("to: user\ntype: info\ncontent: \"x{}\"\n", "\\L".repeat(count));
    cases.extend([
        Case::refused(
            28,
            "28-unknown-agent.yaml",
            "to: wroker\ncontent: x\n",
            "unknown-agent",
            "there is no agent or pool called wroker; the names are: boss, neighbour, worker, user",
        )
        .at(1, 5),
        Case::refused(
            28,
            "28-unknown-sender.yaml",
            "to: worker\ncontent: x\nfrom: ghost\n",
            "unknown-agent",
            "there is no agent or pool called ghost",
        )
        .at(3, 7),
        Case::refused(
            36,
            "36-content.yaml",
            escapes(349_526),
            "content-too-large",
            "at most 1048576 are taken",
        )
        .at(3, 10),
        Case::done(36, "36-content-enough.yaml", escapes(349_525)),
        Case::refused(
            37,
            "37-unknown-reply.yaml",
            "from: worker\nto: boss\ntype: result\nin_reply_to: msg-nowhere\ncontent: x\n",
            "unknown-reply",
            "there is no message msg-nowhere",
        )
        .at(4, 14),
        Case::refused(
            37,
            "37-reply-missing.yaml",
            "from: user\nto: boss\ntype: result\ncontent: x\n",
            "reply-missing",
            "must say which task it answers",
        ),
    ]);
    cases
}
