//! When the machine says no: a segment that cannot be turned, a disk that fails, an end in the middle of work.

use crate::house::{House, PLAIN_AGENT};
use std::fs;

/// Three messages of this many bytes fill a segment of 2 MiB.
const LARGE: usize = 900_000;

/// Takes in so much that the segment turns.
pub(crate) fn fill_a_segment(house: &House, prefix: &str) {
    let large = "襷".repeat(LARGE / 3);
    for number in 0..20 {
        let name = format!("{prefix}-{number}");
        house.drop(&format!("{name}.yaml"), &format!("id: {name}\nto: user\ntype: info\ncontent: {large}\n"));
        house.until("the info", |house| !house.path(&format!("queue/{name}.yaml")).exists());
    }
}

#[test]
fn a_segment_that_cannot_be_turned_goes_on_until_it_can() {
    let mut house = House::plain("no-turn");
    house.start();
    // A folder in the way stands for a disk that says no.
    let way = house.path(".tasuki/journal/000001.ids.tmp");
    fs::create_dir_all(way.join("x")).expect("a folder in the way");
    fill_a_segment(&house, "a");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("a new segment"));
    house.drop("t.yaml", "id: t\nto: worker\ncontent: go on\n");
    assert!(house.result("t").contains("answer to t"), "work goes on meanwhile");
    fs::remove_dir_all(&way).expect("the way to be free");
    house.drop("u.yaml", "id: u\nto: worker\ncontent: go on\n");
    house.until("the new segment", |house| house.path(".tasuki/journal/000002.jsonl").exists());
    house.until("the note to go", |house| {
        let status = house.read("status/daemon.yaml");
        !status.is_empty() && !status.contains("a new segment")
    });
    house.result("u");
    house.end();
}

#[test]
fn an_end_in_order_waits_for_what_is_being_typed_and_doubles_nothing() {
    // Without an echo there is no trace of a turn that was typed: only its receipt tells.
    let silent =
        format!("#!/bin/bash\nstty -echo\n{}", PLAIN_AGENT.replace("#!/bin/bash", "echo $$ >> pids"))
            .replace("sleep \"${DELAY:-0}\"", "echo \"$file\" >> did; sleep 0.2");
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, silent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("ends", list, &[("silent.sh", &silent)]);
    house.start();
    for number in 0..4 {
        house.drop(&format!("{number}.yaml"), &format!("id: e-{number}\nto: worker\ncontent: do {number}\n"));
        // At whichever moment of the typing that is.
        house.until("the turn", |house| {
            house.read("status/activity.log").contains(&format!("e-{number} is being typed"))
        });
        house.end();
        let status = house.read("status/daemon.yaml");
        assert!(status.contains("pid: null") && status.contains("socket: null"), "{status}");
        house.start();
    }
    for number in 0..4 {
        house.result(&format!("e-{number}"));
    }
    let did = house.read("did");
    assert_eq!(did.lines().count(), 4, "each once: {did}\n{}", house.read("status/activity.log"));
    assert_eq!(house.read("pids").lines().count(), 1, "by the same process");
    house.end();
}

#[test]
fn drops_beyond_the_open_messages_wait_for_room() {
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("room", list, &[("agent.sh", PLAIN_AGENT)]);
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &format!("{team}settings: {{max_open: 5}}\n"));
    house.start();
    house.write("queue/STOP", "");
    for number in 0..12 {
        house.drop(
            &format!("{number:02}.yaml"),
            &format!("id: r-{number}\nto: worker\ncontent: do {number}\n"),
        );
    }
    house.drop("many.yaml", "to: worker\ncontent: a\n---\nto: worker\ncontent: b\n");
    house.until("five to be open", |house| {
        fs::read_dir(house.path("queue/active")).map(Iterator::count).unwrap_or_default() == 5
    });
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    for number in 0..12 {
        house.result(&format!("r-{number}"));
    }
    house.until("all", |house| {
        fs::read_dir(house.path("queue/results")).map(Iterator::count).unwrap_or_default() >= 14
    });
    assert_eq!(fs::read_dir(house.path("queue/rejected")).map(Iterator::count).unwrap_or_default(), 0);
    house.end();
}

