//! Where everything stands: one column below 140 columns, two from there on.

use super::input::Drawn;
use super::modes::Mode;
use super::paint::Canvas;
use super::panels::{
    answer, compose, debates, footer, graph, header, help, history, letters, list, log, pane, question,
    queue, relay, rounds, sessions, speech, task, team,
};
use super::state::{Beside, Place, TopState};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

/// Rows that are left below the lines about who waits for whom, as far as there are so many.
const LINES_BELOW: usize = 9;
/// Columns from which on there are two columns.
const TWO_FROM: u16 = 140;
/// Rows below which one list, or one thing that is read, has all of them: two of each would show a row or two.
const SMALL_BELOW: u16 = 12;
/// Rows in which it is told that nothing fits, and which words would.
const WORDS_ROWS: usize = 3;
/// Rows from which on what needs a person is shown in one column, too.
const NEEDS_FROM: u16 = 30;

/// Draws everything, in a terminal of so many columns and rows. It depends on nothing else.
#[must_use]
pub fn draw(state: &TopState, size: (u16, u16)) -> Buffer {
    drawn(state, size).0
}

/// The same, with what keys have to know of it.
#[must_use]
pub fn drawn(state: &TopState, size: (u16, u16)) -> (Buffer, Drawn) {
    let mut canvas = Canvas::new(size, state.look);
    let (width, height) = size;
    if width == 0 || height == 0 {
        return canvas.done();
    }
    header::head(&mut canvas, state);
    let lines = header::lines(state, width);
    let room = height.saturating_sub(if height > 1 { 2 } else { 1 });
    let most = usize::from(room).saturating_sub(LINES_BELOW).clamp(usize::from(room > 0), 4);
    let shown = lines.len().min(most);
    for (y, line) in (1..).zip(lines.iter().take(shown)) {
        header::line(&mut canvas, (0, y), width, line);
    }
    let top = 1 + u16::try_from(shown).unwrap_or(0);
    if height > 1 {
        footer::keys(&mut canvas, state, height - 1);
    }
    let lines = footer::said(state, width, state.look.ascii);
    let said = u16::try_from(lines.len()).unwrap_or(0).min(height.saturating_sub(top + 2));
    let body = Rect::new(0, top, width, height.saturating_sub(top + 1 + said));
    if body.height > 0 {
        fill(&mut canvas, state, body);
        if state.is_away() {
            canvas.grey(body);
        }
    }
    for (y, (text, ink)) in (body.bottom()..).zip(lines.iter().take(usize::from(said))) {
        canvas.text((1, y), width.saturating_sub(2), text, *ink);
    }
    match &state.mode {
        Mode::Compose(composer) => {
            canvas.drawn.answer = None;
            compose::draw(&mut canvas, composer, body);
        }
        // The rows above have less to say meanwhile than the states' forms.
        Mode::Keys(from) => {
            canvas.drawn.answer = None;
            help::draw(&mut canvas, *from, Rect { y: 1, height: body.bottom() - 1, ..body });
        }
        _ => {}
    }
    canvas.done()
}

fn fill(canvas: &mut Canvas, state: &TopState, body: Rect) {
    canvas.drawn.is_small = body.height < SMALL_BELOW && body.width < TWO_FROM;
    canvas.drawn.is_wide = body.width >= TWO_FROM;
    if canvas.drawn.is_small && !state.zoomed {
        let is_list = state.beside == Beside::Screen && !matches!(state.mode, Mode::Answer(_));
        return match is_list {
            true => draw_list(canvas, state, state.place, body),
            false => beside(canvas, state, body),
        };
    }
    if state.zoomed {
        return beside(canvas, state, body);
    }
    if body.width < TWO_FROM {
        return one_column(canvas, state, body);
    }
    let left = u16::try_from(u32::from(body.width) * 53 / 100).unwrap_or(body.width);
    canvas.upright(left, body.top()..body.bottom());
    left_column(canvas, state, Rect { width: left, ..body });
    right_column(canvas, state, Rect { x: left + 1, width: body.width - left - 1, ..body });
    canvas.join_lines(left, body.top()..body.bottom());
}

/// A part of a column: the rows that it needs at least and that it would take.
struct Part {
    least: u16,
    wish: u16,
}

