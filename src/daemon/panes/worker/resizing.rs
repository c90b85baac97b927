//! A pane whose size changes in the middle of a turn. On the main screen its program may leave behind what it had drawn, amid what it
//! says; on the alternate screen, which has no history, it may clear what it had said.

use super::session::Session;
use super::trace::{is_echoed, read_answer};
use crate::daemon::panes::orders::Typed;
use crate::engine::screen::answer::ScreenAnswer;
use crate::engine::screen::reading::rows_said_within;
use crate::io::mux::PaneScreen;
use std::sync::Arc;

/// Screens that are kept of one turn, the newest: somebody who drags the edge of a terminal makes one a look.
const SCREENS_MAX: usize = 16;

/// What is known of the sizes that a pane had in a turn.
#[derive(Debug, Default)]
pub(super) struct Resizing {
    /// How often its size had changed when the turn's line was typed; none where an earlier daemon typed it.
    typed_at: Option<u64>,
    /// The alternate screen as it was seen last, and before each change of its size.
    last: Option<Arc<PaneScreen>>,
    before: Vec<Arc<PaneScreen>>,
}

impl Resizing {
    /// Forgets the screens of the turn before.
    pub(super) fn begin(&mut self) {
        (self.last, self.before) = (None, Vec::new());
    }

    /// The turn's line is about to be typed; none if that was before this worker's time.
    pub(super) fn typed_at(&mut self, resized: Option<u64>) {
        self.typed_at = resized;
    }

    /// Whether the pane's size may have changed in the turn.
    pub(super) fn has_changed(&self, session: &Session) -> bool {
        self.typed_at != Some(session.resized())
    }

    /// Keeps what is seen of an alternate screen.
    pub(super) fn sees(&mut self, screen: &Arc<PaneScreen>) {
        if !screen.alternate {
            return;
        }
        let last = self.last.replace(screen.clone());
        let size = (screen.width, screen.height);
        if let Some(last) = last.filter(|last| (last.width, last.height) != size) {
            if self.before.len() >= SCREENS_MAX {
                self.before.remove(0);
            }
            self.before.push(last);
        }
    }

    /// An answer with what was seen of it before the alternate screen was cleared. What came between a look and the change nobody
    /// has seen: it stays one whose beginning may be missing.
    pub(super) fn joined(&self, answer: ScreenAnswer, screen: &PaneScreen, typed: &Typed) -> ScreenAnswer {
        if !screen.alternate || !answer.truncated || is_echoed(screen, typed) {
            return answer;
        }
        let from = self.before.iter().rposition(|before| is_echoed(before, typed)).unwrap_or(0);
        let seen = self.before.iter().skip(from).map(|before| read_answer(before, typed).0.text);
        let text = seen.chain([answer.text]).fold(String::new(), |above, below| joined(&above, &below));
        ScreenAnswer { text, ..answer }
    }
}

