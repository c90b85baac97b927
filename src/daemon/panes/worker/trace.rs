//! What a screen shows of a turn: its line, its claim, its answer, and what is where its line was.

use crate::daemon::panes::orders::Typed;
use crate::engine::screen::Screen;
use crate::engine::screen::answer;
use crate::engine::screen::answer::ScreenAnswer;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::echo;
use crate::engine::screen::echo::Echo;
use crate::engine::screen::marker;
use crate::engine::screen::marker::{Awaited, ClaimRows};
use crate::engine::screen::reading::{Frame, Rules};
use crate::io::mux::{PaneScreen, Rows};

/// How a terminal shows the key that has it show its input anew; that begins in the next row.
pub(super) const REPRINTED: &str = "^R";

/// Rows by which the place is found at which a line was typed that is not shown: those of the claim before, with its token, are among them.
const ANCHOR_ROWS: usize = 8;
/// With no more rows than these no history is full: what an empty pane has printed is there from its beginning.
const CERTAIN_ROWS: usize = 400;

/// Whether nothing in the line of a turn tells it from another turn's: no token, and no id of its message.
pub(super) fn is_bare(typed: &Typed) -> bool {
    typed.turn.token.is_none() && !typed.line.starts_with(HEAD)
}

/// The rows of a screen that are not empty at the end, as one text.
pub(super) fn text_of(screen: &PaneScreen) -> String {
    let text = screen.rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n");
    text.trim_end().to_owned()
}

/// Whether the turn's claim is on the screen.
pub(super) fn claims(screen: &PaneScreen, typed: &Typed) -> bool {
    with_rows(screen, |seen| find(seen, typed).is_some())
}

/// Whether the turn's line is among these rows.
pub(super) fn is_echoed(screen: &PaneScreen, typed: &Typed) -> bool {
    with_rows(screen, |seen| !echo::echoes(seen, &typed.line, typed.turn.token).is_empty())
}

/// How often the turn's line is among these rows, whatever is before it.
pub(super) fn count(screen: &PaneScreen, typed: &Typed) -> usize {
    with_rows(screen, |seen| echo::count(seen, &typed.line, typed.turn.token))
}

/// Whether the answer surely begins among these rows.
pub(super) fn is_whole(screen: &PaneScreen, typed: &Typed) -> bool {
    typed.stood == 0 && with_rows(screen, |seen| echo::is_certain(seen, &typed.line, typed.turn.token))
}

/// The answer to a turn, and its claim as it stands there.
pub(super) fn read_answer(screen: &PaneScreen, typed: &Typed) -> (ScreenAnswer, Option<ClaimRows>) {
    let with_line = with_line(screen, typed);
    with_rows(with_line.as_ref().unwrap_or(screen), |seen| {
        let echoes = echo::own_echoes(seen, &typed.line, typed.turn.token, typed.stood);
        let claim = find(seen, typed);
        let shown = claim.as_ref().map(|claim| claim.shown(seen));
        (answer::extract(seen, &echoes, claim.as_ref()), shown)
    })
}

/// The last rows that show something.
pub(super) fn last_rows(screen: &PaneScreen) -> Vec<String> {
    let shown = rows_shown(screen);
    let from = shown.len().saturating_sub(ANCHOR_ROWS);
    shown.iter().skip(from).map(|(_, row)| (*row).to_owned()).collect()
}

fn rows_shown(screen: &PaneScreen) -> Vec<(usize, &str)> {
    let rows = screen.rows.iter().map(|row| row.trim_end()).enumerate();
    rows.filter(|(_, row)| !row.is_empty()).collect()
}

/// The screen with the turn's line where a terminal that does not show it has read it: below what was there then. None where the line
/// is shown, or that is not found.
fn with_line(screen: &PaneScreen, typed: &Typed) -> Option<PaneScreen> {
    let above = typed.above.as_ref().filter(|_| !is_echoed(screen, typed))?;
    let mut screen = screen.clone();
    let shown = rows_shown(&screen);
    let mut below = 0;
    if let Some((last, before)) = above.split_last() {
        // The program may go on behind its prompt.
        let is_above = |rows: &[(usize, &str)]| {
            rows.split_last().is_some_and(|((_, end), rows)| {
                end.starts_with(last.as_str()) && rows.iter().map(|(_, row)| row).eq(before)
            })
        };
        let found = shown.windows(above.len()).find(|rows| is_above(rows))?;
        let (row, text) = found.last()?;
        let rest = text.get(last.len()..).unwrap_or_default().to_owned();
        below = row + usize::from(rest.is_empty());
        if !rest.is_empty() {
            screen.rows[below] = rest;
        }
    } else if screen.rows.len() > CERTAIN_ROWS {
        return None;
    }
    screen.rows.splice(..below, [typed.line.to_string()]);
    Some(screen)
}

