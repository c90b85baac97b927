//! Where a person is waited for: agents, messages, and files.

use crate::engine::state::{Agent, Phase};
use crate::engine::team::need::NeedKind;
use crate::engine::words::{AgentName, MessageId, Millis, counted};
use crate::read::closed::Ended;
use crate::read::dismissed::{FAILED_MS, failure_id};
use crate::read::failed::Failed;
use crate::read::files;
use crate::read::model::Model;
use crate::read::titles::title_of;
use crate::wire::api::{AgentInfo, CureInfo, NeedGroup, NeedInfo, NeedKindInfo};
use crate::wire::message::view::MessageView;
use crate::wire::time::rfc3339_ms;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;

/// Failed tasks, and refused and lost files, that are shown.
const SHOWN: usize = 50;
/// Open messages that are named behind a need; the others are counted.
const BEHIND_NAMED: usize = 100;
/// Finished messages that are looked at for failed tasks.
const LOOKED_AT: usize = 20_000;

impl Model {
    pub(super) fn found_needs(&mut self, agents: &[AgentInfo]) -> Vec<NeedInfo> {
        let mut needs: Vec<NeedInfo> = agents.iter().filter_map(|agent| self.need_of(agent)).collect();
        needs.extend(self.held());
        needs.extend(self.halted());
        needs.extend(self.waiting_sessions());
        needs.extend(self.failed_lately());
        needs.extend(self.refused());
        needs.extend(self.lost());
        needs.extend(self.unread());
        needs
    }

    /// What an agent said last whose turn is over and that seems to ask something: the question of a program without dialogs.
    fn seems_to_ask(&self, info: &AgentInfo) -> Option<String> {
        info.why.as_deref().filter(|why| why.contains(", and it seems to ask "))?;
        let id = MessageId::new(info.current_task.as_deref()?).ok()?;
        let said = &self.engine().state().open.get(&id)?.said.as_deref()?.text;
        said.lines().rev().map(title_of).find(|line| !line.is_empty())
    }

    /// What an agent needs.
    fn need_of(&self, info: &AgentInfo) -> Option<NeedInfo> {
        let name = AgentName::new(&info.agent_name).ok()?;
        let agent = self.engine().state().agents.get(&name)?;
        let (kind, group) = kind_of(
            agent,
            info,
            self.live.agents.get(&name).is_some_and(|live| live.known.unsent.is_some()),
        )?;
        let behind_it = self.behind_agent(&name, info);
        let asked = self.seems_to_ask(info).filter(|_| kind == NeedKindInfo::Silent);
        let (title, detail) = words(&name, kind, info, asked.as_deref());
        let current = info.current_task.clone();
        Some(NeedInfo {
            id: need_id(&name, kind, info),
            kind,
            group,
            title,
            detail,
            agent: Some(name.to_string()),
            message: current,
            since: info.since.clone().unwrap_or_else(|| rfc3339_ms(self.now())),
            asks: info.asks.clone(),
            until: info.until.clone(),
            cures: cures(&name, kind, info, asked.is_some()),
            ..behind(&behind_it)
        })
    }

    /// The messages that wait for an agent: what its task holds up, and its queue with what that holds up.
    fn behind_agent(&self, name: &AgentName, info: &AgentInfo) -> BTreeSet<MessageId> {
        let state = self.engine().state();
        let current = info.current_task.as_deref().and_then(|id| MessageId::new(id).ok());
        let queued: Vec<MessageId> =
            state.queues.get(name).into_iter().flat_map(|queue| queue.ids()).cloned().collect();
        let mut behind = self.behind(current.iter().cloned().chain(queued.iter().cloned()));
        behind.extend(queued);
        if let Some(current) = current {
            behind.remove(&current);
        }
        behind
    }

