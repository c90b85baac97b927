//! What a pane shows, and what an agent says there.

use super::choice::choice;
use crate::engine::screen::Screen;
use crate::engine::screen::answer::{ANSWER_BYTES_MAX, extract};
use crate::engine::screen::echo::{echoes, is_certain, own_echo};
use crate::engine::screen::marker::{Awaited, ClaimProof, find};
use crate::engine::words::Token;

const BELL: &str = "[tasuki] task m1 from user (token k7qf2m): read queue/active/m1.yaml and do it.";
const PHRASES: [&str; 4] = ["CODING OK", "襷 完了", "OK", "Done: all tests pass!"];

/// Looks for echo, claim and answer among any rows, of programs that wrap their text and that do not, for agents with and
/// without tokens: a claim with a token is where that token is, an answer is made of what is on the screen.
///
/// # Panics
/// If one of that does not hold.
pub fn marker(data: &[u8]) {
    let (how, rest) = choice(data);
    let (width, bytes) = choice(rest);
    let text = String::from_utf8_lossy(bytes);
    let rows: Vec<&str> = text.split('\n').collect();
    let screen = if how & 1 == 0 { Screen::lines(&rows) } else { Screen::wrapped(&rows, width.max(10)) };
    let token = if how & 2 == 0 { Token::new("k7qf2m").ok() } else { None };
    let phrase = PHRASES[how / 4 % PHRASES.len()];
    let Ok(awaited) = Awaited::new(phrase, token) else { panic!("{phrase} is a phrase") };
    let found = echoes(&screen, BELL, token);
    assert!(found.iter().all(|echo| echo.first_row <= echo.last_row && echo.last_row < rows.len()));
    let own = own_echo(&screen, BELL, token, 0);
    assert!(own.map_or(found.is_empty(), |own| found.contains(&own)));
    let _ = is_certain(&screen, BELL, token);
    let claim = find(&screen, &awaited, own);
    if let Some(claim) = &claim {
        assert!(claim.start <= claim.end && claim.end.row <= rows.len(), "{claim:?} of {} rows", rows.len());
        assert_eq!(claim.proof == ClaimProof::Strong, token.is_some());
        let said = rows[claim.start.row..].iter().take(claim.end.row + 1 - claim.start.row);
        let said: String = said.flat_map(|row| row.chars()).filter(|c| !c.is_whitespace()).collect();
        assert!(token.is_none() || said.contains("k7qf2m"), "{claim:?} in {said:?}");
        assert!(claim.earlier.iter().all(|rows| rows.end <= claim.start.row));
    }
    let answer = extract(&screen, &found, claim.as_ref());
    assert!(answer.text.len() <= ANSWER_BYTES_MAX);
    let words = answer.text.split('\n').filter(|line| !line.trim().is_empty());
    for line in words {
        assert!(text.contains(line.trim()), "{line:?} is not on the screen");
    }
}
