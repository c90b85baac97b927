//! FLOOR 3: touches one outside thing a file. No decisions.

pub mod agent_folder;
pub mod answers_read;
pub mod chance;
pub mod client;
pub mod clock;
pub mod command;
pub mod dismissed;
pub mod event_stream;
pub mod evidence;
pub mod exchange;
#[cfg(test)]
pub(crate) mod fake;
pub mod folder;
pub mod foothold;
pub mod frame;
pub mod frames;
pub mod journal;
pub mod keys;
pub mod lease;
pub mod lock;
pub mod log;
pub mod log_reader;
pub mod mailbox;
pub mod mux;
pub mod notified_file;
pub mod process;
pub(crate) mod regular;
pub mod side_channel;
pub mod systemd;
pub mod team_file;
pub mod tmux;
pub mod umask;
pub mod views;
pub mod watch;
pub mod web_file;
pub mod workspace;
