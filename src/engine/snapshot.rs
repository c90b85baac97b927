//! The state as events, for the head of a new segment.

use super::event::Event;
use super::state::State;

impl State {
    /// Everything that is open, and flows that have ended, as events that bring an empty state to this one, each made when its turn comes.
    pub fn snapshot(&self) -> impl Iterator<Item = Event> {
        let hired = self.hired.iter();
        let hired = hired
            .map(|(name, hired)| Event::KeptHired { name: name.clone(), hired: Box::new(hired.clone()) });
        let agents = self.agents.iter();
        let agents = agents
            .map(|(name, agent)| Event::KeptAgent { name: name.clone(), agent: Box::new(agent.clone()) });
        let halted = self.halted.map(|since| Event::Halted { since: Some(since), by: None });
        let open = self.open.values().map(|open| Event::KeptOpen(open.clone()));
        let flows = self.flows.values().map(|flow| Event::KeptFlow(flow.clone()));
        hired.chain(agents).chain(halted).chain(flows).chain(open)
    }
}
