//! Chance with a seed that is printed, so that what it chose can be chosen again.

/// SplitMix64: small, and the same on every machine.
pub(crate) struct Odds(u64);

impl Odds {
    /// Chance from this seed.
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed of a variable, else a new one.
    pub(crate) fn seed(variable: &str) -> u64 {
        let given = std::env::var(variable).ok().filter(|text| !text.is_empty());
        given.map_or_else(
            || getrandom::u64().expect("chance") >> 32,
            |text| text.parse().expect("a seed is a number"),
        )
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end.max(1)
    }

    /// Puts things into any order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).expect("an index");
            things.swap(last, other);
        }
    }
}
