//! The death of the tmux server takes every agent along, and one of them may bring it about. Whoever was in a turn is a suspect;
//! whoever was in one at each of several deaths in a row stays one. The one that is left is to blame: that is counted as one of
//! its tries, and if it goes on, its task fails and it is not started again. The others' tries are not spent.

use crate::engine::engine::{Work, agent_event};
use crate::engine::event::AgentChange;
use crate::engine::flow::cause::FailureCause;
use crate::engine::life::deliver::Hands;
use crate::engine::message::OnDoubt;
use crate::engine::state::Phase;
use crate::engine::team::lifecycle::PutBack;
use crate::engine::words::AgentName;

/// Deaths of tmux in turns of one agent, none of which came to an end: one may be chance, and each costs everybody a start.
const DEATHS_MAX: u8 = 3;
/// Where several are suspects again, they get their turns so far apart, so that it shows in whose tmux dies.
const APART_MS: u64 = 20_000;

impl Work<'_> {
    /// The tmux server died with every pane.
    pub(in crate::engine) fn tmux_lost(&mut self, why: &str) {
        self.live.tmux_lost = true;
        let up = |phase: &Phase| matches!(phase, Phase::Up { .. } | Phase::Launching);
        let agents = self.state.agents.iter().filter(|(_, agent)| up(&agent.phase));
        let names: Vec<AgentName> = agents.map(|(name, _)| name.clone()).collect();
        let why = format!("the tmux server ended ({why})");
        let apart = self.suspect(&names);
        let suspects = self.live.suspects.clone();
        for name in names {
            let place = suspects.iter().position(|suspect| *suspect == name);
            match place {
                Some(_) if suspects.len() == 1 => self.blame(&name, &why),
                Some(place) if apart => self.spare(&name, &why, APART_MS * place as u64),
                _ => self.spare(&name, &why, 0),
            }
        }
    }

    /// Says who may have brought it about, and whether they were suspects before.
    fn suspect(&mut self, names: &[AgentName]) -> bool {
        let in_turn: Vec<AgentName> = names.iter().filter(|name| self.is_in_turn(name)).cloned().collect();
        let before = std::mem::take(&mut self.live.suspects);
        let mut still: Vec<AgentName> = before.into_iter().filter(|name| in_turn.contains(name)).collect();
        let again = !still.is_empty();
        if again {
            still.rotate_left(1); // another one is first
        }
        self.live.suspects = if again { still } else { in_turn };
        again
    }

    fn is_in_turn(&self, name: &AgentName) -> bool {
        let open = self.current_of(name).and_then(|id| self.state.open.get(&id));
        open.is_some_and(|open| open.stage.is_under_way())
    }

    /// Whether what it has waits for others' answers.
    fn rests(&self, name: &AgentName) -> bool {
        let open = self.current_of(name).and_then(|id| self.state.open.get(&id));
        open.is_some_and(|open| open.stage.is_waiting())
    }

    /// It is counted as one of its tries; and if that happens again and again, there is no other.
    fn blame(&mut self, name: &AgentName, why: &str) {
        let deaths = self.live.tmux_deaths.entry(name.clone()).or_default();
        *deaths += 1;
        if *deaths < DEATHS_MAX {
            return self.lose(name, why);
        }
        self.acquit(name);
        self.see_off(name);
        self.forget_live(name);
        if let Some(id) = self.current_of(name) {
            let why = format!("{why} each time that {name} had this turn, {DEATHS_MAX} times in a row");
            self.fail_by(&id, &why, Some(FailureCause::Tmux));
        }
        let why = format!(
            "{why} in its turns, {DEATHS_MAX} times in a row; it is not started again: `tasuki agent start {name}`"
        );
        let change =
            AgentChange::Down { why, restart_at: None, wanted: false, asleep: false, unstarted: false };
        self.emit(agent_event(name, change));
    }

    /// What it had is given to it again, so much later, and the try is none.
    fn spare(&mut self, name: &AgentName, why: &str, later_ms: u64) {
        self.see_off(name);
        self.forget_live(name);
        let id = self.current_of(name).filter(|_| later_ms > 0);
        let spared = self.is_in_turn(name) || self.rests(name);
        self.emit(agent_event(name, AgentChange::Lost { why: why.to_owned(), spared }));
        let open = id.and_then(|id| self.state.open.get(&id)).filter(|_| self.is_in_turn(name));
        match open.filter(|open| open.message.on_doubt == OnDoubt::Resend) {
            Some(open) => {
                let (id, at) = (open.message.id.clone(), self.now.plus(later_ms));
                self.postpone(&id, &format!("{name} ended: {why}"), at, true, Hands::Ended);
            }
            None => self.put_back(name, why, PutBack::Ended),
        }
    }

    /// A turn of it came to its end, and tmux lives.
    pub(in crate::engine) fn acquit(&mut self, name: &AgentName) {
        self.live.tmux_deaths.remove(name);
        self.live.suspects.retain(|suspect| suspect != name);
    }
}
