//! What a person is in the middle of: a new task, an answer, a question before something is done.

use super::input::{Act, Key};
use crate::wire::api::{AsksInfo, CureInfo, Problem};

/// What keys go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    Normal,
    /// The keys are shown, from this row on.
    Keys(usize),
    Filter,
    Answer(Answering),
    Confirm(Confirm),
    Compose(Composer),
}

/// An answer that is being chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answering {
    /// Id of the need.
    pub(super) need: String,
    pub(super) title: String,
    pub(super) detail: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) asks: Option<AsksInfo>,
    pub(super) cures: Vec<CureInfo>,
    /// Rows of the choices above those that are shown, where they are more than there is room for.
    pub(super) from: usize,
}

impl Answering {
    /// The most rows that its choices can be scrolled by.
    pub(super) fn rows(&self) -> usize {
        self.asks.as_ref().map_or(0, |asks| asks.choices.len()).max(self.cures.len())
    }
}

/// Something that is asked about once before it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Confirm {
    pub(super) question: String,
    /// The same as a command line.
    pub(super) command: String,
    pub(super) act: Act,
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Sheet {
    /// A task for an agent.
    #[default]
    Task,
    /// The goal of a new session.
    Goal,
    /// What is debated, and by whom.
    Debate,
    /// A task more of the session of this id.
    Step(String),
    /// Another text for the task that is named second, of the session of this id.
    Edit(String, String),
    /// The branch onto which those of the session of this id are brought.
    Merge(String),
}

impl Sheet {
    /// Whether it is one text, without a name.
    pub(super) fn is_text_alone(&self) -> bool {
        matches!(self, Self::Edit(..) | Self::Merge(_))
    }

    /// Whether it has a field between its name and its text.
    pub(super) fn has_needs(&self) -> bool {
        matches!(self, Self::Step(_) | Self::Debate)
    }

    /// Whether its text is one line, which may stay empty.
    pub(super) fn is_line(&self) -> bool {
        matches!(self, Self::Merge(_))
    }
}

/// Where in it the cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Field {
    To,
    Needs,
    #[default]
    Text,
}

/// A new task, or the goal of a session, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Composer {
    pub(super) sheet: Sheet,
    /// Who gets it, what a task of a session is called, or the roles of a debate.
    pub(super) to: String,
    /// Ids of the tasks that a task of a session needs, or how many roles of a debate speak at a time.
    pub(super) needs: String,
    pub(super) text: String,
    /// Byte of the text that the cursor is before.
    pub(super) at: usize,
    pub(super) field: Field,
    /// Whether nobody has written the name yet.
    pub(super) is_to_proposed: bool,
    /// Whether it is on its way.
    pub(super) is_sent: bool,
    /// Why it was refused.
    pub(super) problem: Option<Problem>,
    pub(super) id: String,
    /// The text that was there before anybody wrote.
    pub(super) was: String,
}

/// What the code of a problem says where something is still to be written.
pub(super) const INCOMPLETE: &str = "incomplete";

impl Composer {
    /// What is still to be written: its field, what is missing, and what is to be done. None where it can be handed over.
    pub(super) fn missing(&self) -> Option<(Field, &'static str, &'static str)> {
        let is_named = self.sheet.is_text_alone() || !self.to.trim().is_empty();
        let has_text = self.sheet.is_line() || !self.text.trim().is_empty();
        match (&self.sheet, is_named, has_text) {
            (Sheet::Step(_), false, _) => {
                Some((Field::To, "the task has no name", "write what it is called"))
            }
            (Sheet::Goal, false, _) => {
                Some((Field::To, "nobody is named", "write which agent makes the plan"))
            }
            (Sheet::Debate, false, _) => Some((
                Field::To,
                "nobody is named",
                "write which roles speak, such as architect, security, qa",
            )),
            (_, false, _) => Some((Field::To, "nobody is named", "write whose task it is")),
            (Sheet::Goal, _, false) => {
                Some((Field::Text, "the goal is missing", "write what is to be reached; Esc leaves it"))
            }
            (Sheet::Debate, _, false) => {
                Some((Field::Text, "the task is missing", "write what is debated; Esc leaves it"))
            }
            (Sheet::Task, _, false) => {
                Some((Field::Text, "nothing is written yet", "write what is to be done; Esc leaves it"))
            }
            (_, _, false) => {
                Some((Field::Text, "its description is missing", "write what is to be done; Esc leaves it"))
            }
            (Sheet::Edit(..), ..) if !self.is_changed() => {
                Some((Field::Text, "the text is as before", "change it, or leave it by Esc"))
            }
            _ => None,
        }
    }

