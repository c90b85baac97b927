//! Who has which connection of the port: so many, and one without a token makes room for whoever comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::{AbortHandle, Id};

/// Connections at a time. A page has one for its events and some six more.
pub(super) const SEATS: usize = 256;
/// Event streams at a time, over all connections: each costs the daemon work as long as it is open.
pub(super) const STREAMS: usize = 64;

/// Whether a token was shown on a connection.
pub(super) type Known = Arc<AtomicBool>;

/// A connection that is served.
#[derive(Debug)]
struct Seat {
    known: Known,
    task: AbortHandle,
}

/// The connections, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Seats {
    taken: Vec<Seat>,
}

impl Seats {
    /// Whether there is room for one more. The oldest connection on which no token was shown makes room; where there is none,
    /// all are pages of the user, who has to close one.
    pub(super) fn admit(&mut self) -> bool {
        if self.taken.len() < SEATS {
            return true;
        }
        let stranger = self.taken.iter().position(|seat| !seat.known.load(Ordering::Relaxed));
        let Some(at) = stranger else { return false };
        self.taken.remove(at).task.abort();
        true
    }

    pub(super) fn take(&mut self, known: Known, task: AbortHandle) {
        self.taken.push(Seat { known, task });
    }

    /// A connection has ended.
    pub(super) fn free(&mut self, task: Id) {
        self.taken.retain(|seat| seat.task.id() != task);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::JoinSet;

    #[tokio::test]
    async fn strangers_keep_no_page_out() {
        let (mut seats, mut tasks) = (Seats::default(), JoinSet::new());
        let mut come = |seats: &mut Seats, known: bool| {
            let admitted = seats.admit();
            if admitted {
                seats.take(Arc::new(AtomicBool::new(known)), tasks.spawn(std::future::pending::<()>()));
            }
            admitted
        };
        assert!(come(&mut seats, true));
        let page = seats.taken[0].task.id();
        assert!((0..5_000).all(|_| come(&mut seats, false)));
        assert_eq!(seats.taken.len(), SEATS);
        assert_eq!(seats.taken[0].task.id(), page, "it has shown its token");
        assert!((1..SEATS).all(|_| come(&mut seats, true)));
        assert!(!come(&mut seats, true) && !come(&mut seats, false), "all have");
        seats.free(page);
        assert!(come(&mut seats, true));
    }
}
