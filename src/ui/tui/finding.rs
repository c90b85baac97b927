//! Filters: which rows fit, by their own texts and by the words of their states, those of the screen and those of the contract.

use super::debates::{round_of, word_of};
use super::marks::of_agent;
use super::state::{Place, TopState};
use crate::engine::life::StageName;
use crate::engine::message::Status;
use crate::ui::session::words::{is_cancelled, note, of_session, of_task_in_queue, who};
use crate::wire::api::{AgentInfo, DebateInfo, NeedInfo, SessionInfo, SessionTaskInfo};
use crate::wire::message::view::MessageView;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What stands before a word that is to be a state's.
const STATE: &str = "state:";
/// Words of messages' states, as they are told where nothing fits.
const MESSAGE_WORDS: &str = "queued, at work, waiting for a limit, waits, waits for you, held, in doubt, completed, failed, called off";
/// Words of agents' states.
const AGENT_WORDS: &str =
    "works, free, starting, waits, asks you, needs you, at its limit, error, unknown, stopped";

/// Words of sessions' states, and of those of their tasks.
const SESSION_WORDS: &str =
    "active, being planned, waits for your yes, paused, stands still, completed, failed, cancelled";
const DEBATE_WORDS: &str = "pending, round 1 to 5, under way, completed, failed, cancelled";
const TASK_WORDS: &str = "pending, ready, running, queued, waits for you, completed, failed, cancelled";

/// What is looked for, in small letters.
struct Wish<'a> {
    text: &'a str,
    /// Whether it is the word of a state and nothing else.
    is_state: bool,
}

impl<'a> Wish<'a> {
    fn of(filter: &'a str) -> Self {
        match filter.strip_prefix(STATE) {
            Some(text) => Self { text: text.trim(), is_state: true },
            None => Self { text: filter, is_state: false },
        }
    }

    fn fits(&self, texts: &[&str], states: &[&str]) -> bool {
        let has = |text: &&str| text.to_lowercase().contains(self.text);
        (!self.is_state && texts.iter().any(has)) || states.iter().any(has)
    }
}

impl TopState {
    pub(super) fn filtered<'a>(
        &'a self,
        place: Place,
        mut messages: Vec<&'a MessageView>,
    ) -> Vec<&'a MessageView> {
        let filter = self.shelves[place.index()].filter.to_lowercase();
        if filter.trim().is_empty() {
            return messages;
        }
        let (wish, asking) = (Wish::of(&filter), self.asking());
        messages.retain(|message| self.fits(&wish, message, &asking));
        if messages.iter().all(|message| message.status == Status::Pending) {
            // What waits in queues is told in the order in which it is taken.
            messages.sort_by_cached_key(|message| {
                let place = self.place_in_queue(message.id.as_str());
                let (agent, at) =
                    place.map_or((message.to.to_string(), usize::MAX), |at| (at.agent, at.place));
                (agent, at, Reverse(message.priority), message.accepted_at.clone())
            });
        }
        messages
    }

    fn fits(&self, wish: &Wish<'_>, message: &MessageView, asking: &BTreeSet<&str>) -> bool {
        let whom = message.agent.as_ref().unwrap_or(&message.to);
        let texts = [message.id.as_str(), whom.as_str(), message.title.as_deref().unwrap_or_default()];
        let state = self.state_of(message, asking);
        let stage = message.stage.map_or(["", ""], |stage| [stage.word(), stage.said()]);
        let limit = if state.longest().contains("for a limit") { "waits for a limit" } else { "" };
        let is_shown_otherwise = message.stage == Some(StageName::Working) && state.longest() != "at work";
        // What waits for a person or a limit is not at work, whatever the stage is called.
        let stage = if is_shown_otherwise { ["", ""] } else { stage };
        let ended = if message.status == Status::Completed { "done, delivered" } else { "" };
        let open = if message.stage.is_some_and(StageName::has_ended) { "ended" } else { "open" };
        let parts = if message.stage == Some(StageName::Waiting) { "waits for parts" } else { "" };
        let more = [limit, ended, open, parts];
        wish.fits(
            &texts,
            &[&[state.longest(), stage[0], stage[1], message.status.word()][..], &more].concat(),
        )
    }

    /// Whether an agent fits.
    pub(super) fn agent_fits(&self, agent: &AgentInfo) -> bool {
        let filter = self.shelves[Place::Team.index()].filter.to_lowercase();
        let limit = if agent.state == "rate_limited" { "waiting for a limit, waits for a limit" } else { "" };
        let you = if matches!(&*agent.state, "waiting_input" | "error") { "waits for you" } else { "" };
        let work = if &*agent.state == "working" { "at work" } else { "" };
        let word = of_agent(agent).1;
        Wish::of(&filter).fits(&[&agent.agent_name], &[&word, &agent.state, limit, you, work])
    }

    /// Whether a session fits.
    pub(super) fn session_fits(&self, session: &SessionInfo) -> bool {
        let filter = self.shelves[Place::Sessions.index()].filter.to_lowercase();
        let title = session.title.as_deref().unwrap_or_default();
        let why = note(session).unwrap_or_default();
        // What somebody called off is Failed for programs, and nobody looks for it there.
        let status = if is_cancelled(session) { "" } else { &*session.status };
        Wish::of(&filter).fits(&[&session.id, title, &why], &[of_session(session), status])
    }

    /// Whether a debate fits: by what it is about, by who speaks, or by how far it is.
    pub(super) fn debate_fits(&self, debate: &DebateInfo) -> bool {
        let filter = self.shelves[Place::Debates.index()].filter.to_lowercase();
        let round = round_of(&debate.status).map(|round| format!("round {round}")).unwrap_or_default();
        let texts = [&*debate.debate_id, &*debate.title, &*debate.roles.join(", ")];
        Wish::of(&filter).fits(&texts, &[word_of(&debate.status), debate.status.word(), &round])
    }

    /// Whether a task of the session that is open fits.
    pub(super) fn task_fits(&self, task: &SessionTaskInfo) -> bool {
        let filter = self.shelves[Place::Session.index()].filter.to_lowercase();
        let texts = [&*task.id, &*task.name, &*who(task)];
        Wish::of(&filter).fits(&texts, &[&of_task_in_queue(task)])
    }

    /// Whether a need fits.
    pub(super) fn need_fits(&self, need: &NeedInfo) -> bool {
        let filter = self.shelves[Place::Needs.index()].filter.to_lowercase();
        let texts = [
            &*need.title,
            need.detail.as_deref().unwrap_or_default(),
            need.message.as_deref().unwrap_or_default(),
        ];
        let kind = format!("{:?}", need.kind);
        let limit = if need.until.is_some() { "waiting for a limit" } else { "" };
        Wish::of(&filter).fits(&texts, &[&kind, need.agent.as_deref().unwrap_or_default(), limit])
    }

    /// What is said where nothing fits: the words that would have been known.
    pub(super) fn nothing_fits(&self, place: Place) -> String {
        let filter = &self.shelves[place.index()].filter;
        let (rows, words) = match place {
            Place::Needs => return "nothing fits; Esc shows all".to_owned(),
            Place::Team => ("no agent fits", AGENT_WORDS),
            Place::Tasks | Place::Messages => ("nothing fits", MESSAGE_WORDS),
            Place::Sessions => ("no session fits", SESSION_WORDS),
            Place::Session => ("no task fits", TASK_WORDS),
            Place::Debates | Place::Debate => ("no debate fits", DEBATE_WORDS),
        };
        format!("{rows}: `{filter}` is in no name or title, and no state. States: {words}. Esc shows all")
    }
}
