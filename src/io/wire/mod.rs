//! What is written in files and on the socket, and the engine's types, each made from the other.

pub mod events;
