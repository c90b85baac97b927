//! The lab's verbs, where this build has the lab.

#[cfg(not(feature = "lab"))]
mod absent;
#[cfg(feature = "lab")]
mod present;

#[cfg(not(feature = "lab"))]
pub(super) use absent::{AGENT_EXAMPLE, check_script, refuse_scripted};
#[cfg(feature = "lab")]
pub(super) use present::{AGENT_EXAMPLE, check_script, play, refuse_scripted, torture};
