//! The journal's form of the engine's events: it comes back as it was, people can read it, and damage is noticed.

#[cfg(test)]
mod cost;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod finished;
#[cfg(test)]
mod form;
#[cfg(test)]
mod golden;
mod golden_checks;
mod golden_flows;
#[cfg(test)]
mod lived;
#[cfg(test)]
mod members;
#[cfg(test)]
mod page;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod samples;
