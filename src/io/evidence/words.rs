//! Which words of a command may name a file, and what that file is to the command.

use super::part::{Role, interprets};

/// Words of a command that are looked at; a longer command is a program, and belongs into a file.
const WORDS_MAX: usize = 200;
/// What parts of an option's name, or of a variable's, say that its value is written, not read.
const WRITTEN: [&str; 14] = [
    "o",
    "of",
    "out",
    "output",
    "outfile",
    "outputfile",
    "report",
    "reports",
    "junit",
    "junitxml",
    "log",
    "logfile",
    "result",
    "results",
];

/// The words that may name a file, each with what it would be to the command. What the command itself writes is none of them:
/// whoever runs the command, to see whether his work is done, changes it.
pub(super) fn words(argv: &[String]) -> Vec<(String, Role)> {
    let mut found: Vec<(String, Role)> = Vec::new();
    let mut is_script = true;
    let mut place = Place::default();
    for word in argv.iter().take(WORDS_MAX) {
        place.between(word);
        for (gap, piece) in pieces(word) {
            let is_written = place.writes(gap, piece);
            let runs = is_script || piece.starts_with("./") || piece.ends_with(".sh");
            let role = if runs { Role::Program } else { Role::Argument };
            let value = piece.split_once('=').filter(|(key, _)| !names_what_is_written(key));
            let node = piece.split_once("::").map(|(file, _)| file);
            for name in [Some(piece), value.map(|(_, value)| value), node].into_iter().flatten() {
                if !is_written {
                    found.push((name.to_owned(), role));
                }
            }
            // Behind an interpreter comes its script, unless it is a module that it runs.
            is_script = interprets(piece) || (is_script && piece.starts_with('-') && piece != "-m");
        }
        if word.contains(char::is_whitespace) {
            is_script = false;
        }
    }
    found
}

/// Where in a command a word stands, as far as that says who writes the file that it names.
#[derive(Debug, Default)]
struct Place {
    /// The word before is an option whose value is written.
    is_value: bool,
    /// A `tee` stands before it: all that follow are written, up to the next command.
    is_tee: bool,
}

impl Place {
    /// An argument of its own begins; no shell reads from one to the next.
    fn between(&mut self, argument: &str) {
        self.is_tee &= !argument.contains(char::is_whitespace);
    }

    /// Whether the command writes what this piece names; `gap` is what stands before it.
    fn writes(&mut self, gap: &str, piece: &str) -> bool {
        self.is_tee &= !gap.contains([';', '|', '&', '(', ')']);
        let is_option = piece.starts_with('-');
        let is_target = gap.contains('>') && !gap.contains(['(', '|']) || gap.contains(">|");
        let is_written = is_target || (!is_option && (self.is_value || self.is_tee));
        self.is_value = is_option && !piece.contains('=') && names_what_is_written(piece);
        self.is_tee |= super::part::base_name(piece) == "tee";
        is_written
    }
}

/// The pieces of a word that a shell may read, each with what parts it from the one before.
fn pieces(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = |c: char| c.is_whitespace() || ";&|()<>'\"`".contains(c);
    let mut rest = word;
    std::iter::from_fn(move || {
        let begin = rest.find(|c| !parts(c))?;
        let (gap, from) = rest.split_at(begin);
        let (piece, after) = from.split_at(from.find(parts).unwrap_or(from.len()));
        rest = after;
        Some((gap, piece))
    })
}

/// Whether a key says that its value is written: `--junitxml`, `-o`, `REPORT_FILE`.
fn names_what_is_written(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| WRITTEN.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(argv: &[&str], wanted: Role) -> String {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let words = words(&argv);
        let names = words.iter().filter(|(_, role)| *role == wanted).map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_run_is_told_from_what_is_given_to_it() {
        let roles = |argv: &[&str]| of(argv, Role::Program);
        assert_eq!(roles(&["./check", "tests/a.rs"]), "./check");
        assert_eq!(roles(&["sh", "-e", "a", "b"]), "sh -e a");
        assert_eq!(roles(&["python3", "-m", "pytest", "tests/a.py"]), "python3 -m");
        assert_eq!(roles(&["sh", "-c", "make x && ./run.sh"]), "sh -c make ./run.sh");
        assert_eq!(roles(&["env", "X=1", "node", "a.js", "b.js"]), "env a.js");
    }

    #[test]
    fn what_is_written_is_told_from_what_is_read() {
        let read = |argv: &[&str]| of(argv, Role::Argument);
        assert_eq!(read(&["sh", "-c", "x a >b 2>>c &>d; y e"]), "a 2 y e");
        assert_eq!(read(&["sh", "-c", "x a > '/日 本' < in"]), "a 本 in", "a name with a blank is not seen");
        assert_eq!(read(&["sh", "-c", "x a | tee -a b c && y d"]), "a tee -a y d");
        assert_eq!(read(&["sh", "-c", "x >|b; y >(z a)"]), "y z a");
        let pytest = ["pytest", "t.py", "--junitxml=b", "--log-file", "c", "--cov-report", "d", "e.py"];
        assert_eq!(read(&pytest), "t.py --junitxml=b --log-file --cov-report e.py");
        assert_eq!(read(&["x", "-o", "a", "-p", "b", "--input=c", "OUT=d"]), "-o -p b --input=c c OUT=d");
    }
}
