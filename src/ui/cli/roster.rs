//! Who is in the team where no daemon is asked: those of the team file, and those that the journal says were hired.

use super::context::Context;
use crate::engine::words::AgentName;
use crate::io::workspace::Workspace;
use crate::read::Model;
use crate::wire::team_file::Settings;

/// The settings with the team in force; none where its file cannot be used.
pub(super) fn settings(context: &Context, workspace: &Workspace) -> Option<Settings> {
    let mut settings = Settings::load(workspace, &context.around).ok()?.settings;
    if let Ok(model) = Model::of_files(workspace, &context.around) {
        settings.team = model.team().clone();
    }
    Some(settings)
}

/// The same as far as this name goes: the journal is read where the team file does not know it.
pub(super) fn settings_for(context: &Context, workspace: &Workspace, name: &AgentName) -> Option<Settings> {
    let file = Settings::load(workspace, &context.around).ok()?.settings;
    if file.team.addressee(name).is_ok() { Some(file) } else { settings(context, workspace) }
}
