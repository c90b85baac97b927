//! The workspace and its agents.

use super::live::LiveInfo;
use super::model::{Answers, Model};
use super::needs::Needs;
use super::problems::{bad, no_agent};
use super::titles::title_of;
use crate::engine::words::{AgentName, MessageId};
use crate::wire::api::{
    AgentDetails, AgentInfo, AgentList, AgentQuery, AgentsQuery, MemberInfo, PoolInfo, Problem, PulseInfo,
    StatusInfo, StatusQuery, TeamInfo, TeamQuery,
};
use crate::wire::message::view::MessageView;
use crate::wire::time::{rfc3339, rfc3339_ms, write_duration};
use std::sync::Arc;

/// How the status file begins what it says of a person's unsent words.
const DRAFT: &str = "draft: ";
/// Titles that are kept, some 200 bytes each.
const TITLES_MAX: usize = 20_000;
/// Messages of a queue that are shown: whoever wants more asks for the list.
const QUEUE_SHOWN: usize = 100;

impl Answers for StatusQuery {
    fn answer(self, model: &mut Model) -> Result<StatusInfo, Problem> {
        let agents = model.agents();
        let needs = model.needs(&agents);
        Ok(model.status(agents, &needs))
    }
}

impl Answers for AgentsQuery {
    fn answer(self, model: &mut Model) -> Result<AgentList, Problem> {
        Ok(AgentList { agents: model.agents() })
    }
}

impl Answers for AgentQuery {
    fn answer(self, model: &mut Model) -> Result<AgentDetails, Problem> {
        let name = model.member(&self.name)?;
        let agent = model.agent(&name).ok_or_else(|| no_agent(&self.name))?;
        let current = agent.current_task.as_deref().and_then(|id| MessageId::new(id).ok());
        let current = current.and_then(|id| model.view_with_title(&id));
        let state = model.engine().state();
        let mine = |id: &&MessageId| state.open.get(*id).is_some_and(|open| *open.queue() == name);
        let queue: Vec<MessageId> = model.queue_of(&name).into_iter().take(QUEUE_SHOWN).cloned().collect();
        let kept_back = state.dependants.values().flatten().filter(mine).cloned();
        let mut kept_back: Vec<MessageId> = kept_back.collect();
        kept_back.sort_unstable();
        kept_back.dedup();
        kept_back.retain(|id| !queue.contains(id));
        kept_back.truncate(QUEUE_SHOWN);
        let mut queue: Vec<MessageView> = queue.iter().filter_map(|id| model.view_with_title(id)).collect();
        model.give_places(&mut queue);
        let kept_back = kept_back.iter().filter_map(|id| model.view_with_title(id)).collect();
        Ok(AgentDetails { agent, current, queue, kept_back })
    }
}

impl Answers for TeamQuery {
    fn answer(self, model: &mut Model) -> Result<TeamInfo, Problem> {
        let team = model.engine().team();
        let member = |name: &AgentName| {
            let member = team.members.get(name)?;
            let aliases = team.aliases.iter().filter(|(_, of)| *of == name);
            Some(MemberInfo {
                agent_name: name.to_string(),
                aliases: aliases.map(|(alias, _)| alias.to_string()).collect(),
                reports_to: member.reports_to.to_string(),
                provider: member.provider.clone(),
                timeout: write_duration(member.timeout_ms),
                token: member.token,
            })
        };
        let members = model.order().filter_map(member).collect();
        let pools = team.pools.iter().map(|(name, members)| PoolInfo {
            name: name.to_string(),
            members: members.iter().map(ToString::to_string).collect(),
        });
        let session = model.live.settings.as_ref().map(|settings| settings.session.clone());
        Ok(TeamInfo { members, pools: pools.collect(), session: session.unwrap_or_default() })
    }
}

