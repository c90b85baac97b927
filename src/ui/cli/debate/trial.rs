//! A debate's request for `tasuki lint`: read and looked at as `tasuki debate` does it, and not begun.

use super::new::all_of;
use crate::engine::words::counted;
use crate::io::client::Client;
use crate::io::debate_files::{base_of, no_repository, read_files, refuse_programs};
use crate::io::worktree::demand_repository;
use crate::ui::cli::context::Context;
use crate::ui::cli::failure::Failure;
use crate::wire::debate::request;
use crate::wire::session::wanted::problem_of_plan;
use std::path::Path;

pub(in crate::ui::cli) use crate::wire::debate::request::is_request;

/// Says what a request would begin.
pub(in crate::ui::cli) fn check(context: &Context, path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let place = path.display().to_string();
    let refused = |refusal| all_of(problem_of_plan(refusal), Some(&place));
    let request = request::read(bytes).map_err(refused)?;
    let (roles, rounds) = (request.roles.len(), request.rounds);
    let what = format!("a debate of {} in {rounds} rounds", counted(roles, "role"));
    let Ok(workspace) = context.workspace() else {
        return Ok(format!(
            "{what}; there is no workspace here, so its folder, files and providers are not checked"
        ));
    };
    let (base, mut wrong) = (base_of(&request, &workspace), Vec::new());
    let found = Client::new(&workspace, &context.around)?.run(demand_repository(&base, &workspace));
    wrong.extend(found.err().as_ref().map(no_repository));
    refuse_programs(&workspace, (&request, None), &mut wrong);
    // What is in the files is nothing here, only whether they can be shown.
    drop(read_files(&base, &request.roles, &mut wrong));
    request::at_door(bytes, wrong).map_or(Ok(what), |refusal| Err(refused(refusal)))
}
