//! A person's own editor, on a text that a verb was asked to have changed.

use super::context::Context;
use super::failure::{Failure, Kind};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::Command;
use tempfile::NamedTempFile;

/// What names the editor, the first that is set.
const NAMES: [&str; 2] = ["VISUAL", "EDITOR"];
/// A setting may have options and quotes, so a shell reads it, as with git.
const CALL: &str = r#"eval "exec $0 \"\$1\"""#;
/// What to do where no editor can be opened.
const CURE: &str = "set $VISUAL or $EDITOR, or give the text with `--text` or `--text-file`";

/// A text that somebody has changed. Its file goes with this, unless it is kept.
pub(super) struct Edited {
    pub(super) text: String,
    file: NamedTempFile,
}

impl Edited {
    /// Keeps the file, and gives its path: the text was not taken, and its writer has no other.
    pub(super) fn keep(self) -> Option<PathBuf> {
        // Some editors put another file in its place, which has the name all the same.
        self.file.into_temp_path().keep().ok()
    }
}

/// Has somebody change a text, and gives what is there when the editor has ended.
pub(super) fn edit(context: &Context, name: &str, text: &str) -> Result<Edited, Failure> {
    let no_editor = |why: String, cure: &str| Failure::new(Kind::Rejected, "no-editor", why, cure);
    let no = |why: String| no_editor(why, CURE);
    let named = NAMES.into_iter().filter_map(|name| context.around.var(name));
    let editor =
        named.map(|value| value.to_string_lossy().into_owned()).find(|value| !value.trim().is_empty());
    let Some(editor) = editor else { return Err(no("neither $VISUAL nor $EDITOR is set".to_owned())) };
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let cure = "give the text with `--text` or `--text-file`";
        return Err(no_editor("there is no terminal for an editor".to_owned(), cure));
    }
    let mut file = tempfile::Builder::new().prefix(&format!("{name}-")).suffix(".md").tempfile()?;
    // Editors end the last line, which is no change that somebody made.
    let is_ended = text.ends_with('\n');
    write!(file, "{text}{}", if is_ended { "" } else { "\n" })?;
    file.flush()?;
    let ended = Command::new("sh").args(["-c", CALL, &editor]).arg(file.path()).status();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(no(format!("`{editor}` ended with {status}"))),
        Err(error) => return Err(no(format!("cannot run sh: {error}"))),
    }
    // Some write another file and give it the name, so it is opened anew.
    let mut after =
        std::fs::read_to_string(file.path()).map_err(|error| no(format!("cannot read its text: {error}")))?;
    if !is_ended && after.ends_with('\n') {
        after.pop();
    }
    Ok(Edited { text: after, file })
}
