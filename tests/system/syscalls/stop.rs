//! `queue/STOP` is on the disk, or gone from it, before anybody is told: no power cut takes that back.

use crate::house::House;
use crate::syscalls::strace;
use std::fs;
use std::io::Write as _;
use std::process::Command;

#[test]
fn a_stop_and_its_end_are_on_the_disk_before_they_are_told() {
    if let Err(why) = strace::is_usable() {
        writeln!(std::io::stderr(), "NOT TESTED: what STOP flushes: {why}").expect("stderr");
        return;
    }
    let house = House::plain("stopped");
    fs::create_dir(house.path("queue")).expect("the queue");
    let queue = fs::canonicalize(house.path("queue")).expect("the queue");
    for (flag, change, there) in [("--all", "open", true), ("--off", "unlink", false)] {
        let tasuki = house.tasuki();
        let mut traced = Command::new("strace");
        traced
            .args(["-f", "-y", "-o"])
            .arg(house.path("calls"))
            .arg(tasuki.get_program())
            .args(["stop", flag]);
        let output =
            traced.current_dir(house.path("")).env_remove("XDG_RUNTIME_DIR").output().expect("strace");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(house.path("queue/STOP").exists(), there);
        let calls = house.read("calls");
        let lines: Vec<&str> = calls.lines().collect();
        let after = |from: usize, what: &str, is_it: &dyn Fn(&str) -> bool| {
            let found = lines.iter().skip(from).position(|call| is_it(call));
            from + found.unwrap_or_else(|| panic!("{flag}: {what} is missing:\n{calls}"))
        };
        let changed = after(0, "the change", &|call| call.contains(change) && call.contains("queue/STOP\""));
        let folder = format!("<{}>", queue.display());
        let flushed = after(changed, "its flush", &|call| call.contains("fsync(") && call.contains(&folder));
        after(flushed, "what is told after it", &|call| call.contains("write(1<"));
    }
}