    fn held(&mut self) -> Vec<NeedInfo> {
        let held = self.engine().state().open.values().filter(|open| open.stage.name().is_held());
        let held: Vec<_> = held
            .map(|open| (open.message.id.clone(), open.since, open.note.clone(), open.agent.clone()))
            .collect();
        let need = |(id, since, note, agent): (
            MessageId,
            Millis,
            Option<std::sync::Arc<str>>,
            Option<AgentName>,
        )| NeedInfo {
            id: format!("held.{id}"),
            kind: NeedKindInfo::Held,
            group: NeedGroup::Stops,
            title: format!("Was {id} delivered?"),
            detail: note.map(|note| note.to_string()),
            agent: agent.map(|agent| agent.to_string()),
            message: Some(id.to_string()),
            since: rfc3339_ms(since),
            cures: vec![retry(&id, "Try it again"), cancel(&id)],
            ..behind(&self.behind([id.clone()]))
        };
        held.into_iter().map(need).collect()
    }

    fn halted(&self) -> Option<NeedInfo> {
        let state = self.engine().state();
        let since = state.halted?;
        let group = if state.open.is_empty() { NeedGroup::Info } else { NeedGroup::Stops };
        Some(NeedInfo {
            id: "halted".to_owned(),
            kind: NeedKindInfo::Halted,
            group,
            title: "All typing is held".to_owned(),
            detail: Some("queue/STOP exists: nothing is typed to anybody".to_owned()),
            since: rfc3339_ms(since),
            cures: vec![CureInfo {
                label: "Let the work go on".to_owned(),
                command: "tasuki stop --off".to_owned(),
                path: Some("/api/halt".to_owned()),
                body: Some(json!({"on": false})),
                asks_first: true,
            }],
            ..with_behind(state.open.keys(), state.open.len())
        })
    }

    /// The same as [`Model::failed`], looked up again only when anything is tried again or a segment turns.
    pub(super) fn failed_lately(&mut self) -> Vec<NeedInfo> {
        let since = rfc3339_ms(Millis(self.now().0.saturating_sub(FAILED_MS)));
        let new = std::mem::take(&mut self.failed_since);
        let failed = match self.failed.take() {
            Some(failed) => {
                // Those that failed last come first.
                let mut new: Vec<Failed> = new.iter().rev().filter_map(|id| self.new_failure(id)).collect();
                new.extend(failed);
                new.truncate(SHOWN);
                new
            }
            None => self.failed(),
        };
        let lately =
            failed.iter().filter(|failed| failed.need.since >= since && self.is_seen_to_alone(failed));
        let lately = lately.map(|failed| failed.need.clone()).collect();
        self.failed = Some(failed);
        lately
    }

    /// What has failed just now, if it is to be shown.
    fn new_failure(&mut self, id: &MessageId) -> Option<Failed> {
        let ended = Ended::of(&self.fold, self.engine().state().finished.get(id)?);
        Self::is_to_be_shown(&ended.finished).then(|| self.failure(&ended))
    }

    /// Tasks that failed within a day and were not tried again, but for parts: whoever gave them on has their answers.
    fn failed(&mut self) -> Vec<Failed> {
        let since = Millis(self.now().0.saturating_sub(FAILED_MS));
        let open = self.engine().state().open.values();
        let mut again: BTreeSet<MessageId> = open.filter_map(|open| open.message.retry_of.clone()).collect();
        let (mut failed, mut looked_at) = (Vec::new(), 0);
        let looked = self.ended_before(crate::engine::words::Seq(u64::MAX), &mut |model, ended| {
            let finished = &ended.finished;
            looked_at += 1;
            if finished.at < since || looked_at > LOOKED_AT || failed.len() >= SHOWN {
                return ControlFlow::Break(());
            }
            again.extend(finished.message.retry_of.clone());
            let id = &finished.message.id;
            let is_dismissed = model.dismissed.has(&failure_id(id.as_str()), &rfc3339_ms(finished.at));
            if Self::is_to_be_shown(finished) && !again.contains(id) && !is_dismissed {
                failed.push(model.failure(ended));
            }
            ControlFlow::Continue(())
        });
        // What cannot be read now is found at the next look.
        drop(looked);
        failed
    }

