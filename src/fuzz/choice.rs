//! What chooses a variant is before what is read.

/// Splits one number off the front: what chooses a variant is before what is read.
pub(super) fn choice(data: &[u8]) -> (usize, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest))
}
