//! An option of tmux that is to be set.

use super::command::TmuxCommand;

/// An option to be set.
#[derive(Debug)]
pub(super) struct SetOption {
    /// Which session's; the server's if it is none.
    pub(super) session: Option<String>,
    pub(super) name: &'static str,
    pub(super) value: String,
}

impl SetOption {
    /// As words behind other commands of a program.
    pub(super) fn into_words(self) -> Vec<String> {
        let whose =
            self.session.map_or_else(|| vec!["-s".to_owned()], |target| vec!["-t".to_owned(), target]);
        let head = [";", "set-option"].map(str::to_owned).into_iter();
        head.chain(whose).chain([self.name.to_owned(), self.value]).collect()
    }

    /// As a command of a connection.
    pub(super) fn into_command(self) -> TmuxCommand {
        let set = TmuxCommand::silent("set-option");
        let set = match self.session {
            Some(target) => set.flag("-t").word(target),
            None => set.flag("-s"),
        };
        set.word(self.name).word(self.value)
    }
}
