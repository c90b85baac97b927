//! systemd, the user's own service manager: what it hears of the daemon, the unit that it starts it by, and its commands.
//! Everything works without it.

pub mod manager;
pub mod notify;
pub mod scope;
pub mod unit;

pub use manager::{Linger, Manager, ManagerError};
pub use notify::{Notifier, Word};
pub use unit::UnitError;
