//! The rules by which screens are read: those of the workspace, or the built-in ones.

use crate::engine::screen::reading::Rules;
use crate::io::workspace::{Workspace, WorkspaceError};
use crate::ui::cli::context::Context;
use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::team_file::{Profile, Settings, built_in_profiles};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rules of a profile: of the workspace, if this is one, else the built-in ones.
pub(super) fn rules_of(context: &Context, provider: &str) -> Result<Arc<Rules>, Failure> {
    let profiles = profiles(context)?;
    let Some(profile) = profiles.get(provider) else {
        let known: Vec<&str> = profiles.keys().map(String::as_str).collect();
        let why = format!("there is no profile `{provider}`");
        return Err(Failure::new(
            Kind::Rejected,
            "unknown-provider",
            why,
            format!("use one of: {}", known.join(", ")),
        ));
    };
    profile.screen.clone().ok_or_else(|| {
        let known: Vec<&str> = profiles
            .iter()
            .filter(|(_, profile)| profile.screen.is_some())
            .map(|(name, _)| name.as_str())
            .collect();
        let why = format!(
            "the profile `{provider}` has no rules for screens: its programs are ready when they are still"
        );
        Failure::new(Kind::Rejected, "no-rules", why, format!("use one of: {}", known.join(", ")))
    })
}

pub(super) fn profiles(context: &Context) -> Result<BTreeMap<String, Profile>, Failure> {
    match Workspace::find(context.globals.root.as_deref(), &context.around) {
        Ok(workspace) => Ok(Settings::load(&workspace, &context.around)?.settings.profiles),
        Err(WorkspaceError::NotFound { .. }) if context.globals.root.is_none() => Ok(built_in_profiles()),
        Err(error) => Err(error.into()),
    }
}
