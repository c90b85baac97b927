//! What tmux's control-mode client prints.

use super::choice::choice;
use crate::io::tmux::escape::Escape;
use crate::io::tmux::notification::Notification;
use crate::io::tmux::parse::{LINE_BYTES_MAX, Line, Parser};

/// Reads bytes as tmux's words, whole and in pieces: the lines are the same, each newline ends one, and never is more kept
/// than a line may have.
///
/// # Panics
/// If one of that does not hold.
pub fn control(data: &[u8]) {
    let (piece, rest) = choice(data);
    let (hold, bytes) = choice(rest);
    let (mut whole, mut pieces) = (Parser::new(), Parser::new());
    if hold % 4 == 1 {
        let escape = if hold % 8 == 1 { Escape::Raw } else { Escape::Backslash };
        whole.hold(hold, escape);
        pieces.hold(hold, escape);
    }
    let expected = lines(&mut whole, bytes, usize::MAX);
    assert_eq!(expected.len(), bytes.iter().filter(|&&byte| byte == b'\n').count());
    assert_eq!(lines(&mut pieces, bytes, piece % 16 + 1), expected);
    assert_eq!(whole.kept(), pieces.kept());
}

fn lines(parser: &mut Parser, bytes: &[u8], piece: usize) -> Vec<String> {
    let mut found = Vec::new();
    for part in bytes.chunks(piece.min(bytes.len().max(1))) {
        parser.feed(part);
        while let Some(line) = parser.next_line() {
            if let Line::News(Notification::Output { data, .. }) = &line {
                is_undone(data);
            }
            found.push(format!("{line:?}"));
        }
        assert!(parser.kept() <= LINE_BYTES_MAX);
    }
    found
}

/// What a pane printed, escapes undone: never longer, and its length is known beforehand.
fn is_undone(data: &[u8]) {
    let printed = Escape::Backslash.undo(data, usize::MAX);
    assert_eq!(printed.len(), Escape::Backslash.length(data));
    assert!(printed.len() <= data.len());
    assert!(printed.starts_with(&Escape::Backslash.undo(data, 7)));
}
