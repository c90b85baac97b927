//! The rows at the bottom of `tui` mode: what is being said, what waits, the box or a dialog, the footer. Pure.

use super::dialog::Dialog;
use super::look::{Cursor, Look, Moment, Said};
use super::text::{columns, filled, wrap_cells, wrap_words};

/// Where an agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Starting,
    /// Ready, without a turn so far.
    Fresh,
    Idle,
    Busy,
    /// A turn is played, and something of it was said.
    Answering,
}

/// A spinner that turns.
#[derive(Debug, Clone)]
pub(super) struct Spin {
    /// How often it was turned.
    pub(super) step: usize,
    /// What is beside it.
    pub(super) text: String,
    /// For how many seconds it turns.
    pub(super) secs: u64,
}

/// What is to be seen at the bottom.
#[derive(Debug)]
pub(super) struct Bottom<'a> {
    pub(super) look: &'a Look,
    pub(super) stage: Stage,
    /// Text that is being streamed.
    pub(super) live: &'a str,
    /// Messages that wait for the end of the turn.
    pub(super) queued: Vec<&'a str>,
    pub(super) spin: Option<&'a Spin>,
    /// A dialog in place of the box.
    pub(super) dialog: Option<&'a Dialog>,
    /// What is before the input.
    pub(super) prompt: &'a str,
    /// What an empty box shows.
    pub(super) placeholder: &'a str,
    /// What was typed, as far as it is shown.
    pub(super) shown: String,
    /// What says that a turn is played.
    pub(super) sign: &'a str,
    /// A notice beside it.
    pub(super) notice: Option<&'a str>,
    /// For how many seconds the turn is played.
    pub(super) elapsed: u64,
}

/// Rows, and where the cursor is in them.
type Drawn = (Vec<String>, usize, usize);

