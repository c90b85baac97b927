//! What a view is made of, from what the engine and the journal know.

use crate::daemon::journal::handle::JournalHandle;
use crate::daemon::views::fresh::FreshBodies;
use crate::daemon::views::worker::{FlowItem, Item, Job, OpenItem, Place};
use crate::engine::engine::Engine;
use crate::engine::flow::id::FlowId;
use crate::engine::message::BodyRef;
use crate::engine::words::{MessageId, Seq};
use crate::io::journal::Location;
use crate::wire::message::view::MessageView;
use crate::wire::time::Day;
use std::collections::{BTreeMap, BTreeSet};

/// Items of these, which have ended, to be written if they are missing.
#[must_use]
pub fn finished_items(engine: &Engine, places: &BTreeMap<Seq, Location>, ids: &BTreeSet<MessageId>) -> Job {
    let place =
        |body: BodyRef| places.get(&body.seq).map(|at| Place { step: body.seq, at: *at, event: body.index });
    ids.iter().filter_map(|id| finished_item(engine, &place, id, true)).collect()
}

/// An ended message's item; none if its step is not written yet (it is marked again then).
pub(super) fn finished_item(
    engine: &Engine,
    place: &dyn Fn(BodyRef) -> Option<Place>,
    id: &MessageId,
    if_missing: bool,
) -> Option<Item> {
    let ended = engine.state().finished.get(id)?;
    let answer = match ended.answer {
        Some(answer) => Some(place(answer)?),
        None => None,
    };
    let (body, day) = (place(ended.body)?, Day::of(ended.at));
    Some(Item::Finished { view: Box::new(MessageView::finished(ended)), day, body, answer, if_missing })
}

/// An open message's item; none if it ended meanwhile or is not written itself yet (it is marked again then). Answers
/// whose steps are not written yet are left out: each marks it again when it is, and is a turn of its own. What came a
/// moment ago is not read back; from its turn on it is not kept any more.
pub(super) fn open_item(
    engine: &Engine,
    journal: &JournalHandle,
    fresh: &mut FreshBodies,
    id: &MessageId,
    turn: bool,
) -> Option<Item> {
    let open = engine.state().open.get(id)?;
    let body = journal.place(open.body)?;
    let kept = if turn { fresh.take(open.body) } else { fresh.get(open.body) };
    let answers = open.answers.iter().filter_map(|told| Some((told.clone(), journal.place(told.body)?)));
    let (view, answers) = (Box::new(MessageView::open(open, engine.phrase(open))), answers.collect());
    Some(Item::Open(OpenItem { view, body, kept, answers, turn }))
}

/// The document of a session, if it is still known here. A debate with a speech that is not written yet has none (it is marked again
/// then): its files are not written again for a text alone.
pub(super) fn flow_item(engine: &Engine, journal: &JournalHandle, id: &FlowId) -> Option<FlowItem> {
    let seen = engine.flow(id)?;
    if seen.flow.debate().is_some() && seen.texts().any(|text| journal.is_on_its_way(text.seq)) {
        return None;
    }
    let places = seen.texts().filter_map(|text| journal.place(text)).map(|place| (place.step, place.at));
    Some(FlowItem { places: places.collect(), seen })
}

/// What is open and who is in the team at the moment when the rest is removed: nothing accepted since loses its view.
pub(super) fn sweep(engine: &Engine, spared: &BTreeSet<MessageId>) -> Item {
    let open = engine.state().open.keys().chain(spared).cloned().collect();
    let members = engine.team().members.keys().cloned().collect();
    Item::Sweep { open, members }
}
