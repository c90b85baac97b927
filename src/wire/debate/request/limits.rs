//! Keys of a request and how much of what it may hold.

use std::ops::RangeInclusive;

/// Keys of a request: those of the document first, then tasuki's own.
pub const REQUEST_KEYS: [&str; 12] = [
    "task",
    "roles",
    "model",
    "timeout_seconds",
    "preserve_worktrees",
    "base_dir",
    "provider",
    "providers",
    "parallel",
    "rounds",
    "baseline",
    "budget",
];
/// Keys of one of its roles.
pub const ROLE_KEYS: [&str; 6] = ["id", "name", "system_prompt", "initial_context", "provider", "model"];
/// Keys of its budget.
pub const BUDGET_KEYS: [&str; 3] = ["tokens", "cost_usd", "minutes"];

/// Longest task, in bytes: it stands in the prompt of each role and round.
pub const TASK_BYTES_MAX: usize = 256 << 10;
/// Longest system prompt of a role, in bytes.
pub const SYSTEM_PROMPT_BYTES_MAX: usize = 64 << 10;
/// Most roles of a debate: as many columns as can be compared, and more agents than one machine runs well.
pub const ROLES_MAX: usize = 16;
/// Longest id of a role, in bytes. `debate-UUID-r1-ID` is the name of an agent, which has 64.
pub const ROLE_ID_BYTES_MAX: usize = 17;
/// Most files that a role is shown in the first round.
pub const CONTEXT_FILES_MAX: usize = 64;
/// Most bytes of all files that a debate's roles are shown, each counted once.
pub const CONTEXT_BYTES_MAX: usize = 256 << 10;
/// Longest name of a model, in bytes.
pub const MODEL_BYTES_MAX: usize = 100;
/// Most providers in a list that goes round the roles.
pub const PROVIDERS_MAX: usize = ROLES_MAX;

/// How many rounds a debate may have: proposals, critiques, and a last one in which roles agree.
pub const ROUNDS: RangeInclusive<u8> = 2..=5;
/// Rounds of a debate that does not say.
pub const ROUNDS_DEFAULT: u8 = 3;
/// Seconds that a role may take in a round: from what a program needs to start, to a day.
pub const TIMEOUT_SECONDS: RangeInclusive<u64> = 5..=24 * 60 * 60;
/// Seconds that a role has where a request does not say.
pub const TIMEOUT_SECONDS_DEFAULT: u64 = 300;
/// Roles at work at the same time where a request does not say: one after the other.
pub const ROLES_AT_ONCE_DEFAULT: u16 = 1;
/// Most roles at work at the same time that a request may ask for by number.
pub const ROLES_AT_ONCE_MAX: u16 = 64;
/// Most tokens of a budget: beyond what any account allows, so more is a slip.
pub const BUDGET_TOKENS_MAX: u64 = 1_000_000_000_000;
/// Most US dollars of a budget.
pub const BUDGET_USD_MAX: u64 = 1_000_000;
/// Longest debate that a budget may allow, in minutes: a week.
pub const BUDGET_MINUTES_MAX: u64 = 7 * 24 * 60;
/// How the step is called that asks one role alone; no role of a debate with it may be called so.
pub const BASELINE: &str = "baseline";
