//! A Bloom filter: says "surely not here" for nearly every id that is new, without a look at the disk.
//!
//! The ids of a month lie in some hundred files, and each new message must be looked for in all of them: the price of a
//! message must not grow with the age of a workspace. An id sets seven bits within one block of 64 bytes, so a file is
//! ruled out with one look at memory; sixteen bits an id keep false alarms near one in six hundred, so that a new id
//! costs less than one look at a file. A million ids take 2 MB. The first and the last key of a file would rule out
//! nothing, since hashes lie everywhere.

use super::id_hash::IdHash;
use std::sync::Arc;

/// Bits an id; see the module.
const BITS_PER_ID: usize = 16;
/// One line of the processor's cache.
const BLOCK_BYTES: usize = 64;
/// Bits that are set for an id: seven numbers of nine bits are in a word, and more would err more.
const PROBES: u32 = 7;

/// The filter's bits. Shared: the writer and whoever asks for ids have the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filter(Arc<[u8]>);

impl Filter {
    pub(super) fn of(ids: impl ExactSizeIterator<Item = IdHash>) -> Self {
        let blocks = (ids.len() * BITS_PER_ID).div_ceil(BLOCK_BYTES * 8);
        let mut bits = vec![0; blocks * BLOCK_BYTES];
        for id in ids {
            if let Some(block) = bits.get_mut(block(id, blocks)) {
                for (byte, mask) in places(id) {
                    block[byte] |= mask;
                }
            }
        }
        Self(bits.into())
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the id may be among those that the filter was made of; `false` is certain.
    pub(super) fn may_have(&self, id: IdHash) -> bool {
        let block = self.0.get(block(id, self.0.len() / BLOCK_BYTES));
        block.is_some_and(|block| {
            places(id).all(|(byte, mask)| block.get(byte).is_some_and(|byte| byte & mask != 0))
        })
    }
}

/// The block of an id. The id is a hash already: its upper half picks the block, its lower half the bits.
fn block(id: IdHash, blocks: usize) -> std::ops::Range<usize> {
    let n = (((id.0 >> 64) * blocks as u128) >> 64) as usize;
    n * BLOCK_BYTES..(n + 1) * BLOCK_BYTES
}

/// Byte and bit of each probe within the block.
fn places(id: IdHash) -> impl Iterator<Item = (usize, u8)> {
    (0..PROBES).map(move |n| {
        let bit = (id.0 as u64 >> (9 * n)) as usize % (BLOCK_BYTES * 8);
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
        assert_eq!(filter.as_bytes().len(), 157 * 64);
        assert!(there.iter().all(|&id| filter.may_have(id)));
        let alarms = ids("other", 50_000).into_iter().filter(|&id| filter.may_have(id)).count();
        assert!(alarms < 50_000 / 400, "{alarms} false alarms in 50,000");
        assert!(!Filter::default().may_have(there[0]));
    }
}
