//! FLOOR 3: gives the engine and the outside their time and tasks.

mod faces_desk;
mod journal_desk;
mod mail_desk;
mod memory;
pub mod news;
pub mod orders;
mod panes_desk;
mod perform;
pub mod request;
pub mod run;
pub mod start;
mod views_desk;
pub mod workers;
