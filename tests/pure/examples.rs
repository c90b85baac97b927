//! Examples of the documentation and of each help: every command line in them is one that the program takes, word by word. What
//! they do is what the tests of each verb run, and `tests/daemon/examples.rs`.

#[path = "../support/examples.rs"]
mod found;

use found::{calls, examples};

fn refusal(words: &[String]) -> Option<String> {
    let error = tasuki::ui::cli::command().try_get_matches_from(words).err()?;
    let is_shown =
        matches!(error.kind(), clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion);
    (!is_shown).then(|| error.to_string())
}

#[test]
fn every_example_of_the_documentation_is_a_command_that_the_program_takes() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for (path, line, words) in examples() {
        tried += 1;
        wrong.extend(refusal(&words).map(|why| format!("{path}: {line}\n{words:?}\n{why}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 100, "only {tried} examples were found");
}

#[test]
fn an_example_is_cut_where_its_command_ends() {
    let words = |line: &str| calls(line).into_iter().map(|words| words.join("|")).collect::<Vec<_>>();
    assert_eq!(words("tasuki top --ascii             where the font lacks"), ["tasuki|top|--ascii"]);
    assert_eq!(words("tasuki send boss \"a b\" --wait > out  # c"), ["tasuki|send|boss|a b|--wait"]);
    assert_eq!(words("id=$(tasuki send a b) && tasuki show $id"), ["tasuki|send|a|b", "tasuki|show|$id"]);
    assert_eq!(words("x/tasuki up; LANG=C tasuki down"), ["tasuki|down"]);
    assert!(refusal(&["tasuki".to_owned(), "lst".to_owned()]).is_some());
}
