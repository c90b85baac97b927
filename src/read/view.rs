//! What is shown and has changed since somebody saw it: agents, open messages that moved, needs, and the workspace.

use super::model::{Answers, Model};
use super::picture::Picture;
use crate::engine::words::MessageId;
use crate::wire::api::{
    AgentInfo, MessagesQuery, NeedInfo, NeedsInfo, Problem, StatusInfo, ViewInfo, WorkspaceInfo,
};
use crate::wire::message::view::MessageView;
use crate::wire::time::rfc3339_ms;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Open tasks in the first picture: more are asked for by pages.
const FIRST_MESSAGES: usize = 100;

/// What somebody has seen.
#[derive(Debug, Default)]
pub struct Seen {
    is_begun: bool,
    agents: BTreeMap<String, AgentInfo>,
    order: Vec<String>,
    workspace: Option<WorkspaceInfo>,
    needs: Arc<NeedsInfo>,
}

impl Model {
    /// What has changed since somebody saw it; none if nothing has. `touched` are the messages that anything happened to.
    ///
    /// # Errors
    /// [`Problem`] if the journal cannot be read.
    pub fn view_since(
        &mut self,
        seen: &mut Seen,
        touched: &BTreeSet<MessageId>,
    ) -> Result<Option<ViewInfo>, Problem> {
        let whole = !std::mem::replace(&mut seen.is_begun, true);
        let (status, needs) = self.picture();
        let order: Vec<String> = status.agents.iter().map(|agent| agent.agent_name.clone()).collect();
        let workspace = workspace(&status);
        let messages = match whole {
            true => {
                let (state, roots, limit) = (Some("open".to_owned()), true, Some(FIRST_MESSAGES));
                let query = MessagesQuery { state, roots, limit, ..MessagesQuery::default() };
                let messages = query.answer(self)?.messages.into_iter();
                // Places change as others go, of which nobody is told here.
                messages.map(|view| MessageView { place: None, ..view }).collect()
            }
            false => {
                let held_up = status.agents.iter().filter_map(|agent| held_up(seen, agent));
                let touched: BTreeSet<MessageId> = touched.iter().cloned().chain(held_up).collect();
                touched.iter().filter_map(|id| self.view_with_title(id)).collect()
            }
        };
        let is_other = is_other(&seen.needs, &needs);
        let view = ViewInfo {
            whole,
            seq: self.seq().0,
            now: rfc3339_ms(self.now()),
            workspace: (seen.workspace.as_ref() != Some(&workspace)).then(|| workspace.clone()),
            agents: status
                .agents
                .iter()
                .filter(|agent| seen.agents.get(&agent.agent_name) != Some(agent))
                .cloned()
                .collect(),
            order: (seen.order != order).then(|| order.clone()),
            messages,
            behind: match is_other {
                true => BTreeMap::new(),
                false => other_counts(&seen.needs, &needs).collect(),
            },
            needs: is_other.then(|| (*needs).clone()),
        };
        seen.agents.retain(|name, _| order.contains(name));
        seen.agents.extend(view.agents.iter().map(|agent| (agent.agent_name.clone(), agent.clone())));
        (seen.order, seen.workspace, seen.needs) = (order, Some(workspace), needs);
        let is_news = whole
            || view.workspace.is_some()
            || !view.agents.is_empty()
            || view.order.is_some()
            || !view.messages.is_empty()
            || view.needs.is_some()
            || !view.behind.is_empty();
        Ok(is_news.then_some(view))
    }

    /// Status and needs. Several who look at the same time are shown the same, which is made once.
    fn picture(&mut self) -> (Arc<StatusInfo>, Arc<NeedsInfo>) {
        let (seq, live, at) = (self.seq(), self.live.clone(), self.now());
        if let Some(last) = self.picture.as_ref().filter(|last| last.is_as_of(seq, &live, at)) {
            return (last.status.clone(), last.needs.clone());
        }
        let agents = self.agents();
        let needs = self.needs(&agents);
        let status = Arc::new(self.status(agents, &needs));
        let needs = Arc::new(self.needs_info(needs));
        self.picture = Some(Picture { seq, live, at, status: status.clone(), needs: needs.clone() });
        (status, needs)
    }
}

/// The task of an agent that waits for a person or a limit now, and did not before, or waits no more: it stands otherwise.
fn held_up(seen: &Seen, agent: &AgentInfo) -> Option<MessageId> {
    let key = |agent: &AgentInfo| (agent.state.clone(), agent.asks.is_some(), agent.until.clone());
    let before = seen.agents.get(&agent.agent_name)?;
    let waits =
        |agent: &AgentInfo| matches!(agent.state.as_str(), "waiting_input" | "rate_limited" | "error");
    let is_other = (waits(before) || waits(agent)) && key(before) != key(agent);
    MessageId::new(agent.current_task.as_ref().filter(|_| is_other)?).ok()
}

/// Whether needs are others than before, whenever they were looked at, and however many messages wait behind them: while all is
/// held each message that comes is one more.
fn is_other(before: &NeedsInfo, now: &NeedsInfo) -> bool {
    let is_same = |(before, now): (&NeedInfo, &NeedInfo)| {
        before == now || NeedInfo { behind_count: now.behind_count, ..before.clone() } == *now
    };
    before.needs.len() != now.needs.len()
        || before.chains != now.chains
        || !before.needs.iter().zip(&now.needs).all(is_same)
}

/// How many messages wait behind each need of the same needs as before, where these are others.
fn other_counts(before: &NeedsInfo, now: &NeedsInfo) -> impl Iterator<Item = (String, usize)> {
    let both = before.needs.iter().zip(&now.needs);
    let others = both.filter(|(before, now)| before.behind_count != now.behind_count);
    others.map(|(_, now)| (now.id.clone(), now.behind_count))
}

fn workspace(status: &StatusInfo) -> WorkspaceInfo {
    WorkspaceInfo {
        name: status.workspace.clone(),
        daemon: status.daemon.clone(),
        pulse: status.pulse,
        open: status.open,
        pending: status.pending,
        held: status.held,
        unread: status.unread,
        unread_answers: status.unread_answers,
        halted_since: status.halted_since.clone(),
        tmux_lost: status.tmux_lost,
        notes: status.notes.clone(),
    }
}
