//! A disk that fills up: drops stay, nothing is lost, and work goes on when there is room. Needs a file system of its own.

use super::{am_root, not_tested, works};
use crate::house::{House, PLAIN_AGENT};
use crate::surroundings::sockets::socket;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use tasuki::io::views::View;

/// Drops of this size fill a batch that does not fit.
const LARGE: usize = 200 << 10;

/// A mount that goes when it is dropped.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// A small file system in memory; none if this user may not mount.
    pub(crate) fn small(place: &Path) -> Option<Self> {
        let options = ["-t", "tmpfs", "-o", "size=16m,mode=0700", "tasuki-test"];
        mount(&options, place).then(|| Self(place.to_owned()))
    }

    /// The folder itself, read-only.
    pub(crate) fn read_only(place: &Path) -> Option<Self> {
        let text = place.to_str()?;
        let bound = mount(&["--bind", text], place).then(|| Self(place.to_owned()))?;
        mount(&["-o", "remount,ro,bind"], place).then_some(bound)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a shell of tmux may still stand in it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn mount(options: &[&str], place: &Path) -> bool {
    let done = am_root().then(|| Command::new("mount").args(options).arg(place).output());
    matches!(done, Some(Ok(output)) if output.status.success())
}

fn signal(house: &House, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(house.pid()).expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, signal).expect("a signal");
}

/// Leaves about so many bytes free.
pub(crate) fn fill(place: &Path, left: u64) {
    let free = fs2::available_space(place).expect("the disk");
    let mut file = fs::File::create(place.join("fill")).expect("a file");
    let bytes = usize::try_from(free.saturating_sub(left)).expect("a size");
    file.write_all(&vec![b'x'; bytes]).expect("room");
}

fn drop_large(house: &House, names: std::ops::Range<u32>) {
    for number in names {
        let content = "襷".repeat(LARGE / 3);
        let text = format!(
            "id: large-{number}\nto: user\ntype: info\ncontent: {content}\nmetadata: {{end: {number}}}\n"
        );
        house.drop(&format!("large-{number}.yaml"), &text);
    }
}

fn send(house: &House, id: &str) -> std::process::Output {
    house.tasuki().args(["send", "user", "--type", "info", "--id", id, "言う"]).output().expect("tasuki send")
}

#[test]
fn a_full_disk_loses_nothing() {
    // Dropped in the other order: the house, the mount, its folder.
    let disk = tempfile::tempdir().expect("a folder");
    let Some(_mount) = Mount::small(disk.path()) else {
        return not_tested("a full disk: only a root who may mount can have one");
    };
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {DELAY: '0.3'}}\n";
    let mut house = on(disk.path(), "仕事 💥", agent);
    house.start();
    works(&house, "before");
    assert!(send(&house, "said").status.success());
    for number in 0..4 {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: worker\ncontent: do {number}\n"));
    }

    // Nearly full: nothing new is taken, what runs goes on, and it is told.
    fill(&house.path(""), 500 << 10);
    house.until("the news", |house| house.read("status/activity.log").contains("the disk is nearly full"));
    house.drop("low.yaml", "id: low\nto: worker\ncontent: low\n");
    let sent = house.tasuki().args(["send", "worker", "low"]).output().expect("send");
    let said = String::from_utf8_lossy(&sent.stderr).into_owned();
    assert!(!sent.status.success() && said.contains("nearly full"), "whoever asks is told: {said}");
    house.until("the others to be done", |house| {
        let taken = (0..4).filter(|number| !house.path(&format!("queue/{number}.yaml")).exists());
        taken.into_iter().all(|number| house.path(&format!("queue/results/t-{number}.yaml")).exists())
    });
    assert!(house.path("queue/low.yaml").exists());
    // Who asks again, since the answer was lost, is told that it is there; who asks for the first time that it cannot be.
    let again = send(&house, "said");
    assert!(again.status.success(), "{again:?}");
    let refused = send(&house, "unsaid");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("nearly full"), "{refused:?}");
    fs::remove_file(house.path("fill")).expect("room");
    house.result("low");
    (0..4).for_each(|number| drop(house.result(&format!("t-{number}"))));
    assert!(house.read("status/activity.log").contains("the disk has room again"));

    // Full in the middle of an append: the batch is larger than what is left.
    overfill(&house);
    fs::remove_file(house.path("fill")).expect("room");
    works(&house, "after");
    let ids =
        (0..16).map(|number| format!("large-{number}")).chain((0..4).map(|number| format!("t-{number}")));
    for id in ids.chain(["before", "low", "after"].map(str::to_owned)) {
        house.until(&id, |house| has_view(house, &id));
        // Also of the batch that failed, some of which may be on the disk.
        for what in ["accepted: ", "completed"] {
            let told = |house: &House| {
                let log = house.read("status/activity.log");
                log.lines().filter(|line| line.contains(&format!(" {id} {what}"))).count()
            };
            house.until(&format!("the line of {id} {what}"), |house| told(house) > 0);
            assert_eq!(told(&house), 1, "{id} {what}:\n{}", house.read("status/activity.log"));
        }
        let why = house.tasuki().args(["why", &id]).output().expect("why");
        let why = String::from_utf8(why.stdout).expect("UTF-8");
        assert_eq!(why.matches(" accepted: ").count(), 1, "{why}");
    }
    house.end();
    let fsck = house.tasuki().arg("fsck").output().expect("fsck");
    assert!(fsck.status.success(), "{fsck:?}");
    house.start();
    works(&house, "at-last");
    house.end();
}

