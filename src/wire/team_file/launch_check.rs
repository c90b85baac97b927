//! Whether what a launch starts is there, asked just before it is started.

use super::command::{CheckedCommand, Fault};
use super::finding::{IS_FOLDER, NO_PROGRAM, NO_SCRIPT};
use super::launch::Launch;
use super::outside::Outside;

impl Launch {
    /// Why its program cannot be started, with the cure, where it is not there.
    #[must_use]
    pub fn missing(&self, outside: &dyn Outside) -> Option<String> {
        let (program, fault) = self.command().fault(outside)?;
        let cure = "correct `command:` in the team file";
        let place = if program.contains('/') { "" } else { " on its PATH" };
        Some(match fault {
            Fault::IsFolder => format!("`{program}` {IS_FOLDER}: {cure}"),
            Fault::NotExecutable => format!(
                "`{program}` may not be executed: `chmod +x` it, or name its interpreter first in `command:` (`[bash, FILE]`)"
            ),
            Fault::Absent => format!("{NO_PROGRAM}{program}`{place}: install it, or {cure}"),
        })
    }

    /// That there is no such script as a shell or another interpreter is to run, with the cure.
    #[must_use]
    pub fn missing_script(&self, outside: &dyn Outside) -> Option<String> {
        let (program, script) = self.command().missing_script(outside)?;
        Some(format!(
            "{NO_SCRIPT}{script}` for `{program}` to run: write it, or correct `command:` in the team file"
        ))
    }

    fn command(&self) -> CheckedCommand<'_> {
        let path = self.env.get("PATH").map_or("", String::as_str);
        CheckedCommand { argv: &self.argv, cwd: &self.cwd, path }
    }
}
