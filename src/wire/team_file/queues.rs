//! `queues:`, the drop zones besides `queue/`. A folder is compared as it is without links, so no two names of one folder make
//! two zones of it.

use super::finding::{Book, Place};
use super::outside::{Found, Outside};
use super::queue_entry::{QueueEntry, SHAPE};
use super::roster::Roster;
use super::values::At;
use crate::engine::suggest::did_you_mean;
use crate::engine::words::AgentName;
use crate::wire::layout::{MEMORY, Surroundings, TEAM_FILE, Workspace, plain};
use crate::wire::zone::ZoneSpec;
use std::path::{Path, PathBuf};

/// Each zone is listed at each look, and has a watch of its own.
pub(super) const QUEUES_MAX: usize = 64;
/// What most faults are put right by.
const ANOTHER: &str = "name another folder";

/// What the entries are held against.
pub(super) struct Grounds<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) around: &'a Surroundings,
    pub(super) outside: &'a dyn Outside,
    pub(super) roster: &'a Roster,
}

/// A folder that may be one, and where it is named.
struct Named<'a> {
    given: &'a str,
    place: Place,
}

/// The zones of the file, in its order. What is wrong is in `book`.
pub(super) fn queues(
    entries: Option<&At<Vec<At<QueueEntry>>>>,
    grounds: &Grounds<'_>,
    book: &mut Book,
) -> Vec<ZoneSpec> {
    let Some(entries) = entries else { return Vec::new() };
    if entries.value.len() > QUEUES_MAX {
        let why = format!("these are {} drop zones", entries.value.len());
        book.wrong(entries.place, why, format!("use at most {QUEUES_MAX}"));
        return Vec::new(); // each that follows would be compared with all the others
    }
    let mut zones: Vec<ZoneSpec> = Vec::new();
    for entry in &entries.value {
        let Some(zone) = grounds.zone(entry, book) else { continue };
        match zones.iter().find_map(|other| clash(&zone.place, &other.place)) {
            Some(why) => book.wrong(entry.place, why, ANOTHER),
            None => zones.push(zone),
        }
    }
    zones
}