impl Model {
    /// The workspace and its agents, where it is known already what waits for a person.
    pub(super) fn status(&self, agents: Vec<AgentInfo>, needs: &Needs) -> StatusInfo {
        let state = self.engine().state();
        let (open, tally) = (state.open.len(), state.tally);
        let is_in = |words: &[&str]| agents.iter().filter(|agent| words.contains(&&*agent.state)).count();
        let pulse = PulseInfo {
            working: is_in(&["working", "busy", "completed"]),
            waiting: is_in(&["waiting"]),
            needs_you: needs.needs_you(),
            failed: needs.failed(),
            stuck: is_in(&["unknown"]),
        };
        StatusInfo {
            daemon: self.live.daemon.clone(),
            open,
            pending: tally.pending,
            held: tally.held,
            unread: self.letters.count(),
            unread_answers: self.answers.count(),
            halted_since: state.halted.map(rfc3339),
            tmux_lost: self.live.tmux_lost,
            notes: self.live.notes.clone(),
            pulse,
            workspace: self.workspace.root().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            seq: self.seq().0,
            now: rfc3339_ms(self.now()),
            agents,
        }
    }

    /// All agents, the boss first.
    pub(super) fn agents(&self) -> Vec<AgentInfo> {
        self.order().filter_map(|name| self.agent(name)).collect()
    }

    pub(super) fn agent(&self, name: &AgentName) -> Option<AgentInfo> {
        let nothing = LiveInfo::default();
        let live = self.live.agents.get(name).map_or(&nothing, |live| &**live);
        let seen = self.engine().agent(name)?;
        let state = match live.has_ended {
            true => "stopped",
            false => live.state.unwrap_or(seen.state),
        };
        let member = self.engine().team().members.get(name)?;
        // What an idle agent printed last is done; a person's words in its input still stand there.
        let doing = live
            .doing
            .as_deref()
            .filter(|line| !matches!(state, "idle" | "stopped" | "completed") || line.starts_with(DRAFT));
        let current = seen.current.filter(|_| !live.has_ended);
        let since = current.as_ref().and_then(|id| self.engine().state().open.get(id)).map(|open| open.since);
        let need = self.engine().state().agents.get(name).and_then(|agent| agent.need());
        let since = need.map(|need| need.first_seen()).or(live.since).or(since);
        let until = need.and_then(|need| need.ends_at()).filter(|_| state == "rate_limited");
        Some(AgentInfo {
            agent_name: name.to_string(),
            state: state.to_owned(),
            since: since.map(rfc3339_ms),
            until: until.map(rfc3339),
            why: seen.why.filter(|_| !live.has_ended),
            doing: doing.map(str::to_owned),
            asks: seen.asks.as_deref().map(Into::into),
            reports_to: member.reports_to.to_string(),
            parts: current.as_ref().map_or(0, |id| self.engine().state().open_parts(id)),
            current_task: current.map(|id| id.to_string()),
            pane_id: seen.pane.map(|pane| pane.to_string()),
            pid: seen.pid,
            provider: seen.provider,
            hired: seen.hired.as_ref().map(Into::into),
            queued: seen.queued,
            up_since: seen.up_since.filter(|_| !live.has_ended).map(rfc3339),
            tasks_completed: seen.counts.completed,
            tasks_failed: seen.counts.failed,
            restarts: seen.counts.restarts,
        })
    }

    /// The agent of this name or alias.
    pub(super) fn member(&self, name: &str) -> Result<AgentName, Problem> {
        let found = AgentName::new(name).map_err(|error| Problem {
            code: "bad-name".to_owned(),
            ..bad("name", name, &format!("a name: it {error}"))
        })?;
        let team = self.engine().team();
        let found = team.aliases.get(&found).cloned().unwrap_or(found);
        if team.members.contains_key(&found) { Ok(found) } else { Err(no_agent(name)) }
    }

    /// A message with the first line of its content.
    pub(super) fn view_with_title(&mut self, id: &MessageId) -> Option<MessageView> {
        let view = self.view(id)?;
        let state = self.engine().state();
        let body = state.open.get(id).map(|open| open.body);
        let body = body.or_else(|| state.finished.get(id).map(|finished| finished.body))?;
        if let Some(title) = self.titles.get(id) {
            return Some(MessageView { title: Some(title.to_string()), ..view });
        }
        let Some(body) = self.body(body) else { return Some(view) };
        let title: Arc<str> = title_of(&body.content).into();
        if self.titles.len() >= TITLES_MAX {
            self.titles.clear();
        }
        self.titles.insert(id.clone(), title.clone());
        Some(MessageView { title: Some(title.to_string()), ..view })
    }
}
