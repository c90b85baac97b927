//! Chance that can be had again.

/// A small generator of chance (xorshift64*): the same seed, the same run.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `limit`.
    pub(crate) const fn below(&mut self, limit: u64) -> u64 {
        (self.bits() >> 33) % limit
    }

    pub(crate) const fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// 64 random bits.
    pub(crate) const fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len() as u64) as usize) }
    }
}