/// Answers once there is a file `go`: with a file, by `tasuki reply`, or with a text that the test sends over the socket.
const ANSWERS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  until [ -e go ]; do sleep 0.05; done
  form='from: %s\nto: user\ntype: result\ntoken: %s\nin_reply_to: %s\ncontent: 襷 by %s\n'
  printf "$form" "$TASUKI_AGENT" "$token" "$id" "$TASUKI_AGENT" > ".$TASUKI_AGENT"
  case $TASUKI_AGENT in
    file) mv .file queue/answer.yaml ;;
    reply) "$TASUKI" reply "$token" '襷 by reply' &> log ;;
    socket) mv .socket posted ;;
  esac
done
"#;

#[test]
fn on_a_nearly_full_disk_answers_are_taken_however_they_come() {
    // Dropped in the other order: the house, the mount, its folder.
    let disk = tempfile::tempdir().expect("a folder");
    let Some(_mount) = Mount::small(disk.path()) else {
        return not_tested("a full disk: only a root who may mount can have one");
    };
    let agent = |name: &str| {
        let binary = env!("CARGO_BIN_EXE_tasuki");
        format!(
            "  - {{name: {name}, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {{TASUKI: '{binary}'}}}}\n"
        )
    };
    let (folder, root) = (tempfile::tempdir().expect("a folder"), disk.path().join("answers"));
    let ways = ["file", "reply", "socket"];
    let agents: String = ways.into_iter().map(agent).collect();
    let root = root.to_str().expect("UTF-8").to_owned();
    let mut house = House::within(folder, &root, &agents, &[("agent.sh", ANSWERS)]);
    house.start();
    for name in ways {
        house.drop(&format!("{name}.yaml"), &format!("id: t-{name}\nto: {name}\ncontent: do it\n"));
        house.until("work", |house| house.read(&format!("queue/active/t-{name}.yaml")).contains("working"));
    }
    fill(&house.path(""), 500 << 10);
    house.until("the news", |house| house.read("status/activity.log").contains("the disk is nearly full"));
    house.drop("low.yaml", "id: low\nto: user\ntype: info\ncontent: low\n");
    house.write("go", "");
    house.until("the text of an answer", |house| house.path("posted").exists());
    let answer = post(&socket(&house), &house.read("posted"));
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    for name in ways {
        let result = house.result(&format!("t-{name}"));
        assert!(result.contains(&format!("襷 by {name}")), "{result}\n{}", house.read("log"));
    }
    assert!(house.path("queue/low.yaml").exists(), "what is new waits");
    fs::remove_file(house.path("fill")).expect("room");
    house.until("the rest", |house| has_view(house, "low"));
    house.end();
}