/// Whether there is anything of a turn on a screen.
pub(super) fn traces(screen: &PaneScreen, typed: &Typed) -> bool {
    is_echoed(screen, typed) || claims(screen, typed)
}

/// How often a turn's line is on a screen whose rows are whole.
pub(super) fn echoes(screen: &PaneScreen, typed: &Typed) -> usize {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    echo::echoes(&Screen::lines(&rows), &typed.line, typed.turn.token).len()
}

/// How often a terminal has shown its input anew.
pub(super) fn reprints(screen: &PaneScreen) -> usize {
    screen.rows.iter().filter(|row| row.trim_end().ends_with(REPRINTED)).count()
}

/// The screen without the trace of that below the turn's line: it is no part of an answer.
pub(super) fn without_reprint(screen: &PaneScreen, typed: &Typed) -> PaneScreen {
    let mut screen = screen.clone();
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let echo = echo::own_echo(&Screen::lines(&rows), &typed.line, typed.turn.token, typed.stood);
    let below = echo.map_or(0, |echo| echo.last_row + 1);
    let found = rows.iter().enumerate().skip(below).find_map(|(at, row)| {
        let before = row.trim_end().strip_suffix(REPRINTED)?;
        Some((at, before.to_owned()))
    });
    match found {
        Some((at, before)) if before.is_empty() => drop(screen.rows.remove(at)),
        Some((at, before)) => screen.rows[at] = before,
        None => {}
    }
    screen
}

/// The screen without what its program had drawn at the bottom and left behind when the pane's size changed: between the turn's line
/// and its claim, or the input box that is there now. The rows below stay where they are.
pub(super) fn without_left_behind(screen: &PaneScreen, rules: &Rules, typed: &Typed) -> PaneScreen {
    without_drawn(screen, rules, typed, false)
}

/// The same without the input box that is there now, for what stood on a screen that was cleared since.
pub(super) fn without_all_drawn(screen: &PaneScreen, rules: &Rules, typed: &Typed) -> PaneScreen {
    without_drawn(screen, rules, typed, true)
}

fn without_drawn(screen: &PaneScreen, rules: &Rules, typed: &Typed, with_box: bool) -> PaneScreen {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let (echo, claim) = with_rows(screen, |seen| {
        let echo = echo::own_echo(seen, &typed.line, typed.turn.token, typed.stood);
        (echo, find(seen, typed).map(|claim| claim.start.row))
    });
    let frame = Frame { rows: &rows, title: None, cursor: None };
    let boxes = rules.input_box.as_ref().filter(|_| !with_box);
    let box_now = || boxes?.find(&frame).map(|found| found.rows.start);
    let from = echo.map_or(0, |echo| echo.last_row + 1);
    let until = claim.or_else(box_now).unwrap_or(rows.len()).max(from);
    let mut gone = vec![false; rows.len()];
    rules.left_behind(&rows, from..until).into_iter().for_each(|range| gone[range].fill(true));
    let stays = rows.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(row, _)| (*row).to_owned());
    let above = gone.iter().filter(|gone| **gone).map(|_| String::new());
    PaneScreen { rows: above.chain(stays).collect(), ..screen.clone() }
}

/// Whether a line in the input is this turn's.
pub(super) fn is_of(draft: &str, typed: &Typed) -> bool {
    typed.turn.token.map_or_else(|| draft.contains(&*typed.line), |token| draft.contains(token.as_str()))
}

/// Whether nothing is behind the line.
pub(super) fn is_whole_line(draft: &str, typed: &Typed) -> bool {
    draft.trim_end().ends_with(typed.line.trim_end())
}

/// What was before the turn's line when it was typed.
pub(super) fn prompt_of(screen: &PaneScreen, typed: &Typed) -> Option<String> {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let echo = echo::own_echo(&Screen::lines(&rows), &typed.line, typed.turn.token, typed.stood)?;
    let row = rows.get(echo.first_row)?.trim_end();
    // The words of a message have no head, and a long line goes on in the next row.
    let begins = |at: &usize| row.get(*at..).is_some_and(|shown| typed.line.starts_with(shown));
    let at = row.find(HEAD).or_else(|| (0..row.len()).find(begins))?;
    let prompt = row.get(..at)?.trim_end();
    (!prompt.is_empty()).then(|| prompt.to_owned())
}

/// An answer that is not only the prompt which its program shows again behind a claim without words.
pub(super) fn without_prompt(text: String, prompt: Option<&str>) -> String {
    if Some(text.as_str()) == prompt { String::new() } else { text }
}

