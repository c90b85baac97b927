//! A dialog that waits for a person, as the CLIs show before they run a command or work in a new folder. Pure.

use super::keys::Key;
use super::look::{Answer, DialogLook};
use super::text::{columns, filled, wrap_words};

/// A dialog that is open.
#[derive(Debug, Clone)]
pub(super) struct Dialog {
    text: String,
    look: DialogLook,
    /// The choice that Enter takes.
    at: usize,
}

impl Dialog {
    pub(super) fn new(text: String, look: DialogLook) -> Self {
        Self { text, look, at: 0 }
    }

    /// The title of the pane meanwhile, if it has one.
    pub(super) fn title(&self) -> Option<&str> {
        self.look.title.as_deref()
    }

    /// What a key does: an answer, or nothing yet. A paste does nothing; each typed character is a key of its own.
    pub(super) fn key(&mut self, key: &Key) -> Option<Answer> {
        match key {
            Key::Enter => Some(self.highlighted()),
            Key::Escape | Key::Interrupt => Some(self.refusal()),
            Key::Up => {
                self.at = self.at.saturating_sub(1);
                None
            }
            Key::Down => {
                self.at = (self.at + 1).min(self.look.choices.len().saturating_sub(1));
                None
            }
            Key::Text(text) => text.chars().find_map(|c| self.letter(c)),
            _ => None,
        }
    }

    /// What a whole line says, where lines are all that comes.
    pub(super) fn line(&self, line: &str) -> Answer {
        let line = line.trim().to_lowercase();
        match line.as_str() {
            "" => self.highlighted(),
            "y" | "yes" => Answer::Allow,
            _ => match line.parse::<usize>() {
                Ok(number) => self.choice(number.wrapping_sub(1)).unwrap_or_else(|| self.refusal()),
                Err(_) => self.refusal(),
            },
        }
    }

    /// The dialog in rows of at most `cols` columns, without what is above it.
    pub(super) fn rows(&self, cols: usize) -> Vec<String> {
        let look = &self.look;
        let fixed = |rows: &[String]| rows.iter().map(|row| filled(row, cols, &[])).collect::<Vec<_>>();
        let inner =
            cols.saturating_sub(columns(&look.row.replace("{text}", "").replace("{fill: }", ""))).max(2);
        let text = self.text.lines().flat_map(|line| wrap_words(line, inner));
        let mut rows: Vec<String> = text.map(|text| filled(&look.row, cols, &[("text", &text)])).collect();
        rows.extend(fixed(&look.question));
        let blank = " ".repeat(columns(&look.mark));
        let choices = look.choices.iter().filter(|_| !look.choice.is_empty()).enumerate();
        rows.extend(choices.map(|(at, choice)| {
            let mark = if at == self.at { &look.mark } else { &blank };
            let number = (at + 1).to_string();
            filled(&look.choice, cols, &[("mark", mark), ("number", &number), ("label", &choice.label)])
        }));
        rows.extend(fixed(&look.below));
        rows
    }

    /// What is above it.
    pub(super) fn above(&self, cols: usize) -> Vec<String> {
        self.look.above.iter().map(|row| filled(row, cols, &[])).collect()
    }

    fn letter(&self, c: char) -> Option<Answer> {
        match c.to_ascii_lowercase() {
            'y' => Some(Answer::Allow),
            'n' => Some(self.refusal()),
            c => self.choice(usize::try_from(c.to_digit(10)?.checked_sub(1)?).ok()?),
        }
    }

    fn highlighted(&self) -> Answer {
        self.choice(self.at).unwrap_or(Answer::Deny)
    }

    fn refusal(&self) -> Answer {
        let leaves = self.look.choices.iter().any(|choice| choice.does == Answer::Leave);
        if leaves { Answer::Leave } else { Answer::Deny }
    }

    fn choice(&self, at: usize) -> Option<Answer> {
        self.look.choices.get(at).map(|choice| choice.does)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_lines_answer_a_dialog() {
        let permission = || Dialog::new("rm -rf 日本".to_owned(), DialogLook::permission());
        let trust = || Dialog::new("Is this your project?".to_owned(), DialogLook::trust());
        let text = |text: &str| Key::Text(text.to_owned());
        for (key, may, trusted) in [
            (Key::Enter, Some(Answer::Allow), Some(Answer::Leave)),
            (Key::Escape, Some(Answer::Deny), Some(Answer::Leave)),
            (text("2"), Some(Answer::Deny), Some(Answer::Allow)),
            (text("90"), None, None),
            (text("xy"), Some(Answer::Allow), Some(Answer::Allow)),
            (Key::Paste("yes".to_owned()), None, None),
        ] {
            assert_eq!((permission().key(&key), trust().key(&key)), (may, trusted), "{key:?}");
        }
        let mut moved = trust();
        assert_eq!(moved.key(&Key::Down), None);
        assert_eq!(
            moved.rows(80)[2..],
            ["  1. No, exit", "❯ 2. Yes, I trust this folder", "Enter to confirm · Esc to cancel"]
        );
        assert_eq!(moved.key(&Key::Enter), Some(Answer::Allow));
        for (line, answer) in [
            ("", Answer::Allow),
            ("y", Answer::Allow),
            ("2", Answer::Deny),
            ("[tasuki] task", Answer::Deny),
            ("0", Answer::Deny),
        ] {
            assert_eq!(permission().line(line), answer, "{line:?}");
        }
    }

    #[test]
    fn a_dialog_stands_in_its_frame() {
        let look = DialogLook {
            above: vec!["╭{fill:─}╮".to_owned()],
            row: "│ {text}{fill: }│".to_owned(),
            question: vec!["│ Allow?{fill: }│".to_owned()],
            choice: "│ {mark} {number}. {label}{fill: }│".to_owned(),
            below: vec!["╰{fill:─}╯".to_owned()],
            ..DialogLook::permission()
        };
        let dialog = Dialog::new("touch 日本 and more".to_owned(), look);
        assert_eq!(dialog.above(14), ["╭────────────╮"]);
        assert_eq!(
            dialog.rows(14),
            [
                "│ touch 日本 │",
                "│ and more   │",
                "│ Allow?     │",
                "│ ❯ 1. Yes   │",
                "│   2. No    │",
                "╰────────────╯"
            ]
        );
    }
}
