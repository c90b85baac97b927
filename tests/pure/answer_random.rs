//! Random answers on random screens come back exactly; and nothing takes time that grows with the square of a text.

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::answer::{ANSWER_BYTES_MAX, ScreenAnswer, extract};
    use tasuki::engine::screen::echo::{echoes, own_echo};
    use tasuki::engine::screen::marker::{Awaited, find};
    use tasuki::engine::words::Token;
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

    const BELL: &str = "[tasuki] task m1 from user (token k7qf2m): read queue/active/m1.yaml and do it.";
    const CLAIM: &str = "CODING OK k7qf2m";

    fn token() -> Option<Token> {
        Some(Token::new("k7qf2m").unwrap())
    }

    fn answer(screen: &Screen<'_>) -> Option<ScreenAnswer> {
        let claim = find(screen, &Awaited::new("CODING OK", token()).unwrap(), None)?;
        Some(extract(screen, &echoes(screen, BELL, token()), Some(&claim)))
    }

    /// A line that an agent may print: words of any script, code, tables, lists, prompts.
    fn line() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            "",
            "    return x",
            "$ ls",
            "> quoted",
            "• point",
            "1. first",
            "│ a │ b │",
            "────────",
            "```",
            "CODING OK",
            "[tasuki] task",
            "日本語の行です。",
            "👩‍💻🎉 done",
            "か\u{3099}",
            "\u{3000}全角",
            "token",
            "+ added",
            "┃ bar",
            "❯",
            "tasuki k7qf2n",
        ]);
        prop_oneof!["\\PC{0,70}", "[ a-z,.]{0,150}", odd.prop_map(str::to_owned)]
    }

    /// Lines whose first and last show something that is no prompt, without white space at their ends.
    fn lines() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(line(), 0..25).prop_map(|lines| {
            let mut lines: Vec<String> =
                lines.iter().map(|line| line.trim_end().replace("k7qf2m", "")).collect();
            lines.insert(0, "first".to_owned());
            lines.push("last".to_owned());
            lines
        })
    }

    /// How a terminal agent shows a line: broken between words where it can be, before the margin.
    fn wrapped(line: &str, width: usize) -> Vec<String> {
        let mut rows = vec![String::new()];
        for word in line.split_inclusive(' ') {
            if rows.last().unwrap().width() + word.trim_end().width() > width {
                rows.push(String::new());
            }
            for letter in word.chars() {
                if rows.last().unwrap().width() + letter.width().unwrap_or(0) > width {
                    rows.push(String::new());
                }
                rows.last_mut().unwrap().push(letter);
            }
        }
        rows.iter().map(|row| row.trim_end().to_owned()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_plain_programs_answer_comes_back_exactly(
            older in lines(),
            lines in lines(),
            prompt in prop::sample::select(vec!["", "$ ", ">>> ", "me@host:~$ ", "Task? "]),
            after in prop::sample::select(vec!["", "$ ", "> "]),
        ) {
            let (old_echo, echo) = (format!("{prompt}{}", BELL.replace("k7qf2m", "a1b2c3")), format!("{prompt}{BELL}"));
            let mut rows = vec![old_echo.as_str()];
            rows.extend(older.iter().map(String::as_str));
            rows.extend(["CODING OK a1b2c3", &echo]);
            rows.extend(lines.iter().map(String::as_str));
            rows.extend([CLAIM, after]);
            let expected = ScreenAnswer { text: lines.join("\n"), truncated: false };
            prop_assert_eq!(answer(&Screen::lines(&rows)), Some(expected));
        }

        #[test]
        fn an_agents_answer_comes_back_row_by_row(lines in lines(), width in 40usize..160) {
            let mut rows = vec!["● CODING OK a1b2c3".to_owned(), String::new()];
            rows.extend(wrapped(BELL, width - 4).into_iter().enumerate().map(|(at, row)| format!("{} {row}", if at == 0 { "❯" } else { " " })));
            rows.push(String::new());
            let said: Vec<String> = lines.iter().flat_map(|line| wrapped(line, width - 4)).collect();
            rows.extend(said.iter().enumerate().map(|(at, row)| format!("{} {row}", if at == 0 { "●" } else { " " })));
            rows.extend(["", "  CODING OK k7qf2m", "", "✻ Baked for 1s", "", "─────", "❯ ", "─────"].map(str::to_owned));
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let expected = ScreenAnswer { text: said.join("\n"), truncated: false };
            prop_assert_eq!(answer(&Screen::wrapped(&rows, width)), Some(expected));
        }

        #[test]
        fn no_screen_is_too_odd(rows in prop::collection::vec(line(), 0..30), typed in "\\PC{0,40}", width in 0usize..200, phrase in "\\PC{1,12}") {
            let mut rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            rows.extend([typed.as_str(), phrase.as_str(), BELL, CLAIM]);
            for screen in [Screen::lines(&rows), Screen::wrapped(&rows, width)] {
                prop_assert!(answer(&screen).is_some());
                let echo = own_echo(&screen, &typed, None, 0);
                let claim = Awaited::new(&phrase, None).ok().and_then(|awaited| find(&screen, &awaited, echo));
                let said = extract(&screen, echo.as_slice(), claim.as_ref());
                prop_assert!(said.text.len() <= ANSWER_BYTES_MAX);
            }
        }
    }

    /// About a mebibyte of each shape that a search could be slow on. A search that grows with the square of the
    /// text takes hours here, and the test does not end.
    #[test]
    fn a_mebibyte_of_any_shape_is_searched_in_one_go() {
        let shapes: [(&str, String); 9] = [
            ("one row of the phrase's first letter", "C".repeat(ANSWER_BYTES_MAX)),
            (
                "one row of white space and letters",
                format!("{}{}", " ".repeat(ANSWER_BYTES_MAX / 2), "C".repeat(ANSWER_BYTES_MAX / 2)),
            ),
            ("rows of one letter", "C\n".repeat(ANSWER_BYTES_MAX / 2)),
            (
                "full rows that break in the phrase",
                format!("{}CODING\n", "x ".repeat(95)).repeat(ANSWER_BYTES_MAX / 197),
            ),
            ("claims", format!("{CLAIM}\n").repeat(ANSWER_BYTES_MAX / 17)),
            ("older claims", "● CODING OK a1b2c3\n".repeat(ANSWER_BYTES_MAX / 21)),
            ("echoes", format!("{BELL}\n").repeat(ANSWER_BYTES_MAX / 80)),
            ("beginnings of echoes", format!("{}\n", &BELL[..40]).repeat(ANSWER_BYTES_MAX / 41)),
            ("empty boxes", "│  │\n".repeat(ANSWER_BYTES_MAX / 9)),
        ];
        for (name, text) in &shapes {
            let mut rows = vec![BELL];
            rows.extend(text.lines());
            rows.extend(["", CLAIM]);
            for screen in [Screen::lines(&rows), Screen::wrapped(&rows, 200)] {
                assert!(answer(&screen).is_some(), "{name}");
                let phrase = format!("{}D", "C".repeat(99));
                let echo = own_echo(&screen, BELL, None, 0);
                let claim = find(&screen, &Awaited::new(&phrase, None).unwrap(), echo);
                assert_eq!(claim, None, "{name}");
            }
        }
    }
}