/// Two pieces of a text, of which the second may have some of the end of the first.
fn joined(above: &str, below: &str) -> String {
    let (rows, next): (Vec<&str>, Vec<&str>) = (above.lines().collect(), below.lines().collect());
    let own = rows.len() - rows_said_within(&rows, &next);
    rows[..own].iter().chain(&next).copied().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::panes::worker::trace::without_left_behind;
    use crate::engine::life::{Turn, TurnKind};
    use crate::engine::words::{MessageId, Token};
    use crate::io::mux::Rows;
    use crate::wire::team_file::built_in_profiles;

    const LINE: &str = "[tasuki] task msg-a1b2c3d4e5f6 from boss (token k7qf2m): read queue/active/msg-a1b2c3d4e5f6.yaml and do it.";

    fn typed() -> Typed {
        let token = Token::new("k7qf2m").ok();
        let turn = Turn { number: 1, kind: TurnKind::Task, token, redelivered: false };
        let id = MessageId::new("msg-a1b2c3d4e5f6").expect("an id");
        Typed { id, turn, line: LINE.into(), since: None, phrase: "OK".into(), stood: 0, above: None }
    }

    /// What a program of this profile answers that was drawn anew between these rows and those.
    fn answer(profile: &str, above: &str, below: &str) -> String {
        let prompt = if profile == "claude" { "❯" } else { "›" };
        let rows = format!("{prompt} {LINE}\n{above}\n{below}");
        let screen = PaneScreen {
            rows: rows.lines().map(|row| row.replace("----", &"─".repeat(60))).collect(),
            cut: false,
            cursor: (2, 20),
            width: 80,
            height: 23,
            alternate: false,
            in_mode: false,
            dead: false,
            given: Rows::AsShown,
            title: String::new(),
        };
        let profiles = built_in_profiles();
        let rules = profiles[profile].screen.as_deref().expect("rules");
        read_answer(&without_left_behind(&screen, rules, &typed()), &typed()).0.text
    }

    #[test]
    fn what_each_program_leaves_behind_is_known_by_its_profile() {
        let said = "Line 1 of it\n\n  Line 2 一つ目, and some words";
        let check = |profile: &str, above: &str, below: &str, what: &str| {
            assert_eq!(answer(profile, above, below), what, "{profile}");
        };
        check(
            "claude",
            &format!(
                "● {said}\n\n✽ Osmosing… (3s)\n  ⎿  Tip: Press Enter\n\n----\n❯ a draft\n  of two\n----\n  ⏸ manual mode on · esc to interrupt"
            ),
            "  Line 2 一つ目, and some words behind it.\n\n  OK k7qf2m\n\n✻ Baked for 9s · done\n  ⎿  Tip: Press Enter\n\n----\n❯ \n----\n  ⏸ manual mode on · ? for shortcuts",
            "Line 1 of it\n\nLine 2 一つ目, and some words behind it.",
        );
        check(
            "codex",
            &format!(
                "• {said}\n\n\n› Ask Codex to do anything\n\n  GPT-6-Sol default Fast · /tmp/x/work · Work\n  ← for agents · ? for shortcuts"
            ),
            "  Line 2 一つ目, and some words behind it.\n\n  OK k7qf2m\n\n› Ask Codex to do anything\n\n  GPT-6-Sol default Fast · /tmp/x/work · Work\n  ← for agents · ? for shortcuts    ⚠ 1 warning",
            "Line 1 of it\n\nLine 2 一つ目, and some words behind it.",
        );
        // Gemini takes its box away, and leaves what it was saying with its spinner.
        check(
            "gemini",
            &format!("✦ {said}\n\n\n ⠙ Thinking... (esc to cancel, 2s)          ? for shortcuts"),
            "  Line 2 一つ目, and some words behind it.\n\n  OK k7qf2m\n\n----\n Shift+Tab to accept edits\n▄▄▄▄▄▄▄▄▄\n >   Type your message or @path/to/file\n▀▀▀▀▀▀▀▀▀\n workspace (/directory)",
            "Line 1 of it\n\nLine 2 一つ目, and some words behind it.",
        );
        check(
            "qwen",
            "  ✦ Line 1 of it\n    Line 2\n\n  ⠧ Crafting a response (2s · esc to cancel)\n----\n>   Type your message or @path/to/file\n----\n  ? for shortcuts",
            "    Line 3\n    OK k7qf2m\n\n----\n>   Type your message or @path/to/file\n----\n  ? for shortcuts",
            "Line 1 of it\nLine 2\n\nLine 3",
        );
        check(
            "opencode",
            "Line 1 of it\n\nLine 2\n\n\n\n BUILD  ■■■■⬝⬝⬝⬝ esc interrupt           ctrl+p cmd",
            "Line 3\nOK k7qf2m\n\n▣ Build · 15.9s\n\n\n\n BUILD                       ctrl+p cmd",
            "Line 1 of it\n\nLine 2\nLine 3",
        );
    }

    #[test]
    fn what_two_screens_show_stands_once() {
        assert_eq!(joined("", "a"), "a");
        assert_eq!(joined("a", ""), "a");
        assert_eq!(
            joined("first\nthe second row, and", "the second row, and\nmore"),
            "first\nthe second row, and\nmore"
        );
        assert_eq!(joined("first", "second"), "first\nsecond");
        let (grown, seen) = (
            "the third line\nthe fourth line\nthe fifth line\nthe sixth line",
            "the fifth line\nthe sixth line",
        );
        assert_eq!(joined(seen, grown), grown, "a screen that has grown shows what was above, too");
        assert_eq!(joined(&format!("line one\n{seen}"), grown), format!("line one\n{grown}"));
    }
}
