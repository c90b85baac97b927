//! FLOOR 3: gives the engine and the outside their time and tasks.

mod away;
pub mod calls;
pub mod claims_desk;
pub mod close;
pub mod decided;
pub mod ending;
mod ends;
pub mod faces_desk;
mod ground;
pub mod herald;
pub mod journal_desk;
pub mod life;
mod limits;
pub mod mail_desk;
pub mod marks;
pub mod memory;
pub mod news;
pub mod notes;
pub mod orders;
pub mod panes_desk;
pub mod perform;
pub mod put_off;
pub mod request;
pub mod run;
pub mod serving;
mod signals;
#[cfg(test)]
mod simulation;
pub mod start;
pub mod stillness;
pub mod survivors;
pub mod threads;
mod turn;
mod untold;
pub mod views_desk;
mod wall;
pub mod workers;
