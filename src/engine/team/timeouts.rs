//! Every number about waiting, with its reason.

use crate::engine::team::Limits;

/// Waits before the three retries: a program that was just restarted needs about a second; doubling gives it seven.
pub const RETRY_DELAYS_MS: [u64; 3] = [1_000, 2_000, 4_000];
/// First try and three retries (protocol, life of a message).
pub const ATTEMPTS_MAX: u8 = 4;
/// First restart delay of an agent that died; doubled up to [`RESTART_DELAY_MS_MAX`] (delivery, profiles).
pub const RESTART_DELAY_MS: u64 = 1_000;
/// Longest restart delay.
pub const RESTART_DELAY_MS_MAX: u64 = 60_000;
/// Working time of a turn unless the team file says otherwise: 30 minutes.
pub const TURN_TIMEOUT_MS: u64 = 30 * 60 * 1_000;

/// Waits before an agent is looked at again that needs something and nobody knows until when: an overloaded provider has room
/// again in a minute or two; what takes longer (a login, a quota) is asked after no more than six times an hour.
pub const LOOKS_AGAIN_MS: [u64; 4] = [60_000, 2 * 60_000, 5 * 60_000, 10 * 60_000];

/// Turns of one task: a task with a part in each of them and a reminder after each has had fifty rounds; whatever goes on longer
/// goes round.
pub const TURNS_MAX: u16 = 100;

/// After the daemon was away, a turn that is overdue gets this much more: an answer that is on the screen is found in
/// the first look, which takes less than a second.
pub const ADOPTION_GRACE_MS: u64 = 10 * 1_000;
/// Refused drops of which an agent is told in a minute, and it is not told of one before it has read of the last: an
/// agent that answers each notice with another bad drop is slowed down to this.
pub const NOTICES_PER_MINUTE: usize = 3;
/// Refused drops in a row that an agent reads of inside of a task before it may close it: as often as failed checks are
/// given back.
pub const REFUSALS_IN_A_ROW: usize = 3;

impl Default for Limits {
    fn default() -> Self {
        Self {
            attempts_max: ATTEMPTS_MAX,
            retry_delays_ms: RETRY_DELAYS_MS.to_vec(),
            hops_max: 8,
            turns_max: TURNS_MAX,
            edge_per_minute: 60,
            children_max: 64,
            open_max: 100_000,
            feedback_max: 3,
            restarts_max: 5,
            restart_window_ms: 10 * 60 * 1_000,
            restart_delay_ms: RESTART_DELAY_MS,
            restart_delay_ms_max: RESTART_DELAY_MS_MAX,
            accept_unverified_results: true,
        }
    }
}