    fn failure(&mut self, ended: &Ended) -> Failed {
        let finished = &ended.finished;
        let step = finished.message.step.as_deref();
        let title = step.and_then(|step| self.title_of_task(step));
        let first = || self.body_at(finished.body, ended.content_at).map(|body| title_of(&body.content));
        let title = title.or_else(first);
        let why = self.why_ended(finished);
        let cures = step.and_then(|step| Some(Self::cures_of_step(&step.flow, step.step.as_ref()?)));
        let need =
            failure(MessageView { title, reason: why, ..MessageView::finished(finished) }, finished.at);
        let need = match cures {
            Some(cures) => NeedInfo { cures, ..need },
            None => need,
        };
        // Its segment may be closed by the time at which that is asked for.
        let step = step.map(|step| (step.clone(), finished.message.id.clone()));
        Failed { need, step }
    }

    /// Refused files that were not dismissed, read again when either folder has changed.
    fn refused(&mut self) -> Vec<NeedInfo> {
        let now = self.now();
        if self.refused.0.has_changed(&self.workspace.rejected(), now) {
            self.refused.1 = self.refused_files();
        }
        self.refused.1.clone()
    }

    /// The same of files that the journal does not know.
    fn lost(&mut self) -> Vec<NeedInfo> {
        let now = self.now();
        if self.lost.0.has_changed(&self.workspace.lost(), now) {
            self.lost.1 = self.lost_files();
        }
        self.lost.1.clone()
    }

    fn refused_files(&self) -> Vec<NeedInfo> {
        /// The reason beside a refused file.
        #[derive(Deserialize)]
        struct Reason {
            file: String,
            why: String,
            #[serde(default)]
            line: Option<u64>,
            #[serde(default)]
            cure: Option<String>,
        }
        let entries = fs::read_dir(self.workspace.rejected()).into_iter().flatten().flatten();
        let names =
            entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(".reason.yaml"));
        // Those that were dismissed are many in the end, and are not read.
        let is_dismissed = |at: Millis, path: &std::path::Path| {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let id = format!("refused.{}", name.trim_end_matches(".reason.yaml"));
            self.dismissed.has(&id, &rfc3339_ms(at))
        };
        let found = names.filter_map(|path| Some((files::modified(&path)?, path)));
        let mut found: Vec<_> = found.filter(|(at, path)| !is_dismissed(*at, path)).collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        let need = |(at, path): (Millis, std::path::PathBuf)| {
            let reason: Reason = files::read(&path)?;
            let place = reason.line.map_or(String::new(), |line| format!("line {line}: "));
            let cure = reason.cure.map_or(String::new(), |cure| format!("; {cure}"));
            Some(NeedInfo {
                id: format!("refused.{}", reason.file),
                kind: NeedKindInfo::Refused,
                group: NeedGroup::Info,
                title: format!("A file was refused: {}", reason.file),
                detail: Some(format!("{place}{}{cure}. It is in queue/rejected/", reason.why)),
                since: rfc3339_ms(at),
                ..nothing()
            })
        };
        let is_shown = |need: &NeedInfo| !self.dismissed.has(&need.id, &need.since);
        found.into_iter().filter_map(need).filter(is_shown).take(SHOWN).collect()
    }

    fn lost_files(&self) -> Vec<NeedInfo> {
        let entries = fs::read_dir(self.workspace.lost()).into_iter().flatten().flatten();
        let paths = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "yaml"));
        let need = |path: std::path::PathBuf| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some(NeedInfo {
                id: format!("lost.{name}"),
                kind: NeedKindInfo::Lost,
                group: NeedGroup::Decide,
                title: format!("The journal does not know queue/lost/{name}"),
                detail: Some(
                    "it was accepted once: look at it, and move it to queue/ to do it anew".to_owned(),
                ),
                since: rfc3339_ms(files::modified(&path)?),
                ..nothing()
            })
        };
        paths.take(SHOWN).filter_map(need).collect()
    }

    fn unread(&mut self) -> Option<NeedInfo> {
        let (now, at) = (self.now(), files::modified(&self.workspace.inbox()));
        self.letters.look(&self.workspace, now);
        let (letters, unread) = (&self.letters, self.letters.count());
        (unread > 0).then(|| NeedInfo {
            id: "unread".to_owned(),
            kind: NeedKindInfo::Unread,
            group: NeedGroup::Info,
            title: format!("{} for you", counted(unread, "unread message")),
            detail: letters.first_lines(),
            since: rfc3339_ms(at.unwrap_or_else(|| self.now())),
            message: letters.newest(),
            cures: vec![CureInfo::of("Read them", "tasuki inbox".to_owned())],
            ..nothing()
        })
    }
}

