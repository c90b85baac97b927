//! Stands in for the lab in a build without it: says so where somebody asks for it.

use crate::ui::cli::failure::{Failure, Kind};

const CURE: &str = "use a build with the feature `lab`, as `cargo build` makes by default";

/// There is none.
pub(in crate::ui::cli) const AGENT_EXAMPLE: &str = "";

/// There is nothing here that reads a script.
pub(in crate::ui::cli) fn check_script(_text: &str, _name: &str) -> Result<(), Failure> {
    Err(Failure::new(
        Kind::Rejected,
        "script",
        "this build has no scripted agents and reads no scripts",
        CURE,
    ))
}

/// Refuses a team of scripted agents: none of them would start.
pub(in crate::ui::cli) fn refuse_scripted(provider: &str) -> Result<(), Failure> {
    if provider != "scripted" {
        return Ok(());
    }
    let why = "this build has no scripted agents";
    let cure = format!("install one of claude, codex, gemini, qwen and opencode, give --provider, or {CURE}");
    Err(Failure::new(Kind::Rejected, "provider", why, cure))
}
