//! A pane whose size changes in the middle of a turn. On the main screen its program may leave behind what it had drawn, amid what it
//! says; on the alternate screen, which has no history, it may clear what it had said.

use super::session::Session;
use super::trace::{is_echoed, read_answer, without_all_drawn};
use crate::daemon::panes::orders::Typed;
use crate::engine::screen::answer::ScreenAnswer;
use crate::engine::screen::reading::{Rules, bare, rows_said_within};
use crate::io::mux::PaneScreen;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr;

/// Bytes that are kept of what was cleared in a turn, the last: more than a dozen full screens.
const CLEARED_BYTES_MAX: usize = 128 << 10;
/// Columns at the right edge that a row may leave free and be cut all the same: a wide character has no room in the last one.
const EDGE_COLUMNS: usize = 2;

/// What is known of the sizes that a pane had in a turn.
#[derive(Debug, Default)]
pub(super) struct Resizing {
    /// How often its size had changed when the turn's line was typed, or when an earlier one's was taken over that was typed at this
    /// size; none where that is not known.
    typed_at: Option<u64>,
    /// The alternate screen as it was when it last showed something new.
    last: Option<Arc<PaneScreen>>,
    /// What was said on it and has been cleared since.
    cleared: String,
}

impl Resizing {
    /// Forgets the screens of the turn before.
    pub(super) fn begin(&mut self) {
        (self.last, self.cleared) = (None, String::new());
    }

    /// The turn's line is about to be typed, or it was and the size is the same since; none if that is not known.
    pub(super) fn typed_at(&mut self, resized: Option<u64>) {
        self.typed_at = resized;
    }

    /// Whether the pane's size may have changed in the turn.
    pub(super) fn has_changed(&self, session: &Session) -> bool {
        self.typed_at != Some(session.resized())
    }

    /// Whether its program may clear what it has said when the size changes.
    pub(super) fn may_be_cleared(&self) -> bool {
        self.last.is_some()
    }

    /// Keeps what is seen of an alternate screen. `resized`: whether its size may have changed in the turn.
    ///
    /// A program hears of its new size when it comes to that, and may go on for a while before. So the size of a screen does not say
    /// whether it was drawn for that size. What counts is that nothing of what was said stands there any more.
    pub(super) fn sees(
        &mut self,
        screen: &Arc<PaneScreen>,
        typed: &Typed,
        rules: Option<&Rules>,
        resized: bool,
    ) {
        if !screen.alternate || self.last.as_ref().is_some_and(|last| shows_nothing_new(last, screen)) {
            return;
        }
        let Some(last) = self.last.replace(screen.clone()).filter(|_| resized) else { return };
        let was = match rules {
            Some(rules) => read_answer(&without_all_drawn(&last, rules, typed), typed),
            None => read_answer(&last, typed),
        };
        let was = uncut(&was.0.text, &self.cleared, last.width);
        let is_resized = (last.width, last.height) != (screen.width, screen.height);
        if is_resized || is_cleared(&was, &read_answer(screen, typed).0.text) {
            let above = if is_echoed(&last, typed) { "" } else { self.cleared.as_str() };
            self.cleared = end_of(joined(above, &was));
        }
    }

    /// An answer with what was seen of it before the alternate screen was cleared. What came between a look and the change nobody
    /// has seen: it stays one whose beginning may be missing.
    pub(super) fn joined(&self, answer: ScreenAnswer, screen: &PaneScreen, typed: &Typed) -> ScreenAnswer {
        if !screen.alternate || !answer.truncated || is_echoed(screen, typed) {
            return answer;
        }
        let below = uncut(&answer.text, &self.cleared, screen.width);
        ScreenAnswer { text: joined(&self.cleared, &below), ..answer }
    }
}

/// Whether each row of a screen is one of those before, or the beginning of one: tmux cuts an alternate screen when it gets smaller,
/// and its program may not have drawn it anew yet.
fn shows_nothing_new(before: &PaneScreen, screen: &PaneScreen) -> bool {
    let rows = |screen: &PaneScreen| {
        let rows = screen.rows.iter().map(|row| row.trim_end().to_owned());
        rows.filter(|row| !row.is_empty()).collect::<Vec<_>>()
    };
    let before = rows(before);
    let mut before = before.iter();
    rows(screen).iter().all(|row| before.any(|whole| whole.starts_with(row)))
}

/// Whether nothing of what was said is there now, however it is wrapped.
fn is_cleared(was: &str, now: &str) -> bool {
    let now: String = now.lines().map(bare).collect();
    let mut said = was.lines().map(bare).filter(|row| !row.is_empty()).peekable();
    said.peek().is_some() && said.all(|row| !now.contains(&row))
}

