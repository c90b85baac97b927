//! The queue of the agent that is looked at.

use crate::ui::tui::ages::by_the_clock;
use crate::ui::tui::marks::of_message;
use crate::ui::tui::paint::{Canvas, Ink};
use crate::ui::tui::state::TopState;
use crate::wire::api::AgentDetails;
use ratatui_core::layout::Rect;

/// Its queue, if it is known and not empty.
fn details(state: &TopState) -> Option<&AgentDetails> {
    let details = state.details.get(&state.looked_at()?.agent_name)?;
    (!details.queue.is_empty() || !details.kept_back.is_empty()).then_some(details)
}

/// Rows that it would take.
pub(in crate::ui::tui) fn rows(state: &TopState) -> usize {
    details(state).map_or(0, |details| details.queue.len() + details.kept_back.len() + 1)
}

/// Draws it.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(details) = details(state).filter(|_| area.height > 0) else { return };
    let note = match details.kept_back.len() {
        0 => details.queue.len().to_string(),
        more => format!("{} + {more} kept back", details.queue.len()),
    };
    canvas.rule((area.x, area.y), area.width, "Its queue", &note);
    let all = details.queue.iter().map(|message| (message, true));
    let all = all.chain(details.kept_back.iter().map(|message| (message, false)));
    for (y, (message, is_queued)) in (area.y + 1..area.bottom()).zip(all) {
        let (mark, _) = of_message(message);
        canvas.text((area.x + 1, y), 1, mark.sign(canvas.look), mark.ink());
        let room = area.width.saturating_sub(4);
        let took = canvas.text((area.x + 3, y), room, message.id.as_str(), Ink::Plain);
        let more = match (&message.waits_for, is_queued) {
            (Some(why), false) => by_the_clock(why, state.time(), state.look.here),
            _ => format!("from {}", message.from),
        };
        let title = message.title.as_deref().unwrap_or_default();
        if took + 3 < room {
            let text = format!("{more}   {title}");
            canvas.text((area.x + 3 + took + 3, y), room - took - 3, &text, Ink::Dim);
        }
    }
}
