//! How a session stands, in one row.

use crate::ui::session::words::{done_of_all, is_over, note, of_session, waiting};
use crate::ui::tui::ages::age;
use crate::ui::tui::marks::of_session as mark_of;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::sessions::first_line;
use crate::ui::tui::state::TopState;
use crate::wire::api::{SessionCounts, SessionInfo};

/// Draws its word, its counts, and what holds it up.
pub(super) fn standing(
    canvas: &mut Canvas,
    state: &TopState,
    session: &SessionInfo,
    (x, y, width): (u16, u16, u16),
) {
    let mark = mark_of(session);
    canvas.text((x + 1, y), 1, mark.sign(canvas.look), mark.ink());
    let since = if is_over(session) { &session.updated_at } else { &session.created_at };
    let since = age(Some(since), state.time());
    let since_columns = u16::try_from(columns(&since)).unwrap_or(0);
    let has_age = width > since_columns + 24;
    let room = width.saturating_sub(4 + if has_age { since_columns + 2 } else { 0 });
    let ink = if mark.ink() == Ink::Accent { Ink::Bold } else { mark.ink() };
    let took = canvas.text((x + 3, y), room, of_session(session), ink);
    let SessionCounts { running, queued, failed, ready, waits_for_you, .. } = session.counts;
    let many = |many: usize, word: &str| (many > 0).then(|| format!("{many} {word}"));
    let done = format!("{} done", done_of_all(&session.counts));
    let counts = [
        Some(done),
        waiting(session),
        many(running.saturating_sub(queued + waits_for_you), "running"),
        many(queued, "queued"),
        many(failed, "failed"),
        many(ready, "ready"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let held_up = match of_session(session) {
        "waits for your yes" => "y begins it, X calls it off".to_owned(),
        "being planned" => format!("{} makes the plan", session.master.as_deref().unwrap_or("its master")),
        "paused" => "p lets it go on".to_owned(),
        "stands still" => "it was imported: p lets it go on, X calls it off".to_owned(),
        _ => first_line(&note(session).unwrap_or_default()),
    };
    let more =
        if held_up.is_empty() { counts.join(", ") } else { format!("{}   {held_up}", counts.join(", ")) };
    canvas.text((x + 3 + took + 2, y), room.saturating_sub(took + 2), &more, Ink::Plain);
    if has_age {
        canvas.right((x, y), width - 1, &since, Ink::Plain);
    }
}