    /// Whether anything was written: a text that was there before may be as it was.
    pub(super) fn is_changed(&self) -> bool {
        self.text != self.was
    }

    pub(super) fn put(&mut self, text: &str) {
        if self.is_sent {
            return;
        }
        self.problem = None;
        let is_name = !self.sheet.has_needs();
        match self.field {
            Field::To => {
                // A name that was put there is replaced by the first letter, and not gone on with.
                if std::mem::take(&mut self.is_to_proposed) {
                    self.to.clear();
                }
                let fits = |c: &char| !(c.is_control() || (is_name && c.is_whitespace()));
                return self.to.extend(text.chars().filter(fits));
            }
            Field::Needs => return self.needs.extend(text.chars().filter(|c| !c.is_control())),
            Field::Text => {}
        }
        if self.sheet.is_line() {
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            self.text.insert_str(self.at, &text);
            self.at += text.len();
            return;
        }
        let text: String = text
            .replace("\r\n", "\n")
            .chars()
            .map(|c| if c == '\r' { '\n' } else { c })
            .filter(|c| *c == '\n' || *c == '\t' || !c.is_control())
            .collect();
        self.text.insert_str(self.at, &text);
        self.at += text.len();
    }

    /// The field below; none below the text.
    pub(super) fn next(&self) -> Option<Field> {
        match (self.field, &self.sheet) {
            (Field::To, sheet) if sheet.has_needs() => Some(Field::Needs),
            (Field::To | Field::Needs, _) => Some(Field::Text),
            (Field::Text, _) => None,
        }
    }

    fn before_field(&self) -> Field {
        match (self.field, &self.sheet) {
            (_, Sheet::Edit(..) | Sheet::Merge(_)) => Field::Text,
            (Field::Text, sheet) if sheet.has_needs() => Field::Needs,
            _ => Field::To,
        }
    }

    /// Goes to the line above or below, as far into it as before.
    fn go_line(&mut self, down: bool) {
        let (before, behind) = self.text.split_at(self.at);
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(begin..).unwrap_or_default().chars().count();
        let line = if down {
            behind.find('\n').map(|at| self.at + at + 1)
        } else {
            begin
                .checked_sub(1)
                .map(|end| before.get(..end).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1))
        };
        let Some(from) = line else { return };
        let rest = self.text.get(from..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        self.at = from + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    }

    fn before(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    pub(super) fn edit(&mut self, key: Key) {
        if self.is_sent {
            return;
        }
        match key {
            Key::Char(c) => self.put(c.encode_utf8(&mut [0; 4])),
            Key::Tab | Key::BackTab | Key::NewLine if self.sheet.is_line() => {}
            Key::NewLine if self.field == Field::Text => self.put("\n"),
            Key::Tab | Key::BackTab if self.sheet.is_text_alone() => {}
            Key::Up | Key::Down if self.sheet.is_text_alone() => self.go_line(key == Key::Down),
            Key::Tab => self.field = self.next().unwrap_or(Field::To),
            Key::BackTab if self.field == Field::To => self.field = Field::Text,
            Key::BackTab => self.field = self.before_field(),
            Key::Down => self.field = self.next().unwrap_or(Field::Text),
            Key::Up => self.field = self.before_field(),
            Key::Backspace if self.field == Field::To => {
                self.is_to_proposed = false;
                self.to.pop();
            }
            Key::Backspace if self.field == Field::Needs => drop(self.needs.pop()),
            Key::Clear if self.field == Field::To => self.to.clear(),
            Key::Clear if self.field == Field::Needs => self.needs.clear(),
            Key::Backspace => {
                if let Some(c) = self.before() {
                    self.at -= c.len_utf8();
                    self.text.remove(self.at);
                }
            }
            Key::Delete if self.at < self.text.len() && self.field == Field::Text => {
                self.text.remove(self.at);
            }
            Key::Clear => {
                self.text.clear();
                self.at = 0;
            }
            Key::Left => self.at -= self.before().map_or(0, char::len_utf8),
            Key::Right => {
                self.at +=
                    self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            }
            Key::Home => self.at = 0,
            Key::End => self.at = self.text.len(),
            _ => {}
        }
    }
}

/// The digit of each choice: its own number, or its place where none has one.
pub(super) fn choice_keys(choices: &[String]) -> Vec<Option<u8>> {
    let number = |choice: &String| {
        let (digits, _) = choice.trim_start().split_once(['.', ')'])?;
        digits.parse::<u8>().ok().filter(|number| (1..=9).contains(number))
    };
    if choices.iter().any(|choice| number(choice).is_some()) {
        return choices.iter().map(number).collect();
    }
    (1..=choices.len()).map(|place| u8::try_from(place).ok().filter(|place| *place <= 9)).collect()
}
