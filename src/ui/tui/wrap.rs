//! Long texts in rows: cut at blanks where there are some, between characters elsewhere.

use super::paint::columns;

/// A text in rows of at most so many columns, and no more rows than `most`: what is beyond them ends the last one with `…`, which
/// [`super::paint::Canvas::text`] puts there, since that row is left longer than its room.
pub(super) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() && rows.len() < most {
        let end = if rows.len() + 1 == most { rest.len() } else { row_end(rest, width.max(2)) };
        let (row, more) = rest.split_at(end);
        rows.push(row.trim_end().to_owned());
        rest = more.trim_start();
    }
    rows
}

/// Where the first row ends, in bytes.
fn row_end(text: &str, width: usize) -> usize {
    let mut taken = 0;
    let mut blank = None;
    for (at, c) in text.char_indices() {
        taken += columns(c.encode_utf8(&mut [0; 4]));
        if taken > width {
            // A blank far from the edge would leave half of a row of Japanese empty.
            let near = |blank: &usize| columns(text.get(..*blank).unwrap_or_default()) * 2 >= width;
            // A character that is wider than the row has it to itself.
            return blank.filter(near).unwrap_or(if at == 0 { c.len_utf8() } else { at });
        }
        if c == ' ' {
            blank = Some(at);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_at_blanks_where_there_are_some() {
        assert_eq!(wrap("it is in queue/rejected/ now", 14, 9), ["it is in", "queue/rejected", "/ now"]);
        assert_eq!(wrap("one two three", 8, 9), ["one two", "three"]);
        assert_eq!(wrap("取り込みの手順 README", 8, 9), ["取り込み", "の手順", "README"]);
        assert_eq!(wrap("one two three", 8, 1), ["one two three"]);
        assert_eq!(wrap("", 8, 3), Vec::<String>::new());
        assert_eq!(wrap("襷襷", 1, 9), ["襷", "襷"]);
        assert_eq!(wrap("x\u{7}\u{202e}abc", 1, 2), ["x\u{7}", "\u{202e}abc"]);
    }
}
