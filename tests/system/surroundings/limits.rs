//! What the kernel gives to one user runs out: watches, and open files.

use super::{not_tested, works};
use crate::house::House;
use std::process::Command;

/// A shell line that puts a limit on what it starts and keeps it from being the system's: a namespace of users has its own
/// count of watches.
const NO_WATCHES: &str = "exec unshare --user --map-current-user --keep-caps bash -c \
     'echo 0 > /proc/sys/user/max_inotify_instances || exit 9; exec \"$0\" \"$@\"' \"$0\" \"$@\"";

#[test]
fn without_any_watch_left_drops_are_taken_by_looking_and_it_is_told() {
    let can = Command::new("bash").args(["-c", NO_WATCHES, "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        return not_tested("no inotify instances left: this user may not make a namespace of users");
    }
    let mut house = House::plain("unwatched");
    house.start_by(NO_WATCHES);
    works(&house, "one");
    house.until("it to be told", |house| house.read("status/daemon.yaml").contains("inotify"));
    let status = house.tasuki().arg("status").output().expect("status");
    assert!(String::from_utf8_lossy(&status.stdout).contains("inotify"), "{status:?}");
    let doctor = house.tasuki().arg("doctor").output().expect("doctor");
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("inotify"), "{doctor:?}");
    // It looks each second: within two of them a file is gone from the queue, each time.
    for number in 0..3 {
        house.drop(&format!("{number}.yaml"), &format!("id: n-{number}\nto: user\ntype: info\ncontent: x\n"));
        let start = std::time::Instant::now();
        house.until("the drop to be taken", |house| !house.path(&format!("queue/{number}.yaml")).exists());
        println!("taken after {:?}", start.elapsed());
    }
    house.end();
}

#[test]
fn few_open_files_are_enough_or_it_says_so() {
    for files in [16, 40, 64] {
        let mut house = House::plain("few");
        house.spawn_by(&format!("ulimit -n {files}; exec \"$0\" \"$@\""));
        let words = ["ulimit -n", "Too many open files", "os error 24"];
        house.until("the word", |house| words.iter().any(|word| house.output().contains(word)));
        assert!(!house.output().contains("panicked"), "{files}: {}", house.output());
        assert_eq!(house.wait().code(), Some(1), "{files}: {}", house.output());
    }
    let mut house = House::plain("few");
    std::fs::create_dir_all(house.path("queue")).expect("a queue");
    for number in 0..40 {
        house.drop(&format!("{number}.yaml"), &format!("id: n-{number}\nto: user\ntype: info\ncontent: x\n"));
    }
    house.start_by("ulimit -n 65; exec \"$0\" \"$@\"");
    works(&house, "one");
    // More connections than there are files: those beyond are not answered, and nothing ends.
    let socket = crate::surroundings::sockets::socket(&house);
    let held: Vec<_> =
        (0..80).filter_map(|_| std::os::unix::net::UnixStream::connect(&socket).ok()).collect();
    house.drop("two.yaml", "id: two\nto: worker\ncontent: x\n");
    println!("{} connections", held.len());
    drop(held);
    assert!(house.result("two").contains("answer to two"));
    (0..40).for_each(|number| {
        house.until("the backlog", |house| !house.path(&format!("queue/{number}.yaml")).exists());
    });
    house.until("status", |house| house.tasuki().arg("status").output().expect("status").status.success());
    assert!(!house.output().contains("panicked"), "{}", house.output());
    house.end();
}
