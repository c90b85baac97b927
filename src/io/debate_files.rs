//! What a debate needs of files before it begins: those that its roles are shown, and whether their programs can be asked.

use crate::engine::message::refusal::{Code, Refusal};
use crate::io::regular;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::debate::prompt::ContextFile;
use crate::wire::debate::request::RoleDefinition;
use crate::wire::team_file::Settings;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::Path;

/// Most bytes of all files that the roles of one debate are shown: they stand in each role's prompt.
pub const CONTEXT_BYTES_MAX: u64 = 256 << 10;

/// Reads the files of each role, which lie in the folder of the debate.
///
/// # Errors
/// [`Refusal`]: one lies outside of it, is no file, is no text, or all are too large together.
pub fn read_files(base: &Path, roles: &[RoleDefinition]) -> Result<Vec<Vec<ContextFile>>, Refusal> {
    let base = base.canonicalize().map_err(|error| {
        let why = format!("cannot use {}: {error}", base.display());
        Refusal::new(Code::NoRepository, why).at("base_dir")
    })?;
    let mut room = CONTEXT_BYTES_MAX;
    let mut all = Vec::new();
    for role in roles {
        let mut files = Vec::new();
        for path in &role.initial_context {
            let text = read_file(&base, path, &mut room).map_err(|refusal| {
                let why = format!("role {}: {}", role.id, refusal.why);
                Refusal { why, ..refusal }.at("initial_context")
            })?;
            files.push(ContextFile { path: path.clone(), text });
        }
        all.push(files);
    }
    Ok(all)
}

/// Refuses a profile whose program cannot be asked once.
///
/// # Errors
/// [`Refusal`] names those that can be.
pub fn refuse_provider(workspace: &Workspace, name: &str) -> Result<(), Refusal> {
    let refused = |why: String| Refusal::new(Code::UnknownWord, why).at("provider");
    let around = Surroundings::of_this_process().map_err(|error| refused(error.to_string()))?;
    let loaded = Settings::load(workspace, &around).map_err(|error| refused(error.to_string()))?;
    let profiles = &loaded.settings.profiles;
    let why = match profiles.get(name) {
        Some(profile) if profile.headless.is_some() => return Ok(()),
        Some(_) => format!("programs of the profile `{name}` cannot be asked once: it has no `headless:`"),
        None => format!("there is no profile `{}`", name.escape_debug()),
    };
    let can = profiles.iter().filter(|(_, profile)| profile.headless.is_some());
    let can: Vec<&str> = can.map(|(name, _)| name.as_str()).collect();
    let why = format!("{why}; these can be: {}", can.join(", "));
    Err(Refusal::new(Code::UnknownWord, why).at("provider"))
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
