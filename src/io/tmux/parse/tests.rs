//! The parser against replies, look-alikes, random bytes and random cuts.

use super::*;
use proptest::prelude::*;

/// All lines of `bytes`, as text, fed in pieces that end at `cuts`.
fn lines(parser: &mut Parser, bytes: &[u8], cuts: &[usize]) -> Vec<String> {
    let mut shown = Vec::new();
    let mut from = 0;
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    ends.sort_unstable();
    ends.push(bytes.len());
    for end in ends {
        parser.feed(&bytes[from..end]);
        while let Some(line) = parser.next_line() {
            shown.push(format!("{line:?}"));
        }
        from = end;
    }
    shown
}

fn tag(number: u64) -> Tag {
    Tag { time: 7, number, flags: 1 }
}

#[test]
fn only_the_exact_tag_ends_a_reply() {
    let mut parser = Parser::new();
    parser.feed(
        b"%begin 7 5 1\n%end 7 4 1\n%end 7 5 0\n%end  7 5 1\n%end 7 05 1\n%begin 7 6 1\n%output %1 x\n",
    );
    assert_eq!(parser.next_line(), Some(Line::Begin(tag(5))));
    for text in ["%end 7 4 1", "%end 7 5 0", "%end  7 5 1", "%end 7 05 1", "%begin 7 6 1", "%output %1 x"] {
        assert_eq!(parser.next_line(), Some(Line::Text { text: text.as_bytes(), cut: false }));
    }
    parser.feed(b"%error 7 5 1\n%end 7 5 1\n%sessions-changed\n");
    assert_eq!(parser.next_line(), Some(Line::Error(tag(5))));
    assert_eq!(parser.next_line(), Some(Line::Stray));
    assert_eq!(parser.next_line(), Some(Line::News(Notification::SessionsChanged)));
    assert_eq!(parser.next_line(), None);
}

#[test]
fn a_held_reply_is_not_ended_by_its_own_tag_in_the_text() {
    let mut parser = Parser::new();
    parser.hold("%end 7 5 1\n\\ $A\n\n".len(), Escape::Backslash);
    parser.feed(b"%begin 7 5 1\n%end 7 5 1\n\\\\ \\$A\n\n%end 7 5 1\n%begin 7 6 1\n%end 7 6 1\n");
    assert_eq!(parser.next_line(), Some(Line::Begin(tag(5))));
    for text in ["%end 7 5 1", r"\\ \$A", ""] {
        assert_eq!(parser.next_line(), Some(Line::Text { text: text.as_bytes(), cut: false }));
    }
    assert_eq!(parser.next_line(), Some(Line::End(tag(5))));
    assert_eq!(parser.next_line(), Some(Line::Begin(tag(6))));
    assert_eq!(parser.next_line(), Some(Line::End(tag(6))), "the hold was for one reply");
}

#[test]
fn a_line_over_the_limit_is_cut_and_counted() {
    let mut parser = Parser::new();
    let long = r"\\".repeat(LINE_BYTES_MAX);
    parser.hold(LINE_BYTES_MAX + 1, Escape::Backslash);
    parser.feed(b"%begin 7 5 1\n");
    assert_eq!(parser.next_line(), Some(Line::Begin(tag(5))));
    // An odd size cuts escapes in two, and the limit falls inside of a piece.
    for piece in long.as_bytes().chunks(65_537) {
        parser.feed(piece);
        assert_eq!(parser.next_line(), None);
        assert!(parser.kept() <= LINE_BYTES_MAX, "{} bytes are kept", parser.kept());
    }
    parser.feed(b"\n%end 7 5 1\n");
    let Some(Line::Text { text, cut: true }) = parser.next_line() else { panic!("the line was not cut") };
    assert_eq!(text.len(), LINE_BYTES_MAX);
    assert_eq!(parser.next_line(), Some(Line::End(tag(5))));
}

/// Bytes of the kind that could confuse: the words of the protocol in any order.
fn confusing() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "%begin", "%end", "%error", "%output", "%extended-output", "%pause", "%exit", " ", "1", "7 5 1", "%1",
            "@2", "$3", ":", "\n", "\n", "\n", "\\134", "日本", "🎽",
        ]).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_give_the_same_lines_however_they_are_cut(
        bytes in confusing(),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        held in prop::option::of(0usize..200),
    ) {
        let (mut whole, mut pieces) = (Parser::new(), Parser::new());
        if let Some(held) = held {
            whole.hold(held, Escape::Backslash);
            pieces.hold(held, Escape::Backslash);
        }
        let expected = lines(&mut whole, &bytes, &[]);
        prop_assert_eq!(expected.len(), bytes.iter().filter(|&&b| b == b'\n').count());
        prop_assert_eq!(lines(&mut pieces, &bytes, &cuts), expected);
    }

    #[test]
    fn a_reply_gives_its_text_back_whatever_it_is(text in confusing(), time in 0u64..10, number in 0u64..10) {
        let text: Vec<u8> = text.into_iter().chain([b'\n']).collect();
        let tag = Tag { time, number, flags: 1 };
        let words = format!("{time} {number} 1");
        let mut parser = Parser::new();
        parser.hold(text.len(), Escape::Raw);
        parser.feed(&[b"%begin ", words.as_bytes(), b"\n", &text, b"%end ", words.as_bytes(), b"\n"].concat());
        prop_assert_eq!(parser.next_line(), Some(Line::Begin(tag)));
        let mut read: Vec<u8> = Vec::new();
        let last = loop {
            match parser.next_line() {
                Some(Line::Text { text: line, cut: false }) => read.extend(line.iter().chain(b"\n")),
                other => break format!("{other:?}"),
            }
        };
        prop_assert_eq!(read, text);
        prop_assert_eq!(last, format!("{:?}", Some(Line::End(tag))));
        prop_assert!(parser.open.is_none());
    }
}
