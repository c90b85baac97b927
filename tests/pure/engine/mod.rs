//! The engine, driven by inputs: what happens (events) and what is asked for (effects, behind `>`), line by line.

mod accepting;
mod agents;
mod breaking;
mod circles;
mod claiming;
mod delivering;
mod ending;
mod free;
mod hiring;
mod inferring;
mod life;
mod loops;
pub(crate) mod make;
mod needs;
mod one_shot;
mod parts;
mod pools;
mod recovering;
mod reloading;
pub(crate) mod say;
mod sleeping;
mod speaking;
mod stages;
mod standing;
mod unclaimed;
pub(crate) mod world;