/// Whether what is before the cursor is what was before the turn's line when it was typed: nothing, or the same prompt.
/// A question that the agent asks is there, too, or in the row above: what is typed would be taken for its answer.
pub(super) fn stands_where_it_stood(screen: &PaneScreen, typed: &Typed) -> bool {
    // Counted from below, for rows above the cursor may be joined.
    let from_below = usize::from(screen.height.saturating_sub(screen.cursor.1)).max(1);
    let Some(at) = screen.rows.len().checked_sub(from_below) else { return false };
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let (Some(row), Some(above)) = (rows.get(at).map(|row| row.trim_end()), rows.get(..at)) else {
        return false;
    };
    let echo = echo::own_echo(&Screen::lines(&rows), &typed.line, typed.turn.token, typed.stood);
    let printed = above.get(echo.map_or(0, |echo| echo.last_row + 1)..).unwrap_or_default();
    match prompt_of(screen, typed) {
        Some(prompt) => row == prompt,
        None => {
            row.is_empty()
                && !printed.iter().rev().find(|row| !row.trim().is_empty()).is_some_and(|row| asks(row))
        }
    }
}

/// Whether a row asks for something: `Remove it?`, `Remove it? [y/N]`, `Your name:`.
fn asks(row: &str) -> bool {
    let row = row.trim_end();
    let choice = row.strip_suffix([']', ')']).and_then(|row| row.rfind(['[', '(']));
    let before = choice.and_then(|at| row.get(..at)).map_or(row, str::trim_end);
    [row, before].iter().any(|row| row.ends_with(['?', '？', ':', '：']))
}

/// The same where nothing is known of its program's prompt: no prompt ends with `[Y/n]` or `(yes/no)`.
pub(super) fn is_yes_or_no(row: &str) -> bool {
    let row = row.trim_end().trim_end_matches([':', '?']).trim_end();
    let choice = row.strip_suffix([']', ')']).and_then(|row| row.rsplit_once(['[', '(']));
    choice.is_some_and(|(_, words)| {
        let words: Vec<String> = words.split('/').map(str::to_lowercase).collect();
        ["y", "yes"].contains(&words[0].as_str()) && words[1..].iter().any(|word| word == "n" || word == "no")
    })
}

/// The same where it is sure: it ends with a question mark, or with a choice such as `[Y/n]` or `(yes/no)`. A colon ends prompts, too.
pub(super) fn is_question(row: &str) -> bool {
    const CHOICE_CHARS_MAX: usize = 16;
    let row = row.trim_end().trim_end_matches(':').trim_end();
    let choice = row.strip_suffix([']', ')']).and_then(|row| row.rsplit_once(['[', '(']));
    let chooses = choice.is_some_and(|(_, words)| {
        words.contains('/')
            && !words.contains(char::is_whitespace)
            && words.chars().count() <= CHOICE_CHARS_MAX
    });
    chooses || row.ends_with(['?', '？'])
}

pub(super) fn ends_with_a_colon(row: &str) -> bool {
    row.trim_end().ends_with([':', '：'])
}

fn find(seen: &Screen<'_>, typed: &Typed) -> Option<marker::Claim> {
    let awaited = Awaited::new(&typed.phrase, typed.turn.token).ok()?;
    let after: Option<Echo> = echo::own_echo(seen, &typed.line, typed.turn.token, typed.stood);
    marker::find(seen, &awaited, after)
}

fn with_rows<T>(screen: &PaneScreen, f: impl FnOnce(&Screen<'_>) -> T) -> T {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    f(&match screen.given {
        Rows::Joined => Screen::lines(&rows),
        Rows::AsShown | Rows::Coloured => Screen::wrapped(&rows, usize::from(screen.width)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_or_no_is_told_from_prompts() {
        for row in ["Overwrite? [Y/n]", "消しますか (y/N): ", "Go on (yes/no)?", "Trust it? [Yes/No/All]"]
        {
            assert!(is_yes_or_no(row), "{row}");
        }
        for row in ["", "$", "[~/y/n]", "[y]", "y/n", "[main/no]", "What next?", "(1/2)", "[Y/n] >"] {
            assert!(!is_yes_or_no(row), "{row}");
        }
    }

    #[test]
    fn a_question_is_told_from_an_answer() {
        let questions = [
            "Remove it?",
            "Remove it? [y/N] ",
            "消しますか？",
            "Go on (yes/no)?",
            "Name:",
            "Go on? (y)",
            "[1]?",
        ];
        assert_eq!(questions.map(asks), [true; 7]);
        let answers =
            ["", "done", "I wonder? I do not.", "ok [1]", "(done)", "]", "all is well)", "終わり。", "$"];
        assert_eq!(answers.map(asks), [false; 9]);
    }
}
