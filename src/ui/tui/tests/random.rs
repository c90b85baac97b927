//! Whatever is shown in whatever size: it is drawn, no control character is in it, and no wide character is cut.

use super::debates::debates;
use super::fixtures::{away, empty, held, hostile, hundred, ledger, live};
use super::sessions::sessions;
use crate::ui::tui::input::{Key, TopInput};
use crate::ui::tui::{TopState, draw};
use ratatui_core::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

/// Random numbers from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    fn size(&mut self) -> (u16, u16) {
        let most = if self.roll(3) == 0 { (20, 10) } else { (300, 100) };
        let one = |sides: usize, dice: &mut Self| u16::try_from(dice.roll(sides) + 1).unwrap();
        (one(most.0, self), one(most.1, self))
    }

    fn key(&mut self) -> Key {
        const SPECIAL: [Key; 17] = [
            Key::Enter,
            Key::NewLine,
            Key::Esc,
            Key::Tab,
            Key::BackTab,
            Key::Up,
            Key::Down,
            Key::Left,
            Key::Right,
            Key::Home,
            Key::End,
            Key::PageUp,
            Key::PageDown,
            Key::Backspace,
            Key::Delete,
            Key::Clear,
            Key::Suspend,
        ];
        const COMMANDS: &[u8] = b"123456jknftawserXH?/qllpy56";
        match self.roll(4) {
            0 => SPECIAL[self.roll(SPECIAL.len())],
            1 => Key::Char(['襷', 'x', '👍', '\u{301}', ' '][self.roll(5)]),
            _ => Key::Char(char::from(COMMANDS[self.roll(COMMANDS.len())])),
        }
    }
}

fn check(buffer: &Buffer, size: (u16, u16), what: &str) {
    let area = *buffer.area();
    assert_eq!((area.width, area.height), size, "{what}");
    for y in 0..area.height {
        let mut covered = 0;
        for x in 0..area.width {
            let symbol = buffer.cell((x, y)).unwrap().symbol();
            let bad = |c: char| c.is_control() || crate::wire::clean::turns_text(c) || c == '\u{200d}';
            assert!(!symbol.chars().any(bad), "{what}: {symbol:?} at {x},{y}");
            if covered > 0 {
                assert_eq!(symbol, " ", "{what}: behind a wide character at {x},{y}");
                covered -= 1;
                continue;
            }
            let columns = u16::try_from(symbol.width()).unwrap();
            assert!((1..=2).contains(&columns), "{what}: {symbol:?} at {x},{y}");
            assert!(x + columns <= area.width, "{what}: {symbol:?} is cut at {x},{y}");
            covered = columns - 1;
        }
    }
}

fn state(kind: usize) -> TopState {
    match kind {
        0 => ledger(false),
        1 => hostile(),
        2 => hundred(),
        3 => empty(),
        4 => away(),
        5 => held(),
        6 => ledger(true),
        7 => sessions(false),
        8 => sessions(true),
        9 => debates(false),
        10 => debates(true),
        _ => live(false),
    }
}

#[test]
fn whatever_is_shown_in_whatever_size_is_whole() {
    let seed = std::env::var("TOP_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| crate::io::chance::chance(crate::io::clock::wall_now()));
    println!("TOP_SEED={seed}");
    let mut dice = Dice(seed);
    for run in 0..150 {
        let mut state = state(run % 12);
        for press in 0..12 {
            let what = format!("TOP_SEED={seed}, run {run}, press {press}");
            if dice.roll(6) == 0 {
                state.on(TopInput::Paste("a\u{1b}[2J襷\n👩‍👩‍👧\u{202e}".repeat(dice.roll(9))));
            } else {
                let key = dice.key();
                state.on(TopInput::Key(key));
            }
            let size = dice.size();
            check(&draw(&state, size), size, &what);
        }
    }
}

#[test]
fn the_smallest_sizes_are_drawn() {
    for kind in 0..12 {
        let state = state(kind);
        for width in 1..=30 {
            for height in 1..=12 {
                check(
                    &draw(&state, (width, height)),
                    (width, height),
                    &format!("{kind} at {width}x{height}"),
                );
            }
        }
    }
    let state = ledger(false);
    for width in 130..=150 {
        for height in [1, 2, 3, 5, 8, 13, 21, 34, 60] {
            check(&draw(&state, (width, height)), (width, height), "around two columns");
        }
    }
}
