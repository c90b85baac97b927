//! Claims of agents without tokens: the phrase alone, after the echo of what was typed.

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;
    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::echo::{echoes, own_echo};
    use tasuki::engine::screen::marker::{Awaited, ClaimProof, find};

    const PHRASE: &str = "CODING OK";

    /// Where the claim of an agent without tokens is.
    fn phrase_alone(rows: &[&str], width: usize, typed: &str, phrase: &str) -> Option<String> {
        let screen = Screen::wrapped(rows, width);
        let awaited = Awaited::new(phrase, None).unwrap();
        let claim = find(&screen, &awaited, own_echo(&screen, typed, None, 0))?;
        assert_eq!(claim.proof, ClaimProof::Weak);
        Some(format!("{}:{}-{}:{}", claim.start.row, claim.start.byte, claim.end.row, claim.end.byte))
    }

    #[test]
    fn without_a_token_the_phrase_counts_anywhere_after_the_echo() {
        let typed = "say FIN";
        let at = |rows: &[&str]| phrase_alone(rows, 20, typed, "FIN");
        assert_eq!(at(&["FIN", "$ say FIN"]), None, "what stood there before proves nothing");
        assert_eq!(at(&["$ say FIN", "working", "FIN"]).as_deref(), Some("2:0-2:3"));
        assert_eq!(at(&["$ say FIN", "it is FINished", "FIN"]).as_deref(), Some("1:6-1:9"), "the first one");
        assert_eq!(at(&["hello", "FIN"]), None, "no echo, no claim");
        assert_eq!(at(&["$ say FIN", "", "fin"]), None);
        let work = ["› say FIN", "• I say FIN at the end.", "", "• Ran ls", "", "• Here: FIN, or FIN."];
        assert_eq!(
            phrase_alone(&work, 40, typed, "FIN").as_deref(),
            Some("5:10-5:13"),
            "work followed the first"
        );
        let long = "please do it all and then say FIN to me";
        let echoed = ["> please do it all", "  and then say FIN", "  to me", "ok"];
        assert_eq!(phrase_alone(&echoed, 20, long, "FIN"), None, "a wrapped echo is an echo");
        let answered = ["> please do it all", "  and then say FIN", "  to me", "ok", "FIN"];
        assert_eq!(phrase_alone(&answered, 20, long, "FIN").as_deref(), Some("4:0-4:3"));
        let split = ["$ go", "I am done: ALL WORK", "DONE", "ALL WORK DONE"];
        assert_eq!(phrase_alone(&split, 20, "go", "ALL WORK DONE").as_deref(), Some("1:11-2:4"));
        assert_eq!(phrase_alone(&split, 80, "go", "ALL WORK DONE").as_deref(), Some("3:0-3:13"));
        let japanese = ["問題: 1+1", "答えは 2 です。作業完了！"];
        assert_eq!(phrase_alone(&japanese, 80, "1+1", "作業完了").as_deref(), Some("1:21-1:33"));
    }

    #[test]
    fn a_program_that_prints_what_it_read_is_told_from_its_echo_by_the_caller() {
        let rows = ["say FIN", "say FIN"];
        let screen = Screen::lines(&rows);
        let found = echoes(&screen, "say FIN", None);
        let awaited = Awaited::new("FIN", None).unwrap();
        assert_eq!(find(&screen, &awaited, found.last().copied()), None);
        assert_eq!(find(&screen, &awaited, found.first().copied()).map(|claim| claim.start.row), Some(1));
    }

    #[test]
    fn real_agents_without_tokens_claim_in_their_last_turn_only() {
        let turns = |screen: &'static str, typed: &str| {
            let rows: Vec<&str> = screen.lines().collect();
            phrase_alone(&rows, 120, typed, PHRASE)
        };
        let typed = "task A QT1 [[stub first=2 dur=5 lines=10]]";
        let several = include_str!("../fixtures/screens/claude-several-turns.txt");
        let mut said = String::new();
        for (name, at) in [
            ("claude", turns(include_str!("../fixtures/screens/claude-done.txt"), typed)),
            ("codex", turns(include_str!("../fixtures/screens/codex-done.txt"), typed)),
            ("gemini", turns(include_str!("../fixtures/screens/gemini-done.txt"), typed)),
            ("qwen", turns(include_str!("../fixtures/screens/qwen-done.txt"), typed)),
            ("opencode", turns(include_str!("../fixtures/screens/opencode-done.txt"), typed)),
            ("claude, a turn that hangs", turns(several, "hang QH1 [[stub hang=40]]")),
            (
                "claude, the turn before",
                turns(several, "error QXerr529-times2 [[stub err=529 times=2 dur=0.5]]"),
            ),
            (
                "gemini, a dialog after an older claim",
                turns(
                    include_str!("../fixtures/screens/gemini-dialog.txt"),
                    "tool CX1 [[stub tool=bash cmd='touch /home/me/project/zz' dur=1]]",
                ),
            ),
            (
                "codex, a text in its input box",
                turns(
                    include_str!("../fixtures/screens/codex-wrapped-echo.txt"),
                    &format!("{}QB60x5 [[stub dur=0.3]]", "w ".repeat(60)),
                ),
            ),
        ] {
            writeln!(said, "{name}: {}", at.as_deref().unwrap_or("none")).unwrap();
        }
        expect![[r#"
            claude: 19:2-19:11
            codex: 19:2-19:11
            gemini: 22:2-22:11
            qwen: 23:4-23:13
            opencode: 16:5-16:14
            claude, a turn that hangs: none
            claude, the turn before: 28:2-28:11
            gemini, a dialog after an older claim: none
            codex, a text in its input box: none
        "#]]
        .assert_eq(&said);
    }
}
