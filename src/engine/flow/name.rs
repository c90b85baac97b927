//! The name of a step: `task-{number}`, as sessions have it.

use crate::engine::form::as_text;
use arcstr::ArcStr;
use std::fmt;
use std::hash::{Hash, Hasher};

/// What every name begins with.
const PREFIX: &str = "task-";
/// Most digits of a number: all such numbers fit into 64 bits.
const DIGITS_MAX: usize = 18;

/// The name of a step: `task-` and a number, kept as written, so `task-001` stays `task-001`. A flow has neither a name nor a number
/// twice: whoever reads `task-1` beside `task-001` does not know which of them is meant.
#[derive(Clone, Eq, PartialOrd, Ord)]
pub struct StepName(ArcStr);

#[cfg(test)]
thread_local! {
    /// How often two names were compared: whoever looks for each of many names among all of them is found by it.
    pub(crate) static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl PartialEq for StepName {
    fn eq(&self, other: &Self) -> bool {
        #[cfg(test)]
        COMPARED.with(|compared| compared.set(compared.get() + 1));
        self.0 == other.0
    }
}

impl Hash for StepName {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.0.hash(to);
    }
}

/// Why a text is not the name of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadStepName {
    /// It is not `task-` and digits.
    #[error("is not `task-` and a number")]
    Form,
    /// Its number is too long.
    #[error("has a number of more than {DIGITS_MAX} digits")]
    TooLong,
}

impl StepName {
    /// Checks `text` and makes it a name.
    ///
    /// # Errors
    /// [`BadStepName`]
    pub fn new(text: &str) -> Result<Self, BadStepName> {
        let digits = text.strip_prefix(PREFIX).ok_or(BadStepName::Form)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BadStepName::Form);
        }
        if digits.len() > DIGITS_MAX {
            return Err(BadStepName::TooLong);
        }
        Ok(Self(text.into()))
    }

    /// The name with this number, without leading zeros. A number of more than 18 digits becomes the largest of 18.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        const LARGEST: u64 = 10u64.pow(DIGITS_MAX as u32) - 1;
        Self(arcstr::format!("{PREFIX}{}", number.min(LARGEST)))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its number: 1 for `task-1` and for `task-001`.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.0.get(PREFIX.len()..).and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }
}

as_text!(StepName, "the name of a step", StepName::new, as_str);

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_as_written() {
        for (text, number) in [
            ("task-1", 1),
            ("task-001", 1),
            ("task-0", 0),
            ("task-999999999999999999", 999_999_999_999_999_999),
        ] {
            let name = StepName::new(text).unwrap();
            assert_eq!((name.as_str(), name.number()), (text, number));
        }
        assert_eq!(StepName::numbered(7).as_str(), "task-7");
        assert!(StepName::new(StepName::numbered(u64::MAX).as_str()).is_ok());
    }

    #[test]
    fn what_is_no_number_is_no_name() {
        let hostile = [
            "",
            "task",
            "task-",
            "task--1",
            "task-1 ",
            " task-1",
            "Task-1",
            "task-１",
            "task-1.0",
            "task-+1",
            "task-0x1",
            "タスク-1",
            "task-1\0",
            "task-1\n",
            "1",
            "task_1",
            "task-一",
        ];
        for text in hostile {
            assert_eq!(StepName::new(text), Err(BadStepName::Form), "{text:?}");
        }
        assert_eq!(StepName::new("task-1234567890123456789"), Err(BadStepName::TooLong));
    }
}
