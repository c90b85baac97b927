//! A debate's request for `tasuki lint`: read and looked at as `tasuki debate` does it, and not begun.

use super::mistakes::all_of;
use crate::engine::words::counted;
use crate::io::client::Client;
use crate::io::debate_files::{base_of, no_repository, read_files, refuse_programs};
use crate::io::worktree::demand_repository;
use crate::ui::cli::context::Context;
use crate::ui::cli::failure::Failure;
use crate::wire::debate::request::{self, Sketch};
use crate::wire::session::plan::PlanRefusal;
use crate::wire::session::wanted::problem_of_plan;
use std::path::Path;

pub(in crate::ui::cli) use crate::wire::debate::request::is_request;

/// Says what a request would begin.
pub(in crate::ui::cli) fn check(context: &Context, path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    if let Some(refusal) = mistakes(context, bytes)? {
        return Err(all_of(problem_of_plan(refusal), Some(&path.display().to_string())));
    }
    let read = request::read(bytes).map(|request| (request.roles.len(), request.rounds));
    let (roles, rounds) = read.unwrap_or_default();
    let what = format!("a debate of {} in {rounds} rounds", counted(roles, "role"));
    Ok(match context.workspace() {
        Ok(_) => what,
        Err(_) => {
            format!("{what}; there is no workspace here, so its folder, files and providers are not checked")
        }
    })
}

/// All that is wrong with a request; with its folder, files and programs too, where there is a workspace.
pub(super) fn mistakes(context: &Context, bytes: &[u8]) -> Result<Option<PlanRefusal>, Failure> {
    let Sketch { request, has_folder, .. } = match request::sketch(bytes) {
        Ok(sketch) => sketch,
        Err(refusal) => return Ok(Some(refusal)),
    };
    let mut wrong = Vec::new();
    if let Ok(workspace) = context.workspace() {
        refuse_programs(&workspace, (&request, None), &mut wrong);
        let base = base_of(&request, &workspace);
        if has_folder {
            let found = Client::new(&workspace, &context.around)?.run(demand_repository(&base, &workspace));
            wrong.extend(found.err().as_ref().map(no_repository));
        }
        // What is in the files is nothing here, only whether they can be shown.
        drop(read_files(has_folder.then_some(&*base), &request.roles, &mut wrong));
    }
    Ok(request::at_door(bytes, wrong))
}
