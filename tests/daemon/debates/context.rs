//! Files of rounds that somebody damages: the journal has what was said.

use super::{bare_house, begun_id, file, outputs, over, role, said};
use crate::house::House;
use crate::looking::ok;
use crate::over_socket::get;
use crate::sessions::said as told;
use crate::sessions_trees::repository;
use serde_json::{Value, json};

/// Whether one of these texts tells of the damaged file at this path.
fn is_told(texts: &Value, path: &str) -> bool {
    let mut texts = texts.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts
        .any(|text| text.contains(path) && text.contains("was damaged") && text.contains("was written again"))
}

#[test]
fn a_damaged_file_of_a_round_is_told_and_written_again() {
    let mut house = bare_house("context 文脈");
    repository(&house, &["base.txt"]);
    house.surround("TASUKI_LOG", "info,tasuki::flow=debug".as_ref());
    house.start();
    let both = json!([role("one", "speaks"), role("waiter", "waits")]);
    house.write("go1", "");
    let id = begun_id(&house, &json!({"task": "x", "roles": both, "rounds": 2}));
    house.until("the second round", |house| house.read("begun").contains("round2-waiter"));
    let path = format!(".tasuki/debates/{id}/context/round1-outputs.json");
    house.until("the file of the first", |house| house.read(&path).contains("提案 of round1-waiter"));
    // Nothing else is written from here on: whoever writes next finds the damage as well, and mends it.
    let second = format!(".tasuki/debates/{id}/context/round2-outputs.json");
    house.until("the other one's second", |house| house.read(&second).contains("提案 of round2-one"));
    let before = house.read(&path);
    house.write(&path, "[{\"role\": ");
    let first = outputs(&house, &id, 1);
    assert!(said(&first, "one", "proposal").contains("提案 of round1-one"));
    assert_eq!(house.read(&path), before, "whoever asks for it has it mended");
    assert!(is_told(&first[0]["tasuki"]["notes"], &path), "{first:?}");
    house.write("go2", "");
    over(&house, &id);
    house.until("the file", |house| house.read(&path) == before);
    let log = |house: &House| house.read(".tasuki/daemon.log");
    house.until("the word of it", |house| log(house).contains("round1-outputs.json is damaged"));
    assert!(log(&house).contains("context-file-corrupted"));
    for step in ["step=task-4 to=Complete", "tree=task-1 to=Removed", "to=Complete"] {
        assert!(
            log(&house).lines().any(|line| line.contains("tasuki::flow") && line.contains(step)),
            "{step}"
        );
    }
    let _: Vec<Value> =
        serde_json::from_str(&file(&house, &id, "context/round2-outputs.json")).expect("a list");

    // Once its worktrees have gone nothing of it changes any more; whoever asks for any of it has it mended, with a daemon and without.
    let overview = format!(".tasuki/debates/{id}/debate.json");
    house.until("its last view", |house| {
        let overview: Value = serde_json::from_str(&house.read(&overview)).unwrap_or_default();
        overview["status"] == "Completed" && overview["tasuki"]["removing"] == false
    });
    let other = before.replace("提案 of round1-waiter", "what nobody has said");
    assert_ne!(other, before);
    house.write(&path, &other);
    let status = ok(&house, &["debate", "status", &id]);
    assert!(
        status.contains("round1-outputs.json was damaged") && status.contains("not what waiter has said"),
        "{status}"
    );
    assert_eq!(house.read(&path), before);
    let (_, status, err) = told(&house, &["debate", "show", &id]);
    assert!(!format!("{status}{err}").contains("damaged"), "it is right again: {status}{err}");
    let context = house.path(&format!(".tasuki/debates/{id}/context"));
    std::fs::remove_dir_all(&context).expect("it was there");
    ok(&house, &["debate", "status", &id]);
    assert_eq!(house.read(&path), before, "the folder is made again");
    std::fs::remove_dir_all(&context).expect("it was made again");
    std::fs::write(&context, "no folder").expect("a file");
    let (_, out, err) = told(&house, &["debate", "show", &id]);
    let status = out + &err;
    assert!(
        status.contains("is damaged") && status.contains("move it away, and it is made again"),
        "{status}"
    );
    std::fs::remove_file(&context).expect("it was there");
    ok(&house, &["debate", "progress", &id]);
    assert_eq!(house.read(&path), before, "it is made again once the file is away");
    house.write(&path, "[]\n");
    get(&house, &format!("/api/debates/{id}/progress"));
    assert_eq!(house.read(&path), before);
    std::fs::remove_file(house.path(&path)).expect("it was there");
    get(&house, &format!("/api/debates/{id}/progress"));
    assert_eq!(house.read(&path), before);
    ok(&house, &["down"]);
    assert!(house.wait().success(), "{}", house.output());
    house.write(&path, "");
    let (code, out, err) = told(&house, &["debate", "outputs", &id[..8]]);
    assert!(code == Some(0) && out.contains("提案 of round1-waiter"), "{out}{err}");
    assert!(is_told(&json!([err]), &path), "{err}");
    assert_eq!(house.read(&path), before);
    let (_, _, err) = told(&house, &["debate", "progress", &id]);
    assert_eq!(err, "", "it is right again");
    house.start();

    house.write("foreign 外/round1-outputs.json", "[{\"role\": \"qa\"}]");
    let (code, _, err) = told(&house, &["debate", "show", "foreign 外/round1-outputs.json", "--json"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(
        err.contains("context-file-corrupted") && err.contains("foreign 外/round1-outputs.json"),
        "{err}"
    );
    let (code, out, err) = told(&house, &["debate", "show", &house.path(&path).to_string_lossy()]);
    assert!(code == Some(0) && out.contains("提案 of round1-one"), "{out}{err}");
    house.end();
}
