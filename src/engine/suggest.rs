//! "Did you mean …?": the known word that is closest to one that nobody knows.

/// The candidate that takes the fewest changes to become `word`, if they are few for its length.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    // About one change in three letters; a shorter word is near to everything and is matched only without regard to case.
    let allowed = if length < 3 { 0 } else { ((length + 1) / 3).min(3) };
    // A word that is longer or shorter by more than that needs no closer look.
    let close =
        candidates.into_iter().filter(|candidate| candidate.chars().count().abs_diff(length) <= allowed);
    let scored = close.map(|candidate| (changes(word, candidate), candidate));
    scored
        .filter(|(changes, _)| *changes <= allowed)
        .min_by_key(|(changes, _)| *changes)
        .map(|(_, near)| near)
}

/// Whether so many changes at most make one word of the other.
pub(crate) fn is_within(word: &str, other: &str, most: usize) -> bool {
    word.chars().count().abs_diff(other.chars().count()) <= most && changes(word, other) <= most
}

/// A sentence for a cure: the nearest word, or all of them.
pub(crate) fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match nearest(word, candidates.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if candidates.is_empty() => "there are none".into(),
        None => format!("use one of: {}", candidates.join(", ")),
    }
}

/// Letters to put in, take out, replace, or swap with their neighbour, without regard to case.
fn changes(from: &str, to: &str) -> usize {
    strsim::osa_distance(&from.to_lowercase(), &to.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        let words = ["grand_boss", "middle_manager", "name", "襷の人"];
        assert_eq!(nearest("grandboss", words), Some("grand_boss"));
        assert_eq!(nearest("nmae", words), Some("name"));
        assert_eq!(nearest("Name", words), Some("name"));
        assert_eq!(nearest("襷人の", words), Some("襷の人"));
        assert_eq!(nearest("B", ["a", "b"]), Some("b"));
        assert_eq!(nearest("c", ["a", "b"]), None);
        assert_eq!(nearest("reviewer", words), None);
        assert_eq!(did_you_mean("reviewer", ["a", "b"]), "use one of: a, b");
    }
}