/// A text whose rows that reach the right edge of a screen are whole again, where they were seen whole.
fn uncut(text: &str, seen: &str, width: u16) -> String {
    let edge = usize::from(width).saturating_sub(EDGE_COLUMNS);
    let whole = |row: &str| {
        let is_cut = row.width() >= edge;
        let found = is_cut.then(|| seen.lines().find(|seen| seen.starts_with(row))).flatten();
        found.unwrap_or(row).to_owned()
    };
    text.lines().map(whole).collect::<Vec<_>>().join("\n")
}

/// The end of a text, from the beginning of a row on.
fn end_of(text: String) -> String {
    let from = text.len().saturating_sub(CLEARED_BYTES_MAX);
    if from == 0 {
        return text;
    }
    text.get(text.ceil_char_boundary(from)..)
        .and_then(|end| end.split_once('\n'))
        .map_or_else(String::new, |(_, rows)| rows.to_owned())
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

    /// What is seen of an alternate screen in a turn, one look after the other; each with its columns.
    fn seen(resizing: &mut Resizing, looks: &[(u16, &str)]) -> PaneScreen {
        let profiles = built_in_profiles();
        let rules = profiles["claude"].screen.as_deref();
        let shown = |(width, rows): &(u16, &str)| PaneScreen {
            rows: rows.lines().map(|row| row.replace("LINE", &format!("❯ {LINE}"))).collect(),
            cut: false,
            cursor: (0, 0),
            width: *width,
            height: 23,
            alternate: true,
            in_mode: false,
            dead: false,
            given: Rows::AsShown,
            title: String::new(),
        };
        looks.iter().for_each(|look| resizing.sees(&Arc::new(shown(look)), &typed(), rules, true));
        looks.last().map(shown).expect("a look")
    }

    fn answer_of(looks: &[(u16, &str)]) -> String {
        let mut resizing = Resizing::default();
        let last = seen(&mut resizing, looks);
        resizing.joined(read_answer(&last, &typed()).0, &last, &typed()).text
    }

    #[test]
    fn what_was_seen_before_a_program_cleared_its_screen_is_kept_whenever_it_did() {
        // It hears of its new size at once.
        let first = (200, "LINE\n● the first part of it all");
        assert_eq!(
            answer_of(&[first, (80, "● the second part of it all"), (200, "● the third part of it all")]),
            "the first part of it all\nthe second part of it all\nthe third part of it all"
        );
        // It hears of it when it has said something more, and clears that, too; the size is the same as before then.
        let late = (200, "● the second part of it all\n● the third part of it all");
        assert_eq!(
            answer_of(&[
                first,
                (80, "● the second part of it all"),
                late,
                (200, ""),
                (200, "● the fourth part of it all")
            ]),
            "the first part of it all\n● the second part of it all\n● the third part of it all\nthe fourth part of it all"
        );
        // Nobody has looked while it had the other size.
        assert_eq!(
            answer_of(&[first, (200, "● the third part of it all")]),
            "the first part of it all\nthe third part of it all"
        );
        // What was not drawn anew yet is cut by tmux: it shows nothing new, and its whole rows are kept.
        let wide = format!("● {}the end", "many words ".repeat(9));
        let whole = format!("LINE\n{wide}\n● more");
        let cut = format!("LINE\n{}\n● more", &wide[..80]);
        let more = format!("{cut}\n● the second part of it all");
        assert_eq!(
            answer_of(&[(200, &whole), (80, &cut), (80, "● the third part of it all")]),
            format!("{wide}\n● more\nthe third part of it all")
        );
        assert_eq!(
            answer_of(&[(200, &whole), (80, &cut), (80, &more), (80, "● the third part of it all")]),
            format!("{wide}\n● more\n● the second part of it all\nthe third part of it all")
        );
    }

    #[test]
    fn what_stays_on_the_screen_stands_once_and_no_box_among_it() {
        let bottom = format!("{0}\n❯ \n{0}\n  ⏸ manual mode on · ? for shortcuts", "─".repeat(60));
        let first = format!("LINE\n● the first part of it all\n\n✽ Osmosing… (3s)\n\n{bottom}");
        let grown = format!(
            "● the first part of it all\n\n● the second part of it all\n\n✽ Osmosing… (4s)\n\n{bottom}"
        );
        let last = format!("● the second part of it all\n\n● the third part of it all\n\n{bottom}");
        assert_eq!(
            answer_of(&[(200, &first), (80, &grown), (80, &last)]),
            "the first part of it all\nthe second part of it all\n\n● the third part of it all"
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