impl Grounds<'_> {
    fn zone(&self, entry: &At<QueueEntry>, book: &mut Book) -> Option<ZoneSpec> {
        let (path, zone) = match &entry.value {
            QueueEntry::Folder(given) => (Named { given, place: entry.place }, None),
            QueueEntry::Zone(zone) => {
                (Named { given: &zone.path.value, place: zone.path.place }, Some(&**zone))
            }
            QueueEntry::Other => {
                book.wrong(entry.place, "this is no drop zone", format!("write {SHAPE}"));
                return None;
            }
        };
        let folder = self.folder(&path, book)?;
        let why = clash(&folder, &self.workspace.queue()).or_else(|| self.taken(&folder));
        if let Some(why) = why {
            book.wrong(path.place, why, ANOTHER);
            return None;
        }
        self.warn_of_parent(&folder, path.place, book);
        let Some(zone) = zone else { return Some(ZoneSpec { place: folder, owner: None, status: None }) };
        let owner = match &zone.agent {
            Some(agent) => Some(self.owner(agent, book)?),
            None => None,
        };
        let status = match &zone.status {
            Some(given) => Some(self.status(given, owner.as_ref(), book)?),
            None => None,
        };
        Some(ZoneSpec { place: folder, owner, status })
    }

    /// The folder of this name without links, if it can be a folder of the user's alone; it need not be there yet.
    fn folder(&self, named: &Named<'_>, book: &mut Book) -> Option<PathBuf> {
        let Named { given, place } = *named;
        let path = match self.written(given) {
            Ok(path) => path,
            Err((why, cure)) => {
                book.wrong(place, why, cure);
                return None;
            }
        };
        match self.outside.own_folder(&path) {
            Ok(folder) => Some(folder),
            Err(why) => {
                let cure =
                    "name a folder that is yours and that you may write to; it is made if it is missing";
                book.wrong(place, format!("{} {why}", plain(&path)), cure);
                None
            }
        }
    }

    /// Only the last folder is made, since what is missing above it may be a drive that is not there.
    fn warn_of_parent(&self, folder: &Path, place: Place, book: &mut Book) {
        let parent = folder.parent().unwrap_or(folder);
        if self.outside.look(parent) != Found::Folder {
            let why = format!("there is no folder {}: nothing in it is taken", plain(parent));
            book.odd(place, why, format!("`mkdir -p {}`", plain(parent)));
        }
    }

    /// The path that this text means.
    fn written(&self, given: &str) -> Result<PathBuf, (String, &'static str)> {
        if given.is_empty() || given.chars().any(char::is_control) {
            let why = format!("`{}` is not a folder", given.escape_debug());
            return Err((why, "write its path: relative to the team file, absolute, or from `~/`"));
        }
        let home = || self.around.vars.get(std::ffi::OsStr::new("HOME")).map(PathBuf::from);
        let home = || home().filter(|home| home.is_absolute());
        match given.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => match home() {
                Some(home) => Ok(home.join(rest.trim_start_matches('/'))),
                None => Err((format!("`{given}` needs HOME, which is not set"), "write the absolute path")),
            },
            Some(_) => {
                let why = format!("`{given}` is the home of another user");
                Err((why, "write the absolute path, or `./~…` for a folder of that name"))
            }
            None => Ok(self.workspace.root().join(given)),
        }
    }

    /// Whether a workspace keeps things of its own there, in words.
    fn taken(&self, folder: &Path) -> Option<String> {
        if self.outside.look(&folder.join(TEAM_FILE)) != Found::Nothing {
            return Some(format!("{} is a workspace itself: its {TEAM_FILE} would be taken", plain(folder)));
        }
        let is_workspace = |root: &Path| {
            let at = |name: &str| self.outside.look(&root.join(name));
            root == self.workspace.root() || at(TEAM_FILE) != Found::Nothing || at(MEMORY) == Found::Folder
        };
        folder.ancestors().skip(1).find_map(|root| {
            let first = folder.strip_prefix(root).ok()?.components().next()?.as_os_str();
            let own = ["queue", "status", MEMORY].into_iter().find(|name| first == *name)?;
            let whose = if root == self.workspace.root() { "this" } else { "another" };
            let at = if whose == "this" { String::new() } else { format!(", {}", plain(root)) };
            is_workspace(root).then(|| format!("{} is in `{own}/` of {whose} workspace{at}", plain(folder)))
        })
    }

    fn owner(&self, agent: &At<String>, book: &mut Book) -> Option<AgentName> {
        let Roster { members, aliases, .. } = self.roster;
        let known = |name: AgentName| {
            let member = aliases.get(&name).cloned().unwrap_or(name);
            members.contains_key(&member).then_some(member)
        };
        let found = AgentName::new(&agent.value).ok().and_then(known);
        if found.is_none() {
            let cure = did_you_mean(&agent.value, members.keys().map(AgentName::as_str));
            book.wrong(agent.place, format!("there is no agent `{}`", agent.value.escape_debug()), cure);
        }
        found
    }

    fn status(&self, given: &At<String>, owner: Option<&AgentName>, book: &mut Book) -> Option<PathBuf> {
        if owner.is_none() {
            let cure = "add `agent: NAME`, or remove `status`";
            book.wrong(given.place, "nobody's status is written there: this zone is no agent's", cure);
            return None;
        }
        let folder = self.folder(&Named { given: &given.value, place: given.place }, book)?;
        if let Some(why) = self.taken(&folder.join("agents")) {
            book.wrong(given.place, why, ANOTHER);
            return None;
        }
        Some(folder)
    }
}

/// Why these cannot both be zones.
fn clash(one: &Path, other: &Path) -> Option<String> {
    let (one_shown, other_shown) = (plain(one), plain(other));
    if one == other {
        Some(format!("{one_shown} is a drop zone already"))
    } else if one.starts_with(other) {
        Some(format!("{one_shown} is inside of the drop zone {other_shown}"))
    } else if other.starts_with(one) {
        Some(format!("the drop zone {other_shown} is inside of {one_shown}"))
    } else {
        None
    }
}
