//! What looks like a claim and is none: every variant must find nothing.

#[cfg(test)]
mod tests {
    use crate::spoofs::{alike, prose, surrounded};
    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::doorbell::{Doorbell, TurnKind, Words};
    use tasuki::engine::screen::marker::{Awaited, find};
    use tasuki::engine::words::{AgentName, MessageId, Token};
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

    /// Figure D4 of the faults that tasuki must withstand.
    const VARIANTS_MIN: usize = 200;

    /// The rows of a program that breaks its lines between words.
    fn by_words(line: &str, width: usize) -> Vec<String> {
        let mut rows = vec![String::new()];
        for word in line.split(' ') {
            let row = rows.last_mut().unwrap();
            if row.is_empty() {
                row.push_str(word);
            } else if row.width() + 1 + word.width() <= width {
                *row += " ";
                *row += word;
            } else {
                rows.push(word.to_owned());
            }
        }
        rows
    }

    /// The rows of a program that breaks its lines wherever the pane ends.
    fn by_letters(line: &str, width: usize) -> Vec<String> {
        let mut rows = vec![String::new()];
        for letter in line.chars() {
            if rows.last().unwrap().width() + letter.width().unwrap_or(0) > width {
                rows.push(String::new());
            }
            rows.last_mut().unwrap().push(letter);
        }
        rows
    }

    /// Looks at the rows as they are, and again with an answer around them.
    fn claims(rows: &[String], width: usize) -> Vec<String> {
        let awaited = Awaited::new("CODING OK", Some(Token::new("k7qf2m").unwrap())).unwrap();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let around =
            [&["● I changed the file.", ""], &rows[..], &["", "  Nothing else to say.", "❯ "]].concat();
        let seen = |screen: Screen<'_>| find(&screen, &awaited, None).is_some();
        [Screen::wrapped(&rows, width), Screen::wrapped(&around, width)]
            .into_iter()
            .filter(|screen| seen(*screen))
            .map(|screen| format!("{width}: {:?}", screen.rows()))
            .collect()
    }

    /// Every line in a wide pane, and wrapped by words and by letters in narrower ones.
    fn check(lines: &[String]) -> usize {
        let mut tried = 0;
        let mut wrong = Vec::new();
        for line in lines {
            let single: Vec<String> = line.split('\n').map(str::to_owned).collect();
            wrong.extend(claims(&single, 200));
            tried += 1;
            for width in 20..=120 {
                for rows in [by_words(line, width), by_letters(line, width)] {
                    if !line.contains('\n') && rows.len() > 1 {
                        wrong.extend(claims(&rows, width));
                        tried += 1;
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {tried} claimed:\n{}", wrong.len(), wrong.join("\n"));
        tried
    }

    #[test]
    fn prose_that_names_the_marker() {
        let tried = check(&prose());
        assert!(tried > VARIANTS_MIN, "{tried}");
    }

    #[test]
    fn something_stands_before_or_after_the_marker() {
        let tried = check(&surrounded());
        assert!(tried > VARIANTS_MIN, "{tried}");
    }

    #[test]
    fn another_phrase_or_another_token() {
        let mut lines = alike();
        for chance in 1..200u64 {
            lines.push(format!("● CODING OK {}", Token::mint(chance.wrapping_mul(0x9E37_79B9_7F4A_7C15))));
        }
        let tried = check(&lines);
        assert!(tried > VARIANTS_MIN, "{tried}");
    }

    #[test]
    fn what_tasuki_itself_types_and_writes() {
        let (id, from) = (MessageId::new("msg-a1b2c3d4e5f6").unwrap(), AgentName::new("grand_boss").unwrap());
        let path = "queue/active/msg-a1b2c3d4e5f6.yaml";
        let mut lines: Vec<String> = [
            "token: k7qf2m",
            "marker: CODING OK",
            "marker: CODING OK\ntoken: k7qf2m",
            "phrase CODING OK, token k7qf2m",
        ]
        .map(str::to_owned)
        .into();
        for prompt in ["", "$ ", "> ", ">>> ", "❯ ", "› ", " > ", "┃  ", "user@host:~$ "] {
            for kind in TurnKind::ALL {
                let token = (kind != TurnKind::Info).then(|| Token::new("k7qf2m").unwrap());
                let bell = Doorbell { kind, id: &id, from: &from, token, path };
                lines.push(format!("{prompt}{}", bell.line(&Words::default()).unwrap()));
                lines.extend(bell.inline("print CODING OK").map(|line| format!("{prompt}{line}")));
                lines.extend(bell.inline("CODING OK").map(|line| format!("{prompt}{line}")));
            }
        }
        let tried = check(&lines);
        assert!(tried > VARIANTS_MIN, "{tried}");
    }
}
