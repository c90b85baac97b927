//! The team file and what goes with it: settings, workspace, lock, the default team.

mod broken;
mod support;
