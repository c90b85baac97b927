//! What is given to a mailbox that is busy: nothing is lost on the way.

use super::*;
use crate::daemon::mailbox::channel::mailing;
use crate::engine::message::refusal::Code;
use std::sync::mpsc::Receiver;

/// More than wait for the mailbox at most.
const MANY: usize = 100;

fn file(number: usize) -> Source {
    Source::File { claim: format!("{number}").into(), name: "x.yaml".into() }
}

fn handle() -> (MailboxHandle, Receiver<Job>) {
    let (mailing, inbox) = mailing();
    (MailboxHandle::new(mailing, oneshot::channel().1, Handled::default()), inbox)
}

/// What the mailbox gets that has been busy for a while.
fn given(handle: &mut MailboxHandle, inbox: &Receiver<Job>) -> Vec<Job> {
    let mut jobs = Vec::new();
    loop {
        handle.submit(Room::Shut);
        let some: Vec<Job> = inbox.try_iter().collect();
        if some.is_empty() {
            return jobs;
        }
        jobs.extend(some);
    }
}

#[test]
fn what_a_busy_mailbox_has_no_room_for_is_given_to_it_later() {
    let (mut handle, inbox) = handle();
    for number in 0..MANY {
        handle.low_disk(number as u64);
    }
    let number = |job| if let Job::LowDisk(number) = job { number } else { panic!("{job:?}") };
    let numbers: Vec<u64> = given(&mut handle, &inbox).into_iter().map(number).collect();
    assert_eq!(numbers, (0..MANY as u64).collect::<Vec<_>>(), "each once, in order");

    while handle.others.is_empty() {
        handle.low_disk(0);
        handle.submit(Room::Shut);
    }
    handle.others.clear(); // now there is no room, and nothing else waits for some
    handle.reject(file(1), None, Refusal::new(Code::NoRoom, "no"));
    handle.defer(file(2), 1, Millis(0));
    handle.forget(file(3));
    let mut claims = Vec::new();
    for job in given(&mut handle, &inbox) {
        match job {
            Job::LowDisk(_) => {}
            Job::Reject(files) => claims.extend(files.into_iter().map(|file| file.claim)),
            Job::Defer(files) | Job::Forget(files) => claims.extend(files),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(claims, ["1".into(), "2".into(), "3".into()] as [Arc<str>; 3]);
}

#[test]
fn jobs_that_had_no_place_are_given_again_soon_whatever_comes() {
    let now = Millis(1_000);
    let fill: [fn(&mut MailboxHandle); 6] = [
        |handle| handle.low_disk(1),
        |handle| handle.look_up(file(1), Vec::new(), None),
        |handle| handle.reject(file(1), None, Refusal::new(Code::NoRoom, "no")),
        |handle| handle.defer(file(1), 1, Millis(0)),
        |handle| handle.forget(file(1)),
        |handle| assert_eq!(handle.sweep(), 1),
    ];
    for (which, put) in fill.into_iter().enumerate() {
        let (mut handle, inbox) = handle();
        while handle.others.is_empty() {
            handle.low_disk(0);
            handle.submit(Room::Shut);
        }
        handle.others.clear();
        assert_eq!(handle.again_at(now), None, "nothing waits");
        put(&mut handle);
        handle.submit(Room::Shut);
        assert!(handle.again_at(now).is_some_and(|at| at <= now.plus(100)), "{which}");
        assert!(inbox.try_iter().count() > 1);
        handle.submit(Room::Shut);
        assert_eq!((handle.again_at(now), inbox.try_iter().count()), (None, 1), "{which}");
    }
}

#[test]
fn what_waits_for_a_sweep_waits_for_one_that_begins_afterwards() {
    let (mut handle, inbox) = handle();
    for _ in 0..3 {
        let awaited = [handle.sweep(), handle.sweep()];
        let jobs = given(&mut handle, &inbox);
        let [Job::Sweep(number)] = jobs[..] else { panic!("one sweep for both: {jobs:?}") };
        assert_eq!(awaited, [number; 2]);
    }
}

#[test]
fn a_dropped_file_is_named_in_snapshots_until_it_is_gone() {
    let (mut handle, _inbox) = handle();
    handle.forget(file(1));
    handle.reject(file(2), None, Refusal::new(Code::NoRoom, "no"));
    assert_eq!(handle.handled().names(), BTreeSet::from(["1".into(), "2".into()]));
    handle.forgotten(&["1".into()]);
    assert_eq!(handle.handled().names(), BTreeSet::from(["2".into()]));
    handle.forgotten(&["2".into()]);
    assert_eq!(handle.handled(), &Handled::default());
}

#[test]
fn places_are_kept_for_the_file_that_has_waited_longest_until_it_got_them() {
    let (mut handle, _inbox) = handle();
    assert_eq!(handle.places_kept(Millis(100_000)), 0, "nothing waits");
    handle.defer(file(1), 2, Millis(1_000));
    handle.defer(file(2), 1, Millis(2_000));
    assert_eq!(handle.places_kept(Millis(10_999)), 0, "it has not waited for long");
    handle.defer(file(1), 3, Millis(9_000));
    assert_eq!(
        handle.places_kept(Millis(11_000)),
        3,
        "it is tried now and then, and has waited since the first time"
    );
    handle.forget(file(1));
    assert_eq!((handle.places_kept(Millis(11_000)), handle.places_kept(Millis(12_000))), (0, 1));
    handle.reject(file(2), None, Refusal::new(Code::NoRoom, "no"));
    assert_eq!(handle.places_kept(Millis(100_000)), 0);
}