impl Bottom<'_> {
    /// The rows, none wider than `width`, and the row and the column of the cursor. On a screen of `height` rows a
    /// long text shows its end only.
    pub(super) fn rows(&self, width: usize, height: usize) -> Drawn {
        let status = self.status(width);
        let footer = self.fill(self.of(|moment| moment.footer.as_deref()), width);
        let (input, queued) = (&self.look.input, &self.look.queued);
        let fixed = [status.len(), footer.len(), input.above.len(), input.below.len()].iter().sum::<usize>()
            + [queued.above.len(), queued.below.len()].iter().sum::<usize>();
        // Three texts may be long: what is live, what is queued, what is typed.
        let part = (height.saturating_sub(fixed + 1) / 3).max(1);
        let mut rows = Vec::new();
        if !self.live.is_empty() {
            let answer = &self.look.answer;
            rows = last(set_in(&printable(self.live), &answer.first, &answer.more, width), part);
        }
        rows.extend(self.waiting(width, part));
        rows.extend(status);
        if let Some(dialog) = self.dialog {
            rows.extend(dialog.above(width));
            rows.extend(last(dialog.rows(width), part.max(4)));
        } else if self
            .of(|moment| moment.shows_box.as_ref())
            .copied()
            .unwrap_or(self.stage != Stage::Starting)
        {
            return self.with_box((rows, footer), width, part);
        } else {
            rows.extend(footer);
            rows.push(String::new());
        }
        let end = rows.len().saturating_sub(1);
        (rows, end, 0)
    }

    /// The title of the pane, where the look says one.
    pub(super) fn title(&self) -> Option<String> {
        let asked = self.dialog.and_then(Dialog::title);
        let title = asked.or_else(|| self.of(|moment| moment.title.as_deref()))?;
        let title = self.fill_row(title, usize::MAX);
        Some(title.chars().filter(|c| !c.is_control()).collect())
    }

    /// What the look says of this moment: the first of those that say it, from the special to the general.
    fn of<'s, T: ?Sized>(&'s self, get: impl Fn(&'s Moment) -> Option<&'s T>) -> Option<&'s T> {
        let look = self.look;
        let moments = match self.stage {
            Stage::Starting => [None, Some(&look.starting), None],
            Stage::Fresh => [Some(&look.draft), Some(&look.fresh), Some(&look.idle)],
            Stage::Idle => [Some(&look.draft), None, Some(&look.idle)],
            Stage::Busy => [Some(&look.busy_draft), None, Some(&look.busy)],
            Stage::Answering => [Some(&look.busy_draft), Some(&look.answering), Some(&look.busy)],
        };
        let from = usize::from(self.shown.is_empty());
        moments.into_iter().skip(from).flatten().find_map(get)
    }

    fn status(&self, width: usize) -> Vec<String> {
        if let Some(rows) = self.of(|moment| moment.status.as_deref()) {
            let signed = |row: &&String| !(self.sign.is_empty() && row.contains("{sign}"));
            return rows.iter().filter(signed).map(|row| self.fill_row(row, width)).collect();
        }
        let row = |spin: &Spin| format!("{} {} {}s", self.look.picture(spin.step), spin.text, spin.secs);
        self.spin.map(|spin| cut(&row(spin), width)).into_iter().collect()
    }

    fn waiting(&self, width: usize, part: usize) -> Vec<String> {
        let queued = &self.look.queued;
        if self.queued.is_empty() {
            return Vec::new();
        }
        let each = |text: &&str| {
            let text = printable(text).replace('\n', " ");
            filled(&queued.row, width, &[("text", &text)])
        };
        let mut rows: Vec<String> = queued.above.iter().map(|row| filled(row, width, &[])).collect();
        rows.extend(last(self.queued.iter().map(each).collect(), part));
        rows.extend(queued.below.iter().map(|row| filled(row, width, &[])));
        rows
    }

    fn with_box(&self, around: (Vec<String>, Vec<String>), width: usize, part: usize) -> Drawn {
        let (mut rows, footer) = around;
        let input = &self.look.input;
        rows.extend(self.fill(Some(&input.above), width));
        let mut text = last(self.box_rows(width), part);
        let mut column = text.last().map_or(0, |row| columns(row)).min(width);
        let mut row = rows.len() + text.len().saturating_sub(1);
        let own = self.of(|moment| moment.placeholder.as_deref()).unwrap_or(self.placeholder);
        if !self.shown.is_empty() {
            if let Some(end) = text.last_mut() {
                end.push_str(&input.tail);
            }
        } else if !own.is_empty() {
            text = vec![cut(&format!("{}{own}", self.prompt), width)];
        }
        rows.extend(text);
        rows.extend(self.fill(Some(&input.below), width));
        rows.extend(footer);
        if input.cursor == Cursor::Below {
            (row, column) = (rows.len(), 0);
            rows.push(String::new());
        }
        (rows, row, column)
    }

    fn box_rows(&self, width: usize) -> Vec<String> {
        let shown = printable(&self.shown);
        let input = &self.look.input;
        let more = input.more.clone().unwrap_or_else(|| " ".repeat(columns(self.prompt)));
        let indent = columns(self.prompt).max(columns(&more)) + columns(&input.tail);
        let inner = width.saturating_sub(indent).max(2);
        let lines = shown.split('\n').flat_map(|line| wrap_cells(line, inner));
        behind(self.prompt, &more, lines)
    }

    fn fill(&self, rows: Option<&[String]>, width: usize) -> Vec<String> {
        rows.unwrap_or_default().iter().map(|row| self.fill_row(row, width)).collect()
    }

    fn fill_row(&self, row: &str, width: usize) -> String {
        let elapsed = self.elapsed.to_string();
        let notice = self.notice.and_then(|notice| notice.lines().next()).map(|line| format!("{line} · "));
        let (step, text) = self.spin.map_or((0, self.look.working.as_str()), |spin| (spin.step, &spin.text));
        let values = [
            ("spinner", self.look.picture(step)),
            ("text", text),
            ("sign", self.sign),
            ("elapsed", &elapsed),
            ("notice", notice.as_deref().unwrap_or_default()),
        ];
        printable(&filled(row, width, &values)).replace('\n', " ")
    }
}

/// A text as it stands above the box.
pub(super) fn said(said: &Said, text: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = said.above.iter().map(|row| filled(row, width, &[])).collect();
    rows.extend(set_in(text, &said.first, &said.more, width));
    rows.extend(said.below.iter().map(|row| filled(row, width, &[])));
    rows
}

/// The lines of `text` broken to `width`, the first after `first`, the others after `more`.
pub(super) fn set_in(text: &str, first: &str, more: &str, width: usize) -> Vec<String> {
    let inner = width.saturating_sub(columns(first).max(columns(more))).max(2);
    behind(first, more, text.lines().flat_map(|line| wrap_words(&line.replace('\t', "    "), inner)))
}