#[test]
fn a_daemon_on_a_full_disk_can_be_ended() {
    // Dropped in the other order: the house, the mount, its folder.
    let disk = tempfile::tempdir().expect("a folder");
    let Some(_mount) = Mount::small(disk.path()) else {
        return not_tested("a full disk: only a root who may mount can have one");
    };
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = on(disk.path(), "full", agent);
    house.start();
    works(&house, "before");
    overfill(&house);
    house.end();
    fs::remove_file(house.path("fill")).expect("room");
    house.start();
    (0..16).for_each(|number| {
        house.until("all to be done", |house| has_view(house, &format!("large-{number}")))
    });
    works(&house, "after");
    house.end();
}

/// What the daemon says to a message.
fn post(socket: &Path, text: &str) -> String {
    let mut stream = std::os::unix::net::UnixStream::connect(socket).expect("the socket");
    let head = "POST /api/messages HTTP/1.1\r\nhost: tasuki\r\nconnection: close\r\ncontent-type: application/yaml\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{text}", text.len()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// A workspace on a disk of its own.
fn on(disk: &Path, name: &str, agents: &str) -> House {
    let (folder, root) = (tempfile::tempdir().expect("a folder"), disk.join(name));
    House::within(folder, root.to_str().expect("UTF-8"), agents, &[("agent.sh", PLAIN_AGENT)])
}

/// Drops more than there is room for, and waits until the daemon has met the end of the disk.
fn overfill(house: &House) {
    signal(house, rustix::process::Signal::STOP);
    drop_large(house, 0..16);
    fill(&house.path(""), 1_500 << 10);
    signal(house, rustix::process::Signal::CONT);
    // The journal, a view, or its own look at the disk, whichever comes first: what is written frees its drop.
    house.until("the failure", |house| {
        house.read(".tasuki/daemon.log").contains("could not be written")
            || house.read("status/activity.log").contains("the disk is nearly full")
    });
}

/// Whether a finished message's view is there and whole.
fn has_view(house: &House, id: &str) -> bool {
    let days = fs::read_dir(house.path("queue/done")).expect("done").flatten();
    days.map(|day| fs::read_to_string(day.path().join(format!("{id}.yaml"))).unwrap_or_default())
        .any(|text| text.contains("status: completed"))
}

#[test]
fn a_log_on_a_full_disk_holds_whole_batches_of_lines() {
    let disk = tempfile::tempdir().expect("a folder");
    let Some(_mount) = Mount::small(disk.path()) else {
        return not_tested("a full disk: only a root who may mount can have one");
    };
    let mut views = tasuki::io::views::Views::open(disk.path()).expect("views");
    let batch: Vec<String> = (0..1_000).map(|number| format!("{number} 襷 {}", "x".repeat(60))).collect();
    let fill = fs::File::create(disk.path().join("fill")).expect("a file");
    let left = 300 << 10;
    let free = fs2::available_space(disk.path()).expect("the disk") - left;
    (&fill).write_all(&vec![b'x'; usize::try_from(free).expect("a size")]).expect("room");
    let mut written = 0;
    while views.append_activity_lines(&batch).is_ok() {
        written += 1;
    }
    let whole = |written: usize| {
        let log = fs::read_to_string(disk.path().join("status/activity.log")).expect("the log");
        assert!(
            log.ends_with('\n') && log.lines().count() == written * batch.len(),
            "{}",
            log.lines().count()
        );
    };
    assert!(written > 0, "there was room for some");
    whole(written);
    fill.set_len(0).expect("room");
    views.append_activity_lines(&batch).expect("room");
    whole(written + 1);
}

#[test]
fn a_view_for_which_there_is_no_room_leaves_nothing_beside_it() {
    let disk = tempfile::tempdir().expect("a folder");
    let Some(_mount) = Mount::small(disk.path()) else {
        return not_tested("a full disk: only a root who may mount can have one");
    };
    let mut views = tasuki::io::views::Views::open(disk.path()).expect("views");
    let fill = fs::File::create(disk.path().join("fill")).expect("a file");
    let free = fs2::available_space(disk.path()).expect("the disk");
    (&fill).write_all(&vec![b'x'; usize::try_from(free).expect("a size")]).expect("room");
    let long = "x".repeat(64 << 10);
    let id = tasuki::engine::words::MessageId::new("t-1").expect("an id");
    assert!(views.write(View::Daemon, &long).is_err() && views.write_result(&id, &long).is_err());
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(disk.path().join(folder)).expect(folder).flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names("status"), ["agents"]);
    assert!(names("queue/results").is_empty());
    // What a daemon was killed at goes at the next start.
    fill.set_len(0).expect("room");
    fs::write(disk.path().join("status/.daemon.yaml.tmp"), "half").expect("a file");
    views.remove_half_written().expect("to remove it");
    assert_eq!(names("status"), ["agents"]);
    views.write(View::Daemon, &long).expect("room");
}

