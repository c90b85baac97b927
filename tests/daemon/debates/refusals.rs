//! Requests that cannot be met: each is told with its code, in words that name what is wrong, and with what to do.

use super::{bare_house, begun_id, house, over, post, role};
use crate::house::House;
use crate::over_socket::ask;
use crate::sessions::said;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

/// The request is refused with this code, and its words and cure have these parts.
fn refused(house: &House, request: &Value, code: &str, parts: &[&str]) {
    let (status, problem) = post(house, "/api/debates", request);
    assert!(
        status == 400 || status == 404 || status == 409 || status == 413,
        "{status}: {request}: {problem}"
    );
    assert_eq!(problem["code"], code, "{request}: {problem}");
    let told = format!(
        "{} {}",
        problem["why"].as_str().unwrap_or_default(),
        problem["cure"].as_str().unwrap_or_default()
    );
    assert!(!problem["cure"].as_str().unwrap_or_default().is_empty(), "{problem}");
    for part in parts {
        assert!(told.contains(part), "{part}: {problem}");
    }
}

#[test]
fn what_cannot_be_debated_is_refused_with_the_cure() {
    let mut house = house("refusals 断る");
    let outside = house.path("../outside.txt");
    std::fs::write(&outside, "secret").expect("a file");
    symlink(&outside, house.path("link.txt")).expect("a link");
    house.write("large.txt", &"x".repeat((256 << 10) + 1));
    house.write("sub/in.txt", "inside");
    let with = |key: &str, value: Value| {
        let mut request = json!({"task": "x", "roles": [role("one", "speaks")]});
        request[key] = value;
        request
    };
    let shows = |path: &str| {
        let mut request = with("rounds", json!(2));
        request["roles"][0]["initial_context"] = json!([path]);
        request
    };
    let outside = outside.to_string_lossy().into_owned();
    for path in ["../outside.txt", "sub/../../outside.txt", "link.txt", &outside] {
        refused(&house, &shows(path), "path-outside", &["folder of the debate (`base_dir`)"]);
    }
    refused(&house, &shows("large.txt"), "content-too-large", &["large.txt", "262144"]);
    refused(&house, &shows("none.txt"), "unreadable", &["none.txt"]);
    let many: Vec<Value> = (0..17).map(|n| role(&format!("r{n}"), "speaks")).collect();
    refused(&house, &with("roles", json!(many)), "too-many", &["17", "16"]);
    refused(&house, &with("roles", json!([role("a", "x"), role("a", "y")])), "id-conflict", &["`a`"]);
    refused(
        &house,
        &with("roles", json!(["architcet"])),
        "unknown-word",
        &["architcet", "`architect`", "performance"],
    );
    refused(&house, &with("roles", json!([])), "content-empty", &["roles"]);
    refused(&house, &with("provider", json!("nobody")), "unknown-word", &["`nobody`", "claude", "mine"]);
    refused(&house, &with("provider", json!("plain")), "unknown-word", &["`plain`", "headless"]);
    refused(&house, &with("task", json!(" ")), "content-empty", &["task"]);
    refused(&house, &with("base_dir", json!("nowhere")), "unreadable", &["nowhere does not exist"]);
    refused(&house, &with("base_dir", json!("large.txt")), "unreadable", &["large.txt is no folder"]);
    refused(&house, &with("base_dir", json!("..")), "no-repository", &["git init"]);
    refused(
        &house,
        &with("base_dir", json!("/")),
        "no-repository",
        &["/ is in no git repository", "git init"],
    );

    // One mistake hides no other, wherever it is seen.
    let words = "debate x --roles qa,qa --context none.txt --provider nobody --rounds 9 --timeout soon --parallel x \
                 --budget-minutes nan --budget-tokens 1e3 --budget-cost free";
    let (code, _, err) = said(&house, &words.split_whitespace().collect::<Vec<_>>());
    assert_eq!(code, Some(2), "{err}");
    for part in [
        "the role `qa` is named twice",
        "`none.txt`",
        "there is no profile `nobody`",
        "`--rounds`: `9`",
        "`--timeout`: `soon`",
        "`--parallel`: `x`",
        "`--budget-minutes`: `nan` is not a whole number of minutes",
        "`--budget-tokens`: `1e3`",
        "`--budget-cost`: `free`",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    // Nor does a folder that is not there, as far as files can be looked at without it.
    let words = "debate x --roles qa --base-dir /none/襷 --context none.txt --context /none/b --context /";
    let (code, _, err) = said(&house, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(code, Some(2), "{err}");
    for part in [
        "/none/襷 does not exist; name another folder; 1 file that roles are shown could not be looked for in it",
        "name a folder that is there, or leave the option out",
        "cannot read `/none/b`",
        "`/` is a folder",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    house.write("twice.yaml", "request:\n  task: x\n  roles: [qa, {id: qa, provider: nobody}]\n");
    for words in [["debate", "twice.yaml"], ["lint", "twice.yaml"]] {
        let (code, _, err) = said(&house, &words);
        assert_eq!(code, Some(2), "{err}");
        for part in [
            "there is no profile `nobody`",
            "twice.yaml:3:34",
            "the role `qa` is named twice",
            "twice.yaml:3:20",
        ] {
            assert!(err.contains(part), "{part}: {err}");
        }
    }

    let id = begun_id(&house, &json!({"task": "x", "roles": [role("one", "speaks")], "rounds": 2}));
    for path in ["00000000", "zz", &id[1..]] {
        for (line, head) in [("GET", ""), ("GET", "/progress"), ("GET", "/rounds/1"), ("POST", "/cancel")] {
            let (status, problem) = ask(&house, &format!("{line} /api/debates/{path}{head}"), "");
            assert_eq!((status, &problem["code"]), (404, &json!("no-debate")), "{path}{head}: {problem}");
            assert!(problem["cure"].as_str().is_some_and(|cure| cure.contains(&id)), "{problem}");
        }
    }
    let (code, _, err) = said(&house, &["debate", "outputs", "00000000"]);
    assert!(code == Some(2) && err.contains(&id), "{err}");
    let (status, problem) = ask(&house, &format!("GET /api/debates/{id}/rounds/3"), "");
    assert_eq!((status, &problem["code"]), (404, &json!("no-round")), "{problem}");
    over(&house, &id);
    house.end();
}

#[test]
fn a_folder_without_a_repository_or_without_a_commit_is_told_so() {
    let mut house = bare_house("no repository");
    house.start();
    let request = json!({"task": "x", "roles": [role("one", "speaks")]});
    refused(&house, &request, "no-repository", &["git init"]);
    crate::sessions_trees::git(&house, &["init", "-q"]);
    refused(&house, &request, "no-repository", &["commit"]);
    let (code, _, err) = said(&house, &["debate", "x", "--roles", "architect"]);
    assert!(code == Some(2) && err.contains("commit"), "{err}");
    assert!(!house.path(".tasuki/debates").exists(), "nothing was made");
    house.end();
}