fn behind(first: &str, more: &str, rows: impl Iterator<Item = String>) -> Vec<String> {
    let before = |at: usize| if at == 0 { first } else { more };
    rows.enumerate().map(|(at, row)| before(at).to_owned() + &row).collect()
}

/// `text` without control characters, which would draw elsewhere.
fn printable(text: &str) -> String {
    text.replace('\t', "    ").chars().filter(|&c| c == '\n' || !c.is_control()).collect()
}

/// As much of `text` as is in one row.
fn cut(text: &str, width: usize) -> String {
    wrap_cells(&printable(text).replace('\n', " "), width).into_iter().next().unwrap_or_default()
}

fn last(mut rows: Vec<String>, count: usize) -> Vec<String> {
    let first = rows.len().saturating_sub(count);
    rows.drain(..first);
    rows
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::look::DialogLook;
    use super::*;

    fn bottom() -> Bottom<'static> {
        bottom_of(Box::leak(Box::default()))
    }

    fn bottom_of(look: &'static Look) -> Bottom<'static> {
        Bottom {
            look,
            stage: Stage::Idle,
            live: "",
            queued: Vec::new(),
            spin: None,
            dialog: None,
            prompt: "> ",
            placeholder: "",
            shown: "日本語 and more".to_owned(),
            sign: "esc to interrupt",
            notice: None,
            elapsed: 0,
        }
    }

    #[test]
    fn the_box_breaks_its_text_and_holds_the_cursor() {
        let (rows, row, column) = bottom().rows(10, 24);
        expect![[r"
            ──────────
            > 日本語 a
              nd more
            ──────────
              ? for sh"]]
        .assert_eq(&rows.join("\n"));
        assert_eq!((row, column), (2, 9));
    }

    #[test]
    fn an_empty_box_shows_its_placeholder_with_the_cursor_before_it() {
        let empty = Bottom { placeholder: "Ask 何でも", shown: String::new(), ..bottom() };
        let (rows, row, column) = empty.rows(20, 24);
        assert_eq!((rows[row].as_str(), column), ("> Ask 何でも", 2));
    }

    #[test]
    fn everything_at_once_stays_within_the_screen() {
        let dialog = Dialog::new("touch 日本\n".repeat(30), DialogLook::permission());
        let spin = Spin { step: 3, text: "Working…".to_owned(), secs: 9 };
        for height in 8..40 {
            let full = Bottom {
                live: &"streamed text 🙂 ".repeat(200),
                queued: vec!["[tasuki] task"; 60],
                spin: Some(&spin),
                notice: Some("limit\nreached"),
                stage: Stage::Busy,
                shown: "x".repeat(5_000),
                ..bottom()
            };
            let (rows, row, column) = full.rows(30, height);
            assert!(
                rows.len() <= height && row < rows.len() && column <= 30,
                "{height}: {} rows",
                rows.len()
            );
            assert!(rows.iter().all(|row| columns(row) <= 30), "{rows:?}");
            let (asked, ..) = Bottom { dialog: Some(&dialog), ..full }.rows(30, height);
            assert!(
                asked.len() <= height && asked.iter().any(|row| row == "❯ 1. Yes"),
                "{height}: {asked:?}"
            );
        }
    }

    #[test]
    fn a_moment_looks_as_the_most_special_of_its_looks_says() {
        let look: Look = serde_saphyr::from_str(
            "{working: Thinking, sign: '', spinner: [a, b], box: {above: [''], below: [''], tail: '|', cursor: below}, \
             idle: {title: rest, footer: ['i{fill: }r']}, fresh: {placeholder: Ask}, draft: {footer: [d]}, \
             busy: {title: '{spinner} work', status: ['{spinner} {text} {elapsed}s', '{sign}!']}, answering: {status: []}}",
        )
        .expect("a look");
        let look: &'static Look = Box::leak(Box::new(look));
        let check = |stage: Stage, shown: &str, rows: &str, title: &str| {
            let at = Bottom { stage, shown: shown.to_owned(), sign: "", elapsed: 7, ..bottom_of(look) };
            assert_eq!((at.rows(5, 24).0.join("/").as_str(), at.title().as_deref()), (rows, Some(title)));
        };
        check(Stage::Fresh, "", "/> Ask//i   r/", "rest");
        check(Stage::Idle, "", "/> //i   r/", "rest");
        check(Stage::Idle, "x", "/> x|//d/", "rest");
        check(Stage::Busy, "", "a Thi//> //", "a work");
        check(Stage::Answering, "", "/> //", "a work");
    }
}
