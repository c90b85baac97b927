//! What a login means for the service: lingering, status and the doctor.

use super::{User, code, text};

#[test]
fn a_user_who_does_not_linger_is_warned_with_the_cure() {
    let user = User::new();
    let root = user.workspace("w");
    for (linger, json) in [("yes", true.into()), ("no", false.into()), ("?", serde_json::Value::Null)] {
        user.set("linger", linger);
        let output = user.service(&["install", "--json"], &root);
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(said["linger"], json, "{linger}");
        let warned = text(&output.stderr).contains("loginctl enable-linger");
        let next = said["next"].as_array().unwrap().contains(&"loginctl enable-linger".into());
        assert_eq!((warned, next), (linger != "yes", linger != "yes"), "{linger}: {output:?}");
        let doctor = user.tasuki().args(["doctor", "--json", "--root"]).arg(&root).output().unwrap();
        let checks: Vec<serde_json::Value> = serde_json::from_slice(&doctor.stdout).unwrap();
        let check = checks.iter().find(|check| check["what"] == "service").unwrap();
        let verdict = if linger == "yes" { "good" } else { "warning" };
        assert_eq!(check["verdict"], verdict, "{linger}: {check}");
        assert!(check["found"].as_str().unwrap().contains("tasuki.service"), "{check}");
    }
}

#[test]
fn status_shows_every_unit_in_systemds_own_words() {
    let user = User::new();
    let empty = user.tasuki().args(["service", "status"]).output().unwrap();
    assert_eq!(code(&empty), 0, "{empty:?}");
    assert!(text(&empty.stdout).contains("tasuki service install"), "{empty:?}");
    let (first, second) = (user.workspace("一"), user.workspace("二"));
    for root in [&first, &second] {
        assert_eq!(code(&user.service(&["install"], root)), 0);
    }
    user.set("enabled", "enabled");
    user.set("active", "activating");
    let json = user.tasuki().args(["service", "status", "--json"]).output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let units = said["units"].as_array().unwrap();
    assert_eq!(units.len(), 2, "{said}");
    for unit in units {
        assert_eq!((&unit["enabled"], &unit["active"]), (&"enabled".into(), &"activating".into()));
        assert_eq!(unit["daemon"], serde_json::Value::Null, "none runs");
    }
    let one = user.service(&["status"], &second);
    let shown = text(&one.stdout);
    assert!(shown.contains("二") && !shown.contains("一") && shown.contains("activating"), "{shown}");
    user.set("unreachable", "");
    let shown = text(&user.tasuki().args(["service", "status"]).output().unwrap().stdout);
    assert!(shown.contains("not known") && shown.contains("一"), "{shown}");
}
