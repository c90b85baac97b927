//! Where a typed text is found again, and where it is not taken for found.

#[cfg(test)]
mod tests {
    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::echo::{echoes, is_certain, own_echo};
    use tasuki::engine::words::Token;

    const BELL: &str = "[tasuki] task m1 from user (token k7qf2m): read queue/active/m1.yaml and do it.";

    /// First and last row of each echo.
    fn found(rows: &[&str], typed: &str, token: Option<&str>) -> Vec<(usize, usize)> {
        let token = token.map(|token| Token::new(token).unwrap());
        echoes(&Screen::lines(rows), typed, token)
            .iter()
            .map(|echo| (echo.first_row, echo.last_row))
            .collect()
    }

    #[test]
    fn a_doorbell_is_found_by_its_token() {
        let older = BELL.replace("k7qf2m", "a1b2c3");
        let echoed = format!("$ {BELL}");
        let rows = [&older, "x", &echoed, "y", BELL];
        assert_eq!(found(&rows, BELL, Some("k7qf2m")), [(2, 2), (4, 4)]);
        assert_eq!(found(&rows, &older, Some("a1b2c3")), [(0, 0)]);
        assert_eq!(found(&rows, &BELL.replace("k7qf2m", "d4e5f6"), Some("d4e5f6")), []);
        assert_eq!(
            found(&["task (token k7qf2m)", "k7qf2m"], BELL, Some("k7qf2m")),
            [],
            "the head is missing"
        );
    }

    #[test]
    fn a_doorbell_within_other_words_is_an_echo_only_where_no_better_one_is() {
        let (busy, quoted) = (format!("working... {BELL}"), format!("You typed: {BELL}"));
        assert_eq!(found(&[&busy, "x"], BELL, Some("k7qf2m")), [(0, 0)]);
        assert_eq!(
            found(&[&busy, "x", &quoted], BELL, Some("k7qf2m")),
            [(2, 2)],
            "a question's colon is better"
        );
        assert_eq!(found(&[BELL, "x", &quoted, &busy], BELL, Some("k7qf2m")), [(0, 0)]);
    }

    #[test]
    fn an_echo_is_certain_where_nothing_above_could_outrank_it() {
        let certain = |rows: &[&str], token: Option<&str>| {
            is_certain(&Screen::lines(rows), BELL, token.map(|token| Token::new(token).unwrap()))
        };
        let (prompted, quoted) = (format!("$ {BELL}"), format!("You typed: {BELL}"));
        let token = Some("k7qf2m");
        assert!(certain(&["x", &prompted, "日本語"], token));
        assert!(!certain(&["x", BELL, "日本語"], token), "an answer may quote its own line");
        assert!(certain(&["x", &quoted, "y", &prompted], token));
        assert!(!certain(&["x", &quoted], token), "its own echo may stand above the quotation");
        assert!(!certain(&[BELL, "x"], token), "the first row may be the end of a quotation");
        assert!(!certain(&["x", BELL], None), "without a token an older turn may have had the same text");
        assert!(!certain(&["x", "y"], token));
    }

    #[test]
    fn a_text_without_a_token_is_found_where_a_line_ends_with_it() {
        let rows = ["ls", "also", "$ ls", "ls -l", "tools: ls", "false", "run ls"];
        assert_eq!(found(&rows, "ls", None), [(0, 0), (2, 2)]);
        assert_eq!(
            found(&["Name: Ada", "hello Ada"], "Ada", None),
            [(0, 0)],
            "no prompt, so a question counts"
        );
        assert_eq!(found(&["hello Ada"], "Ada", None), []);
        assert_eq!(found(&["a b"], "  ", None), [], "nothing was typed");
        assert_eq!(found(&[], "ls", None), []);
        assert_eq!(found(&["> 日本 語 👩‍💻", "│"], "日本語 👩‍💻", None), [(0, 0)]);
    }

    #[test]
    fn a_text_without_a_token_is_found_as_markdown_is_drawn() {
        let typed = "Say `hello` to **all** of _them_.";
        let drawn = ["❯ Say hello to all of them.", "", "● Hello!"];
        assert_eq!(own_echo(&Screen::wrapped(&drawn, 80), typed, None, 0).map(|echo| echo.last_row), Some(0));
        assert_eq!(found(&drawn, typed, None), [], "a terminal shows what was typed to the letter");
    }

    #[test]
    fn an_answer_begins_after_the_text_was_typed_last() {
        let (token, prompted) = (Token::new("k7qf2m").ok(), format!("$ {BELL}"));
        let rows = [BELL, "an answer to that", &prompted, "still at it"];
        let echo = own_echo(&Screen::lines(&rows), &prompted[2..], token, 0).unwrap();
        assert_eq!((echo.first_row, echo.last_row), (2, 2));
        let rows = ["> ls", "a.txt", "> ls", "b.txt"];
        assert_eq!(own_echo(&Screen::lines(&rows), "ls", None, 0).unwrap().last_row, 2);
    }

    #[test]
    fn an_answer_that_quotes_its_own_line_begins_where_that_was_typed() {
        let token = Token::new("k7qf2m").ok();
        let (prompted, quoted) = (format!("me> {BELL}"), format!("> {BELL}"));
        for (rows, own) in [
            (vec!["ready", BELL, "all of it", BELL, "that was it"], 1),
            (vec!["ready", BELL, "all of it", &quoted, "that was it"], 1),
            (vec!["ready", &quoted, "all of it", BELL, "that was it"], 1),
            (vec!["ready", BELL, "", BELL, "printed what it read", BELL], 3),
            (vec!["ready", &prompted, "all of it", BELL, &quoted, &prompted], 1),
            (vec![BELL, "typed ahead", &prompted, "all of it", BELL], 2),
        ] {
            let screen = Screen::lines(&rows);
            let at = own_echo(&screen, BELL, token, 0).map(|echo| echo.first_row);
            assert_eq!(at, Some(own), "{rows:?}");
        }
        assert!(
            is_certain(&Screen::wrapped(&["above", &quoted], 200), BELL, token),
            "an input box draws it so"
        );
    }

    #[test]
    fn a_text_in_an_input_box_is_found_with_the_cursor_after_it() {
        let screen = include_str!("../fixtures/screens/qwen-typed.txt");
        let rows: Vec<&str> = screen.lines().collect();
        let typed = "Fix it. When done, print CODING OK alone on a line. QE1 [[stub dur=4 lines=5]]";
        let echo = own_echo(&Screen::wrapped(&rows, 120), typed, None, 0).unwrap();
        assert!(rows[echo.first_row].starts_with("> Fix it.") && rows[echo.first_row].ends_with('\u{200B}'));
    }
}
