//! FLOOR 3: gives the engine and the outside their time and tasks.

pub mod orders;
pub mod request;
