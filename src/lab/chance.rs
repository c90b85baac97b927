//! Chance that can be played again: the same `--seed` gives the same numbers. A torture with that seed makes the same load and
//! the same kills, though the machine decides what they meet.

use std::time::Duration;

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, and good enough for pauses, made-up tokens and loads.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Its own for each `part` of a run, so that one part's throws do not depend on another's pace.
    pub(super) fn of_part(seed: u64, part: u64) -> Self {
        let mut chance = Self::new(seed ^ part.rotate_left(32));
        chance.next();
        chance
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `limit` - 1; 0 if `limit` is 0.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next().checked_rem(limit).unwrap_or(0)
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
            let mut chance = Chance::of_part(seed, part);
            (0..20).map(|_| chance.below(1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(throws(7, 1), throws(7, 1));
        assert_ne!(throws(7, 1), throws(7, 2));
        assert_ne!(throws(7, 1), throws(8, 1));
    }

    #[test]
    fn weights_and_gaps_are_kept() {
        let mut chance = Chance::of_part(1, 1);
        let thirds = (0..3_000).filter(|_| chance.weighted(&[(1, true), (2, false)], false)).count();
        assert!((800..1_200).contains(&thirds), "{thirds}");
        let mean = Duration::from_millis(800);
        let most = Duration::from_secs(3);
        let gaps: Vec<Duration> = (0..2_000).map(|_| chance.gap(mean, most)).collect();
        assert!(gaps.iter().all(|gap| *gap <= most));
        let total: Duration = gaps.iter().sum();
        assert!((1_300..1_700).contains(&total.as_secs()), "{total:?} of about 1560 s");
    }

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The first outputs for seed 1234567, as published with the reference code at prng.di.unimi.it.
        let mut chance = Chance::new(1_234_567);
        assert_eq!([chance.next(), chance.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(chance.below(0), 0);
        assert!((0..100).all(|_| chance.below(3) < 3));
    }
}
