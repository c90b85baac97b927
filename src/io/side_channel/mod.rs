//! What an agent itself says of its turns, where it can be asked: stronger evidence than what it draws on its screen.

mod address;
mod messages;
mod opencode;
mod transcript;
mod turn_record;

use crate::wire::team_file::{Env, SideChannel};
pub use opencode::OpenCode;
use sha2::{Digest as _, Sha256};
pub use transcript::{Transcribed, Transcripts};
pub use turn_record::{Line, TurnRecord, Unheard};

/// Where OpenCode looks for the password of its API.
const PASSWORD: &str = "OPENCODE_SERVER_PASSWORD";

/// Has a program that is about to listen want a password, unless it has one: whoever could ask it could also tell it what to do.
/// The password follows from the agent's key, so that it outlives the daemon as that does.
pub fn lock(kind: SideChannel, env: &mut Env, key: &str) {
    let SideChannel::Opencode = kind;
    if env.get(PASSWORD).is_none_or(String::is_empty) {
        let digest = Sha256::new().chain_update(key).chain_update(PASSWORD).finalize();
        let password = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        env.insert(PASSWORD.to_owned(), password);
    }
}
