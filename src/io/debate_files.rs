//! What a debate needs of files before it begins: those that its roles are shown, and whether their programs can be asked.

use crate::engine::message::refusal::{Code, Refusal};
use crate::io::regular;
use crate::io::workspace::{Surroundings, Workspace};
use crate::io::worktree::WorktreeError;
use crate::wire::debate::prompt::ContextFile;
use crate::wire::debate::request::{CONTEXT_BYTES_MAX, DebateRequest, RoleDefinition, Spot};
use crate::wire::team_file::{Profile, Settings};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The folder that a debate is about.
#[must_use]
pub fn base_of(request: &DebateRequest, workspace: &Workspace) -> PathBuf {
    workspace.root().join(request.base_dir.as_deref().unwrap_or_default())
}

/// Why no worktrees can be made of that folder, as a mistake of the request.
#[must_use]
pub fn no_repository(error: &WorktreeError) -> (Spot, Refusal) {
    (Spot::of("base_dir"), Refusal::new(Code::NoRepository, error.to_string()))
}

/// Reads the files of each role, which lie in the folder of the debate. What is wrong with one of them is added to the mistakes: it lies
/// outside, is no file, is no text, or all are too large together.
pub fn read_files(
    base: &Path,
    roles: &[RoleDefinition],
    wrong: &mut Vec<(Spot, Refusal)>,
) -> Vec<Vec<ContextFile>> {
    // Without that folder, nothing can be said of files in it; that it is not there is told by whoever looks for its repository.
    let Ok(base) = base.canonicalize() else { return Vec::new() };
    let mut room = CONTEXT_BYTES_MAX as u64;
    // A file that several roles are shown counts once.
    let mut read = BTreeMap::new();
    let mut all = Vec::new();
    for (at, role) in roles.iter().enumerate() {
        let mut files = Vec::new();
        for (item, path) in role.initial_context.iter().enumerate() {
            match read.entry(path).or_insert_with(|| read_file(&base, path, &mut room)) {
                Ok(text) => files.push(ContextFile { path: path.clone(), text: text.clone() }),
                Err(refusal) => {
                    wrong.push((Spot { item, ..Spot::of_role(at, "initial_context") }, refusal.clone()))
                }
            }
        }
        all.push(files);
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
        if let Err(refusal) = can_be_asked(&profiles, name) {
            let item = request.providers.iter().position(|provider| provider == name);
            let spot = match (&asked.provider, item) {
                (Some(_), _) => Spot::of_role(at, "provider"),
                (None, Some(item)) => Spot { item, ..Spot::of("providers") },
                (None, None) => Spot::of("provider"),
            };
            wrong.push((spot, refusal));
        } else if let Some(model) = &role.model
            && profiles.get(name).and_then(|of| of.headless.as_ref()).is_some_and(|of| !of.takes_model())
        {
            let key = "model";
            let spot = if asked.model.is_some() { Spot::of_role(at, key) } else { Spot::of(key) };
            let why = format!(
                "it is not known how to give the model `{}` to programs of the profile `{name}`: its `headless:` has no `model:`",
                model.escape_debug()
            );
            wrong.push((spot, Refusal::new(Code::UnknownWord, why)));
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
fn can_be_asked(profiles: &Profiles, name: &str) -> Result<(), Refusal> {
    let why = match profiles.get(name) {
        Some(profile) if profile.headless.is_some() => return Ok(()),
        Some(_) => format!("programs of the profile `{name}` cannot be asked once: it has no `headless:`"),
        None => format!("there is no profile `{}`", name.escape_debug()),
    };
    let can = profiles.iter().filter(|(_, profile)| profile.headless.is_some());
    let can: Vec<&str> = can.map(|(name, _)| name.as_str()).collect();
    let why = format!("{why}; these can be: {}", can.join(", "));
    Err(Refusal::new(Code::UnknownWord, why))
}

fn read_file(base: &Path, path: &str, room: &mut u64) -> Result<String, Refusal> {
    let named = format!("`{}`", path.escape_debug());
    // A link may lead anywhere; where it ends counts.
    let place = base
        .join(path)
        .canonicalize()
        .map_err(|error| Refusal::new(Code::Unreadable, format!("cannot read {named}: {error}")))?;
    if !place.starts_with(base) {
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
    use crate::wire::debate::request;

    const TEAM: &str = "agents:\n  - {name: boss, reports_to: user, provider: mute, command: [cat], marker: OK}\n\
                        providers:\n  mute: {based_on: plain}\n  js: {based_on: plain, headless: {command: [cat]}}\n";

    #[test]
    fn all_that_is_wrong_with_files_and_programs_is_found_at_once() {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join(TEAM_FILE), TEAM).expect("a team file");
        std::fs::create_dir(place.path().join("docs")).expect("a folder");
        std::fs::write(place.path().join("大.md"), "x".repeat(200 << 10)).expect("a file");
        let workspace = Workspace::at(place.path()).expect("a workspace");
        let text = "task: x\nmodel: m\nroles:\n- {id: qa, initial_context: [docs, gone, 大.md]}\n- {id: security, initial_context: 大.md, provider: mute}\n\
                    - {id: architect, model: own, provider: js}\n- {id: product, provider: claude}\n- developer\n";
        let request = request::read(text.as_bytes()).expect("a request");
        let mut wrong = Vec::new();
        let files = read_files(place.path(), &request.roles, &mut wrong);
        refuse_programs(&workspace, (&request, Some("js")), &mut wrong);
        let shown: Vec<usize> = files.iter().map(Vec::len).collect();
        assert_eq!(shown, [1, 1, 0, 0, 0], "a file that two are shown counts once");
        let told = request::at_door(text.as_bytes(), wrong).expect("mistakes").to_string();
        for part in [
            "line 2, column 8: it is not known how to give the model `m` to programs of the profile `js`",
            "line 4, column 30: `docs` is a folder",
            "line 4, column 36: cannot read `gone`",
            "line 5, column 51: programs of the profile `mute` cannot be asked once",
            "line 6, column 26: it is not known how to give the model `own`",
            "leave `model` out there, or add `model:` to the `headless:` of the profile",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_eq!(told.matches("Cure: ").count(), 5, "{told}");
    }
}
