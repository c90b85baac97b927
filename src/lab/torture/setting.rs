//! What a run is given besides its flags.

use crate::io::workspace::Surroundings;

/// What a run is given besides its flags.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// Folders and variables of whoever started it.
    pub around: &'a Surroundings,
    /// Whether nobody watches the progress: what is printed is JSON.
    pub json: bool,
    /// Prints a line beside the report.
    pub remark: &'a dyn Fn(&str),
}

impl std::fmt::Debug for Setting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("json", &self.json).finish_non_exhaustive()
    }
}
