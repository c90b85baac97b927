//! What a debate needs of files before it begins: those that its roles are shown, and whether their programs can be asked.

use crate::engine::flow::branch::BranchName;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::counted;
use crate::io::regular;
use crate::io::workspace::{Surroundings, Workspace};
use crate::io::worktree::WorktreeError;
use crate::wire::debate::prompt::ContextFile;
use crate::wire::debate::request::{CONTEXT_BYTES_MAX, DebateRequest, RoleDefinition, Spot};
use crate::wire::debate::shown::Overview;
use crate::wire::team_file::{Headless, Profile, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

const BASE_DIR: &str = "base_dir";
/// Largest `debate.json` that is read, in bytes.
const OVERVIEW_BYTES_MAX: u64 = 4 << 20;

/// The folder that a debate is about.
#[must_use]
pub fn base_of(request: &DebateRequest, workspace: &Workspace) -> PathBuf {
    workspace.root().join(request.base_dir.as_deref().unwrap_or_default())
}

/// Why no worktrees can be made of that folder, as a mistake of the request.
#[must_use]
pub fn no_repository(error: &WorktreeError) -> (Spot, Refusal) {
    let code = match error {
        WorktreeError::NoFolder { .. } => Code::Unreadable,
        _ => Code::NoRepository,
    };
    (Spot::of(BASE_DIR), Refusal::new(code, error.to_string()))
}

/// Has `debate.json` of debates that are over say which worktrees of theirs are still there, once these were looked at. Gives why one could
/// not be written.
pub fn forget_worktrees<'n>(workspace: &Workspace, folders: impl Iterator<Item = &'n str>) -> Vec<String> {
    let branches = folders.filter_map(|folder| BranchName::new(folder).ok());
    let debates: BTreeSet<String> =
        branches.filter_map(|branch| Some(branch.speech()?.0.to_owned())).collect();
    let paths = debates.iter().map(|debate| workspace.debates().join(debate).join("debate.json"));
    let failed = paths.filter_map(|path| {
        let error = write_what_is_there(&path).err()?;
        Some(format!("{} still names worktrees that are gone: {error}", path.display()))
    });
    failed.collect()
}

/// A debate that has no such file, or is under way, is left alone.
fn write_what_is_there(path: &Path) -> io::Result<()> {
    let Ok(text) = regular::read(path, OVERVIEW_BYTES_MAX) else { return Ok(()) };
    let Ok(before) = serde_json::from_str::<Overview>(&text) else { return Ok(()) };
    let now = before.clone().without(|path| !Path::new(path).exists());
    if now == before || !now.result.status.is_over() {
        return Ok(());
    }
    let mut text = serde_json::to_string_pretty(&now)?;
    text.push('\n');
    let half_written = path.with_extension("json.new");
    std::fs::write(&half_written, text)?;
    std::fs::rename(&half_written, path)
}

/// Reads the files of each role, which lie in the folder of the debate. What is wrong with one of them is added to the mistakes: it lies
/// outside, is no file, is no text, or all are too large together. Where nobody knows that folder, or it is not there, those are looked at
/// that are named by their whole path; of the others is told how many are not.
pub fn read_files(
    base: Option<&Path>,
    roles: &[RoleDefinition],
    wrong: &mut Vec<(Spot, Refusal)>,
) -> Vec<Vec<ContextFile>> {
    let base = base.filter(|base| base.is_dir()).and_then(|base| base.canonicalize().ok());
    let mut unseen = BTreeSet::new();
    let mut room = CONTEXT_BYTES_MAX as u64;
    // A file that several roles are shown counts once.
    let mut read = BTreeMap::new();
    let mut all = Vec::new();
    for (at, role) in roles.iter().enumerate() {
        let mut files = Vec::new();
        // What was no path is told already.
        for (item, path) in role.initial_context.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            if base.is_none() && !Path::new(path).is_absolute() {
                unseen.insert(path);
                continue;
            }
            // However it is written: `a.txt` and `./a.txt` are one.
            let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
            let file = read.entry(parts.collect::<PathBuf>());
            match file.or_insert_with(|| read_file(base.as_deref(), path, &mut room)) {
                Ok(text) => files.push(ContextFile { path: path.clone(), text: text.clone() }),
                Err(refusal) => {
                    wrong.push((Spot { item, ..Spot::of_role(at, "initial_context") }, refusal.clone()))
                }
            }
        }
        all.push(files);
    }
    let told = wrong.iter_mut().find(|(spot, _)| spot.key == BASE_DIR);
    if let (Some((_, refusal)), false) = (told, unseen.is_empty()) {
        let files = counted(unseen.len(), "file");
        refusal.why += &format!("; {files} that roles are shown could not be looked for in it");
    }
    all
}

