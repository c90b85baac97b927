//! Whether what a command names is there: its program, and the script that an interpreter is to run.

use super::finding::{Book, IS_FOLDER, NO_PROGRAM, NO_SCRIPT, Place};
use super::outside::{Found, Outside};
use std::path::Path;

/// Programs that run the script which they are given first.
const INTERPRETERS: [&str; 8] = ["bash", "dash", "perl", "python", "python3", "ruby", "sh", "zsh"];

/// A command, and where its program is looked for.
#[derive(Clone, Copy)]
pub(super) struct CheckedCommand<'a> {
    pub(super) argv: &'a [String],
    pub(super) cwd: &'a Path,
    /// Folders with colons between them.
    pub(super) path: &'a str,
}

/// Why a program cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    IsFolder,
    NotExecutable,
    Absent,
}

impl<'a> CheckedCommand<'a> {
    /// Tells of what is not there; whether the program is.
    pub(super) fn warn(&self, outside: &dyn Outside, place: Place, book: &mut Book) -> bool {
        let fault = self.fault(outside);
        if let Some((program, fault)) = fault {
            let (why, cure) = match fault {
                Fault::IsFolder => (
                    format!("`{program}` {IS_FOLDER}"),
                    "name a program and its arguments: `command: [program, argument]`",
                ),
                Fault::NotExecutable => (
                    format!("`{program}` may not be executed"),
                    "`chmod +x` it, or name its interpreter first: `[bash, FILE]`",
                ),
                Fault::Absent => (
                    format!("{NO_PROGRAM}{program}`"),
                    "install it, or correct the command or the agent's PATH",
                ),
            };
            book.odd(place, why, cure);
        }
        fault.is_none()
    }

    /// Tells of a script that is not there.
    pub(super) fn warn_of_script(&self, outside: &dyn Outside, place: Place, book: &mut Book) {
        if let Some((program, script)) = self.missing_script(outside) {
            let why = format!("{NO_SCRIPT}{script}` for `{program}` to run");
            book.odd(place, why, "write it, or correct the command");
        }
    }

    /// The program, and why it cannot be started, if it cannot.
    pub(super) fn fault(&self, outside: &dyn Outside) -> Option<(&'a str, Fault)> {
        let program = self.argv.first().filter(|program| !program.is_empty())?;
        let is_program = |found| found == Found::Program;
        let fault = match program.contains('/') {
            true => match outside.look(&self.cwd.join(program)) {
                Found::Program => return None,
                Found::Folder => Fault::IsFolder,
                Found::File => Fault::NotExecutable,
                Found::Nothing | Found::Other => Fault::Absent,
            },
            false if is_on_path(outside, self.path, self.cwd, program, is_program) => return None,
            false => Fault::Absent,
        };
        Some((program, fault))
    }

    /// The interpreter and its script, if there is no such script.
    pub(super) fn missing_script(&self, outside: &dyn Outside) -> Option<(&'a str, &'a str)> {
        let (program, script) = script_of(self.argv)?;
        let is_there = |found| found != Found::Nothing;
        // A shell looks for a bare name on its PATH, too.
        let found = is_there(outside.look(&self.cwd.join(script)))
            || is_on_path(outside, self.path, self.cwd, script, is_there);
        (!found).then_some((program, script))
    }
}

/// The interpreter and its script, where the command is no more than that and arguments.
fn script_of(argv: &[String]) -> Option<(&str, &str)> {
    let (program, script) = (argv.first()?, argv.get(1)?);
    let is_interpreter = INTERPRETERS.contains(&program.rsplit('/').next()?);
    // A bare word may be a command of a program that merely has such a name.
    let is_file = !script.starts_with(['-', '+']) && script.contains(['/', '.']);
    (is_interpreter && is_file).then_some((program, script))
}

/// Whether something of this name that `fits` is in one of the folders of `path`, as whoever works in `cwd` sees them.
pub(crate) fn is_on_path(
    outside: &dyn Outside,
    path: &str,
    cwd: &Path,
    name: &str,
    fits: impl Fn(Found) -> bool,
) -> bool {
    path.split(':').any(|folder| fits(outside.look(&cwd.join(folder).join(name))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    /// A machine that has these and nothing else.
    struct Made(BTreeMap<PathBuf, Found>);

    impl Outside for Made {
        fn look(&self, path: &Path) -> Found {
            self.0.get(path).copied().unwrap_or(Found::Nothing)
        }

        fn folder(&self, _: &Path) -> Option<PathBuf> {
            None
        }

        fn own_folder(&self, _: &Path) -> Result<PathBuf, String> {
            Err("is not a folder".into())
        }

        fn prompt(&self, _: &Path) -> Result<String, String> {
            Err("does not exist".into())
        }

        fn profiles(&self, _: &Path) -> Result<Vec<PathBuf>, String> {
            Ok(Vec::new())
        }

        fn profile(&self, _: &Path) -> Result<Vec<u8>, String> {
            Err("does not exist".into())
        }
    }

    fn machine() -> Made {
        let at = [
            ("/usr/bin/claude", Found::Program),
            ("/usr/bin/codex", Found::File),
            ("/usr/local/bin/codex", Found::Folder),
            ("/作業/bin/own", Found::Program),
            ("/作業/run", Found::File),
            ("/作業/folder", Found::Folder),
            ("/作業/pipe", Found::Other),
            ("/usr/bin/a.sh", Found::File),
        ];
        Made(at.into_iter().map(|(path, found)| (path.into(), found)).collect())
    }

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_program_is_one_that_can_be_started_where_it_is_sought() {
        for (program, fault) in [
            ("claude", None),
            ("codex", Some(Fault::Absent)),
            ("own", None),
            ("./bin/own", None),
            ("./run", Some(Fault::NotExecutable)),
            ("/作業/folder", Some(Fault::IsFolder)),
            ("./pipe", Some(Fault::Absent)),
            ("/usr/bin/qwen", Some(Fault::Absent)),
            ("", None),
        ] {
            let argv = argv(&[program]);
            let path = "/usr/local/bin:/usr/bin:bin";
            let command = CheckedCommand { argv: &argv, cwd: Path::new("/作業"), path };
            assert_eq!(command.fault(&machine()).map(|(_, fault)| fault), fault, "{program}");
        }
    }

    #[test]
    fn a_script_is_sought_beside_the_agent_and_on_its_path() {
        for (words, is_missing) in [
            (&["bash", "./run"][..], false),
            (&["bash", "a.sh"], false),
            (&["/bin/bash", "b.sh"], true),
            (&["bash", "-c", "./b.sh"], false),
            (&["bash", "b"], false),
            (&["claude", "b.sh"], false),
            (&["bash"], false),
        ] {
            let argv = argv(words);
            let command = CheckedCommand { argv: &argv, cwd: Path::new("/作業"), path: "/usr/bin" };
            assert_eq!(command.missing_script(&machine()).is_some(), is_missing, "{words:?}");
        }
    }
}
