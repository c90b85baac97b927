//! The values of a script that check themselves while they are read, so that an error shows their own line:
//! times and regular expressions.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::lab::chance::Chance;
use crate::wire::time::parse_duration;

/// Longest time in a script: a day is longer than any test or show, and short enough to add to any clock.
const PAUSE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A time, or a range of times from which chance picks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    inline,
    with = "String",
    extend(
        "pattern" = r"^\s*\d+\s*[a-z]+[^.]*(\.\.\s*\d+\s*[a-z]+.*)?$",
        "examples" = ["200ms", "2s", "200ms..2s"],
    )
)]
pub(super) struct Pause {
    least: Duration,
    most: Duration,
}

impl Pause {
    /// This time, always.
    pub(super) const fn exactly(time: Duration) -> Self {
        Self { least: time, most: time }
    }

    /// The time to take now.
    pub(super) fn pick(self, chance: &mut Chance) -> Duration {
        let spread = self.most.saturating_sub(self.least);
        let micros = u64::try_from(spread.as_micros()).unwrap_or(u64::MAX);
        self.least + Duration::from_micros(chance.below(micros.saturating_add(1)))
    }
}

impl TryFrom<String> for Pause {
    type Error = String;

    /// Reads `200ms` or `200ms..2s`.
    fn try_from(text: String) -> Result<Self, String> {
        let (least, most) = text.split_once("..").unwrap_or((&text, &text));
        let pause = Self { least: read_time(least)?, most: read_time(most)? };
        if pause.least > pause.most {
            return Err(format!("`{text}` runs backwards: write the shorter time first"));
        }
        Ok(pause)
    }
}

/// A regular expression of the `regex` crate.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("format" = "regex"))]
pub(super) struct Pattern(regex::Regex);

impl Pattern {
    /// Whether it is found in `text`.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        regex::Regex::new(&text).map(Self).map_err(|why| one_line(&why.to_string()))
    }
}

fn read_time(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text.trim()).map_err(|why| {
        format!("`{text}` is no time ({why}): write 200ms, 2s, 1m, or a range like 200ms..2s")
    })?;
    if time > PAUSE_MAX { Err(format!("`{text}` is too long: at most 24h")) } else { Ok(time) }
}

/// The regex crate draws its errors over several lines; the last one says it.
fn one_line(text: &str) -> String {
    let last = text.lines().last().unwrap_or_default().trim();
    format!("not a regular expression: {}", last.trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_a_time_or_a_range() {
        let mut chance = Chance::new(7);
        let read = |text: &str| Pause::try_from(text.to_owned());
        assert_eq!(read("200ms").map(|p| p.pick(&mut chance)), Ok(Duration::from_millis(200)));
        let range = read("200ms .. 2s").expect("a range");
        let picks: Vec<Duration> = (0..200).map(|_| range.pick(&mut chance)).collect();
        assert!(picks.iter().all(|t| (Duration::from_millis(200)..=Duration::from_secs(2)).contains(t)));
        assert!(
            picks.iter().any(|t| *t > Duration::from_secs(1))
                && picks.iter().any(|t| *t < Duration::from_secs(1))
        );
        for bad in ["", "200", "2s..200ms", "2 moons", "-1s", "25h", "..", "1s.."] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
