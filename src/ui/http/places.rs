//! Who has which place at the socket: so many for all, a share for each process, and nobody so many that another finds none.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::{AbortHandle, Id};

/// Connections at a time: two processes that take all they may leave none out yet, and the files for them are few.
const PLACES: usize = 512;
/// Of one process: so many at once are served; what comes beyond that waits.
const SHARE: usize = 256;
/// Of one process: so many wait; what comes beyond that is turned away.
const WAITING_MAX: usize = 256;

/// Whether a request is being answered.
pub(super) type Busy = Arc<AtomicBool>;

/// A connection that is served.
#[derive(Debug)]
struct Place {
    process: i32,
    busy: Busy,
    task: AbortHandle,
    /// It was taken back, and its task is about to end.
    gone: bool,
}

/// What becomes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admitted {
    Served,
    /// Its process has as many as it may: it waits for one of them to go.
    Waits,
    /// It is turned away.
    Not,
}

/// The places, in the order in which they were taken.
#[derive(Debug, Default)]
pub(super) struct Places {
    taken: Vec<Place>,
    waiting: BTreeMap<i32, usize>,
}

impl Places {
    /// What becomes of one more connection of a process. Where all places are taken, the process that has the most loses
    /// one: the oldest that asks for nothing, or the oldest of all.
    pub(super) fn admit(&mut self, process: i32) -> Admitted {
        if self.of(process) >= SHARE {
            let waiting = self.waiting.entry(process).or_default();
            if *waiting >= WAITING_MAX {
                return Admitted::Not;
            }
            *waiting += 1;
            return Admitted::Waits;
        }
        if self.held().count() >= PLACES {
            self.make_room();
        }
        Admitted::Served
    }

    /// It has its place now.
    pub(super) fn take(&mut self, process: i32, busy: Busy, task: AbortHandle) {
        self.taken.push(Place { process, busy, task, gone: false });
    }

    /// A place is free again. Gives the process whose next waiting connection gets it, if one waits.
    pub(super) fn free(&mut self, task: Id) -> Option<i32> {
        let at = self.taken.iter().position(|place| place.task.id() == task)?;
        let process = self.taken.remove(at).process;
        self.next(process)
    }

    /// Whether a waiting connection of this process is next.
    fn next(&mut self, process: i32) -> Option<i32> {
        if self.of(process) >= SHARE {
            return None;
        }
        let waiting = self.waiting.get_mut(&process)?;
        *waiting = waiting.saturating_sub(1);
        if *waiting == 0 {
            self.waiting.remove(&process);
        }
        Some(process)
    }

    fn of(&self, process: i32) -> usize {
        self.held().filter(|place| place.process == process).count()
    }

    /// Those that are not taken back.
    fn held(&self) -> impl Iterator<Item = &Place> {
        self.taken.iter().filter(|place| !place.gone)
    }

    fn make_room(&mut self) {
        let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
        self.held().for_each(|place| *counts.entry(place.process).or_default() += 1);
        let most = counts.values().copied().max();
        let greedy = |place: &&Place| counts.get(&place.process).copied() == most;
        let idle = |place: &&Place| !place.busy.load(Ordering::Relaxed);
        let goes = self.held().find(|place| greedy(place) && idle(place));
        let goes = goes.or_else(|| self.held().find(|place| idle(place)));
        let goes = goes.or_else(|| self.held().find(greedy)).map(|place| place.task.id());
        let place = self.taken.iter_mut().find(|place| Some(place.task.id()) == goes);
        if let Some(place) = place {
            place.gone = true;
            place.task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::JoinSet;

    /// Takes a place for a connection of this process, as the server does.
    fn come(places: &mut Places, tasks: &mut JoinSet<()>, process: i32, busy: bool) -> Admitted {
        let admitted = places.admit(process);
        if admitted == Admitted::Served {
            let task = tasks.spawn(std::future::pending());
            places.take(process, Arc::new(AtomicBool::new(busy)), task);
        }
        admitted
    }

    #[tokio::test]
    async fn a_process_has_a_share_and_no_more() {
        let (mut places, mut tasks) = (Places::default(), JoinSet::new());
        let all: Vec<Admitted> = (0..600).map(|_| come(&mut places, &mut tasks, 1, false)).collect();
        assert_eq!(all.iter().filter(|one| **one == Admitted::Served).count(), SHARE);
        assert_eq!(all.iter().filter(|one| **one == Admitted::Waits).count(), WAITING_MAX);
        assert_eq!(come(&mut places, &mut tasks, 2, false), Admitted::Served);
        // Who waits gets the next place of its own process, and of no other.
        let (first, other) = (places.taken[0].task.id(), places.taken[SHARE].task.id());
        assert_eq!(places.free(other), None);
        assert_eq!(places.free(first), Some(1));
        assert_eq!(places.free(first), None, "it is free already");
    }

    #[tokio::test]
    async fn where_all_places_are_taken_the_greediest_gives_one_back() {
        let (mut places, mut tasks) = (Places::default(), JoinSet::new());
        for process in 1..=2 {
            for _ in 0..SHARE - 1 {
                come(&mut places, &mut tasks, process, process == 2);
            }
        }
        for _ in 0..2 {
            come(&mut places, &mut tasks, 3, true);
        }
        assert_eq!(places.taken.len(), PLACES);
        // Of two that have as many, the one that asks for nothing loses its oldest.
        let oldest = places.taken[0].task.id();
        assert_eq!(come(&mut places, &mut tasks, 9, true), Admitted::Served);
        assert!(places.held().count() == PLACES && places.held().all(|place| place.task.id() != oldest));
        // However many processes there are, whoever comes next gets in.
        for process in 100..2_000 {
            assert_eq!(come(&mut places, &mut tasks, process, process % 2 == 0), Admitted::Served);
            assert_eq!(places.of(process), 1);
        }
        assert_eq!(places.held().count(), PLACES);
    }

    #[tokio::test]
    async fn whoever_waits_behind_one_that_was_taken_back_gets_its_place_all_the_same() {
        let (mut places, mut tasks) = (Places::default(), JoinSet::new());
        for _ in 0..=SHARE {
            come(&mut places, &mut tasks, 1, false);
        }
        for process in (10..).take(SHARE) {
            come(&mut places, &mut tasks, process, true);
        }
        assert_eq!(come(&mut places, &mut tasks, 9, true), Admitted::Served);
        let task = places.taken.iter().find(|place| place.gone).unwrap().task.id();
        assert_eq!(places.free(task), Some(1));
    }
}
