//! How a person puts aside what waits: only what tells something, and of which nothing is lost by that.

use crate::engine::words::{MessageId, Millis};
use crate::io::dismissed::{Dismissal, forget};
use crate::read::dismissed::{FAILED_MS, failure_id};
use crate::read::folder::Folder;
use crate::read::letters::letters;
use crate::read::model::Model;
use crate::read::problems::unwritten;
use crate::wire::api::{CureInfo, NeedGroup, NeedInfo, NeedKindInfo, Problem, encoded};
use crate::wire::time::rfc3339_ms;
use std::{fs, io};

/// Letters that nobody has read are one need; which of them are meant is said behind this.
const UNREAD: &str = "unread";

impl Model {
    /// Looks at what was put aside, if that has changed.
    pub(super) fn look_at_dismissed(&mut self) {
        if self.dismissed.look(&self.workspace) {
            // Those that are shown now may not have been looked up.
            self.failed = None;
            self.refused.0 = Folder::default();
        }
    }

    /// Puts aside what waits under an id, or the failed task of that id; what was done, in words. It outlives a power cut.
    ///
    /// # Errors
    /// [`Problem`] if nothing waits there, if it cannot be put aside, or if the disk takes nothing.
    pub fn dismiss(&mut self, id: &str) -> Result<String, Problem> {
        // A task may be called so, too.
        let newest = id.strip_prefix(UNREAD).and_then(|rest| rest.strip_prefix('.'));
        let mut is_task = || self.failed_lately().iter().any(|need| need.id == failure_id(id));
        let done = match newest {
            _ if id == UNREAD => self.count_as_read(None),
            Some(newest) if !is_task() => self.count_as_read(Some(newest)),
            _ => self.put_aside(id),
        };
        self.picture = None;
        done
    }

    fn put_aside(&mut self, id: &str) -> Result<String, Problem> {
        let agents = self.agents();
        let needs = self.needs(&agents).0;
        let failed = || needs.iter().find(|need| need.id == failure_id(id));
        let Some(need) = needs.iter().find(|need| need.id == id).or_else(failed) else {
            let known = [id, &failure_id(id)].iter().any(|id| self.dismissed.all().contains_key(*id));
            return if known { Ok(format!("{id} was dismissed before")) } else { Err(no_need(id)) };
        };
        if need.dismiss.is_none() {
            return Err(not_dismissable(need));
        }
        let dismissal = Dismissal { id: need.id.clone(), since: need.since.clone() };
        dismissal.write(&self.workspace).map_err(|error| unwritten(&error))?;
        self.forget_old();
        self.dismissed.forget();
        self.look_at_dismissed();
        Ok(format!("{} is dismissed", need.id))
    }

    /// Counts letters as read, up to the one that was the newest when somebody looked: a later one was not seen.
    fn count_as_read(&mut self, newest: Option<&str>) -> Result<String, Problem> {
        let letters = letters(&self.workspace);
        let until = match newest {
            None => letters.len(),
            // One that was read meanwhile was read with those before it.
            Some(newest) => letters.iter().position(|letter| letter.id == newest).map_or(0, |at| at + 1),
        };
        for letter in letters.iter().take(until) {
            let Ok(id) = MessageId::new(&letter.id) else { continue };
            match fs::remove_file(self.workspace.letter_file(&id)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritten(&error)),
                _ => {}
            }
        }
        Ok("what was sent to you counts as read".to_owned())
    }

    /// Forgets what would not be shown any more in any case. What cannot be removed is in nobody's way.
    fn forget_old(&self) {
        let since = rfc3339_ms(Millis(self.now().0.saturating_sub(2 * FAILED_MS)));
        for (id, at) in self.dismissed.all() {
            let is_old = match id.strip_prefix("refused.") {
                Some(file) => !self.workspace.rejected().join(file).exists(),
                None => *at < since,
            };
            if is_old {
                drop(forget(&self.workspace, id));
            }
        }
    }
}

/// How a need is put aside, if nothing is lost by that.
pub(super) fn dismissal(need: &NeedInfo) -> Option<CureInfo> {
    let id = match need.kind {
        NeedKindInfo::Failed | NeedKindInfo::Refused => need.id.clone(),
        // A plan that waits for a yes holds all of its session up.
        NeedKindInfo::Session if need.group != NeedGroup::Stops => need.id.clone(),
        NeedKindInfo::Unread => format!("{UNREAD}.{}", need.message.as_deref()?),
        _ => return None,
    };
    Some(CureInfo {
        label: "Dismiss".to_owned(),
        command: format!("tasuki needs --dismiss {}", word(&id)),
        path: Some(format!("/api/needs/{}/dismiss", encoded(&id))),
        body: None,
        asks_first: false,
    })
}

/// One word of a command line: the name of a file may hold anything.
fn word(id: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    if id.chars().all(is_plain) { id.to_owned() } else { format!("'{}'", id.replace('\'', r"'\''")) }
}

fn no_need(id: &str) -> Problem {
    Problem {
        code: "no-need".to_owned(),
        why: format!("nothing waits under the id `{}`", id.escape_debug()),
        cure: "`tasuki needs --json` lists what waits, each with its `id`".to_owned(),
        field: Some("id".to_owned()),
        ..Problem::default()
    }
}

/// It waits until somebody, or time, has seen to it.
fn not_dismissable(need: &NeedInfo) -> Problem {
    let commands: Vec<String> = need.cures.iter().map(|cure| format!("`{}`", cure.command)).collect();
    let cure = match need.kind {
        NeedKindInfo::Lost => "move the file to queue/ to do it anew, or remove it".to_owned(),
        NeedKindInfo::Limit => "it passes by itself; `tasuki needs` says when, if that is known".to_owned(),
        _ => format!("see to it by one of these: {}", commands.join(", ")),
    };
    let why = format!("{} cannot be dismissed, since something waits for it: {}", need.id, need.title);
    Problem {
        code: "not-dismissable".to_owned(),
        why,
        cure,
        field: Some("id".to_owned()),
        ..Problem::default()
    }
}
