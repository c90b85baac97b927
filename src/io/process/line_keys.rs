//! The keys by which a terminal itself edits the line that is being typed, before its program gets it.

use rustix::termios::{LocalModes, SpecialCodeIndex, Termios, tcgetattr};
use std::io;
use std::path::Path;

/// Ctrl with a letter is that letter's number in the alphabet.
const CTRL_R: u8 = 0x12;

/// What a canonical terminal does with the line that was typed and not entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineKeys {
    /// Whether Ctrl and `r` shows it anew: `^R`, the end of that row, and all that is in the input.
    pub reprints: bool,
    /// The letter that takes it away together with Ctrl.
    pub kill: Option<char>,
}

/// The keys of a terminal whose program gets whole lines; none where it gets each byte as it is typed.
///
/// # Errors
/// What the kernel says, as where the terminal is gone.
pub fn line_keys(tty: &Path) -> io::Result<Option<LineKeys>> {
    Ok(keys_of(&tcgetattr(super::terminal::terminal(tty)?)?))
}

fn keys_of(termios: &Termios) -> Option<LineKeys> {
    let modes = termios.local_modes;
    let shown = LocalModes::ICANON | LocalModes::IEXTEN | LocalModes::ECHO | LocalModes::ECHOCTL;
    let kill = termios.special_codes[SpecialCodeIndex::VKILL];
    let letter = (1..=26).contains(&kill).then(|| char::from(b'a' - 1 + kill));
    modes.contains(LocalModes::ICANON).then(|| LineKeys {
        reprints: modes.contains(shown) && termios.special_codes[SpecialCodeIndex::VREPRINT] == CTRL_R,
        kill: letter,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, openpt};

    #[test]
    fn a_terminal_tells_by_which_keys_it_edits_a_line() {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let mut termios = tcgetattr(&master).unwrap();
        assert_eq!(keys_of(&termios), Some(LineKeys { reprints: true, kill: Some('u') }));
        termios.special_codes[SpecialCodeIndex::VKILL] = 24;
        termios.local_modes -= LocalModes::ECHO;
        assert_eq!(keys_of(&termios), Some(LineKeys { reprints: false, kill: Some('x') }));
        termios.special_codes[SpecialCodeIndex::VKILL] = b'@';
        termios.local_modes |= LocalModes::ECHO;
        assert_eq!(keys_of(&termios), Some(LineKeys { reprints: true, kill: None }));
        termios.special_codes[SpecialCodeIndex::VREPRINT] = 0;
        assert_eq!(keys_of(&termios), Some(LineKeys { reprints: false, kill: None }));
        termios.make_raw();
        assert_eq!(keys_of(&termios), None);
    }
}
