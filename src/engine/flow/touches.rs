//! Which files steps change, as patterns: two that may change the same are not done at the same time.

/// What may stand in a pattern besides letters.
const WILD: [char; 4] = ['*', '?', '[', '{'];

/// Whether two lists of patterns may mean the same file. It compares what stands before the first sign of each pattern that is no plain
/// letter, so it says yes too often, never too seldom.
#[must_use]
pub(super) fn overlap(one: &[String], other: &[String]) -> bool {
    shared(one, other).is_some()
}

/// The first of these patterns that may mean the same file as one of the others.
#[must_use]
pub(super) fn shared<'p>(these: &'p [String], others: &[String]) -> Option<&'p str> {
    let is_shared = |of: &&String| others.iter().any(|other| may_be_same(of, other));
    these.iter().find(is_shared).map(String::as_str)
}

fn may_be_same(one: &str, other: &str) -> bool {
    let (head, is_wild) = head(one);
    let (other_head, is_other_wild) = self::head(other);
    match (is_wild, is_other_wild) {
        // A folder holds what is in it.
        (false, false) => is_within(head, other_head) || is_within(other_head, head),
        (true, false) => other_head.starts_with(head) || is_within(head, other_head),
        (false, true) => head.starts_with(other_head) || is_within(other_head, head),
        (true, true) => head.starts_with(other_head) || other_head.starts_with(head),
    }
}

/// What stands before the first sign that is no plain letter, and whether there is one.
fn head(pattern: &str) -> (&str, bool) {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    match pattern.find(WILD) {
        Some(at) => (pattern.get(..at).unwrap_or_default(), true),
        None => (pattern.trim_end_matches('/'), false),
    }
}

fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_the_same_file_is_found() {
        for (one, other, is) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "./src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("src", "src/b.rs", true),
            ("src/", "src/b.rs", true),
            ("src", "srcs/b.rs", false),
            ("src/**", "src/b.rs", true),
            ("src/**", "web/b.rs", false),
            ("**/*.rs", "web/b.js", true),
            ("src/a*", "src/b*", false),
            ("src/a*", "src/ab*", true),
            ("src/auth/**", "src/auth", true),
            ("src/{a,b}.rs", "src/a.rs", true),
            ("家/[a-z].md", "家/b.md", true),
            ("家/*", "宅/*", false),
        ] {
            for (one, other) in [(one, other), (other, one)] {
                let found = overlap(&["x/y".to_owned(), one.to_owned()], &[other.to_owned()]);
                assert_eq!(found, is, "{one} {other}");
            }
        }
        assert!(!overlap(&[], &["**".to_owned()]), "who says nothing is in nobody's way");
    }
}
