//! A dialog that waits for a person, as the CLIs show before they run a command or work in a new folder. Pure.

use super::keys::Key;
use super::text::wrap_words;

/// A dialog that is open.
#[derive(Debug, Clone)]
pub(super) struct Dialog {
    text: String,
    choices: [(&'static str, Answer); 2],
    /// The choice that Enter takes.
    at: usize,
}

/// What a dialog was answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Go on.
    Yes,
    /// Do not.
    No,
    /// End the program.
    Leave,
}

impl Dialog {
    /// May this be done? Enter says yes.
    pub(super) fn permission(text: String) -> Self {
        Self { text, choices: [("Yes", Answer::Yes), ("No", Answer::No)], at: 0 }
    }

    /// Is this folder trusted? Enter says no, and ends the program.
    pub(super) fn trust(text: String) -> Self {
        Self {
            text,
            choices: [("No, exit", Answer::Leave), ("Yes, I trust this folder", Answer::Yes)],
            at: 0,
        }
    }

    /// What a key does: an answer, or nothing yet. A paste does nothing; each typed character is a key of its own.
    pub(super) fn key(&mut self, key: &Key) -> Option<Answer> {
        match key {
            Key::Enter => Some(self.highlighted()),
            Key::Escape | Key::Interrupt => Some(self.refusal()),
            Key::Up => {
                self.at = 0;
                None
            }
            Key::Down => {
                self.at = 1;
                None
            }
            Key::Text(text) => text.chars().find_map(|c| self.letter(c)),
            _ => None,
        }
    }

    /// What a whole line says, where lines are all that comes.
    pub(super) fn line(&self, line: &str) -> Answer {
        match line.trim().to_lowercase().as_str() {
            "" => self.highlighted(),
            "y" | "yes" => Answer::Yes,
            "1" => self.choice(0),
            "2" => self.choice(1),
            _ => self.refusal(),
        }
    }

    /// The dialog in rows of at most `cols` columns.
    pub(super) fn rows(&self, cols: usize) -> Vec<String> {
        let mut rows: Vec<String> = self.text.lines().flat_map(|line| wrap_words(line, cols)).collect();
        rows.push("Do you want to proceed?".to_owned());
        for (number, (label, _)) in self.choices.iter().enumerate() {
            let mark = if number == self.at { "❯" } else { " " };
            rows.push(format!("{mark} {}. {label}", number + 1));
        }
        rows.push("Enter to confirm · Esc to cancel".to_owned());
        rows
    }

    fn letter(&self, c: char) -> Option<Answer> {
        match c.to_ascii_lowercase() {
            '1' => Some(self.choice(0)),
            '2' => Some(self.choice(1)),
            'y' => Some(Answer::Yes),
            'n' => Some(self.refusal()),
            _ => None,
        }
    }

    fn highlighted(&self) -> Answer {
        self.choice(self.at)
    }

    fn refusal(&self) -> Answer {
        if self.choices.iter().any(|(_, answer)| *answer == Answer::Leave) {
            Answer::Leave
        } else {
            Answer::No
        }
    }

    fn choice(&self, number: usize) -> Answer {
        self.choices.get(number).map_or(Answer::No, |(_, answer)| *answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_lines_answer_a_dialog() {
        let permission = || Dialog::permission("rm -rf 日本".to_owned());
        let trust = || Dialog::trust("Is this your project?".to_owned());
        let text = |text: &str| Key::Text(text.to_owned());
        for (key, may, trusted) in [
            (Key::Enter, Some(Answer::Yes), Some(Answer::Leave)),
            (Key::Escape, Some(Answer::No), Some(Answer::Leave)),
            (text("2"), Some(Answer::No), Some(Answer::Yes)),
            (text("xy"), Some(Answer::Yes), Some(Answer::Yes)),
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
        assert_eq!(moved.key(&Key::Enter), Some(Answer::Yes));
        for (line, answer) in
            [("", Answer::Yes), ("y", Answer::Yes), ("2", Answer::No), ("[tasuki] task", Answer::No)]
        {
            assert_eq!(permission().line(line), answer, "{line:?}");
        }
    }
}
