//! What is a claim and what is not, line by line and on the recorded screens of real agents.

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::echo::Echo;
    use tasuki::engine::screen::marker::{Awaited, Claim, ClaimProof, PHRASE_BYTES_MAX, check_phrase, find};
    use tasuki::engine::words::Token;

    const PHRASE: &str = "CODING OK";
    const MARKER: &str = "CODING OK k7qf2m";

    fn token() -> Option<Token> {
        Some(Token::new("k7qf2m").unwrap())
    }

    fn awaited(phrase: &str) -> Awaited {
        Awaited::new(phrase, token()).unwrap()
    }

    /// The claim, whose token is read from the screen.
    fn found(screen: &Screen<'_>, awaited: &Awaited) -> Option<Claim> {
        let claim = find(screen, awaited, None)?;
        let shown = claim.shown(screen);
        assert_eq!(shown.token, token(), "{shown:?}");
        Some(claim)
    }

    /// Marks the rows of the claim, and those of the same claim before.
    fn shown(screen: &Screen<'_>, awaited: &Awaited) -> String {
        let claim = found(screen, awaited);
        let mut said = String::new();
        for (at, row) in screen.rows().iter().enumerate() {
            let sign = match &claim {
                Some(claim) if (claim.start.row..=claim.end.row).contains(&at) => "=>",
                Some(claim) if claim.earlier.iter().any(|rows| rows.contains(&at)) => "--",
                _ => ". ",
            };
            writeln!(said, "{}", format!("{sign} {row}").trim_end()).unwrap();
        }
        said
    }

    /// First and last row of the claim in a pane of `width` columns whose program wraps its own text.
    fn taken(width: usize, rows: &[&str], phrase: &str) -> Option<(usize, usize)> {
        let claim = found(&Screen::wrapped(rows, width), &awaited(phrase))?;
        Some((claim.start.row, claim.end.row))
    }

    /// Each line alone on its screen.
    fn check_lines(phrase: &str, lines: &[&str], expected: &Expect) {
        let awaited = awaited(phrase);
        let said: String = lines.iter().map(|line| shown(&Screen::lines(&[line]), &awaited)).collect();
        expected.assert_eq(&said);
    }

    #[test]
    fn a_claim_is_told_as_it_stands_there() {
        for (width, rows, line) in [
            (80, &["● `CODING OK k7qf2m`."][..], "● `CODING OK k7qf2m`."),
            (20, &["│ CODING OK k7qf2m │"], "CODING OK k7qf2m"),
            (10, &["CODING OK", "k7qf2m"], "CODING OK\nk7qf2m"),
            (12, &["CODING OK k7", "qf2m"], "CODING OK k7\nqf2m"),
        ] {
            let screen = Screen::wrapped(rows, width);
            let claim = found(&screen, &awaited(PHRASE)).unwrap_or_else(|| panic!("{rows:?}"));
            assert_eq!(claim.shown(&screen).line, line);
        }
        // Without a token none is read, though something is there that could be one.
        let screen = Screen::lines(&["> go", "so CODING OK k7qf2m it is"]);
        let echo = Some(Echo { first_row: 0, last_row: 0 });
        let claim = find(&screen, &Awaited::new("CODING OK k7qf2m", None).unwrap(), echo).unwrap();
        assert_eq!((claim.shown(&screen).token, &*claim.shown(&screen).line), (None, "CODING OK k7qf2m"));
    }

    #[test]
    fn a_claim_is_a_whole_line() {
        check_lines(
            PHRASE,
            &[
                "CODING OK k7qf2m",
                "   CODING OK k7qf2m   ",
                "● CODING OK k7qf2m",
                "  • CODING OK k7qf2m",
                "✦ CODING OK k7qf2m",
                "⏺ CODING OK k7qf2m",
                "\u{23FA}\u{FE0F} CODING OK k7qf2m",
                "`CODING OK k7qf2m`",
                "**CODING OK k7qf2m**",
                "● **`CODING OK k7qf2m`**.",
                "* CODING OK k7qf2m",
                "CODING OK k7qf2m.",
                "CODING OK k7qf2m。",
                "「CODING OK k7qf2m」。",
                "CODING OK   k7qf2m",
                "CODING\u{A0}OK\u{3000}k7qf2m",
                "│ CODING OK k7qf2m        │",
                "┃ │ ● CODING OK k7qf2m │ ┃",
                // Not a line of its own, or not these words.
                "I will say CODING OK k7qf2m when done",
                "CODING OK k7qf2m when done",
                "+CODING OK k7qf2m",
                "+ CODING OK k7qf2m",
                "-CODING OK k7qf2m",
                "> CODING OK k7qf2m",
                "\"CODING OK k7qf2m\"",
                "'CODING OK k7qf2m'",
                "$ CODING OK k7qf2m",
                "$ echo CODING OK k7qf2m",
                "12 CODING OK k7qf2m",
                "12: CODING OK k7qf2m",
                "  1 CODING OK k7qf2m",
                "│ CODING OK k7qf2m",
                "▎ CODING OK k7qf2m",
                "| CODING OK k7qf2m |",
                "│ done │ CODING OK k7qf2m │",
                "  ⎿  CODING OK k7qf2m",
                "●● CODING OK k7qf2m",
                "CODING OK",
                "k7qf2m",
                "CODING OKk7qf2m",
                "CODINGOK k7qf2m",
                "CODING OK k7 qf2m",
                "CODING OK: k7qf2m",
                "CODING OK (token k7qf2m)",
                "coding ok k7qf2m",
                "CODING OK K7QF2M",
                "CODING OK k7qf2m CODING OK k7qf2m",
                "",
            ],
            &expect![[r#"
                => CODING OK k7qf2m
                =>    CODING OK k7qf2m
                => ● CODING OK k7qf2m
                =>   • CODING OK k7qf2m
                => ✦ CODING OK k7qf2m
                => ⏺ CODING OK k7qf2m
                => ⏺️ CODING OK k7qf2m
                => `CODING OK k7qf2m`
                => **CODING OK k7qf2m**
                => ● **`CODING OK k7qf2m`**.
                => * CODING OK k7qf2m
                => CODING OK k7qf2m.
                => CODING OK k7qf2m。
                => 「CODING OK k7qf2m」。
                => CODING OK   k7qf2m
                => CODING OK　k7qf2m
                => │ CODING OK k7qf2m        │
                => ┃ │ ● CODING OK k7qf2m │ ┃
                .  I will say CODING OK k7qf2m when done
                .  CODING OK k7qf2m when done
                .  +CODING OK k7qf2m
                .  + CODING OK k7qf2m
                .  -CODING OK k7qf2m
                .  > CODING OK k7qf2m
                .  "CODING OK k7qf2m"
                .  'CODING OK k7qf2m'
                .  $ CODING OK k7qf2m
                .  $ echo CODING OK k7qf2m
                .  12 CODING OK k7qf2m
                .  12: CODING OK k7qf2m
                .    1 CODING OK k7qf2m
                .  │ CODING OK k7qf2m
                .  ▎ CODING OK k7qf2m
                .  | CODING OK k7qf2m |
                .  │ done │ CODING OK k7qf2m │
                .    ⎿  CODING OK k7qf2m
                .  ●● CODING OK k7qf2m
                .  CODING OK
                .  k7qf2m
                .  CODING OKk7qf2m
                .  CODINGOK k7qf2m
                .  CODING OK k7 qf2m
                .  CODING OK: k7qf2m
                .  CODING OK (token k7qf2m)
                .  coding ok k7qf2m
                .  CODING OK K7QF2M
                .  CODING OK k7qf2m CODING OK k7qf2m
                .
            "#]],
        );
    }

    #[test]
    fn a_phrase_is_any_text() {
        for (phrase, line) in [
            ("作業完了", "作業完了 k7qf2m"),
            ("作業、完了。", "「作業、完了。 k7qf2m」"),
            ("完了　です", "● 完了 です k7qf2m"),
            ("👩‍💻 完了 ❤️", "✦ 👩‍💻 完了 ❤️ k7qf2m"),
            ("か\u{3099}んばった", "か\u{3099}んばった k7qf2m"),
            ("^OK.*$ (done|[a-z]+)?\\", "^OK.*$ (done|[a-z]+)?\\ k7qf2m"),
            ("* OK *", "OK * k7qf2m"),
            ("● fertig", "fertig k7qf2m"),
            ("+1", "+1 k7qf2m"),
            ("> OK", "> OK k7qf2m"),
            ("  GRAND   BOSS OK ", "GRAND BOSS OK k7qf2m"),
        ] {
            assert!(
                find(&Screen::lines(&["x", line, "y"]), &awaited(phrase), None).is_some(),
                "{phrase}: {line}"
            );
            let other = line.replace("k7qf2m", "k7qf2n");
            assert!(find(&Screen::lines(&[&other]), &awaited(phrase), None).is_none(), "{phrase}: {other}");
        }
    }

    #[test]
    fn a_phrase_needs_a_word_of_its_own() {
        let long = "語".repeat(PHRASE_BYTES_MAX / 3 + 1);
        let mut said = String::new();
        for phrase in [
            "CODING OK",
            "完了",
            "✅",
            "",
            "  ",
            "。",
            "● **",
            "a\nb",
            "\u{1B}[1m",
            "MY token",
            "(token:",
            &long,
        ] {
            let shown: String = phrase.chars().take(12).collect();
            let verdict = check_phrase(phrase).map_or_else(|error| error.to_string(), |()| "good".into());
            writeln!(said, "{shown:?}: {verdict}").unwrap();
            assert_eq!(Awaited::new(phrase, token()).is_ok(), check_phrase(phrase).is_ok());
        }
        expect![[r#"
            "CODING OK": good
            "完了": good
            "✅": good
            "": the phrase has no word in it (white space, bullets and `*.。「」 do not count): write one, as in CODING OK
            "  ": the phrase has no word in it (white space, bullets and `*.。「」 do not count): write one, as in CODING OK
            "。": the phrase has no word in it (white space, bullets and `*.。「」 do not count): write one, as in CODING OK
            "● **": the phrase has no word in it (white space, bullets and `*.。「」 do not count): write one, as in CODING OK
            "a\nb": the phrase has '\n' at byte 1; it must be one printable line: take it out
            "\u{1b}[1m": the phrase has '\u{1b}' at byte 0; it must be one printable line: take it out
            "MY token": the phrase ends with `token`, which comes before each token in the task itself: choose another
            "(token:": the phrase ends with `token`, which comes before each token in the task itself: choose another
            "語語語語語語語語語語語語": the phrase has 102 bytes; at most 100 are allowed: shorten it
        "#]].assert_eq(&said);
    }

    #[test]
    fn the_first_claim_counts_unless_work_follows_it() {
        let rows = ["● CODING OK k7qf2m", "", "  One more thing: the docs.", "", "  CODING OK k7qf2m", "$ "];
        let expected = expect![[r#"
            => ● CODING OK k7qf2m
            .
            .    One more thing: the docs.
            .
            .    CODING OK k7qf2m
            .  $
        "#]];
        expected.assert_eq(&shown(&Screen::lines(&rows), &awaited(PHRASE)));
        let twice = find(&Screen::wrapped(&[MARKER, MARKER], 20), &awaited(PHRASE), None).unwrap();
        assert_eq!((twice.start.row, twice.earlier.len(), twice.goes_on), (0, 0, false));
        let taken = |rows: &[&str]| {
            let claim = find(&Screen::wrapped(rows, 80), &awaited(PHRASE), None)?;
            let earlier: Vec<usize> = claim.earlier.iter().map(|rows| rows.start).collect();
            Some((claim.start.row, earlier, claim.goes_on))
        };
        let early = ["● I read it first.", "  CODING OK k7qf2m", "", "● Read(notes.txt)", "  ⎿ 3 lines"];
        assert_eq!(taken(&early), Some((1, vec![], true)), "it went on to work, and claimed no more");
        let again =
            [&early[..], &["", "● It is done.", "  CODING OK k7qf2m", "  Bye.", "  CODING OK k7qf2m"]]
                .concat();
        assert_eq!(taken(&again), Some((7, vec![1], false)), "the first one that no work follows");
        let listed = ["It is done:", "• one", "CODING OK k7qf2m", "• two", "CODING OK k7qf2m"];
        assert_eq!(taken(&listed), Some((2, vec![], false)), "a program that draws no bullets");
    }

    #[test]
    fn what_stands_above_the_text_that_was_typed_last_is_no_claim() {
        // The same turn was typed again: whoever said this was not asked by what is below it.
        let rows = [MARKER, "$ the doorbell", "at work"];
        let claim = |rows: &[&str], last_row: usize| {
            let echo = Echo { first_row: 1, last_row };
            find(&Screen::lines(rows), &awaited(PHRASE), Some(echo)).map(|claim| claim.start.row)
        };
        assert_eq!(claim(&rows, 1), None);
        assert_eq!(claim(&[MARKER, "$ the door", MARKER, "at work"], 2), None, "nor a part of it");
        assert_eq!(claim(&[MARKER, "$ the doorbell", "at work", MARKER], 1), Some(3));
    }

    #[test]
    fn a_code_block_or_a_tools_line_is_a_claim_when_the_turn_is_over() {
        assert_eq!(taken(200, &["```", MARKER, "```"], PHRASE), Some((1, 1)));
        assert_eq!(taken(200, &["$ cat notes", "hello", "    CODING OK k7qf2m", "$"], PHRASE), Some((2, 2)));
    }

    #[test]
    fn a_line_that_the_program_wrapped_is_joined_where_a_row_is_full() {
        let long = "RESEARCH AND ANALYSIS ARE ALL DONE";
        let by_words = ["✦ RESEARCH AND ANALYSIS", "  ARE ALL DONE k7qf2m"];
        assert_eq!(taken(26, &by_words, long), Some((0, 1)));
        let before_the_token = ["", "  RESEARCH AND ANALYSIS ARE ALL DONE", "  k7qf2m"];
        assert_eq!(taken(40, &before_the_token, long), Some((1, 2)));
        let by_letters = ["RESEARCH AND ANALYSIS ARE ALL DONE k7q", "f2m"];
        assert_eq!(taken(38, &by_letters, long), Some((0, 1)));
        let three = ["RESEARCH AND", "ANALYSIS ARE", "ALL DONE k7q", "f2m"];
        assert_eq!(taken(13, &three, long), Some((0, 3)));
        let boxed = [
            "╭────────────────────────╮",
            "│ RESEARCH AND ANALYSIS  │",
            "│ ARE ALL DONE k7qf2m    │",
            "╰────────────────────────╯",
        ];
        assert_eq!(taken(120, &boxed, long), Some((1, 2)));
        let japanese = ["「調査と分析のすべての作業", "が完了しました k7qf2m」"];
        assert_eq!(taken(27, &japanese, "調査と分析のすべての作業が完了しました"), Some((0, 1)));
    }

    #[test]
    fn rows_that_are_not_full_are_lines_of_their_own() {
        let long = "RESEARCH AND ANALYSIS ARE ALL DONE";
        let rows = ["RESEARCH AND ANALYSIS", "ARE ALL DONE k7qf2m"];
        assert_eq!(find(&Screen::lines(&rows), &awaited(long), None), None);
        assert_eq!(taken(40, &rows, long), None);
        assert_eq!(taken(24, &["RESEARCH AND ANALYSIS", "", "ARE ALL DONE k7qf2m"], long), None);
        assert_eq!(
            taken(26, &["│ RESEARCH AND ANALYSIS │", "ARE ALL DONE k7qf2m"], long),
            None,
            "out of its box"
        );
    }

    #[test]
    fn a_row_that_a_sentence_goes_on_in_is_no_line() {
        assert_eq!(taken(40, &["When all of it is done I will say", MARKER], PHRASE), None);
        assert_eq!(taken(40, &["When all of it is done I say then:", MARKER], PHRASE), None);
        assert_eq!(taken(41, &["ぜんぶ終わったら合言葉として次を言います", MARKER], PHRASE), None);
        assert_eq!(taken(20, &[MARKER, "is what I say then"], PHRASE), None);
        assert_eq!(taken(20, &[MARKER, "$ "], PHRASE), Some((0, 0)), "a prompt goes on with nothing");
        assert_eq!(taken(20, &[MARKER, "● done"], PHRASE), Some((0, 0)), "nor does another block");
    }

    #[test]
    fn a_line_after_a_full_row_counts_where_a_sentence_ended_or_a_block_begins() {
        for above in [
            "All of the work is done, and it is good.",
            "すべての作業が無事に終わりましたですよ。",
            "========================================",
            "────────────────────────────────────────",
        ] {
            let rows = [above, MARKER];
            assert!(find(&Screen::wrapped(&rows, 40), &awaited(PHRASE), None).is_some(), "{above}");
        }
        let block = ["I did all of the work that was asked for", "● CODING OK k7qf2m"];
        assert!(find(&Screen::wrapped(&block, 40), &awaited(PHRASE), None).is_some());
        let tmux_joined = ["I did all of the work that was asked for in the task", MARKER];
        assert!(find(&Screen::wrapped(&tmux_joined, 40), &awaited(PHRASE), None).is_some());
        let echo = ["[tasuki] task m1 from user (token k7qf2m): read m1.yaml and do it", MARKER];
        assert!(find(&Screen::wrapped(&echo, 68), &awaited(PHRASE), None).is_some());
    }

    /// A recorded screen, with a doorbell in place of what was typed and a token beside the phrase.
    fn with_token(screen: &str) -> String {
        let typed = "[tasuki] task m1 from user (token k7qf2m): read queue/active/m1.yaml and do it.";
        screen.replace("task A QT1 [[stub first=2 dur=5 lines=10]]", typed).replace("CODING OK", MARKER)
    }

    #[test]
    fn real_agents_claims_are_seen() {
        for (name, screen) in [
            ("claude", include_str!("../fixtures/screens/claude-done.txt")),
            ("codex", include_str!("../fixtures/screens/codex-done.txt")),
            ("gemini", include_str!("../fixtures/screens/gemini-done.txt")),
            ("qwen", include_str!("../fixtures/screens/qwen-done.txt")),
            ("opencode", include_str!("../fixtures/screens/opencode-done.txt")),
        ] {
            let text = with_token(screen);
            let rows: Vec<&str> = text.lines().collect();
            let screen = Screen::wrapped(&rows, 120);
            let claim = find(&screen, &awaited(PHRASE), None).expect(name);
            assert!(rows[claim.start.row].contains(MARKER), "{name}");
            assert_eq!((claim.start.row, claim.proof), (claim.end.row, ClaimProof::Strong), "{name}");
            let older = Awaited::new(PHRASE, Some(Token::new("k7qf2n").unwrap())).unwrap();
            assert_eq!(find(&screen, &older, None), None, "{name}");
        }
    }

    /// A row of anything, or of pieces that a claim is made of, save the token.
    fn row() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "CODING OK",
            "CODING",
            "OK",
            "k7qf2",
            "7qf2m",
            "●",
            "│",
            "`",
            "。",
            "[tasuki]",
            "$",
            " ",
            "完了",
        ]);
        let pieces = prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.join(" "));
        prop_oneof!["\\PC{0,60}", pieces]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn text_without_the_token_never_claims(rows in prop::collection::vec(row(), 0..30), width in 1usize..200) {
            let squeezed: String = rows.concat().split_whitespace().collect();
            prop_assume!(!squeezed.contains("k7qf2m"));
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            prop_assert_eq!(find(&Screen::lines(&rows), &awaited(PHRASE), None), None);
            prop_assert_eq!(find(&Screen::wrapped(&rows, width), &awaited(PHRASE), None), None);
        }

        #[test]
        fn a_claim_in_any_text_is_found(
            rows in prop::collection::vec(row(), 0..30),
            at in any::<prop::sample::Index>(),
            indent in 0usize..8,
            phrase in prop::sample::select(vec!["CODING OK", "作業完了", "✅ (a|b)* 👩‍💻"]),
        ) {
            let at = at.index(rows.len() + 1);
            let marker = format!("{}{phrase} k7qf2m", " ".repeat(indent));
            let mut rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            rows.insert(at, &marker);
            for screen in [Screen::lines(&rows), Screen::wrapped(&rows, 200)] {
                let claim = found(&screen, &awaited(phrase));
                prop_assert_eq!(claim.map(|claim| (claim.start.row, claim.end.row)), Some((at, at)));
            }
        }
    }
}