/// What kind of need an agent has, if it has one.
fn kind_of(agent: &Agent, info: &AgentInfo, has_draft: bool) -> Option<(NeedKindInfo, NeedGroup)> {
    match agent.need().map(|need| need.kind) {
        _ if !matches!(agent.phase, Phase::Up { .. } | Phase::Failed { .. }) || info.state == "stopped" => {
            None
        }
        _ if matches!(agent.phase, Phase::Failed { .. }) => Some((NeedKindInfo::Ended, NeedGroup::Stops)),
        Some(NeedKind::Input) => Some((NeedKindInfo::Asks, NeedGroup::Stops)),
        Some(NeedKind::Repair) => Some((NeedKindInfo::Error, NeedGroup::Stops)),
        Some(NeedKind::Limit) => Some((NeedKindInfo::Limit, NeedGroup::Info)),
        None if info.state == "waiting_input" => Some((NeedKindInfo::Silent, NeedGroup::Stops)),
        // It matters as soon as something waits for it.
        None if has_draft => {
            let waits = info.queued > 0 || info.current_task.is_some();
            Some((NeedKindInfo::Draft, if waits { NeedGroup::Stops } else { NeedGroup::Info }))
        }
        None => None,
    }
}

fn need_id(name: &AgentName, kind: NeedKindInfo, info: &AgentInfo) -> String {
    let word = match kind {
        NeedKindInfo::Asks => "asks",
        NeedKindInfo::Limit => "limit",
        NeedKindInfo::Ended => "ended",
        NeedKindInfo::Silent => "silent",
        NeedKindInfo::Draft => "draft",
        _ => "error",
    };
    match &info.asks {
        Some(asks) => format!("{word}.{name}.{}", asks.id),
        None => format!("{word}.{name}"),
    }
}

fn words(
    name: &AgentName,
    kind: NeedKindInfo,
    info: &AgentInfo,
    asked: Option<&str>,
) -> (String, Option<String>) {
    let why = info.why.clone();
    match kind {
        NeedKindInfo::Asks => {
            let asked = info.asks.as_ref().map(|asks| question(&asks.text)).or(why);
            (format!("{name} asks: {}", asked.unwrap_or_else(|| "something".to_owned())), None)
        }
        NeedKindInfo::Ended => (format!("{name} has ended and is not started again"), why),
        NeedKindInfo::Silent => {
            let asked = asked.map(|asked| format!(", and asks: {asked}")).unwrap_or_default();
            (format!("{name} ended its turn without a claim{asked}"), why)
        }
        NeedKindInfo::Draft => (format!("Unsent words stand in the input of {name}"), why),
        NeedKindInfo::Limit => (format!("{name} waits for a limit to pass"), why),
        _ => (format!("{name} needs help"), why),
    }
}

/// The line of a dialog that asks: the last one with a question mark, else its first.
fn question(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let asks = lines().rfind(|line| line.ends_with(['?', '？']));
    title_of(asks.or_else(|| lines().next()).unwrap_or_default())
}

