//! All chance of a run, from one seed: the same seed makes the same load and the same kills, though the machine decides
//! what they meet.

use crate::lab::scripted::chance::Chance;
use std::time::Duration;

/// Chance that can be played again.
#[derive(Debug, Clone)]
pub(super) struct Dice(Chance);

impl Dice {
    /// Dice of their own for each `part` of a run, so that one part's throws do not depend on another's pace.
    pub(super) fn new(seed: u64, part: u64) -> Self {
        let mut chance = Chance::new(seed ^ part.rotate_left(32));
        chance.next();
        Self(chance)
    }

    /// A number from 0 to `limit` - 1; 0 if `limit` is 0.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    /// A number from `least` to `most`.
    pub(super) fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least) + 1)
    }

    /// The same for sizes and indexes.
    pub(super) fn size(&mut self, least: usize, most: usize) -> usize {
        usize::try_from(self.within(least as u64, most as u64)).unwrap_or(least)
    }

    /// True in so many of a hundred throws.
    pub(super) fn percent(&mut self, of_a_hundred: u64) -> bool {
        self.below(100) < of_a_hundred
    }

    /// One of these; none of none.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.size(0, of.len().saturating_sub(1)))
    }

    /// One of these, as often as its weight says.
    pub(super) fn weighted<T: Copy>(&mut self, of: &[(u64, T)], otherwise: T) -> T {
        let mut throw = self.below(of.iter().map(|(weight, _)| weight).sum());
        for (weight, value) in of {
            if throw < *weight {
                return *value;
            }
            throw -= weight;
        }
        otherwise
    }

    /// A gap between events that come independently of each other, `mean` on average and at most `most`.
    pub(super) fn gap(&mut self, mean: Duration, most: Duration) -> Duration {
        // -ln of a number in (0, 1]; 53 bits are what an f64 holds exactly.
        let unit = (self.below(1 << 53) + 1) as f64 / (1_u64 << 53) as f64;
        mean.mul_f64(-unit.ln()).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_throws_the_same_and_parts_throw_apart() {
        let throws = |seed, part| {
            let mut dice = Dice::new(seed, part);
            (0..20).map(|_| dice.below(1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(throws(7, 1), throws(7, 1));
        assert_ne!(throws(7, 1), throws(7, 2));
        assert_ne!(throws(7, 1), throws(8, 1));
    }

    #[test]
    fn weights_and_gaps_are_kept() {
        let mut dice = Dice::new(1, 1);
        let thirds = (0..3_000).filter(|_| dice.weighted(&[(1, true), (2, false)], false)).count();
        assert!((800..1_200).contains(&thirds), "{thirds}");
        let mean = Duration::from_millis(800);
        let most = Duration::from_secs(3);
        let gaps: Vec<Duration> = (0..2_000).map(|_| dice.gap(mean, most)).collect();
        assert!(gaps.iter().all(|gap| *gap <= most));
        let total: Duration = gaps.iter().sum();
        assert!((1_300..1_700).contains(&total.as_secs()), "{total:?} of about 1560 s");
    }
}
