//! What looks like a claim and is none: every variant must find nothing.

#[cfg(test)]
mod tests {
    use tasuki::engine::doorbell::{Doorbell, TurnKind, Words};
    use tasuki::engine::marker::{Awaited, find};
    use tasuki::engine::screen::Screen;
    use tasuki::engine::words::{AgentName, MessageId, Token};
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

    const MARKER: &str = "CODING OK k7qf2m";
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
        let lines: Vec<String> = [
            "I will say {m} when done",
            "When all of it is done I will print {m} on a line of its own",
            "{m} is what I am going to print in the end",
            "Then, when the tests are green: {m} and nothing more",
            "My phrase and token are {m}, so that you know",
            "You asked for {m}? I am not there yet",
            "not yet {m}",
            "Not {m}!",
            "OK: {m} (soon)",
            "the line {m} was printed by somebody else, not by me",
            "終わったら {m} と言います",
            "全部の作業が終わったら、合言葉の {m} を表示しますので、お待ちください",
            "👩‍💻 says {m} 🎉",
            "TESTING OK and {m}",
        ]
        .map(|line| line.replace("{m}", MARKER))
        .into();
        let tried = check(&lines);
        assert!(tried > VARIANTS_MIN, "{tried}");
    }

    #[test]
    fn something_stands_before_or_after_the_marker() {
        let before = [
            "+",
            "-",
            ">",
            ">>",
            ">>>",
            "$",
            "#",
            "%",
            "~",
            "|",
            "\"",
            "'",
            "(",
            "[",
            "{",
            "<",
            "//",
            "--",
            "=>",
            "->",
            "⎿",
            "└",
            "├",
            "│",
            "┃",
            "▎",
            "▌",
            "!",
            "?",
            ",",
            ";",
            ":",
            "=",
            "_",
            "/",
            "\\",
            "@",
            "&",
            "^",
            "1.",
            "12",
            "12:",
            "a)",
            "❯",
            "›",
            "»",
            "✗",
            "✓",
            "■",
            "◦",
            "✻",
            "$ echo",
            "echo",
            "user@host:~$",
            "In [1]:",
            "src/lib.rs:12:",
            "token:",
            "phrase:",
            "print(",
            "<b>",
            "“",
            "『",
            "[x]",
            "- [ ]",
            "…",
            "...and",
            "•• ",
            "● ●",
            "\u{200B}",
            "\u{FEFF}",
            "\u{202E}",
            "[1m",
            "\u{1B}[1m",
            "\u{1B}]0;",
            "[0m",
        ];
        let after = [
            "\"",
            "'",
            ")",
            "]",
            "}",
            ">",
            ",",
            ";",
            ":",
            "!",
            "?",
            "!",
            "…",
            "|",
            "│",
            "┃",
            "_",
            "~",
            "/",
            "\\",
            "(done)",
            "<- this",
            "%",
            "$",
            "x",
            "0",
            "と言う",
            "』",
            "”",
            "</b>",
            "[0m",
            "\u{1B}[0m",
            "\u{7}",
            "\u{200B}",
            "👍",
            "# ok",
            "&& exit",
        ];
        let mut lines = Vec::new();
        for sign in before {
            lines.extend([
                format!("{sign}{MARKER}"),
                format!("{sign} {MARKER}"),
                format!("  {sign} {MARKER}"),
            ]);
        }
        for sign in after {
            lines.extend([format!("{MARKER}{sign}"), format!("{MARKER} {sign}")]);
        }
        for (open, close) in
            [("\"", "\""), ("'", "'"), ("(", ")"), ("| ", " |"), ("<", ">"), ("│ a │ ", " │"), ("“", "”")]
        {
            lines.push(format!("{open}{MARKER}{close}"));
        }
        let tried = check(&lines);
        assert!(tried > VARIANTS_MIN, "{tried}");
    }

    #[test]
    fn another_phrase_or_another_token() {
        let mut lines: Vec<String> = [
            "TESTING OK k7qf2m",
            "GRAND BOSS OK k7qf2m",
            "OK k7qf2m",
            "CODING k7qf2m",
            "CODING OK",
            "k7qf2m",
            "k7qf2m CODING OK",
            "CODING OK CODING OK k7qf2m",
            "CODING OK k7qf2m k7qf2m",
            "CODING NOT OK k7qf2m",
            "coding ok k7qf2m",
            "Coding Ok k7qf2m",
            "CODING_OK k7qf2m",
            "CODING-OK k7qf2m",
            "CODINGOK k7qf2m",
            "CODING OKk7qf2m",
            "CODING OK-k7qf2m",
            "CODING OK (k7qf2m)",
            "CODING OK \"k7qf2m\"",
            "**CODING OK** k7qf2m",
            "CODING OK token k7qf2m",
            "CODING OK: k7qf2m",
            "СODING OK k7qf2m",
            "CODING ОK k7qf2m",
            "ＣＯＤＩＮＧ　ＯＫ k7qf2m",
            "CODING OK ｋ７ｑｆ２ｍ",
            "COD\u{AD}ING OK k7qf2m",
            "CODING\u{200B} OK k7qf2m",
            "CODING OK k7qf\u{200B}2m",
            "CODING OK k7qf2m\u{301}",
            "CODING\u{1B}[10GOK k7qf2m",
            "C O D I N G O K k7qf2m",
            "CODING OK k 7 q f 2 m",
            "CODING OK\n\nk7qf2m",
            "CODING OK\nk7qf2m",
            "CODING\nOK k7qf2m",
            "CODING OK k7q\nf2m",
            "CODING OK k7qf2m\\",
            "CODING OK {token}",
        ]
        .map(str::to_owned)
        .into();
        for at in 0..6 {
            for letter in ["0", "z", "", "K", "０", "77"] {
                let mut token: Vec<String> = "k7qf2m".chars().map(String::from).collect();
                token[at] = letter.to_owned();
                lines.push(format!("CODING OK {}", token.concat()));
            }
        }
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
