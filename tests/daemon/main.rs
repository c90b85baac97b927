//! The daemon through the real binary, with real files and real tmux.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

mod answering;
mod answers_unread;
mod asking;
mod attaching;
mod bad_input;
mod beside;
mod boxed;
mod breaking;
mod browsers;
mod bursts;
mod by_files;
mod by_name;
mod checks;
mod commands;
mod completing;
mod contract;
mod copied;
mod debates;
mod deliveries;
mod dismissing;
mod end_to_end;
mod events;
mod examples;
mod failures;
mod gone;
mod headless;
mod held_up;
mod hierarchy;
mod hiring;
#[expect(dead_code, reason = "a house has more rooms than one test uses")]
#[path = "../support/house.rs"]
mod house;
mod keeping;
mod last_words;
mod limits;
mod logs;
mod looking;
mod main_job;
mod metrics;
mod notifying;
#[expect(dead_code, reason = "these tests leave the order of things alone")]
#[path = "../support/odds.rs"]
mod odds;
mod one_shot;
#[expect(dead_code, reason = "another test needs more of it")]
#[path = "../support/opencode_api.rs"]
mod opencode_api;
mod outliving;
mod over_socket;
mod own_line;
mod own_trees;
mod panes;
mod parts;
mod people;
#[path = "../support/person.rs"]
mod person;
mod pulse;
mod put_back;
mod quoting;
mod readers;
mod rebuilding;
mod refusals;
mod restarts;
mod room;
mod rows;
mod sessions;
mod sessions_merges;
mod sessions_shared;
mod sessions_trees;
mod shell;
mod side_channel;
mod silent;
mod slow_readers;
#[path = "../support/spoofs.rs"]
mod spoof_lines;
mod spoofs;
mod survivors;
mod team;
mod told;
mod top;
mod top_sessions;
mod top_terminal;
mod trials;
mod trials_kills;
mod trials_places;
mod twins;
#[path = "../support/witness.rs"]
mod witness;
mod zones;
