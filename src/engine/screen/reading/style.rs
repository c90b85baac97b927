//! Rows with their colours, as `capture-pane -e` gives them: some programs mark a choice by colour alone, and tell their own
//! words in an input box from somebody's by drawing them faint.

/// A row without its sequences, and how each of its characters is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledRow {
    pub text: String,
    /// A number for the background of each character: the same number is the same colour within one row.
    backgrounds: Vec<usize>,
    /// Whether each is faint, or drawn as a cursor is.
    faint: Vec<bool>,
    cursor: Vec<bool>,
    bold: Vec<bool>,
}

/// What is set: the background in the words of the sequence that set it, and what makes a text faint or bold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Ground {
    colour: String,
    reversed: bool,
    faint: bool,
    bold: bool,
    /// Bright black, which is how some draw what is faint.
    grey: bool,
}

impl StyledRow {
    /// Reads rows of one capture, the first of them first: what is set at the end of a row is set at the beginning of the next.
    pub fn read_all<'a>(rows: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let mut ground = Ground::default();
        rows.into_iter().map(|row| Self::read_from(row, &mut ground)).collect()
    }

    fn read_from(row: &str, ground_now: &mut Ground) -> Self {
        let mut styled = Self::default();
        let mut seen = vec![Ground::default().back()];
        let mut now = place_of(ground_now, &mut seen);
        let mut rest = row;
        while let Some(c) = rest.chars().next() {
            if let Some((codes, behind)) = rest.strip_prefix("\u{1B}[").and_then(sequence) {
                if let Some(codes) = codes {
                    *ground_now = ground_now.changed(codes);
                    now = place_of(ground_now, &mut seen);
                }
                rest = behind;
                continue;
            }
            if !c.is_control() {
                styled.text.push(c);
                styled.backgrounds.push(now);
                styled.faint.push(ground_now.faint || ground_now.grey);
                styled.cursor.push(ground_now.reversed);
                styled.bold.push(ground_now.bold);
            }
            rest = &rest[c.len_utf8()..];
        }
        styled
    }

    /// Its text with spaces in place of what is drawn faint, and of a cursor that is on it.
    #[must_use]
    pub fn without_faint(&self) -> String {
        let is_faint = |at: usize| self.faint.get(at).copied().unwrap_or_default();
        let under_cursor = |at: usize| self.cursor[at] && is_faint(at + 1);
        let blank = |(at, c): (usize, char)| if is_faint(at) || under_cursor(at) { ' ' } else { c };
        self.text.chars().enumerate().map(blank).collect()
    }

    /// Whether all that it says is bold.
    #[must_use]
    pub fn is_bold(&self) -> bool {
        let mut said = self.text.chars().zip(&self.bold).filter(|(c, _)| !c.is_whitespace()).peekable();
        said.peek().is_some() && said.all(|(_, bold)| *bold)
    }

    /// Whether what begins at this character is on another background than what is before it: its row may stand in a box
    /// that has a background of its own.
    #[must_use]
    pub fn is_raised(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.backgrounds.get(before));
        before.is_some_and(|before| self.backgrounds.get(at).is_some_and(|ground| ground != before))
    }

    /// Which of these stretches of bytes of its text is on another background than all the others, if just one does.
    #[must_use]
    pub fn stands_out(&self, stretches: &[std::ops::Range<usize>]) -> Option<usize> {
        let ground = |stretch: &std::ops::Range<usize>| {
            let before = self.text.get(..stretch.start)?.chars().count();
            let within = self.text.get(stretch.clone())?.chars().count();
            let grounds = self.backgrounds.get(before..before + within)?;
            let first = *grounds.first()?;
            grounds.iter().all(|ground| *ground == first).then_some(first)
        };
        let grounds: Vec<usize> = stretches.iter().map(ground).collect::<Option<_>>()?;
        // What the row begins and ends with is the ground that nothing marked is on, unless the last one is marked.
        let inside = |at: usize| stretches.iter().any(|stretch| stretch.contains(&at));
        let last = self.text.char_indices().next_back().map_or(0, |(at, _)| at);
        if !inside(0) && !inside(last) {
            let plain = [self.backgrounds.first(), self.backgrounds.last()];
            let mut marked = (0..grounds.len()).filter(|at| !plain.contains(&Some(&grounds[*at])));
            if let (Some(at), None) = (marked.next(), marked.next()) {
                return Some(at);
            }
        }
        let count = |wanted: usize| grounds.iter().filter(|ground| **ground == wanted).count();
        let mut alone = (0..grounds.len()).filter(|at| count(grounds[*at]) == 1);
        // Of two that differ from each other it cannot be told which is the marked one, unless one is on none.
        match (alone.next(), alone.next(), grounds.len()) {
            (Some(at), None, 2..) => Some(at),
            (Some(first), Some(second), 2) => match (grounds[first], grounds[second]) {
                (0, _) => Some(second),
                (_, 0) => Some(first),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The number of a background.
fn place_of(ground: &Ground, seen: &mut Vec<(String, bool)>) -> usize {
    let back = ground.back();
    seen.iter().position(|one| *one == back).unwrap_or_else(|| {
        seen.push(back);
        seen.len() - 1
    })
}

/// What a sequence sets, if it sets colours, and what is behind it; none if it does not end.
fn sequence(rest: &str) -> Option<(Option<&str>, &str)> {
    let end = rest.find(|c: char| matches!(c, '@'..='~'))?;
    let (codes, behind) = (&rest[..end], &rest[end + 1..]);
    Some((rest[end..].starts_with('m').then_some(codes), behind))
}

impl Ground {
    /// What is seen behind a text.
    fn back(&self) -> (String, bool) {
        (self.colour.clone(), self.reversed)
    }

    fn changed(&self, codes: &str) -> Self {
        let mut ground = self.clone();
        let mut codes = codes.split([';', ':']);
        while let Some(code) = codes.next() {
            match code.parse().unwrap_or(0) {
                0 => ground = Self::default(),
                1 => ground.bold = true,
                2 => ground.faint = true,
                22 => (ground.bold, ground.faint) = (false, false),
                90 => ground.grey = true,
                30..=37 | 39 | 91..=97 => ground.grey = false,
                7 => ground.reversed = true,
                27 => ground.reversed = false,
                49 => ground.colour.clear(),
                40..=47 | 100..=107 => code.clone_into(&mut ground.colour),
                set @ (38 | 48) => {
                    let kind = codes.next().unwrap_or_default();
                    let numbers = if kind == "2" { 3 } else { 1 };
                    let colour: Vec<&str> = codes.by_ref().take(numbers).collect();
                    let colour = format!("{kind};{}", colour.join(";"));
                    if set == 48 {
                        ground.colour = colour;
                    } else {
                        ground.grey = colour == "5;8";
                    }
                }
                _ => {}
            }
        }
        ground
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As OpenCode 1.18.33 draws it.
    const ROW: &str = "  \u{1b}[48;5;6m \u{1b}[38;2;21;46;71mAllow once\u{1b}[38;2;255;255;255m \u{1b}[48;2;15;23;42m  \
                       \u{1b}[38;5;8mAllow always\u{1b}[38;2;255;255;255m   \u{1b}[38;5;8mReject   襷";

    fn read(row: &str) -> StyledRow {
        StyledRow::read_all([row]).remove(0)
    }

    fn marked(row: &str, words: &[&str]) -> Option<usize> {
        let styled = read(row);
        let stretch = |word: &&str| styled.text.find(word).map(|at| at..at + word.len()).unwrap();
        styled.stands_out(&words.iter().map(stretch).collect::<Vec<_>>())
    }

    #[test]
    fn the_one_on_another_background_is_the_marked_one() {
        assert_eq!(read(ROW).text, "   Allow once   Allow always   Reject   襷");
        assert_eq!(marked(ROW, &["Allow once", "Allow always", "Reject"]), Some(0));
        let next = "   \u{1b}[38;5;8mAllow once\u{1b}[38;2;255;255;255m  \u{1b}[48;5;6m \u{1b}[38;2;21;46;71mAllow always\
                    \u{1b}[38;2;255;255;255m \u{1b}[48;2;15;23;42m  \u{1b}[38;5;8mReject\u{1b}[38;2;255;255;255m   x";
        assert_eq!(marked(next, &["Allow once", "Allow always", "Reject"]), Some(1));
        assert_eq!(marked(" Once  Always  Reject ", &["Once", "Always", "Reject"]), None);
        assert_eq!(marked("Yes  \u{1b}[7mNo\u{1b}[27m", &["Yes", "No"]), Some(1));
        assert_eq!(marked("Yes  \u{1b}[44mNo\u{1b}[49m", &["Yes", "No"]), Some(1));
        assert_eq!(marked("Yes  No", &["Yes", "No"]), None);
        assert_eq!(marked("\u{1b}[41mYes\u{1b}[42mNo", &["Yes", "No"]), None);
        assert_eq!(marked("\u{1b}[41mA\u{1b}[42mB\u{1b}[43mC", &["A", "B", "C"]), None);
        assert_eq!(marked("A\u{1b}[42mB", &["A"]), None);
    }

    #[test]
    fn what_is_faint_is_blank_and_what_somebody_wrote_is_not() {
        let blank = |row: &str| read(row).without_faint().trim_end().to_owned();
        assert_eq!(blank("\u{1b}[1m›\u{1b}[0m \u{1b}[2mAsk Codex"), "›");
        assert_eq!(blank("❯ \u{1b}[7mr\u{1b}[0;2mun the tests\u{1b}[22m"), "❯");
        assert_eq!(blank("\u{1b}[38;5;8mAsk anything...\u{1b}[38;2;255;255;255m x"), "                x");
        assert_eq!(blank("❯ run\u{1b}[7m \u{1b}[0m"), "❯ run");
        assert_eq!(blank("❯ \u{1b}[2m\u{1b}[22mrun"), "❯ run");
        assert_eq!(blank("❯ \u{1b}[90mrun\u{1b}[39m it"), "❯     it");
    }

    #[test]
    fn what_is_set_goes_on_in_the_next_row() {
        let rows =
            ["a \u{1b}[1;38;5;1mBad request", "襷 yet", "\u{1b}[22mplain", "\u{1b}[2mfaint", "  faint too"];
        let rows = StyledRow::read_all(rows);
        assert_eq!(
            rows.iter().map(StyledRow::is_bold).collect::<Vec<_>>(),
            [false, true, false, false, false]
        );
        assert_eq!(rows[4].without_faint().trim(), "");
        let ground = StyledRow::read_all(["\u{1b}[44m x", "Yes  \u{1b}[49mNo"]);
        assert_eq!(ground[1].stands_out(&[0..3, 5..7]), Some(0));
        assert!(!read("  ").is_bold());
        assert!(!read("\u{1b}[1m").is_bold());
    }

    #[test]
    fn any_text_is_a_row() {
        for row in ["", "\u{1b}[", "\u{1b}[38;2", "\u{1b}[48;5;m襷", "\u{1b}[999999999999m", "a\u{7}b"] {
            let styled = read(row);
            assert_eq!(styled.text.chars().count(), styled.backgrounds.len(), "{row:?}");
        }
    }
}
