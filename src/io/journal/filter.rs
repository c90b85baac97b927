//! A Bloom filter: says "surely not here" for nearly every id that is new, without a look at the disk.
//!
//! The ids of a month lie in some hundred files, and each new message must be looked for in all of them. Twelve bits an
//! id keep false alarms at one in three hundred, so that a new id costs about one look at a file, however many there
//! are; a million ids take 1.5 MB. The first and the last key would not help, since hashes lie everywhere.

use super::IdHash;

/// Bits an id; see the module.
const BITS_PER_ID: usize = 12;
/// Bits that are set for an id: 12 × ln 2, where the filter errs least.
const PROBES: u64 = 8;

/// The filter's bits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filter(Vec<u8>);

impl Filter {
    /// Bytes of a filter for `count` ids.
    pub(super) const fn bytes_for(count: usize) -> usize {
        count.saturating_mul(BITS_PER_ID).div_ceil(8)
    }

    pub(super) fn of(ids: impl ExactSizeIterator<Item = IdHash>) -> Self {
        let mut bits = vec![0; Self::bytes_for(ids.len())];
        for id in ids {
            for (byte, mask) in places(id, bits.len()) {
                if let Some(byte) = bits.get_mut(byte) {
                    *byte |= mask;
                }
            }
        }
        Self(bits)
    }

    pub(super) const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the id may be among those that the filter was made of; `false` is certain.
    pub(super) fn may_have(&self, id: IdHash) -> bool {
        !self.0.is_empty()
            && places(id, self.0.len()).all(|(byte, mask)| self.0.get(byte).is_some_and(|b| b & mask != 0))
    }
}

/// Byte and bit of each probe. The id is a hash already, so its two halves are the two hash functions.
fn places(id: IdHash, bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    let (first, step) = ((id.0 >> 64) as u64, (id.0 as u64) | 1);
    (0..PROBES).map(move |n| {
        let mixed = u128::from(first.wrapping_add(step.wrapping_mul(n)));
        let bit = ((mixed * (bytes as u128 * 8)) >> 64) as usize;
        (bit / 8, 1 << (bit % 8))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::MessageId;

    fn ids(prefix: &str, count: usize) -> Vec<IdHash> {
        (0..count).map(|n| IdHash::of(&MessageId::new(&format!("{prefix}-{n}")).unwrap())).collect()
    }

    #[test]
    fn it_never_denies_what_is_there_and_seldom_errs() {
        let there = ids("msg", 5000);
        let filter = Filter::of(there.iter().copied());
        assert_eq!(filter.as_bytes().len(), 7500);
        assert!(there.iter().all(|&id| filter.may_have(id)));
        let alarms = ids("other", 50_000).into_iter().filter(|&id| filter.may_have(id)).count();
        assert!(alarms < 50_000 / 200, "{alarms} false alarms in 50,000");
        assert!(!Filter::default().may_have(there[0]));
    }
}