/// Adds to the mistakes each profile whose program cannot be asked once, and each model that its program cannot be given. `provider` is the
/// profile of roles that name none, if it is known.
pub fn refuse_programs(
    workspace: &Workspace,
    (request, provider): (&DebateRequest, Option<&str>),
    wrong: &mut Vec<(Spot, Refusal)>,
) {
    let profiles = match profiles(workspace) {
        Ok(profiles) => profiles,
        Err(refusal) => return wrong.push((Spot::of("provider"), refusal)),
    };
    for (at, (asked, role)) in request.roles.iter().zip(request.head().roles).enumerate() {
        let Some(name) = role.provider.as_deref().or(provider) else { continue };
        // What a role does not say of itself is said of all.
        let of =
            |key: &'static str, is_own: bool| if is_own { Spot::of_role(at, key) } else { Spot::of(key) };
        let headless = match can_be_asked(&profiles, name) {
            Ok(headless) => headless,
            Err(refusal) => {
                let item = request.providers.iter().position(|provider| provider == name);
                let spot = match item.filter(|_| asked.provider.is_none()) {
                    Some(item) => Spot { item, ..Spot::of("providers") },
                    None => of("provider", asked.provider.is_some()),
                };
                wrong.push((spot, refusal));
                continue;
            }
        };
        match &role.model {
            Some(model) if !headless.takes_model() => {
                let why = format!(
                    "it is not known how to give the model `{}` to programs of the profile `{name}`: its `headless:` has no `model:`",
                    model.escape_debug()
                );
                let refusal = Refusal::new(Code::UnknownWord, why);
                wrong.push((of("model", asked.model.is_some()), refusal));
            }
            None if headless.needs_model() => {
                let why =
                    format!("programs of the profile `{name}` are started with a model, and none is named");
                wrong.push((of("model", asked.provider.is_some()), Refusal::new(Code::ContentEmpty, why)));
            }
            _ => {}
        }
    }
}

/// Whether programs of this profile can be asked once.
#[must_use]
pub fn is_one_shot(workspace: &Workspace, name: &str) -> bool {
    profiles(workspace).is_ok_and(|profiles| can_be_asked(&profiles, name).is_ok())
}

type Profiles = BTreeMap<String, Profile>;

fn profiles(workspace: &Workspace) -> Result<Profiles, Refusal> {
    let refused = |why: String| Refusal::new(Code::UnknownWord, why);
    let around = Surroundings::of_this_process().map_err(|error| refused(error.to_string()))?;
    let loaded = Settings::load(workspace, &around).map_err(|error| refused(error.to_string()))?;
    Ok(loaded.settings.profiles)
}

/// The refusal names those that can be.
fn can_be_asked<'p>(profiles: &'p Profiles, name: &str) -> Result<&'p Headless, Refusal> {
    let why = match profiles.get(name).map(|profile| profile.headless.as_ref()) {
        Some(Some(headless)) => return Ok(headless),
        Some(None) => format!("programs of the profile `{name}` cannot be asked once: it has no `headless:`"),
        None => format!("there is no profile `{}`", name.escape_debug()),
    };
    let can = profiles.iter().filter(|(_, profile)| profile.headless.is_some());
    let can: Vec<&str> = can.map(|(name, _)| name.as_str()).collect();
    let why = format!("{why}; these can be: {}", can.join(", "));
    Err(Refusal::new(Code::UnknownWord, why))
}