fn cures(name: &AgentName, kind: NeedKindInfo, info: &AgentInfo, seems_to_ask: bool) -> Vec<CureInfo> {
    let mut cures = Vec::new();
    if let Some(asks) = &info.asks {
        for (number, choice) in (1..).zip(&asks.choices) {
            cures.push(CureInfo {
                label: choice.clone(),
                command: format!("tasuki answer {name} {number}"),
                path: Some(format!("/api/panes/{name}/answer")),
                body: Some(json!({"choose": number.to_string(), "of": asks.id})),
                asks_first: false,
            });
        }
    }
    if seems_to_ask {
        let command = format!("tasuki pane send --force {name} TEXT");
        cures.push(CureInfo::of("Type an answer", command));
    }
    if kind == NeedKindInfo::Silent {
        cures.push(CureInfo {
            label: "Take what it said for its answer".to_owned(),
            command: format!("tasuki answer {name} done"),
            path: Some(format!("/api/panes/{name}/answer")),
            body: Some(json!({"choose": "done", "of": info.current_task})),
            asks_first: false,
        });
    }
    cures.push(CureInfo::of("Go to its pane", format!("tasuki attach {name}")));
    if kind == NeedKindInfo::Draft {
        cures.push(CureInfo {
            label: "Clear its input".to_owned(),
            command: format!("tasuki pane clear-line {name}"),
            path: Some(format!("/api/panes/{name}/clear-line")),
            body: None,
            asks_first: true,
        });
    }
    if let Some(id) = info.current_task.as_deref().and_then(|id| MessageId::new(id).ok()) {
        cures.push(cancel(&id));
    }
    let verb = if kind == NeedKindInfo::Ended { "start" } else { "restart" };
    cures.push(CureInfo {
        label: format!("{} it", if verb == "start" { "Start" } else { "Restart" }),
        command: format!("tasuki agent {verb} {name}"),
        path: Some(format!("/api/agents/{name}/{verb}")),
        body: None,
        asks_first: verb == "restart",
    });
    cures
}

fn failure(view: MessageView, at: Millis) -> NeedInfo {
    let id = view.id;
    NeedInfo {
        id: failure_id(id.as_str()),
        kind: NeedKindInfo::Failed,
        group: NeedGroup::Decide,
        title: format!("{id} failed: {}", view.title.unwrap_or_default()),
        detail: view.reason,
        agent: view.agent.map(|agent| agent.to_string()),
        message: Some(id.to_string()),
        since: rfc3339_ms(at),
        cures: vec![
            CureInfo::of("Try it again", format!("tasuki retry {id}")),
            CureInfo::of("See why", format!("tasuki why {id}")),
        ],
        ..nothing()
    }
}

fn retry(id: &MessageId, label: &str) -> CureInfo {
    CureInfo {
        label: label.to_owned(),
        command: format!("tasuki retry {id}"),
        path: Some(format!("/api/messages/{id}/retry")),
        body: None,
        asks_first: false,
    }
}

fn cancel(id: &MessageId) -> CureInfo {
    CureInfo {
        label: format!("Call {id} off"),
        command: format!("tasuki cancel {id}"),
        path: Some(format!("/api/messages/{id}/cancel")),
        body: None,
        asks_first: true,
    }
}

impl CureInfo {
    /// A command line that the socket has no address for.
    pub(super) fn of(label: &str, command: String) -> Self {
        Self { label: label.to_owned(), command, path: None, body: None, asks_first: false }
    }
}

/// A need with these messages behind it.
fn behind(behind: &BTreeSet<MessageId>) -> NeedInfo {
    with_behind(behind.iter(), behind.len())
}

/// The same with so many, of which the first are named: a list of all would be sent anew with each message that comes.
fn with_behind<'a>(behind: impl Iterator<Item = &'a MessageId>, behind_count: usize) -> NeedInfo {
    let behind = behind.take(BEHIND_NAMED).map(ToString::to_string).collect();
    NeedInfo { behind, behind_count, ..nothing() }
}

pub(super) fn nothing() -> NeedInfo {
    NeedInfo {
        id: String::new(),
        kind: NeedKindInfo::Unread,
        group: NeedGroup::Info,
        title: String::new(),
        detail: None,
        agent: None,
        message: None,
        since: String::new(),
        asks: None,
        until: None,
        behind: Vec::new(),
        behind_count: 0,
        cures: Vec::new(),
        dismiss: None,
    }
}
