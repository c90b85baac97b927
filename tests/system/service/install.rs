//! Installing and removing: what is written, what systemd is asked, and what is left alone.

use super::{User, code, text};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use tasuki::engine::words::Millis;
use tasuki::io::lock::Lock;

#[test]
fn a_unit_is_written_loaded_started_and_removed() {
    let user = User::new();
    let root = user.workspace("仕事 場");
    let output = user.service(&["install", "--now"], &root);
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(
        user.calls(),
        [
            "systemctl --user daemon-reload",
            "loginctl show-user 0 --property=Linger --value",
            "systemctl --user is-active tasuki.service",
            "systemctl --user enable --now tasuki.service"
        ]
        .map(|call| call.replace(" 0 ", &format!(" {} ", rustix::process::geteuid().as_raw())))
    );
    let unit = fs::read_to_string(user.unit("tasuki.service")).unwrap();
    let exec =
        format!("ExecStart=\"{}\" daemon --root \"{}\"\n", env!("CARGO_BIN_EXE_tasuki"), root.display());
    assert!(unit.contains(&exec), "{unit}");
    assert!(unit.contains(&format!("Environment=\"PATH={}:/", user.path("bin").display())), "{unit}");
    assert_eq!(fs::metadata(user.unit("tasuki.service")).unwrap().permissions().mode() & 0o777, 0o644);
    assert!(text(&output.stderr).contains("build folder"), "{output:?}");
    assert!(text(&output.stdout).contains("starts at each login"), "{output:?}");

    user.set("active", "active");
    let again = user.service(&["install", "--now", "--json"], &root);
    let said: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(
        (&said["new"], &said["started"], &said["linger"]),
        (&false.into(), &true.into(), &true.into())
    );
    assert!(text(&again.stderr).contains("restart tasuki.service"), "{again:?}");
    assert_eq!(user.units(), ["tasuki.service"], "and nothing is left beside it");
    assert_eq!(fs::read_to_string(user.unit("tasuki.service")).unwrap(), unit);

    user.calls();
    let removed = user.service(&["uninstall"], &root);
    assert_eq!(code(&removed), 0, "{removed:?}");
    assert!(text(&removed.stdout).contains("agents go on"), "{removed:?}");
    assert_eq!(
        user.calls(),
        [
            "systemctl --user daemon-reload",
            "systemctl --user disable --now tasuki.service",
            "systemctl --user daemon-reload"
        ]
    );
    assert_eq!(user.units(), Vec::<String>::new());
    let nothing = user.service(&["uninstall"], &root);
    assert_eq!(code(&nothing), 2, "{nothing:?}");
}

#[test]
fn without_now_it_is_written_and_loaded_and_the_next_command_is_named() {
    let user = User::new();
    let root = user.workspace("w");
    let output = user.service(&["install"], &root);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(
        text(&output.stdout).contains("next: systemctl --user enable --now tasuki.service"),
        "{output:?}"
    );
    assert!(!user.calls().iter().any(|call| call.contains("enable --now")));
}

#[test]
fn each_workspace_has_a_unit_of_its_own() {
    let user = User::new();
    let (first, second) = (user.workspace("one"), user.workspace("two"));
    for root in [&first, &second, &first, &second] {
        assert_eq!(code(&user.service(&["install", "--now"], root)), 0);
    }
    let units = user.units();
    assert_eq!(units.len(), 2, "{units:?}");
    let other = units.iter().find(|name| *name != "tasuki.service").unwrap();
    assert!(user.calls().contains(&format!("systemctl --user enable --now {other}")));
    let unit = fs::read_to_string(user.unit(other)).unwrap();
    assert!(unit.contains(&format!("--root \"{}\"", second.display())), "{unit}");
    assert_eq!(code(&user.service(&["uninstall"], &first)), 0);
    assert_eq!(user.units(), [other.as_str()], "the other one stays");
    assert_eq!(code(&user.service(&["install"], &second)), 0);
    assert_eq!(user.units(), [other.as_str()], "and keeps its name");
    let named = user.service(&["uninstall"], &first);
    assert_eq!(code(&named), 2, "{named:?}");
    assert!(text(&named.stderr).contains(&second.display().to_string()), "{named:?}");
}

#[test]
fn where_no_root_is_named_the_users_own_workspace_is_meant() {
    let user = User::new();
    let here = user.workspace("home");
    let missing = user.tasuki().args(["service", "install"]).output().unwrap();
    assert_eq!(code(&missing), 2, "{missing:?}");
    for word in ["data/tasuki", "tasuki init --root", "--root ."] {
        assert!(text(&missing.stderr).contains(word), "{word}: {missing:?}");
    }
    let own = user.workspace("data/tasuki");
    assert_eq!(code(&user.tasuki().args(["service", "install"]).output().unwrap()), 0);
    let unit = fs::read_to_string(user.unit("tasuki.service")).unwrap();
    assert!(
        unit.contains(&own.display().to_string()) && !unit.contains(&here.display().to_string()),
        "{unit}"
    );
}

