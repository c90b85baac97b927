//! Where the socket goes when its best place cannot be had, and workspaces with unusual names.

use super::{am_root, not_tested, works};
use crate::house::House;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Where the daemon says that it listens; our own commands find it, whatever their surroundings say.
pub(crate) fn socket(house: &House) -> PathBuf {
    let status = house.tasuki().args(["status", "--json"]).output().expect("status");
    assert!(status.status.success(), "{status:?}");
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    let path = PathBuf::from(status["daemon"]["socket"].as_str().expect("a socket"));
    let meta = path.symlink_metadata().expect("the socket");
    assert!(meta.file_type().is_socket() && meta.permissions().mode() & 0o777 == 0o600, "{meta:?}");
    path
}

fn send(house: &House) {
    let send = house.tasuki().args(["send", "worker", "--wait", "仕事 😀"]).output().expect("send");
    let answer = String::from_utf8_lossy(&send.stdout).into_owned();
    assert!(send.status.success() && answer.contains("answer to "), "{send:?}");
}

#[test]
fn a_workspace_that_lies_deep_gets_a_short_socket() {
    let deep = ["とても深い所/".repeat(12), "workspace".to_owned()].concat();
    let mut house = House::plain(&deep);
    house.start();
    let path = socket(&house);
    assert!(path.as_os_str().len() <= 107 && !path.starts_with(house.path("")), "{path:?}");
    let folder = path.parent().expect("a folder").metadata().expect("a folder");
    assert_eq!(folder.permissions().mode() & 0o777, 0o700, "{path:?}");
    send(&house);
    house.end();
    assert!(!path.exists(), "it is left behind");
}

#[test]
fn a_workspace_may_have_any_name() {
    let long = "長".repeat(80);
    for name in [
        "with spaces and  more",
        "日本語の仕事場",
        "🎽 💥",
        &long,
        "a 'b' \"c\" $(touch x) #{pid} %s ; d & ~",
        "-rf",
    ] {
        println!("== {name}");
        let mut house = House::plain(name);
        house.start();
        works(&house, "one");
        send(&house);
        let names: Vec<_> = fs::read_dir(house.path("")).expect("the folder").flatten().collect();
        assert_eq!(names.len(), 5, "{names:?}");
        house.end();
    }
}

#[test]
fn a_runtime_folder_that_is_not_ours_alone_is_not_used() {
    let runtime = tempfile::tempdir().expect("a folder");
    let set = |mode| fs::set_permissions(runtime.path(), fs::Permissions::from_mode(mode)).expect("its mode");
    let check = |what: &str, value: &OsStr, expected: Option<&Path>| {
        println!("== {what}");
        let mut house = House::plain("runtime");
        house.surround("XDG_RUNTIME_DIR", value);
        house.start();
        let path = socket(&house);
        match expected {
            Some(folder) => assert!(path.starts_with(folder), "{path:?}"),
            None => assert_eq!(path, house.path(".tasuki/socket").canonicalize().expect("the socket")),
        }
        send(&house);
        house.end();
    };
    check("ours", runtime.path().as_os_str(), Some(runtime.path()));
    set(0o777);
    check("anybody can write to it", runtime.path().as_os_str(), None);
    set(0o700);
    fs::set_permissions(runtime.path().join("tasuki"), fs::Permissions::from_mode(0o777)).expect("its mode");
    check("everybody may write in it", runtime.path().as_os_str(), None);
    check("missing", OsStr::new("/no/such/folder"), None);
    check("relative", OsStr::new("run"), None);
    check("a file", OsStr::new("/etc/hostname"), None);
    if am_root() {
        fs::remove_dir(runtime.path().join("tasuki")).expect("ours");
        std::os::unix::fs::chown(runtime.path(), Some(65_534), None).expect("another owner");
        check("another's", runtime.path().as_os_str(), None);
    } else {
        not_tested("a runtime folder of another user, which only root can make");
    }
}
