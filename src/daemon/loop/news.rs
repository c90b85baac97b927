//! What the loop hears from its workers.

use crate::daemon::ending::Broken;
use crate::daemon::health::notes::About;
use crate::daemon::inbox::News;
use crate::daemon::journal::handle::Heard;
use crate::daemon::journal::worker::Written;
use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::mailbox::mail::{Dropped, Mail};
use crate::daemon::panes::limits::dated;
use crate::daemon::panes::orders::PaneWord;
use crate::daemon::tmux::news::TmuxNews;
use crate::daemon::views::worker::{BatchShown, Item};
use crate::engine::flow::branch::BranchName;
use crate::engine::input::{Input, Report, Shown};
use crate::engine::job::JobId;
use crate::engine::words::{AgentName, Millis, Nonce};
use crate::io::team_file::SettingsError;
use crate::io::views::View;
use crate::wire::team_file::Settings;
use crate::wire::zone::ZoneSpec;
use std::path::Path;
use std::sync::Arc;
use tokio::task::{Id, JoinError};

/// How a task ended, and which.
type TaskEnded = Result<(Id, &'static str), JoinError>;

impl Daemon {
    pub(in crate::daemon) fn hear(&mut self, news: News) {
        match news {
            News::Mail(mail) => self.take_mail(mail),
            News::Pane(news) => match news.what {
                // Nobody is given anything new before the end.
                PaneWord::Report(Report::Ready { .. }) if self.ending.is_some() => {}
                PaneWord::Report(Report::Ready { .. }) if !self.panes.is_current(&news) => {}
                PaneWord::Report(report) => {
                    let (agent, nonce, report) = (news.agent, news.nonce, dated(report, &self.timers.clock));
                    self.take_input(Input::Report { agent, nonce, report });
                }
                PaneWord::Doing(line) => self.views.doing(news.agent, line),
            },
            News::Job { id, found } => {
                self.jobs.done(&id);
                match id {
                    JobId::AgentTree { agent } => self.agent_tree_done(&agent, found),
                    id => self.take_input(Input::Job { id, found }),
                }
            }
            News::Tmux(news) => self.take_tmux(news),
            News::Team(read) => self.take_team(*read),
            News::Meddled(paths) => self.views.meddled(paths),
            News::Notify(note) => self.note(About::Notify, note),
        }
    }

    fn take_mail(&mut self, mail: Mail) {
        let now = self.timers.clock.now();
        let (halted, halts) = mail.halted;
        if halts >= self.mailbox.halts() {
            self.halt(halted, None); // else it was seen before the loop itself made or removed the file
        }
        if !mail.forgotten.is_empty() {
            self.mailbox.forgotten(&mail.forgotten);
            self.views.removed();
        }
        for note in mail.notes {
            self.views.tell(now, None, note);
        }
        self.note_disk(mail.full);
        self.engine.disk_is_full(mail.full);
        self.note(About::Watches, mail.polling);
        self.note_untaken(mail.stuck);
        self.views.throttle_burst(mail.burst, now);
        self.mailbox.taken(&mail.drops);
        for dropped in mail.drops {
            self.tell_notes(now, &dropped);
            self.take_input(match dropped {
                Dropped::Drafts { source, drafts, proof } => Input::Drop { source, drafts, proof },
                Dropped::Bad { source, from, token, refusal } => {
                    Input::BadDrop { source, from, token, refusal }
                }
            });
        }
        if let Some(sweep) = mail.swept {
            self.swept(sweep);
        }
        // What still waits here was looked up long ago.
        if self.mailbox.claims.is_empty() && self.journal.rotation.held_back.is_empty() {
            self.engine.keep_lately(self.mailbox.archives_behind(mail.archives));
        }
    }

    /// What its sender should know of a message, whatever becomes of it.
    fn tell_notes(&mut self, now: Millis, dropped: &Dropped) {
        let Dropped::Drafts { drafts, .. } = dropped else { return };
        for draft in drafts {
            for note in &draft.notes {
                self.views.tell(now, None, format!("{}: {note}", draft.id));
            }
        }
    }

    pub(in crate::daemon) fn written(&mut self, written: Written) -> Result<(), Broken> {
        let archive = written.archive.clone();
        match self.journal.written(written, self.timers.clock.now())? {
            Heard::Appended(held) => {
                self.views.daemon_is_old = true; // it tells the flushes
                for (at, told) in held.told {
                    tracing::info!(target: "tasuki::history", "{}", told.text);
                    self.views.tell(at, told.agent, told.text);
                }
                self.perform_all(held.effects);
                self.clients.written(self.journal.steps_written());
            }
            Heard::Rotated => {
                self.note(About::Segment, None);
                self.rotated();
                self.go_on();
            }
            Heard::NotRotated(error) => {
                self.go_on();
                tracing::warn!(%error, "a new segment could not be started; the old one is kept in use");
                let note = "a new segment of the journal cannot be started and is retried";
                self.note(About::Segment, Some(format!("{note}: {error}")));
            }
            Heard::Trimmed => {}
        }
        archive.into_iter().for_each(|archive| self.mailbox.archive(archive));
        Ok(())
    }

    /// A batch of views is written.
    pub(in crate::daemon) fn shown(&mut self, shown: BatchShown) {
        self.views.done(shown.failed, self.timers.clock.now());
        shown.more.into_iter().for_each(|more| self.views.put(more));
        if shown.why.is_some() || !self.views.has_failed() {
            let note = |why| format!("views cannot be written and are retried: {why}");
            self.note(About::Views, shown.why.map(note));
        }
        self.deliver_shown(shown.turns);
        self.mend(shown.altered, shown.lost);
    }

    /// Views that somebody else changed are written again.
    pub(in crate::daemon) fn mend(&mut self, altered: Vec<View>, lost: bool) {
        if lost {
            self.show_everything();
            self.show_daemon();
        }
        for view in altered {
            match view {
                View::Active(_, id) => self.views.mark(Shown::Open(id)),
                View::Agent(name) => self.views.mark(Shown::Agent(name)),
                View::Session(id) => self.views.mark(Shown::Flow(id)),
                View::Daemon => self.show_daemon(),
            }
        }
    }

    /// tmux came or went.
    pub(in crate::daemon) fn take_tmux(&mut self, news: TmuxNews) {
        match news {
            TmuxNews::Cut { why } => {
                tracing::warn!(why, "the connection to tmux ended; a new one is made, the agents go on");
                self.panes.forget_all();
                self.panes.pending.clear();
                self.forget_found();
                self.take_input(Input::TmuxCut);
            }
            TmuxNews::Lost { why } => {
                tracing::error!(why, "the tmux server is gone; it is started again");
                self.take_input(Input::TmuxLost { why });
            }
            TmuxNews::Back { tmux, found } => {
                tracing::info!(panes = found.panes.len(), "tmux is connected again");
                self.panes.tmux.connected(tmux);
                self.take_back(found);
            }
        }
    }

    /// The team file was read again; a broken one changes nothing.
    pub(in crate::daemon) fn take_team(&mut self, read: Result<Settings, SettingsError>) {
        let now = self.timers.clock.now();
        match read {
            Ok(settings) if !self.leaves_names(&settings) => {}
            Ok(settings) => {
                self.config.settings = Arc::new(settings);
                self.tell_zones();
                let team = self.config.settings.team.with(&self.engine.state().hired);
                self.clients.publish_team(self.config.settings.clone());
                self.clients.tell_members(|name| team.members.contains_key(name));
                self.note(About::TeamFile, None);
                let (settings, workspace) = (self.config.settings.clone(), &self.config.workspace);
                self.config.roster.renew(&self.engine, (&settings, workspace));
                let later = self.panes.tmux.set(&settings, self.config.roster.with(&settings));
                let note =
                    |keys| format!("takes effect only after a restart (`tasuki down`, `tasuki up`): {keys}");
                self.note(About::Restart, (!later.is_empty()).then(|| note(later.join(", "))));
                self.tell_names();
                self.mailbox.low_disk(self.config.settings.general.low_disk_bytes);
                self.views.tell(now, None, "the team file was reloaded".to_owned());
                let team = Box::new(self.config.settings.team.clone());
                self.take_input(Input::Team(team));
            }
            Err(error) => {
                self.config.roster.refused = None;
                tracing::error!("the team file has an error; the previous settings stay in force:\n{error}");
                let text = format!(
                    "the team file has an error; the previous settings stay in force ({})",
                    error.shown()
                );
                self.views.tell(now, None, text.clone());
                self.note(About::TeamFile, Some(text));
            }
        }
    }

    /// The drop zones and what is shown of them, where they are others than before: those of the team file, and one in the worktree
    /// of each agent that has one, by the team file or for a task of a session.
    pub(in crate::daemon) fn tell_zones(&mut self) {
        let own = self.engine.state().hired.iter().filter_map(|(name, hired)| {
            let tree = Path::new(hired.flow.as_ref().and(hired.recipe.cwd.as_ref())?);
            let (owner, status) = (Some(name.clone()), Some(tree.join("status")));
            // A role of a debate has no mailbox there.
            let speaks = BranchName::new(name.as_str()).is_ok_and(|branch| branch.speech().is_some());
            (tree.is_absolute() && !speaks).then(|| ZoneSpec { place: tree.join("queue"), owner, status })
        });
        let zones: Vec<ZoneSpec> =
            self.config.settings.queues.iter().cloned().chain(own).chain(self.zones_of_trees()).collect();
        if zones == self.config.roster.zones {
            return;
        }
        self.config.roster.zones.clone_from(&zones);
        self.mailbox.set_zones(zones.clone());
        self.views.put(Item::Zones(zones));
    }

    /// The mailbox has to know which names a file's name may hold.
    pub(in crate::daemon) fn tell_names(&mut self) {
        let team = self.config.settings.team.with(&self.engine.state().hired);
        self.mailbox.names(team.names());
    }

    /// Takes note of the end of a task of a pane. A worker that broke costs its agent this launch, and nobody else
    /// anything.
    pub(in crate::daemon) fn pane_worker_ended(&mut self, ended: TaskEnded) {
        let (task, broke) = match ended {
            Ok((task, _)) => (task, None), // it was told to, or it has said why itself
            Err(broke) => (broke.id(), Some(broke)),
        };
        let who = self.panes.ended(task);
        let Some(broke) = broke else { return };
        tracing::error!(%broke, "a worker broke: please report this");
        if let Some((agent, nonce)) = who {
            self.pane_broke(agent, nonce, &broke);
        }
    }

    fn pane_broke(&mut self, agent: AgentName, nonce: Nonce, broke: &JoinError) {
        let how = format!("its worker broke ({broke})");
        self.take_input(Input::Report { agent, nonce, report: Report::Exited { how, clean: false } });
    }
}