#[test]
fn a_unit_that_tasuki_did_not_write_is_left_alone() {
    let user = User::new();
    let root = user.workspace("w");
    let path = user.unit("tasuki.service");
    assert_eq!(code(&user.service(&["install"], &root)), 0);
    let ours = fs::read_to_string(&path).unwrap();
    let changed = ours.replace("WatchdogSec=30", "WatchdogSec=60");
    assert_ne!(changed, ours);
    for foreign in [
        changed.as_str(),
        "[Service]\nExecStart=/bin/true\n",
        "",
        include_str!("../../../systemd/tasuki.service"),
    ] {
        fs::write(&path, foreign).unwrap();
        user.calls();
        for verb in [&["install", "--now"][..], &["uninstall"]] {
            let output = user.service(verb, &root);
            assert_eq!(code(&output), 2, "{verb:?}: {output:?}");
            let said = text(&output.stderr);
            assert!(
                said.contains("move it away") && said.contains("systemctl --user edit tasuki.service"),
                "{said}"
            );
        }
        assert_eq!(user.calls(), Vec::<String>::new(), "systemd is not asked");
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    }
    // Masked, or another place's.
    fs::remove_file(&path).unwrap();
    symlink("/dev/null", &path).unwrap();
    assert_eq!(code(&user.service(&["install"], &root)), 2);
    assert_eq!(fs::read_link(&path).unwrap(), std::path::Path::new("/dev/null"));
}

#[test]
fn without_a_systemd_the_unit_is_written_and_what_to_do_is_said() {
    let user = User::new();
    let root = user.workspace("w");
    user.set("unreachable", "");
    let output = user.service(&["install"], &root);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(text(&output.stderr).contains("No medium found"), "{output:?}");
    for command in ["daemon-reload", "enable --now tasuki.service"] {
        assert!(text(&output.stdout).contains(&format!("next: systemctl --user {command}")), "{output:?}");
    }
    let now = user.service(&["install", "--now"], &root);
    assert_eq!(code(&now), 3, "{now:?}");
    assert!(text(&now.stderr).contains("tasuki up --root"), "{now:?}");
    assert_eq!(user.units(), ["tasuki.service"]);
    // The link that systemd would have removed.
    let wants = user.unit("default.target.wants");
    fs::create_dir(&wants).unwrap();
    symlink(user.unit("tasuki.service"), wants.join("tasuki.service")).unwrap();
    let removed = user.service(&["uninstall"], &root);
    assert_eq!(code(&removed), 0, "{removed:?}");
    assert_eq!(user.units(), ["default.target.wants"]);
    assert_eq!(fs::read_dir(wants).unwrap().count(), 0);
}

#[test]
fn what_systemd_says_of_a_start_that_fails_is_told() {
    let user = User::new();
    let root = user.workspace("w");
    user.set("fails", "");
    let output = user.service(&["install", "--now"], &root);
    assert_eq!(code(&output), 1, "{output:?}");
    for word in ["Job for it failed.", "journalctl --user -u tasuki.service"] {
        assert!(text(&output.stderr).contains(word), "{output:?}");
    }
}

#[test]
fn a_daemon_that_runs_already_is_not_raced() {
    let user = User::new();
    let root = user.workspace("w");
    let lock = Lock::take(&root.join(".tasuki/lock"), Millis(0)).unwrap();
    let output = user.service(&["install", "--now"], &root);
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(text(&output.stderr).contains("tasuki down --keep-agents"), "{output:?}");
    assert!(!user.calls().iter().any(|call| call.contains("enable --now")));
    // It may be the service's own.
    user.set("active", "active");
    assert_eq!(code(&user.service(&["install", "--now"], &root)), 0);
    drop(lock);
}

#[test]
fn folders_that_cannot_be_written_are_named() {
    let user = User::new();
    let root = user.workspace("w");
    fs::write(user.path("file"), "").unwrap();
    // `/proc` lets not even root make a folder.
    for config in [user.path("file"), "/proc/1".into()] {
        let mut install = user.tasuki();
        install.env("XDG_CONFIG_HOME", &config).args(["service", "install", "--root"]).arg(&root);
        let output = install.output().unwrap();
        assert_eq!(code(&output), 1, "{output:?}");
        assert!(text(&output.stderr).contains(&config.display().to_string()), "{output:?}");
    }
    let gone = user.service(&["install"], &user.path("nowhere"));
    assert!(code(&gone) != 0 && text(&gone.stderr).contains("nowhere"), "{gone:?}");
}