/// A file in a folder; in any if that is none, where the path begins at the root.
fn read_file(base: Option<&Path>, path: &str, room: &mut u64) -> Result<String, Refusal> {
    let named = format!("`{}`", path.escape_debug());
    // A link may lead anywhere; where it ends counts.
    let place = base
        .unwrap_or(Path::new("/"))
        .join(path)
        .canonicalize()
        .map_err(|error| Refusal::new(Code::Unreadable, format!("cannot read {named}: {error}")))?;
    if let Some(base) = base.filter(|base| !place.starts_with(base)) {
        let why = format!("{named} lies outside of {}", base.display());
        return Err(Refusal::new(Code::PathOutside, why));
    }
    if place.is_dir() {
        return Err(Refusal::new(
            Code::Unreadable,
            format!("{named} is a folder, and roles are shown files"),
        ));
    }
    let unreadable = |why: String| Refusal::new(Code::Unreadable, format!("cannot read {named}: {why}"));
    let file = regular::open(OpenOptions::new().read(true), &place);
    let mut bytes = Vec::new();
    let read = file.and_then(|file| file.take(*room + 1).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(error.to_string()))?;
    let Some(left) = room.checked_sub(bytes.len() as u64) else {
        let why = format!("with {named} the files have more than {CONTEXT_BYTES_MAX} bytes in all");
        return Err(Refusal::new(Code::ContentTooLarge, why));
    };
    *room = left;
    String::from_utf8(bytes).map_err(|_| Refusal::new(Code::NotUtf8, format!("{named} is no text in UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::workspace::TEAM_FILE;
    use crate::wire::debate::request::{self, Sketch};

    const TEAM: &str = "agents:\n  - {name: boss, reports_to: user, provider: mute, command: [cat], marker: OK}\n\
                        providers:\n  mute: {based_on: plain}\n  js: {based_on: plain, headless: {command: [cat]}}\n";

    #[test]
    fn all_that_is_wrong_with_files_and_programs_is_found_at_once() {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join(TEAM_FILE), TEAM).expect("a team file");
        std::fs::create_dir(place.path().join("docs")).expect("a folder");
        std::fs::write(place.path().join("大.md"), "x".repeat(200 << 10)).expect("a file");
        let workspace = Workspace::at(place.path()).expect("a workspace");
        let text = "task: x\nmodel: m\nroles:\n- {id: qa, initial_context: [docs, gone, 大.md]}\n- {id: security, initial_context: ./大.md, provider: mute}\n\
                    - {id: architect, model: own, provider: js}\n- {id: product, provider: claude}\n- developer\n\
                    - {id: Bad, initial_context: [../x, gone.md]}\n- {id: qa, initial_context: none.md}\n- {id: product2, system_prompt: p, provider: ollama}\n";
        let Sketch { request, is_good, has_folder } = request::sketch(text.as_bytes()).expect("a request");
        assert!(has_folder && !is_good);
        let mut wrong = Vec::new();
        let files = read_files(Some(place.path()), &request.roles, &mut wrong);
        refuse_programs(&workspace, (&request, Some("js")), &mut wrong);
        let shown: Vec<usize> = files.iter().map(Vec::len).collect();
        assert_eq!(shown, [1, 1, 0, 0, 0, 0, 0, 0], "a file that two are shown counts once");
        let told = request::at_door(text.as_bytes(), wrong).expect("mistakes").to_string();
        for part in [
            "line 2, column 8: it is not known how to give the model `m` to programs of the profile `js`",
            "line 4, column 30: `docs` is a folder",
            "line 4, column 36: cannot read `gone`",
            "line 5, column 53: programs of the profile `mute` cannot be asked once",
            "line 6, column 26: it is not known how to give the model `own`",
            "leave `model` out there, or add `model:` to the `headless:` of the profile",
            "line 9, column 8: `Bad` is no id of a role",
            "line 9, column 31: `initial_context`: `../x` leaves the folder",
            "line 9, column 37: cannot read `gone.md`",
            "line 10, column 8: the role `qa` is already on line 4",
            "line 10, column 29: cannot read `none.md`",
            "line 11, column 3: programs of the profile `ollama` are started with a model",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_eq!(told.matches("Cure: ").count(), 11, "{told}");
    }
}
