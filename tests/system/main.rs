//! What needs the machine or measures on it: systemd, folders and disks as they may be, faults of the surroundings, system calls that fail,
//! power cuts, and what a daemon costs.
#![expect(clippy::disallowed_methods, reason = "waits for other processes with a deadline")]
#![expect(clippy::expect_used, reason = "helpers of tests may fail loudly")]

#[path = "../support/account.rs"]
mod account;
mod daemon_memory;
mod flushes;
#[path = "../support/house.rs"]
mod house;
mod idle;
mod mailbox;
#[path = "../support/odds.rs"]
mod odds;
#[path = "../support/opened.rs"]
mod opened;
mod power_cuts;
#[path = "../support/proc.rs"]
mod proc;
mod scripts;
mod service;
mod startup;
mod surroundings;
mod syscalls;
mod systemd;
mod torture;
mod views;
#[path = "../support/witness.rs"]
mod witness;
mod working;
