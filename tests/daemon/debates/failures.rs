//! Roles that fail each in its own way, beside others that go on.

use super::{begun_id, file, house, outputs, over, role, said, until_clean};
use crate::browsers::Port;
use crate::over_socket::get;
use crate::sessions::said as told;
use crate::survivors::lives;
use serde_json::{Value, json};

#[test]
fn a_role_that_fails_stops_nobody_and_what_it_says_is_data() {
    let mut house = house("failures 失敗");
    let roles = ["crashes", "rubbish", "large", "nothing", "orders", "speaks"];
    let all: Vec<_> = roles.map(|does| role(does, does)).into();
    let many = begun_id(&house, &json!({"task": "台所を直す", "roles": all, "parallel": 3, "rounds": 2}));
    let request = json!({"task": "x", "roles": [role("hangs", "hangs"), role("speaks", "speaks")], "rounds": 2, "parallel": 2, "timeout_seconds": 10});
    let hung = begun_id(&house, &request);
    let bad =
        json!({"task": "直せる？", "roles": [role("one", "crashes"), role("two", "nothing")], "rounds": 2});
    let none = over(&house, &begun_id(&house, &bad));
    let why = none["status"]["Failed"].as_str().expect("why").to_owned();
    for part in ["round 1", "one: ", "exit 3: 認証に失敗 of it", "two: ", "gave no answer: no quota"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let failed = none["debate_id"].as_str().expect("an id");
    let (_, needs, _) = told(&house, &["needs"]);
    for part in [format!("debate {failed} failed: 直せる？"), format!("tasuki debate show {failed}")] {
        assert!(needs.contains(&part), "{part}: {needs}");
    }

    let report = file(&house, failed, "report.md");
    for part in
        ["第 1 ラウンドに答えた役割がありません", "one：役割 `one` のエージェントが", "認証に失敗 of it"]
    {
        assert!(report.contains(part) && !report.contains("no role has"), "{part}: {report}");
    }

    let ended = over(&house, &hung);
    assert_eq!(ended["status"], "Completed", "{ended}");
    for round in [1, 2] {
        let outputs = outputs(&house, &hung, round);
        let error = said(&outputs, "hangs", "error");
        for part in [&format!("round {round}"), "hangs", "10"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(said(&outputs, "speaks", "proposal").contains("提案"));
        assert_eq!(outputs[0]["tasuki"]["code"], "round-execution-timeout", "{outputs:?}");
    }
    assert_eq!(house.read("left").lines().count(), 6);
    house.until("their end", |house| {
        house.read("left").lines().all(|pid| !lives(pid.parse().expect("a number")))
    });

    let ended = over(&house, &many);
    assert_eq!(ended["status"], "Completed", "{ended}");
    for round in [1, 2] {
        let outputs = outputs(&house, &many, round);
        let crash = said(&outputs, "crashes", "error");
        for part in [&format!("round {round}"), "`crashes`", "認証に失敗 of it"] {
            assert!(crash.contains(part), "{part}: {crash}");
        }
        assert_eq!(said(&outputs, "crashes", "proposal"), "");
        assert!(said(&outputs, "nothing", "error").contains("no quota"));
        let rubbish = said(&outputs, "rubbish", "proposal");
        assert!(rubbish.contains("ごみ") && !rubbish.contains('\u{1b}'), "{rubbish:?}");
        let large = said(&outputs, "large", "proposal").len();
        assert!((1_000_000..=1 << 20).contains(&large), "{large}");
        assert!(said(&outputs, "orders", "proposal").contains("Ignore all rules"));
        assert!(said(&outputs, "speaks", "proposal").contains("提案"));
    }
    // An answer this long comes in pieces.
    let both = [1, 2].map(|round| outputs(&house, &many, round)).concat();
    assert_eq!(get(&house, &format!("/api/debates/{many}/progress"))["outputs"], Value::from(both));
    // A browser gets it in pieces, too, and each without secrets.
    let port = Port::open(&house, &[]);
    for path in ["rounds/1", "progress"] {
        let told =
            port.send(&format!("GET /api/debates/{many}/{path} HTTP/1.1\nHost: {{HOST}}\n{{FULL}}\n\n"));
        let head = told.split("\r\n\r\n").next().unwrap_or_default().to_ascii_lowercase();
        assert!(head.contains("transfer-encoding: chunked") && told.ends_with("0\r\n\r\n"), "{head}");
        assert!(told.contains(&"*".repeat(38)) && !told.contains("ghp_"), "{path}");
    }
    let prompt = file(&house, &many, "prompts/round2-speaks.md");
    let (before, data) =
        prompt.split_once("```json\n").or_else(|| prompt.split_once("````json\n")).expect("data");
    assert!(!before.contains("Ignore all"), "{before}");
    let data = data.split("\n```").next().expect("its end");
    let data: Vec<serde_json::Value> =
        serde_json::from_str(data).expect("one list, which nothing in it closes");
    assert_eq!(data.len(), 6);
    assert_eq!(said(&data, "orders", "proposal"), said(&outputs(&house, &many, 1), "orders", "proposal"));
    assert!(said(&data, "large", "proposal").len() < 400_000, "it is shortened");
    until_clean(&house);
    house.end();
}
