//! FLOOR 2: touches one outside thing a file. No decisions.

pub mod wire;
