//! Flows that have ended are kept for whoever looks at them or tries again what has failed, and then go.

use super::flow::Flow;
use super::id::FlowId;
use super::stage::{FlowMove, FlowStage};
use crate::engine::engine::Work;
use crate::engine::words::Millis;

/// Steps of ended flows that are kept: those of a thousand plans with five tasks. Every snapshot has them, and every start reads them.
pub const ENDED_STEPS_MAX: usize = 5_000;

impl Work<'_> {
    /// Forgets the flows that ended before this moment.
    pub(in crate::engine) fn forget_flows(&mut self, before: Millis) {
        // Nobody else knows of worktrees that are still to go.
        let flows = self.state.flows.values().filter(|flow| !flow.owes_ends());
        let ended = flows.filter(|flow| flow.has_ended_before(before));
        let ended: Vec<FlowId> = ended.map(|flow| flow.head.id.clone()).collect();
        ended.iter().for_each(|id| self.forget_flow(id));
    }

    /// A flow has ended. Where there are too many of these besides, the oldest go, and those first that cannot be tried again; but before
    /// them one that alone has the room of very many.
    pub(in crate::engine) fn make_room_for(&mut self, newest: &FlowId) {
        let ended = self.state.flows.values().filter(|flow| !flow.stage.is_open());
        let ended = ended.filter(|flow| flow.head.id != *newest);
        let mut steps: usize = ended.clone().map(|flow| flow.steps.len()).sum();
        if steps <= ENDED_STEPS_MAX {
            return;
        }
        let others = ended.filter(|flow| !flow.owes_ends());
        let rank = |flow: &Flow| (flow.steps.len() <= ENDED_STEPS_MAX / 4, flow.stage == FlowStage::Failed);
        let mut others: Vec<_> =
            others.map(|flow| (rank(flow), flow.since, flow.steps.len(), flow.head.id.clone())).collect();
        others.sort();
        for (_, _, count, id) in others {
            if steps <= ENDED_STEPS_MAX {
                return;
            }
            steps -= count;
            self.forget_flow(&id);
        }
    }

    fn forget_flow(&mut self, id: &FlowId) {
        self.move_flow(id, FlowMove::Forget, None);
    }
}

impl Flow {
    /// Whether it ended before this moment.
    #[must_use]
    pub fn has_ended_before(&self, moment: Millis) -> bool {
        !self.stage.is_open() && self.since < moment
    }
}