impl Part {
    fn new(least: u16, wish: usize) -> Self {
        let wish = u16::try_from(wish).unwrap_or(u16::MAX);
        Self { least: least.min(wish), wish }
    }
}

/// Gives each part its rows, the first one first; what is left over goes to the part `rest`, or to none.
fn share(rows: u16, parts: &[Part], rest: Option<usize>) -> Vec<u16> {
    let mut left = rows;
    let mut given: Vec<u16> = Vec::new();
    for part in parts {
        let takes = if part.least <= left { part.least } else { 0 };
        left -= takes;
        given.push(takes);
    }
    for (part, given) in parts.iter().zip(&mut given) {
        if *given > 0 {
            let more = part.wish.saturating_sub(*given).min(left);
            *given += more;
            left -= more;
        }
    }
    // Where that part is not shown, the first one has its room.
    let taker = rest.map(|rest| if given.get(rest) == Some(&0) { 0 } else { rest });
    if let Some(given) = taker.and_then(|taker| given.get_mut(taker)) {
        *given += left;
    }
    given
}

/// Gives the areas of parts that stand one below the other.
fn stack(area: Rect, rows: &[u16]) -> Vec<Rect> {
    let mut y = area.y;
    let place = |rows: &u16| {
        let part = Rect { y, height: *rows, ..area };
        y += rows;
        part
    };
    rows.iter().map(place).collect()
}

fn one_column(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let rows = list_rows(state, state.place, area.width);
    // A graph is read as a whole, and there what happens is seen in it.
    let is_graph = matches!(state.place, Place::Session | Place::Debate);
    let half = usize::from(if is_graph { area.height * 3 / 5 } else { area.height / 2 }).max(4);
    let log = if is_graph && area.height < NEEDS_FROM { 0 } else { usize::from(area.height / 6).clamp(3, 8) };
    // A high terminal has room for what needs a person, wherever they are.
    let has_needs = area.height >= NEEDS_FROM && state.place != Place::Needs && !state.needs().is_empty();
    let needs = if has_needs {
        list_rows(state, Place::Needs, area.width).min(usize::from(area.height / 5))
    } else {
        0
    };
    let (list, beside_rows) = match asked_rows(state, area) {
        // Who chooses an answer sees all choices: all else gives way.
        Some(asked) if asked + 3 > area.height => return beside(canvas, state, area),
        Some(asked) => (Part::new(3, rows.min(half)), Part { least: asked, wish: asked }),
        None => (Part::new(3, rows.min(half)), Part::new(4, 6)),
    };
    let parts = [list, beside_rows, Part::new(2, log), Part::new(2, needs)];
    let given = share(area.height, &parts, Some(1));
    let places = stack(area, &[given[0], given[3], given[1], given[2]]);
    draw_list(canvas, state, state.place, places[0]);
    draw_list(canvas, state, Place::Needs, places[1]);
    beside(canvas, state, places[2]);
    log::draw(canvas, state, places[3]);
}

fn left_column(canvas: &mut Canvas, state: &TopState, area: Rect) {
    if state.place.is_of_flows() {
        let needs = list_rows(state, Place::Needs, area.width).min(usize::from(area.height / 4));
        let parts = [Part::new(4, list_rows(state, state.place, area.width)), Part::new(2, needs)];
        let places = stack(area, &share(area.height, &parts, Some(0)));
        draw_list(canvas, state, state.place, places[0]);
        return draw_list(canvas, state, Place::Needs, places[1]);
    }
    let tasks = if state.place == Place::Messages { Place::Messages } else { Place::Tasks };
    let (story, receipts) = (relay::rows(state), history::receipt_rows(state));
    let third = usize::from(area.height / 3).max(4);
    let wish = |place: Place| {
        let most = if place == state.place { third.max(usize::from(area.height / 2)) } else { third };
        list_rows(state, place, area.width).min(most)
    };
    let parts = [
        Part::new(3, wish(Place::Team)),
        Part::new(2, wish(Place::Needs)),
        Part::new(2, wish(tasks)),
        Part::new(3, story.min(third)),
        Part::new(3, receipts),
    ];
    let given = share(area.height, &parts, None);
    // What comes first is not what stands first.
    let places = stack(area, &[given[0], given[2], given[3], given[1], given[4]]);
    draw_list(canvas, state, Place::Team, places[0]);
    draw_list(canvas, state, tasks, places[1]);
    relay::draw(canvas, state, places[2]);
    draw_list(canvas, state, Place::Needs, places[3]);
    history::receipts(canvas, state, places[4]);
}

