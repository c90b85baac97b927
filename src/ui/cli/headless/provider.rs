//! Which program is asked, and how.

use super::args::Args;
use crate::ui::cli::context::Context;
use crate::wire::team_file::{Headless, Profile, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How the program is asked that is meant, by the team file as it is now.
///
/// # Errors
/// Why none is, with the cure, on one line.
pub(super) fn one_shot(context: &Context, args: &Args) -> Result<Arc<Headless>, String> {
    let workspace = context.workspace().map_err(|failure| failure.problem.why)?;
    let profiles = match Settings::load(&workspace, &context.around) {
        Ok(loaded) => loaded.settings.profiles,
        Err(error) => return Err(error.shown()),
    };
    let known = with_headless(&profiles);
    let Some(name) = args.provider() else {
        return Err(format!(
            "no provider is named: set TASUKI_HEADLESS_PROVIDER, or give --provider; {known}"
        ));
    };
    let profile = profiles
        .get(name)
        .ok_or_else(|| format!("there is no profile `{}`; {known}", name.escape_debug()))?;
    profile.headless.clone().ok_or_else(|| {
        format!("the profile `{name}` says of no command that asks its program once: add `headless:` to it; {known}")
    })
}

fn with_headless(profiles: &BTreeMap<String, Profile>) -> String {
    let names =
        profiles.iter().filter(|(_, profile)| profile.headless.is_some()).map(|(name, _)| name.as_str());
    format!("these can be asked: {}", names.collect::<Vec<_>>().join(", "))
}
