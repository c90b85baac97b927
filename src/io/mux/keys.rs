//! The keys that are pressed by name.

/// A key that is pressed by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the keys are named by what stands on them")]
pub enum Key {
    Enter,
    Escape,
    Tab,
    BackTab,
    Space,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// Ctrl and a lower-case letter.
    Ctrl(CtrlLetter),
}

/// A letter that Ctrl is pressed with: `a` to `z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CtrlLetter(u8);

impl CtrlLetter {
    /// The letter, if it is one of `a` to `z`.
    #[must_use]
    pub fn new(letter: char) -> Option<Self> {
        letter.is_ascii_lowercase().then_some(Self(letter as u8))
    }

    /// The letter.
    #[must_use]
    pub const fn get(self) -> char {
        self.0 as char
    }
}
