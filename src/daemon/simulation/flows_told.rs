//! What people were told of flows that they opened and steered: it is in the journal from then on.

use super::flow_rules::{Asked, FlowsSaid};
use super::wrong::Wrong;
use crate::daemon::clients::request::Response;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::wish::FlowWish;
use crate::engine::input::{Command, Reply};
use std::collections::{BTreeMap, BTreeSet};

/// What they were told, and how often.
#[derive(Debug, Default)]
pub(super) struct FlowsTold {
    pub(super) opened: BTreeSet<FlowId>,
    done: BTreeMap<(FlowId, Asked), usize>,
}

impl FlowsTold {
    /// Somebody was told this; what kind of thing it was.
    pub(super) fn take(&mut self, command: &Command, response: &Response) -> Option<&'static str> {
        let is_done = matches!(response, Response::Reply(Reply::Done { .. }));
        match command {
            Command::OpenFlow(_) if !is_done => Some("flows refused"),
            Command::OpenFlow(opening) => {
                self.opened.insert(opening.head.id.clone());
                Some("flows opened")
            }
            Command::Flow { .. } if !is_done => Some("flows not steered"),
            Command::Flow { id, wish } => {
                let (asked, what) = match wish {
                    FlowWish::Pause => (Asked::Pause, "flows paused"),
                    FlowWish::Resume => (Asked::Resume, "flows resumed"),
                    FlowWish::Cancel => (Asked::Cancel, "flows cancelled"),
                    FlowWish::Add(_) => return Some("steps added"),
                    FlowWish::Merge(_) => (Asked::Merge, "merges begun"),
                    FlowWish::Edit(step, _) => {
                        (Asked::Edit(step.clone()), "steps done again with another text")
                    }
                    FlowWish::Retry(step) => (Asked::Retry(step.clone()), "steps tried again"),
                };
                *self.done.entry((id.clone(), asked)).or_default() += 1;
                Some(what)
            }
            _ => None,
        }
    }

    /// Holds that against what the journal tells in the end.
    ///
    /// # Errors
    /// The first that is not so.
    pub(super) fn check(&self, said: &FlowsSaid) -> Result<(), Wrong> {
        if let Some(id) = self.opened.iter().find(|id| !said.flows.contains_key(*id)) {
            return Err(format!("a caller was told that {id} has begun, and the journal does not know it"));
        }
        for ((id, asked), times) in &self.done {
            let kept = said.asked.get(&(id.clone(), asked.clone())).copied().unwrap_or_default();
            if kept < *times {
                return Err(format!(
                    "{times} callers were told that {id} is done {asked:?}; it was {kept} times"
                ));
            }
        }
        Ok(())
    }
}
