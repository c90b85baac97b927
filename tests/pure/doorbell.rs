//! The doorbell: its exact forms, its limits, and what is never typed.

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use tasuki::engine::screen::doorbell::{
        BadDoorbell, DOORBELL_BYTES_MAX, Doorbell, INLINE_BYTES_MAX, PATH, TurnKind, Words, check_inline,
        clean, inline_text,
    };
    use tasuki::engine::words::{AgentName, MessageId, Token};

    const FILE: &str = "queue/active/msg-a1b2c3d4e5f6.yaml";

    fn ring(kind: TurnKind, path: &str, words: &Words) -> Result<String, BadDoorbell> {
        let id = MessageId::new("msg-a1b2c3d4e5f6").unwrap();
        let from = AgentName::new("grand_boss").unwrap();
        let token = (kind != TurnKind::Info).then(|| Token::new("k7qf2m").unwrap());
        Doorbell { kind, id: &id, from: &from, token, path }.line(words)
    }

    fn all(path: &str, words: &Words, expected: &Expect) {
        let lines = TurnKind::ALL.map(|kind| match ring(kind, path, words) {
            Ok(line) => line,
            Err(error) => format!("{}: {error}", kind.as_str()),
        });
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn each_turn_has_its_form() {
        all(
            FILE,
            &Words::default(),
            &expect![[r#"
            [tasuki] task msg-a1b2c3d4e5f6 from grand_boss (token k7qf2m): read queue/active/msg-a1b2c3d4e5f6.yaml and do it.
            [tasuki] answers for your task msg-a1b2c3d4e5f6 (token k7qf2m): read queue/active/msg-a1b2c3d4e5f6.yaml and go on.
            [tasuki] feedback on your task msg-a1b2c3d4e5f6 (token k7qf2m): a check failed; read queue/active/msg-a1b2c3d4e5f6.yaml and put it right.
            [tasuki] reminder of your task msg-a1b2c3d4e5f6 (token k7qf2m): if it is done, say so with your phrase and this token; else go on.
            [tasuki] info msg-a1b2c3d4e5f6 from grand_boss: read queue/active/msg-a1b2c3d4e5f6.yaml; nothing to answer."#]],
        );
        all(
            "/home/me/日本/queue/active/m.yaml",
            &Words::default(),
            &expect![[r#"
            [tasuki] task msg-a1b2c3d4e5f6 from grand_boss (token k7qf2m): read /home/me/日本/queue/active/m.yaml and do it.
            [tasuki] answers for your task msg-a1b2c3d4e5f6 (token k7qf2m): read /home/me/日本/queue/active/m.yaml and go on.
            [tasuki] feedback on your task msg-a1b2c3d4e5f6 (token k7qf2m): a check failed; read /home/me/日本/queue/active/m.yaml and put it right.
            [tasuki] reminder of your task msg-a1b2c3d4e5f6 (token k7qf2m): if it is done, say so with your phrase and this token; else go on.
            [tasuki] info msg-a1b2c3d4e5f6 from grand_boss: read /home/me/日本/queue/active/m.yaml; nothing to answer."#]],
        );
    }

    #[test]
    fn a_team_says_the_rest_in_its_own_words() {
        let words = Words::default()
            .with(TurnKind::Task, "{path} を読んで実行してください 🙏")
            .and_then(|words| words.with(TurnKind::Reminder, "終わったら合言葉とこの番号を。"))
            .unwrap();
        all(
            FILE,
            &words,
            &expect![[r#"
            [tasuki] task msg-a1b2c3d4e5f6 from grand_boss (token k7qf2m): queue/active/msg-a1b2c3d4e5f6.yaml を読んで実行してください 🙏
            [tasuki] answers for your task msg-a1b2c3d4e5f6 (token k7qf2m): read queue/active/msg-a1b2c3d4e5f6.yaml and go on.
            [tasuki] feedback on your task msg-a1b2c3d4e5f6 (token k7qf2m): a check failed; read queue/active/msg-a1b2c3d4e5f6.yaml and put it right.
            [tasuki] reminder of your task msg-a1b2c3d4e5f6 (token k7qf2m): 終わったら合言葉とこの番号を。
            [tasuki] info msg-a1b2c3d4e5f6 from grand_boss: read queue/active/msg-a1b2c3d4e5f6.yaml; nothing to answer."#]],
        );
    }

    #[test]
    fn words_that_lose_the_path_or_carry_a_control_are_refused() {
        let mut said = String::new();
        for (kind, text) in [
            (TurnKind::Task, "do it"),
            (TurnKind::Info, ""),
            (TurnKind::Reminder, "two\nlines"),
            (TurnKind::Answers, "{path} \u{202E}txt"),
            (TurnKind::Feedback, "{path} \u{9B}31m"),
        ] {
            let error = Words::default().with(kind, text).unwrap_err();
            said += &format!("{error}\n");
        }
        expect![[r#"
            the words for a turn of kind `task` lack {path}, so the agent would not know what to read
            the words for a turn of kind `info` lack {path}, so the agent would not know what to read
            '\n' at byte 3 is never typed into a pane: take it out of the words or the path
            '\u{202e}' at byte 7 is never typed into a pane: take it out of the words or the path
            '\u{9b}' at byte 7 is never typed into a pane: take it out of the words or the path
        "#]]
        .assert_eq(&said);
    }

    #[test]
    fn a_line_is_at_most_400_bytes_and_that_is_known_beforehand() {
        let words = Words::default();
        let spare = DOORBELL_BYTES_MAX - ring(TurnKind::Task, "", &words).unwrap().len();
        assert_eq!(ring(TurnKind::Task, &"p".repeat(spare), &words).unwrap().len(), DOORBELL_BYTES_MAX);
        let error = ring(TurnKind::Task, &"p".repeat(spare + 1), &words).unwrap_err();
        assert_eq!(error, BadDoorbell::TooLong { len: DOORBELL_BYTES_MAX + 1 });

        let (id, from) = (MessageId::new(&"m".repeat(64)).unwrap(), AgentName::new(&"a".repeat(64)).unwrap());
        let relative = format!("queue/active/{id}.yaml");
        assert_eq!(words.check_room(&id, &from, &relative), Ok(()), "the longest names have room");
        let absolute = format!("/{}/{relative}", "w".repeat(150));
        assert!(matches!(words.check_room(&id, &from, &absolute), Err(BadDoorbell::TooLong { .. })));
    }

    #[test]
    fn a_path_or_a_token_that_does_not_fit_is_refused() {
        let words = Words::default();
        assert!(matches!(
            ring(TurnKind::Task, "a\nb", &words),
            Err(BadDoorbell::Unprintable { found: '\n', at: 1 })
        ));
        let (id, from) = (MessageId::new("m").unwrap(), AgentName::user());
        let bell = |kind, token| Doorbell { kind, id: &id, from: &from, token, path: FILE }.line(&words);
        let line = |kind| bell(kind, None).unwrap();
        assert!(
            line(TurnKind::Task).starts_with("[tasuki] task m from user: read "),
            "an agent without tokens"
        );
        assert!(line(TurnKind::Answers).starts_with("[tasuki] answers for your task m: "));
        assert!(line(TurnKind::Reminder).starts_with("[tasuki] reminder of your task m: "));
        assert_eq!(bell(TurnKind::Info, Some(Token::mint(0))), Err(BadDoorbell::Token { kind: "info" }));
    }

    #[test]
    fn inline_types_the_content_itself() {
        let (id, from) = (MessageId::new("m1").unwrap(), AgentName::user());
        let token = Some(Token::new("k7qf2m").unwrap());
        let bell = Doorbell { kind: TurnKind::Task, id: &id, from: &from, token, path: FILE };
        expect!["[tasuki] task m1 from user (token k7qf2m): 東京の天気は？ ☔"]
            .assert_eq(&bell.inline("東京の天気は？ ☔\n").unwrap());
        assert_eq!(inline_text("2 + 2\n\n"), Ok("2 + 2"));
        assert!(matches!(bell.inline("/quit"), Err(BadDoorbell::Inline(_))));
    }

    #[test]
    fn inline_content_is_one_plain_line() {
        let long = "x".repeat(INLINE_BYTES_MAX);
        let too_long = format!("{long}x");
        let mut said = String::new();
        for content in [
            "2 + 2",
            "echo hi\n",
            "日本語 👩‍💻",
            "a/b !c #d @e -f",
            &long,
            "",
            "\n",
            "  ",
            "/quit",
            "!sh",
            "#note",
            "@file",
            "-rf",
            "  /quit",
            "\u{3000}!sh",
            "two\nlines",
            "two\r\nlines\r\n",
            "tab\there",
            "nul\0",
            "\u{1B}[201~rm",
            "del\u{7F}",
            "csi\u{9B}31m",
            "ltr\u{200E}",
            "rlo\u{202E}",
            "lri\u{2066}",
            "alm\u{61C}",
            "ls\u{2028}",
            "\u{301}e",
            " \u{3099}か",
            "e\u{301}te\u{301}",
            &too_long,
        ] {
            let shown: String = content.chars().take(12).collect();
            match check_inline(content) {
                Ok(()) => said += &format!("{shown:?}\n"),
                Err(error) => said += &format!("{shown:?}: {error}\n"),
            }
        }
        expect![[r##"
            "2 + 2"
            "echo hi\n"
            "日本語 👩\u{200d}💻"
            "a/b !c #d @e"
            "xxxxxxxxxxxx"
            "": the content is blank: `delivery: inline` types the content itself, so write at least one word
            "\n": the content is blank: `delivery: inline` types the content itself, so write at least one word
            "  ": the content is blank: `delivery: inline` types the content itself, so write at least one word
            "/quit": the content begins with `/`, which programs take for a command: begin with a word
            "!sh": the content begins with `!`, which programs take for a command: begin with a word
            "#note": the content begins with `#`, which programs take for a command: begin with a word
            "@file": the content begins with `@`, which programs take for a command: begin with a word
            "-rf": the content begins with `-`, which programs take for a command: begin with a word
            "  /quit": the content begins with `/`, which programs take for a command: begin with a word
            "\u{3000}!sh": the content begins with `!`, which programs take for a command: begin with a word
            "two\nlines": the content has more than one line; `delivery: inline` types one: join the lines or use `delivery: doorbell`
            "two\r\nlines\r\n": the content has more than one line; `delivery: inline` types one: join the lines or use `delivery: doorbell`
            "tab\there": the content has '\t' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "nul\0": the content has '\0' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "\u{1b}[201~rm": the content has '\u{1b}' at byte 0; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "del\u{7f}": the content has '\u{7f}' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "csi\u{9b}31m": the content has '\u{9b}' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "ltr\u{200e}": the content has '\u{200e}' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "rlo\u{202e}": the content has '\u{202e}' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "lri\u{2066}": the content has '\u{2066}' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "alm\u{61c}": the content has '\u{61c}' at byte 3; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`
            "ls\u{2028}": the content has more than one line; `delivery: inline` types one: join the lines or use `delivery: doorbell`
            "\u{301}e": the content begins with '\u{301}', which a terminal joins to what stands before it: begin with a letter or use `delivery: doorbell`
            " \u{3099}か": the content begins with '\u{3099}', which a terminal joins to what stands before it: begin with a letter or use `delivery: doorbell`
            "e\u{301}te\u{301}"
            "xxxxxxxxxxxx": the content has 1001 bytes; `delivery: inline` types at most 1000: shorten it or use `delivery: doorbell`
        "##]].assert_eq(&said);
    }

    fn is_control_byte(c: char) -> bool {
        matches!(c, '\0'..='\x1F' | '\x7F'..='\u{9F}')
    }

    #[test]
    fn each_control_character_is_cleaned_away() {
        for code in (0..0x20u32).chain(0x7F..0xA0) {
            let c = char::from_u32(code).unwrap();
            assert_eq!(clean(&format!("a{c}b{c}{c}")), "ab", "{code:#x}");
            assert!(check_inline(&format!("a{c}b")).is_err(), "{code:#x}");
        }
        assert_eq!(clean("\x1B\x1B[201~[201~日本 👩‍💻"), "[201~[201~日本 👩‍💻");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_cleaned_has_no_control_and_loses_nothing_else(text in any::<String>()) {
            let kept: String = text.chars().filter(|&c| !is_control_byte(c)).collect();
            prop_assert_eq!(clean(&text), kept);
        }

        #[test]
        fn a_line_is_short_plain_and_begins_with_its_head(path in "[ -~ぁ-ん🙂\u{80}-\u{9F}\u{202A}-\u{202E}]{0,400}", words in "\\PC{0,100}") {
            let words = Words::default().with(TurnKind::Task, &format!("{words}{PATH}"));
            let Ok(words) = words else { return Ok(()) };
            if let Ok(line) = ring(TurnKind::Task, &path, &words) {
                prop_assert!(line.len() <= DOORBELL_BYTES_MAX);
                prop_assert!(line.starts_with("[tasuki] task "));
                let deceives = |c| is_control_byte(c) || ('\u{202A}'..='\u{202E}').contains(&c);
                prop_assert!(!line.contains(deceives));
            }
        }

        #[test]
        fn what_is_typed_inline_is_one_line_that_starts_no_command(content in any::<String>()) {
            if let Ok(line) = inline_text(&content) {
                prop_assert!(line.len() <= INLINE_BYTES_MAX && !line.contains(is_control_byte));
                prop_assert!(!line.trim_start().starts_with(['/', '!', '#', '@', '-']));
            }
        }
    }
}
