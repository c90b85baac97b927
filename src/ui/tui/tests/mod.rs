//! What is drawn and what keys do, without a terminal.

mod debates;
mod fixtures;
mod kept;
mod keys;
mod looking;
mod random;
mod reading_log;
mod screens;
mod sessions;
mod settling;
