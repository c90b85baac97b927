//! The text of an answer: exactly what was printed between the echo and the claim, less what programs draw.

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::answer::{ANSWER_BYTES_MAX, ScreenAnswer, extract};
    use tasuki::engine::screen::echo::{Echo, echoes, own_echo};
    use tasuki::engine::screen::marker::{Awaited, find};
    use tasuki::engine::words::Token;

    const BELL: &str = "[tasuki] task m1 from user (token k7qf2m): read queue/active/m1.yaml and do it.";
    const CLAIM: &str = "CODING OK k7qf2m";

    /// The answer of the turn with the token.
    fn answer(screen: &Screen<'_>) -> ScreenAnswer {
        let token = Some(Token::new("k7qf2m").unwrap());
        let claim = find(screen, &Awaited::new("CODING OK", token).unwrap(), None).expect("a claim");
        extract(screen, &echoes(screen, BELL, token), Some(&claim))
    }

    /// Rows with white space at the ends made visible.
    fn check(screen: &Screen<'_>, expected: &Expect) {
        let ScreenAnswer { text, truncated } = answer(screen);
        let cut = if truncated { "(its beginning is missing)\n" } else { "" };
        expected.assert_eq(&format!("{cut}|{}|\n", text.replace('\n', "|\n|")));
    }

    #[test]
    fn a_plain_programs_answer_is_what_it_printed() {
        let rows = [
            BELL,
            "",
            "Read 3 files.  ",
            "",
            "    fn main() {}",
            "\u{3000}全角 👩‍💻 か\u{3099}",
            "• one",
            "• two",
            "",
            CLAIM,
            "$ ",
        ];
        let expected = expect![[r#"
            |Read 3 files.|
            ||
            |    fn main() {}|
            |　全角 👩‍💻 が|
            |• one|
            |• two|
        "#]];
        check(&Screen::lines(&rows), &expected);
    }

    #[test]
    fn a_prompt_may_stand_before_the_echo_and_around_the_answer() {
        for prompt in [
            "$ ",
            "> ",
            ">>> ",
            "❯ ",
            "me@host:~/src$ ",
            "root@h:/# ",
            "sqlite> ",
            "What now? ",
            "working... ",
        ] {
            let echo = format!("{prompt}{BELL}");
            for bare in ["", "$", "> ", ">>>", "me@host:~/src$ "] {
                let rows = ["hello", &echo, bare, "one", ">", "two", bare, CLAIM, "$ "];
                let screen = Screen::lines(&rows);
                assert_eq!(
                    answer(&screen),
                    ScreenAnswer { text: "one\n>\ntwo".into(), truncated: false },
                    "{prompt}{bare}"
                );
            }
        }
    }

    #[test]
    fn only_this_turns_part_counts() {
        let older = BELL.replace("k7qf2m", "a1b2c3");
        let newer = BELL.replace("k7qf2m", "d4e5f6");
        let rows =
            [&older, "old", "CODING OK a1b2c3", BELL, "mine", CLAIM, &newer, "new", "CODING OK d4e5f6"];
        check(&Screen::lines(&rows), &expect!["|mine|\n"]);
        let again = [BELL, "first try", "", BELL, "second try", CLAIM];
        check(&Screen::lines(&again), &expect!["|second try|\n"]);
        let rung_again_after_the_claim = [BELL, "mine", CLAIM, BELL, "busy"];
        check(&Screen::lines(&rung_again_after_the_claim), &expect!["|mine|\n"]);
        let (echo, quote) = (format!("$ {BELL}"), format!("I was told: {BELL}"));
        let quoted = [&echo, &quote, "mine", CLAIM];
        check(
            &Screen::lines(&quoted),
            &expect![[r#"
            |I was told: [tasuki] task m1 from user (token k7qf2m): read queue/active/m1.yaml and do it.|
            |mine|
        "#]],
        );
    }

    #[test]
    fn an_earlier_claim_is_no_part_of_the_answer() {
        let rows = [BELL, "one", CLAIM, "two", "● CODING OK k7qf2m.", CLAIM];
        check(
            &Screen::lines(&rows),
            &expect![[r#"
            |one|
        "#]],
        );
    }

    #[test]
    fn nothing_between_echo_and_claim_is_an_empty_answer() {
        assert_eq!(
            answer(&Screen::lines(&[BELL, CLAIM])),
            ScreenAnswer { text: String::new(), truncated: false }
        );
        assert_eq!(
            answer(&Screen::wrapped(&[CLAIM, "later"], 80)),
            ScreenAnswer { text: String::new(), truncated: true }
        );
    }

    #[test]
    fn an_echo_that_has_scrolled_away_is_told() {
        let rows = ["line 7 of 9", "", "line 9 of 9", CLAIM];
        check(
            &Screen::lines(&rows),
            &expect![[r#"
            (its beginning is missing)
            |line 7 of 9|
            ||
            |line 9 of 9|
        "#]],
        );
    }

    #[test]
    fn the_end_of_an_answer_over_the_limit_is_kept() {
        let line = "語".repeat(60);
        let mut rows = vec![BELL];
        rows.extend(std::iter::repeat_n(line.as_str(), ANSWER_BYTES_MAX / line.len() + 50));
        rows.extend(["the end", CLAIM]);
        let kept = answer(&Screen::lines(&rows));
        assert!(kept.truncated && kept.text.ends_with("語\nthe end"));
        assert!((ANSWER_BYTES_MAX - 3..=ANSWER_BYTES_MAX).contains(&kept.text.len()), "{}", kept.text.len());

        let whole = "x".repeat(ANSWER_BYTES_MAX);
        let rows = [BELL, &whole, CLAIM];
        assert!(answer(&Screen::lines(&rows)) == ScreenAnswer { text: whole.clone(), truncated: false });
    }

    #[test]
    fn an_echo_may_be_wrapped_by_words_or_letters_or_cut_short() {
        let by_words = [
            "❯ [tasuki] task m1 from user (token",
            "  k7qf2m): read queue/active/m1.yaml",
            "  and do it.",
            "",
            "● done",
            "",
            "  CODING OK k7qf2m",
        ];
        check(&Screen::wrapped(&by_words, 40), &expect!["|done|\n"]);
        let by_letters = [
            "> [tasuki] task m1 from user (token k7qf",
            "2m): read queue/active/m1.yaml and do it",
            ".",
            "read: 1 file",
            CLAIM,
        ];
        check(&Screen::wrapped(&by_letters, 40), &expect!["|read: 1 file|\n"]);
        let boxed = [
            "╭──────────────────────────────────────╮",
            "│ > [tasuki] task m1 from user (token  │",
            "│   k7qf2m): read                      │",
            "│   queue/active/m1.yaml and do it.    │",
            "╰──────────────────────────────────────╯",
            "✦ done",
            "  CODING OK k7qf2m",
        ];
        check(&Screen::wrapped(&boxed, 40), &expect!["|done|\n"]);
        let cut_short = ["› [tasuki] task m1 from user (token k7qf2m): read que…", "done", CLAIM];
        check(&Screen::wrapped(&cut_short, 60), &expect!["|done|\n"]);
    }

    #[test]
    fn rows_that_the_program_wrapped_stay_rows() {
        let rows = [
            "❯ [tasuki] task m1 from user (token k7qf2m):",
            "  read queue/active/m1.yaml and do it.",
            "",
            "● I read the file and changed three",
            "  places in it, as the task says:",
            "",
            "    - 一つ目の場所",
            "",
            "● Ran the tests",
            "  ⎿  ok",
            "",
            "  CODING OK k7qf2m",
        ];
        check(
            &Screen::wrapped(&rows, 46),
            &expect![[r#"
            |I read the file and changed three|
            |places in it, as the task says:|
            ||
            |  - 一つ目の場所|
            ||
            |● Ran the tests|
            |⎿  ok|
        "#]],
        );
    }

    #[test]
    fn a_bullet_goes_only_where_all_else_keeps_to_its_margin() {
        let list = [BELL, "• one", "• two", CLAIM];
        check(&Screen::wrapped(&list, 200), &expect!["|• one|\n|• two|\n"]);
        let text = [BELL, "", "• one", "two", CLAIM];
        check(&Screen::wrapped(&text, 200), &expect!["|• one|\n|two|\n"]);
        let no_space = [BELL, "•one", "  two", CLAIM];
        check(&Screen::wrapped(&no_space, 200), &expect!["|•one|\n|  two|\n"]);
        let block = [BELL, "", "  ✦ one", "      two", "", "  ✦ three", "    CODING OK k7qf2m"];
        check(&Screen::wrapped(&block, 200), &expect!["|one|\n|  two|\n||\n|✦ three|\n"]);
        check(&Screen::lines(&[BELL, "• one", CLAIM]), &expect!["|• one|\n"]);
    }

    #[test]
    fn the_margin_below_a_text_beside_a_bar_goes_and_no_more() {
        let bell = format!("  ┃  {BELL}");
        let rows = ["  ┃", &bell, "  ┃", "", "       one", "         two", "", "     CODING OK k7qf2m"];
        check(&Screen::wrapped(&rows, 200), &expect!["|  one|\n|    two|\n"]);
        let left = ["  ┃", &bell, "  ┃   QUEUED", "", "   one", "     two", "", CLAIM];
        check(&Screen::wrapped(&left, 200), &expect!["|one|\n|  two|\n"]);
    }

    #[test]
    fn a_box_goes_only_where_the_claim_stands_in_it_too() {
        let around = [
            "> ok",
            BELL,
            "╭──────────────────╮",
            "│ one              │",
            "│   two            │",
            "│ CODING OK k7qf2m │",
            "╰──────────────────╯",
        ];
        check(&Screen::wrapped(&around, 200), &expect!["|one|\n|  two|\n"]);
        let table = [BELL, "┌───┬───┐", "│ a │ b │", "└───┴───┘", "", CLAIM];
        check(&Screen::wrapped(&table, 200), &expect!["|┌───┬───┐|\n|│ a │ b │|\n|└───┴───┘|\n"]);
    }

    /// A recorded screen, with a doorbell in place of what was typed and a token beside the phrase.
    fn with_token(screen: &str) -> String {
        screen.replace("task A QT1 [[stub first=2 dur=5 lines=10]]", BELL).replace("CODING OK", CLAIM)
    }

    #[test]
    fn five_real_agents_answers_are_the_same_ten_lines() {
        let said: Vec<String> = [
            include_str!("../fixtures/screens/claude-done.txt"),
            include_str!("../fixtures/screens/codex-done.txt"),
            include_str!("../fixtures/screens/gemini-done.txt"),
            include_str!("../fixtures/screens/qwen-done.txt"),
            include_str!("../fixtures/screens/opencode-done.txt"),
        ]
        .iter()
        .map(|screen| {
            let text = with_token(screen);
            let rows: Vec<&str> = text.lines().collect();
            answer(&Screen::wrapped(&rows, 120)).text
        })
        .collect();
        expect![[r#"
            stub line 1 of 10: pebble needle birch falcon bridge pebble jasper.
            stub line 2 of 10: bridge saffron anchor harbor falcon garden kettle.
            stub line 3 of 10: meadow amber yarrow hammer saffron needle meadow.
            stub line 4 of 10: magnet nectar kettle falcon cedar umber pebble.
            stub line 5 of 10: jungle birch nectar umber amber quartz hammer.
            stub line 6 of 10: needle nectar island dragon tundra delta kettle.
            stub line 7 of 10: falcon pebble kelp ember jungle jungle jungle.
            stub line 8 of 10: birch meadow fjord zephyr candle orchid magnet.
            stub line 9 of 10: ember dragon inlet delta jasper zephyr tundra.
            stub line 10 of 10: zephyr umber orchid jungle engine yarrow dragon."#]]
        .assert_eq(&said[0]);
        assert!(said.iter().all(|text| *text == said[0]), "{said:#?}");
    }

    /// What an agent says after the last thing typed, as far as it is on the screen.
    fn unclaimed(screen: &str, typed: &str) -> String {
        let rows: Vec<&str> = screen.lines().collect();
        let screen = Screen::wrapped(&rows, 120);
        extract(&screen, own_echo(&screen, typed, None, 0).as_slice(), None).text
    }

    #[test]
    fn without_a_claim_the_answer_ends_above_the_input_box() {
        let typed = "task A QT1 [[stub first=2 dur=5 lines=10]]";
        let ends = |screen: &str| {
            let text = unclaimed(screen, typed);
            let last: Vec<&str> = text.lines().rev().take(3).collect();
            format!("{} lines, the last: {}\n", text.lines().count(), last.join(" | "))
        };
        let said: String = [
            include_str!("../fixtures/screens/claude-done.txt"),
            include_str!("../fixtures/screens/codex-done.txt"),
            include_str!("../fixtures/screens/gemini-done.txt"),
            include_str!("../fixtures/screens/qwen-done.txt"),
            include_str!("../fixtures/screens/opencode-done.txt"),
        ]
        .into_iter()
        .map(ends)
        .collect();
        expect![[r#"
            12 lines, the last: CODING OK |  | stub line 10 of 10: zephyr umber orchid jungle engine yarrow dragon.
            14 lines, the last: Worked for 7s • 21:00 |  | CODING OK
            12 lines, the last: CODING OK |  | stub line 10 of 10: zephyr umber orchid jungle engine yarrow dragon.
            12 lines, the last: CODING OK |  | stub line 10 of 10: zephyr umber orchid jungle engine yarrow dragon.
            12 lines, the last: CODING OK |  | stub line 10 of 10: zephyr umber orchid jungle engine yarrow dragon.
        "#]].assert_eq(&said);

        let hangs = unclaimed(
            include_str!("../fixtures/screens/claude-several-turns.txt"),
            "hang QH1 [[stub hang=40]]",
        );
        assert_eq!(hangs, "", "a spinner is no answer");
        let tool = unclaimed(
            include_str!("../fixtures/screens/opencode-tool.txt"),
            "tool QO1 [[stub tool=bash cmd='touch /home/me/project/perm-opencode; echo tool-ran-$((40+2))' dur=1]]",
        );
        expect![[r#"
               I will use a tool first.

            ┃
            ┃  $ touch /home/me/project/perm-opencode; echo tool-ran-$((40+2))
            ┃
            ┃  tool-ran-42
            ┃"#]]
        .assert_eq(&tool);
    }

    #[test]
    fn an_echo_of_many_rows_ends_where_the_text_ends() {
        let text = include_str!("../fixtures/screens/claude-many-row-echo.txt");
        let rows: Vec<&str> = text.lines().collect();
        let typed: Vec<String> = (1..=13)
            .map(|n| {
                format!(
                    "QP1000x120 line {n:04}: do the thing number {}, print 'x' && $HOME y \\n \"q\" 日本 é",
                    n * 7
                )
            })
            .chain(["QP1000x120 END [[stub dur=0.5]]".to_owned()])
            .collect();
        let screen = Screen::wrapped(&rows, 120);
        let found = echoes(&screen, &typed.join("\n"), None);
        assert_eq!(found, [Echo { first_row: 13, last_row: 26 }]);
        assert!(rows[13].starts_with("❯ QP1000x120") && rows[26].contains("END"));
        let codex = include_str!("../fixtures/screens/codex-wrapped-echo.txt");
        let rows: Vec<&str> = codex.lines().collect();
        let typed = format!("{}QB60x5 [[stub dur=0.3]]", "w ".repeat(60));
        let found = own_echo(&Screen::wrapped(&rows, 120), &typed, None, 0).unwrap();
        assert_eq!(found.last_row, found.first_row + 1);
    }

    /// The answer of an agent without tokens, to the text `go`.
    fn weak(rows: &[&str]) -> String {
        let screen = Screen::wrapped(rows, 80);
        let echo = own_echo(&screen, "go", None, 0);
        let claim = find(&screen, &Awaited::new("完了 OK", None).unwrap(), echo).expect("a claim");
        extract(&screen, echo.as_slice(), Some(&claim)).text
    }

    #[test]
    fn without_a_token_the_answer_stands_before_the_phrase_or_else_after_it() {
        assert_eq!(weak(&["old", "$ go", "one", "  two", "完了 OK", "three"]), "one\n  two");
        assert_eq!(weak(&["$ go", "one", "two 完了 OK three", "four"]), "one\ntwo");
        assert_eq!(weak(&["$ go", "「完了 OK」 了解しました。", "  one", "", "$ "]), "了解しました。\n  one");
        assert_eq!(weak(&["❯ go", "", "● **完了 OK**", "", "  one", "", "❯ "]), "  one");
        assert_eq!(weak(&["$ go", "完了 OK"]), "");
    }

    #[test]
    fn a_claim_that_work_follows_does_not_end_an_answer() {
        use tasuki::engine::screen::answer::{Spoken, said, without_phrase};
        let told = |pieces: &[&str], token: Option<&str>| {
            let token = token.map(|token| Token::new(token).unwrap());
            let awaited = Awaited::new("CODING OK", token).unwrap();
            said(&Spoken::of(pieces.iter().copied()), &awaited).map(|(answer, _)| answer.text)
        };
        let strong = |pieces: &[&str]| told(pieces, Some("k7qf2m"));
        let (early, late) = ("I read it.\n\nCODING OK k7qf2m", "It is 42.\n\nCODING OK k7qf2m");
        assert_eq!(strong(&[early, late]).as_deref(), Some("I read it.\n\n\nIt is 42."));
        assert_eq!(strong(&[early, "It is 42."]).as_deref(), Some("I read it.\n\n\nIt is 42."));
        assert_eq!(strong(&["I read it.", "", late]).as_deref(), Some("I read it.\n\nIt is 42."));
        assert_eq!(strong(&["I read it.", "It is 42."]), None);
        let weak = |pieces: &[&str]| told(pieces, None);
        assert_eq!(weak(&["It is 42. CODING OK, as I said: CODING OK"]).as_deref(), Some("It is 42."));
        let says = ["I say CODING OK at the end.", "It is `42`.\n\n**CODING OK**"];
        assert_eq!(weak(&says).as_deref(), Some("I say CODING OK at the end.\n\nIt is `42`."));
        assert_eq!(weak(&["CODING OK: it is 42."]).as_deref(), Some(": it is 42."));
        assert_eq!(weak(&["It is 42."]), None);
        for (text, rest) in [
            ("It is 42.\n\n**CODING OK**\n", "It is 42."),
            ("CODING  OK", ""),
            ("It is CODING OK", "It is CODING OK"),
            ("CODING OK\nnot yet", "CODING OK\nnot yet"),
        ] {
            assert_eq!(without_phrase(text, "CODING OK"), rest);
        }
    }

    #[test]
    fn what_an_agent_wrote_down_ends_in_its_claim_or_is_none() {
        let token = Some(Token::new("k7qf2m").unwrap());
        let awaited = Awaited::new("CODING OK", token).unwrap();
        let said = |text: &str| {
            tasuki::engine::screen::answer::said(&text.into(), &awaited).map(|(answer, _)| answer.text)
        };
        let is_done = |text: &str| said(text).as_deref() == Some("# What\n\nIt is done.");
        for claim in [
            "CODING OK k7qf2m",
            "**CODING OK k7qf2m**",
            "`CODING OK k7qf2m`",
            "## CODING OK k7qf2m",
            "```\nCODING OK k7qf2m\n```",
            "```text\nCODING OK k7qf2m\n```\n\n",
        ] {
            assert!(is_done(&format!("# What\n\nIt is done.\n\n{claim}")), "{claim}: {:?}", said(claim));
        }
        for none in [
            "- CODING OK k7qf2m",
            "1. CODING OK k7qf2m",
            "I end with this:\n```\nCODING OK k7qf2m\n```\nWhich file do you mean?",
            "A file has CODING OK k7qf2m in it. Which one is meant?",
            "#CODING OK k7qf2m",
        ] {
            assert_eq!(said(none), None, "{none}");
        }
        let twice = "It is 42.\n\nCODING OK k7qf2m\n\nBye!\n\nCODING OK k7qf2m";
        assert_eq!(said(twice).as_deref(), Some("It is 42."), "what follows the first one is no answer");
        let quoted = "I shall say\n```\nCODING OK k7qf2m\n```\nwhen it is.";
        assert_eq!(said(&format!("{quoted}\n\nCODING OK k7qf2m")).as_deref(), Some(quoted));
    }
}
