//! What an agent's screen shows of the file of its task claims nothing, however the file is printed.

use super::*;
use crate::engine::screen::Screen;
use crate::engine::screen::echo::Echo;
use crate::engine::screen::marker::{Awaited, check_phrase, find};
use proptest::prelude::*;
use unicode_width::UnicodeWidthChar as _;

/// The file of a task whose agent ends it with this phrase, beside its token or alone.
fn file(phrase: &str, with_token: bool, content: &str, redelivered: bool) -> String {
    let (id, from, to) = (MessageId::new("m-1"), AgentName::new("boss"), AgentName::new("worker"));
    let (id, from, to) = (id.unwrap(), from.unwrap(), to.unwrap());
    message(&MessageView {
        stage: Some("typing"),
        token: with_token.then(token),
        phrase: Some((phrase, with_token)),
        attempt: Some(1),
        redelivered,
        ..MessageView::bare((&id, &from, &to), Kind::Task, Status::InProgress, content)
    })
}

fn token() -> Token {
    Token::new("k7qf2m").unwrap()
}

/// Rows of at most so many columns, broken in the middle of a word, as a terminal does.
fn hard(text: &str, columns: usize) -> Vec<String> {
    text.lines().flat_map(|line| broken(line, columns)).collect()
}

fn broken(line: &str, columns: usize) -> Vec<String> {
    let (mut rows, mut width) = (vec![String::new()], 0);
    for letter in line.chars() {
        let wide = letter.width().unwrap_or(0);
        if width + wide > columns && width > 0 {
            rows.push(String::new());
            width = 0;
        }
        width += wide;
        rows.last_mut().unwrap().push(letter);
    }
    rows
}

/// Rows broken between words, as the programs do that draw their own text.
fn soft(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.lines() {
        let mut row = String::new();
        for word in line.split(' ') {
            if !row.is_empty() && row.chars().count() + 1 + word.chars().count() > columns {
                rows.push(std::mem::take(&mut row));
            }
            row = if row.is_empty() { word.to_owned() } else { format!("{row} {word}") };
        }
        rows.push(row);
    }
    rows
}

/// Two columns side by side: the second begins with row `from`.
fn beside(rows: &[String], from: usize, columns: usize) -> Vec<String> {
    let right = rows.iter().skip(from).chain(std::iter::repeat(&EMPTY));
    rows.iter().zip(right).map(|(left, right)| format!("{left:columns$} {right}")).collect()
}

static EMPTY: String = String::new();

/// Every way in which the file may stand on a screen, and how wide that is.
fn shown(text: &str, columns: usize, shift: usize) -> Vec<(Vec<String>, usize)> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let boxed = |rows: &[String]| rows.iter().map(|row| format!("│ {row:columns$} │")).collect::<Vec<_>>();
    let (hard, soft) = (hard(text, columns), soft(text, columns));
    vec![
        (boxed(&soft), columns + 4),
        (hard.iter().map(|row| format!("  ⎿  {row}")).collect(), columns + 5),
        (beside(&lines, shift, columns), columns * 2 + 1),
        (beside(&soft, shift, columns), columns * 2 + 1),
        (lines, columns),
        (hard, columns),
        (soft, columns),
    ]
}

fn claims(rows: &[String], columns: usize, phrase: &str, with_token: bool) -> bool {
    let echo = "[tasuki] task m-1 from boss: read it".to_owned();
    let rows: Vec<&str> = [&echo].into_iter().chain(rows).map(String::as_str).collect();
    let awaited = Awaited::new(phrase, with_token.then(token)).unwrap();
    let after = Some(Echo { first_row: 0, last_row: 0 });
    [Screen::lines(&rows), Screen::wrapped(&rows, columns)]
        .iter()
        .any(|screen| find(screen, &awaited, after).is_some())
}

fn check(phrase: &str, with_token: bool, redelivered: bool, columns: usize, shift: usize) {
    let text = file(phrase, with_token, "Do it.\n  twice\n", redelivered);
    for (rows, width) in shown(&text, columns, shift) {
        let claimed = claims(&rows, width, phrase, with_token);
        assert!(!claimed, "{phrase:?} {with_token} {columns} {shift}:\n{}", rows.join("\n"));
    }
}

#[test]
fn a_cat_of_a_tasks_file_claims_nothing_at_any_width() {
    let phrases = [
        "CODING OK",
        "完了しました",
        "x",
        "the token",
        "OK: yes",
        "a phrase: b",
        "- done",
        "# END",
        "| ok |",
        "O-K",
    ];
    for phrase in phrases.into_iter().filter(|phrase| check_phrase(phrase).is_ok()) {
        for columns in 1..=140 {
            for shift in [1, 2, 3, 5, 7, 9] {
                check(phrase, true, false, columns, shift);
                check(phrase, true, true, columns, shift);
            }
            check(phrase, false, false, columns, 3);
        }
    }
}

#[test]
fn a_tasks_file_says_how_the_task_ends() {
    expect_test::expect![[r#"
        id: m-1
        from: boss
        to: worker
        type: task
        status: in_progress
        stage: typing
        phrase: CODING OK
        # When it is done, print your answer, and below it one line that has the phrase, a space and the token on it and nothing else.
        # Print the two side by side nowhere else: such a line ends your turn.
        token: k7qf2m
        attempt: 1
        content: Do it.
    "#]]
    .assert_eq(&file("CODING OK", true, "Do it.", false));
    expect_test::expect![[r#"
        id: m-1
        from: boss
        to: worker
        type: task
        status: in_progress
        stage: typing
        # When it is done, print your answer, and below it a line with your phrase: these letters without the hyphens between them.
        # Print it nowhere else: it ends your turn.
        phrase_letters: C-O-D-I-N-G- -O-K
        attempt: 1
        content: Do it.
    "#]]
    .assert_eq(&file("CODING OK", false, "Do it.", false));
    // What cannot be spelled without being said is left out.
    for phrase in ["x", "--", "your answer"] {
        assert!(!file(phrase, false, "Do it.", false).contains("phrase_letters"), "{phrase}");
    }
    // A line of the content that looks like the field is none.
    let text = file("CODING OK", true, "token: a\ntoken: b\n", false);
    assert_eq!(text.matches("# When").count(), 1);
    assert!(text.find("# When").unwrap() < text.find("content:").unwrap());
}

proptest! {
    #[test]
    fn no_phrase_is_claimed_by_its_tasks_file(
        phrase in "[A-Za-z0-9 :#|「」。.*`'\"-]{1,30}|\\PC{1,12}",
        columns in 1usize..120,
        shift in 1usize..14,
        redelivered: bool,
    ) {
        prop_assume!(check_phrase(&phrase).is_ok());
        check(&phrase, true, redelivered, columns, shift);
        // A phrase alone is refused where the words of a file, or its own field, would say it.
        if !file("\u{1}", false, "Do it.\n  twice\n", redelivered).contains(phrase.trim()) && phrase.trim().chars().count() > 3 {
            check(&phrase, false, redelivered, columns, shift);
        }
    }
}
