//! What needs neither a daemon that runs nor tmux: the engine and its properties, the forms of messages and events, settings, screens and
//! claims, the command line on files alone, and what holds the repository itself together.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[path = "../support/alone.rs"]
mod alone;
mod answer;
mod answer_random;
#[path = "../support/arbitrary.rs"]
mod arbitrary;
mod cli;
mod debates;
mod detect;
mod documents;
mod doorbell;
mod drops;
mod echo;
mod engine;
mod engine_properties;
mod engine_size;
mod evidence;
mod examples;
mod http;
mod marker;
mod marker_spoofs;
mod marker_weak;
#[path = "../support/opencode_api.rs"]
#[expect(dead_code, reason = "the daemon's tests need more of it")]
#[expect(clippy::disallowed_methods, reason = "the API tells its own time")]
mod opencode_api;
mod plans;
mod planted;
mod read;
mod reading;
mod settings;
mod side_channel;
mod small_journal;
#[path = "../support/spoofs.rs"]
mod spoofs;
#[path = "../support/stub/mod.rs"]
mod stub;
mod stub_answers;
mod tidy;
mod transcripts;
mod vendored;
mod wire_events;
mod worktrees;
