//! Stub.
use crate::engine::evidence::{Base, Evidence};
use crate::engine::message::Expect;
use crate::engine::words::AgentName;
use crate::io::clock::Clock;
use crate::wire::team_file::Env;
use std::path::PathBuf;
use std::time::Duration;
/// Ground.
#[derive(Debug)]
pub struct Ground {
    pub root: PathBuf,
    pub cwd: PathBuf,
    pub records: PathBuf,
    pub env: Env,
    pub command_limit: Duration,
    pub clock: Clock,
}
/// x
pub async fn record_base(
    ground: &Ground,
    agent: &AgentName,
    _expect: &Expect,
    command: &[String],
) -> Result<Base, String> {
    Ok(Base {
        agent: agent.clone(),
        at: ground.clock.now(),
        commit: None,
        log_bytes: 0,
        command: command.to_vec(),
        record: None,
    })
}
/// x
pub async fn check(_ground: &Ground, _expect: &Expect, _base: &Base) -> Vec<Evidence> {
    Vec::new()
}
/// x
pub fn environment(all: &Env, _more: &[String]) -> Env {
    all.clone()
}