#[test]
fn a_segment_that_turns_under_load_loses_and_doubles_nothing() {
    const DROPS: usize = 22;
    let mut house = House::plain("load");
    house.start();
    let large = "襷".repeat(LARGE / 3);
    for number in 0..DROPS {
        let info = format!("id: l-{number}\nto: user\ntype: info\ncontent: {large}\n");
        house.drop(&format!("l-{number}.yaml"), &info);
        let task = format!("id: t-{number}\nto: worker\ncontent: do {number}\n");
        house.drop(&format!("t-{number}.yaml"), &task);
    }
    for number in 0..DROPS {
        assert!(house.result(&format!("t-{number}")).contains(&format!("answer to t-{number}")));
    }
    house.until("all to be taken", |house| {
        let names = fs::read_dir(house.path("queue")).into_iter().flatten().flatten();
        names.filter(|name| name.path().extension().is_some_and(|end| end == "yaml")).count() == 0
    });
    house.end();
    assert!(house.path(".tasuki/journal/000002.jsonl").exists(), "no segment has turned");
    let journal: String =
        (1..9).map(|number| house.read(&format!(".tasuki/journal/{number:06}.jsonl"))).collect();
    for (event, id) in (0..DROPS).flat_map(|n| {
        let ids = [format!("l-{n}"), format!("t-{n}")];
        ids.into_iter().flat_map(|id| ["accepted", "ended"].map(|event| (event, id.clone())))
    }) {
        let times = journal.matches(&format!("\"event\":\"{event}\",\"id\":\"{id}\"")).count();
        assert_eq!(times, 1, "{id} {event}");
    }
}

#[test]
fn a_journal_that_fails_again_and_again_loses_nothing() {
    let mut house = House::plain("efbig");
    // Each file may have 3 MiB: every third large message fails in the middle of its line.
    house.start_by("trap '' XFSZ; ulimit -f 3072; exec \"$0\" \"$@\"");
    let large = "襷".repeat(LARGE / 3);
    for number in 0..12 {
        let info = format!("id: l-{number}\nto: user\ntype: info\ncontent: {large}\n");
        house.drop(&format!("l-{number}.yaml"), &info);
        house.drop(
            &format!("t-{number}.yaml"),
            &format!("id: t-{number}\nto: worker\ncontent: do {number}\n"),
        );
    }
    for number in 0..12 {
        assert!(house.result(&format!("t-{number}")).contains(&format!("answer to t-{number}")));
        house.until("the info to be done", |house| {
            let days = fs::read_dir(house.path("queue/done")).into_iter().flatten().flatten();
            days.map(|day| day.path().join(format!("l-{number}.yaml"))).any(|path| path.exists())
        });
    }
    let log = house.read(".tasuki/daemon.log");
    assert!(log.contains("restarting"), "no write has failed: {log}");
    let threads = fs::read_dir(format!("/proc/{}/task", house.pid())).expect("its threads").flatten();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    let mailboxes = names.filter(|name| name == "mailbox\n").count();
    assert_eq!(mailboxes, 1, "one mailbox at a time");
    house.until("no claim to be left", |house| {
        fs::read_dir(house.path(".tasuki/claim")).map(Iterator::count).unwrap_or_default() == 0
    });
    house.end();
    let fsck = house.tasuki().arg("fsck").output().expect("tasuki fsck");
    assert!(fsck.status.success(), "{}", String::from_utf8_lossy(&fsck.stdout));
}

/// From now on none of the daemon's files grows beyond so many bytes, or each as far as it wants: a disk that says no, and
/// yes again. For a daemon that a write beyond its limit does not kill.
fn limit_files(house: &House, bytes: Option<u64>) {
    let pid = i32::try_from(house.pid()).ok().and_then(rustix::process::Pid::from_raw);
    let limit = rustix::process::Rlimit { current: bytes, maximum: None };
    rustix::process::prlimit(pid, rustix::process::Resource::Fsize, limit).expect("to set its limit");
}