fn right_column(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let queue = queue::rows(state);
    let log = usize::from(area.height / 4).max(4);
    let half = area.height / 2;
    let screen = match asked_rows(state, area) {
        Some(asked) => Part { least: asked.min(area.height), wish: asked.max(half) },
        None => Part::new(6, usize::from(half)),
    };
    let parts = [screen, Part::new(3, log), Part::new(2, queue.min(5))];
    let given = share(area.height, &parts, Some(0));
    let places = stack(area, &[given[0], given[2], given[1]]);
    beside(canvas, state, places[0]);
    queue::draw(canvas, state, places[1]);
    log::draw(canvas, state, places[2]);
}

/// Rows that the choices of an answer take, with a row of the screen above them; none if nobody chooses one.
fn asked_rows(state: &TopState, area: Rect) -> Option<u16> {
    let Mode::Answer(asked) = &state.mode else { return None };
    u16::try_from(answer::lines(asked, area.width).len() + 1).ok()
}

/// Rows that a list would take with its title. Where nothing fits a filter, the known words are told.
fn list_rows(state: &TopState, place: Place, width: u16) -> usize {
    let is_filtered = !state.shelves[place.index()].filter.is_empty() && place != Place::Needs;
    let least = if is_filtered { WORDS_ROWS } else { 1 };
    match place {
        Place::Team => state.team().len().max(least) + 2,
        Place::Needs => state.needs().len().max(least) + 1,
        Place::Tasks => state.tasks().len().max(least) + 1,
        Place::Messages => state.all_messages().len().max(least) + 1,
        Place::Sessions => state.all_sessions().len().max(least) + 1,
        Place::Session => graph::height(state, width).max(least + 2),
        Place::Debates => state.all_debates().len().max(least) + 1,
        Place::Debate => rounds::height(state, width).max(least + 2),
    }
}

fn draw_list(canvas: &mut Canvas, state: &TopState, place: Place, area: Rect) {
    if area.height == 0 {
        return;
    }
    match place {
        Place::Team => team::draw(canvas, state, area),
        Place::Needs => list::needs(canvas, state, area),
        Place::Tasks | Place::Messages => list::messages(canvas, state, place, area),
        Place::Sessions => sessions::draw(canvas, state, area),
        Place::Session => graph::draw(canvas, state, area),
        Place::Debates => debates::draw(canvas, state, area),
        Place::Debate => rounds::draw(canvas, state, area),
    }
}

/// The screen of an agent, or what stands in its place; an answer that is being chosen stands over its lower end.
fn beside(canvas: &mut Canvas, state: &TopState, area: Rect) {
    if area.height == 0 {
        return;
    }
    match &state.shown_beside() {
        Beside::Screen => {}
        Beside::History(id) => return history::draw(canvas, state, id.as_deref(), area),
        Beside::Explain(name) => return pane::explain(canvas, state, name, area),
        Beside::Letters => return letters::draw(canvas, state, area),
        Beside::Session => return sessions::overview(canvas, state, area),
        Beside::Task => return task::draw(canvas, state, area),
        Beside::Debate => return debates::overview(canvas, state, area),
        Beside::Speech => return speech::draw(canvas, state, area),
        Beside::Question => return question::draw(canvas, state, area),
        Beside::Log => return log::whole(canvas, state, area),
    }
    let choices = match &state.mode {
        Mode::Answer(asked) => answer::fitted(asked, area.width, usize::from(area.height)),
        _ => answer::offered(state, area),
    };
    // Where not all of them have room below some rows of the screen, its own rows tell them.
    let rows = match u16::try_from(choices.len()).unwrap_or(u16::MAX) {
        rows if matches!(state.mode, Mode::Answer(_)) => rows.min(area.height),
        rows if rows + 4 <= area.height => rows,
        _ => 0,
    };
    pane::draw(canvas, state, Rect { height: area.height - rows, ..area });
    let below = Rect { y: area.bottom() - rows, height: rows, ..area };
    for (y, line) in (below.top()..below.bottom()).zip(&choices) {
        answer::line(canvas, (below.x, y), below.width, line);
    }
}