#[test]
fn a_disk_without_inodes_loses_nothing_and_work_goes_on_when_there_are_some() {
    let disk = tempfile::tempdir().expect("a folder");
    let options = ["-t", "tmpfs", "-o", "size=64m,nr_inodes=400,mode=0700", "tasuki-test"];
    let Some(_mount) = mount(&options, disk.path()).then(|| Mount(disk.path().to_owned())) else {
        return not_tested("a disk without inodes: only a root who may mount can have one");
    };
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = on(disk.path(), "inodes", agent);
    house.start();
    works(&house, "before");
    signal(&house, rustix::process::Signal::STOP);
    for number in 0..8 {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: worker\ncontent: do {number}\n"));
    }
    fs::create_dir(house.path("fill")).expect("a folder");
    let full = (0..).find(|number| fs::File::create(house.path(&format!("fill/{number}"))).is_err());
    assert!(full.is_some_and(|made| made > 0), "{full:?}");
    signal(&house, rustix::process::Signal::CONT);
    house.until("it to be told", |house| {
        let told = house.read("status/activity.log") + &house.read(".tasuki/daemon.log");
        told.contains("nearly full") || told.contains("No space left")
    });
    let status = house.tasuki().arg("status").output().expect("status");
    assert!(status.status.success(), "{status:?}");
    fs::remove_dir_all(house.path("fill")).expect("inodes");
    for number in 0..8 {
        let id = format!("t-{number}");
        assert!(house.result(&id).contains(&format!("answer to {id}")));
        house.until(&id, |house| has_view(house, &id));
    }
    let log = house.read("status/activity.log");
    assert_eq!(log.matches(" accepted: ").count(), 9, "each once: {log}");
    works(&house, "after");
    house.end();
    let fsck = house.tasuki().arg("fsck").output().expect("fsck");
    assert!(fsck.status.success(), "{fsck:?}");
}

#[test]
fn a_disk_that_turns_read_only_is_told_and_can_be_left() {
    let disk = tempfile::tempdir().expect("a folder");
    let (image, place) = (disk.path().join("image"), disk.path().join("disk"));
    fs::create_dir(&place).expect("a folder");
    let made = fs::File::create(&image).and_then(|file| file.set_len(48 << 20)).is_ok()
        && Command::new("mkfs.ext4")
            .arg("-qF")
            .arg(&image)
            .output()
            .is_ok_and(|output| output.status.success());
    let Some(image) = image.to_str().filter(|_| made) else {
        return not_tested("a read-only disk: there is no mkfs.ext4");
    };
    let Some(first) = mount(&["-o", "loop", image], &place).then(|| Mount(place.clone())) else {
        return not_tested("a read-only disk: only a root who may mount a loop device can have one");
    };
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {DELAY: '1'}}\n";
    let mut house = on(&place, "read only", agent);
    house.start();
    works(&house, "before");
    (0..3).for_each(|number| {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: worker\ncontent: x\n"))
    });
    house.until("work", |house| house.read("queue/active/t-0.yaml").contains("status: in_progress"));
    // What a fault of the disk does (errors=remount-ro): a kernel refuses an orderly `remount,ro` while a file is open.
    assert!(!mount(&["-o", "remount,ro"], &place), "the daemon has no file open for writing");
    assert!(mount(&["-o", "remount,abort"], &place), "an abort");
    // The log lies on that disk too: whoever started the daemon hears it.
    house.until("the failure to be told", |house| house.output().contains("Read-only file system"));
    // Each second try is told, then each fourth: it rests, and says so ever more seldom.
    house.until("the fourth try", |house| house.output().contains("tries=4"));
    assert!(!house.output().contains("tries=3"), "{}", house.output());
    let views = house.output().matches("before the new segment begins").count();
    assert!(views <= 3, "once for each try that is told, {views} times: {}", house.output());
    house.end();
    drop(first);
}
