//! Folders that cannot be written, or that others can write.

use super::{am_root, neither_starts, not_tested, said, works};
use crate::house::House;
use crate::surroundings::disks::Mount;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};

fn chmod(house: &House, name: &str, mode: u32) {
    fs::set_permissions(house.path(name), fs::Permissions::from_mode(mode)).expect(name);
}

#[test]
fn a_folder_that_others_may_write_is_refused() {
    let mut house = House::plain("open");
    fs::create_dir(house.path("queue")).expect("a queue");
    house.drop("early.yaml", "id: early\nto: worker\ncontent: early\n");
    for (name, good) in
        [("queue", 0o775), ("tasuki.yaml", 0o644), ("", 0o755), (".tasuki", 0o700), ("status", 0o700)]
    {
        if !house.path(name).exists() {
            fs::create_dir(house.path(name)).expect(name);
        }
        chmod(&house, name, 0o777);
        let place = house.path(name).canonicalize().expect(name);
        let words = format!("anybody can write to {}; `chmod o-w` it", place.display());
        neither_starts(&house, 2, &[&words]);
        chmod(&house, name, good);
    }
    if am_root() {
        for name in ["queue", ".tasuki"] {
            chown(house.path(name), Some(65_534), None).expect("another owner");
            let words = ["belongs to user 65534", "run tasuki as that user, or move the folder away"];
            neither_starts(&house, 2, &words);
            chown(house.path(name), Some(0), None).expect("ours");
        }
    } else {
        not_tested("folders of another user, which only root can make");
    }
    fs::rename(house.path("status"), house.path("elsewhere")).expect("status");
    std::os::unix::fs::symlink("elsewhere", house.path("status")).expect("a link");
    neither_starts(&house, 2, &["status is not a folder; move it away"]);
    fs::remove_file(house.path("status")).expect("the link");
    assert!(house.path("queue/early.yaml").exists());
    house.start();
    assert_eq!(
        house.path("queue").metadata().expect("queue").permissions().mode() & 0o7777,
        0o700,
        "narrowed"
    );
    assert!(house.result("early").contains("answer to early"));
    house.end();
}

/// All that lies below a folder of the workspace, with its mode.
fn modes(house: &House, folder: &str, found: &mut Vec<(String, u32)>) {
    for entry in fs::read_dir(house.path(folder)).expect(folder) {
        let entry = entry.expect("an entry");
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        let meta = entry.metadata().expect(&name);
        if meta.is_dir() {
            modes(house, &name, found);
        }
        found.push((name, meta.permissions().mode() & 0o7777));
    }
}

#[test]
fn whatever_is_made_is_for_its_user_alone_whatever_the_umask() {
    let mut house = House::plain("private 襷");
    house.start_by("umask 0; exec \"$0\" \"$@\"");
    works(&house, "one");
    house.drop("bad.yaml", "to: nobody\ncontent: x\n");
    house.until("the reason", |house| house.path("queue/rejected/bad.yaml.reason.yaml").exists());
    let stop = house.tasuki().args(["stop", "--all"]).output().expect("stop");
    assert!(stop.status.success(), "{stop:?}");
    house.drop("two.yaml", "id: two\nto: worker\ncontent: x\n");
    house.until("the view", |house| house.path("queue/active/two.yaml").exists());
    // Until it is in the journal it keeps the mode that its sender gave it, in a folder that is shut.
    house.until("the drop to go", |house| house.files(".tasuki/claim").is_empty());
    let mut found = Vec::new();
    for folder in ["queue", "status", ".tasuki"] {
        modes(&house, folder, &mut found);
    }
    // What is refused is moved, with the mode that its sender gave it.
    found.retain(|(name, _)| name != "queue/rejected/bad.yaml");
    for name in ["queue/results/one.yaml", "queue/STOP", "status/activity.log", "status/agents/worker.log"] {
        assert!(found.iter().any(|(found, _)| found == name), "{name} of {found:?}");
    }
    found.retain(|(_, mode)| mode & 0o077 != 0);
    assert!(found.is_empty(), "others can use {found:#?}");
    house.end();
}

#[test]
fn a_read_only_folder_is_named_with_its_cure() {
    let house = House::plain("read-only");
    if am_root() {
        let Some(mount) = Mount::read_only(&house.path("")) else {
            return not_tested("a read-only folder: this root may not mount");
        };
        check_read_only(&house, "Read-only file system", "make the file system writable");
        drop(mount);
    } else {
        chmod(&house, "", 0o500);
        check_read_only(&house, "Permission denied", "see with `ls -ld`");
        chmod(&house, "", 0o700);
    }
    let mut house = house;
    house.start();
    works(&house, "one");
    house.drop("bad.yaml", "to: nobody\ncontent: だれ\n");
    house.until("the refusal", |house| house.path("queue/rejected/bad.yaml.reason.yaml").exists());
    house.end();
    if am_root() {
        // What is there already does not help: the memory cannot be written.
        let Some(_mount) = Mount::read_only(&house.path("")) else { return };
        check_read_only(&house, "Read-only file system", "make the file system writable");
        for (verb, words) in READ {
            let said = house.tasuki().args(verb.split(' ')).output().expect(verb);
            let text = String::from_utf8_lossy(&said.stdout);
            assert!(
                said.status.success() && text.contains(words),
                "{verb}: what is there can be read: {said:?}"
            );
        }
        let text = said(house.tasuki().args(["needs", "--dismiss", "refused.bad.yaml"]), 1);
        assert!(text.contains("Read-only file system") && text.contains("see to the disk"), "{text}");
    }
}

/// What only looks, and what it says there.
const READ: [(&str, &str); 13] = [
    ("status", "worker"),
    ("status --line", "tasuki: no daemon"),
    ("needs", "bad.yaml"),
    ("list", "one"),
    ("show one", "answer to one"),
    ("show one --answer", "answer to one"),
    ("why one", "completed"),
    ("why worker", "one completed"),
    ("log", "one completed"),
    ("log one", "one completed"),
    ("log worker", "one completed"),
    ("inbox --keep", "answer to one from worker"),
    ("lint tasuki.yaml", "a team of 1"),
];

fn check_read_only(house: &House, why: &str, cure: &str) {
    let root = house.path("").canonicalize().expect("its root");
    let root = root.to_str().expect("UTF-8");
    for verb in [&["daemon"][..], &["up"], &["send", "worker", "x"], &["stop", "--all"]] {
        let text = said(house.tasuki().args(verb), 1);
        assert!(text.contains(root) && text.contains(why) && text.contains(cure), "{verb:?}: {text}");
    }
}