#[test]
fn whoever_asks_while_the_journal_cannot_be_written_is_told_why_at_once() {
    let mut house = House::plain("told-why");
    house.start_by("trap '' XFSZ; exec \"$0\" \"$@\"");
    house.drop("a.yaml", "id: a\nto: worker\ncontent: 襷\n");
    house.result("a");
    limit_files(&house, Some(1));
    house.drop("b.yaml", "id: b\nto: worker\ncontent: do it\n");
    for verb in [&["status"][..], &["send", "--id", "c", "worker", "c"], &["cancel", "a"]] {
        // At first it may not know yet; it hangs at no moment. What is sent waits in queue/ meanwhile, and whoever looks
        // is shown what there is.
        let waits = !verb.contains(&"cancel");
        house.until("the reason", |house| {
            let output = house.ask(verb);
            let said = [&*output.stdout, &*output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let told = said.contains("restarts") && said.contains("could not be written");
            told && output.status.success() == waits
        });
    }
    let shown = house.ask(&["why", "a"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("completed"), "{shown:?}");
    limit_files(&house, None);
    for id in ["b", "c"] {
        assert!(house.result(id).contains(&format!("answer to {id}")), "it goes on by itself");
    }
    house.until("the note to go", |house| !said(house, "status").contains("restarts"));
    assert_eq!(house.read("status/activity.log").matches(" c accepted: ").count(), 1);
    limit_files(&house, Some(1));
    house.drop("d.yaml", "id: d\nto: worker\ncontent: do it\n");
    house.until("the failure", |house| said(house, "status").contains("could not be written"));
    let output = house.ask(&["down", "--keep-agents"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    house.wait();
    house.start();
    assert!(house.result("d").contains("answer to d"));
    house.end();
}

/// Lets the journal fail in the middle of a line, until the daemon begins another life.
fn fail_the_journal(house: &House, name: &str) {
    let lives = |house: &House| house.read(".tasuki/daemon.log").matches("restarting").count();
    let before = lives(house);
    limit_files(house, Some(LARGE as u64 / 2));
    let large = "襷".repeat(LARGE / 3);
    house.drop(&format!("{name}.yaml"), &format!("id: {name}\nto: user\ntype: info\ncontent: {large}\n"));
    house.until("another life", |house| lives(house) > before);
    limit_files(house, None);
    house.until("the info", |house| !house.path(&format!("queue/{name}.yaml")).exists());
}

/// What ended is a duplicate when it comes again, and a conflict when it comes with other words.
fn is_known(house: &House, id: &str, round: &str) {
    house.drop(&format!("{id}-{round}.yaml"), &format!("id: {id}\nto: worker\ncontent: do it\n"));
    house.until("the note", |house| {
        house.read("status/activity.log").contains(&format!("{id}-{round}.yaml is a duplicate of {id}"))
    });
    house.drop(&format!("{id}-{round}-other.yaml"), &format!("id: {id}\nto: worker\ncontent: other\n"));
    let reason = format!("queue/rejected/{id}-{round}-other.yaml.reason.yaml");
    house.until("the reason", |house| house.read(&reason).contains("code: id-conflict"));
}

#[test]
fn a_second_life_owes_what_the_first_could_not_show_and_no_life_forgets_what_ended() {
    let mut house = House::plain("owed");
    house.start_by("trap '' XFSZ; exec \"$0\" \"$@\"");
    let way = house.path("queue/results/late.yaml");
    fs::create_dir(&way).expect("a folder in the way");
    fs::write(way.join("x"), "").expect("a file in it");
    house.drop("late.yaml", "id: late\nto: worker\ncontent: do it\n");
    house.until("the note", |house| house.read("status/daemon.yaml").contains("views cannot be written"));
    fail_the_journal(&house, "a");
    // It ends in the second life, while that still owes what ended in the first.
    house.drop("second.yaml", "id: second\nto: worker\ncontent: do it\n");
    house.result("second");
    assert!(way.is_dir());
    fs::remove_dir_all(&way).expect("the way to be free");
    house.until("the result", |house| house.read("queue/results/late.yaml").contains("answer to late"));
    for id in ["late", "second"] {
        is_known(&house, id, "then");
    }
    fill_a_segment(&house, "b");
    house.until("a turn in order", |house| house.path(".tasuki/journal/000003.jsonl").exists());
    fail_the_journal(&house, "c");
    for id in ["late", "second"] {
        is_known(&house, id, "later");
    }
    house.end();
    house.start();
    for id in ["late", "second"] {
        is_known(&house, id, "at-last");
    }
    house.end();
}

/// What a command says on its standard output.
fn said(house: &House, verb: &str) -> String {
    String::from_utf8_lossy(&house.ask(&[verb]).stdout).into_owned()
}
