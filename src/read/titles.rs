//! What a message is about, in a line.

/// Longest title in characters: a line of a wide screen.
const TITLE_CHARS: usize = 120;

/// The first line that says anything, cut where it is long; control characters become spaces.
pub(super) fn title_of(content: &str) -> String {
    let line = content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches('#').trim_start();
    let mut title: String =
        line.chars().take(TITLE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().nth(TITLE_CHARS).is_some() {
        title.pop();
        title.push('…');
    }
    title
}
