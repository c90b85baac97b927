//! Names in a workspace that are looked for before there is one.

/// Name of the team file; the folder that has one is a workspace.
pub const TEAM_FILE: &str = "tasuki.yaml";

/// Name of the folder of what a daemon remembers.
pub(super) const MEMORY: &str = ".tasuki";
