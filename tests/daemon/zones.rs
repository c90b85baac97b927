//! Drop zones besides `queue/`, through the real binary: what is dropped there is taken and refused as in `queue/`, what was claimed
//! is taken once whatever becomes of the list, and an agent's own zone verifies it.

use crate::house::House;
use std::fs;
use std::path::{Path, PathBuf};

/// A zone without an owner.
const FREE: &str = "郵便 📮/受信";

/// A workspace with these drop zones, whose parents are there.
fn house(name: &str, queues: &str) -> House {
    let house = House::plain(name);
    fs::create_dir_all(house.path("郵便 📮")).expect("a folder");
    set_queues(&house, queues);
    house
}

/// Writes `queues:` into the team file, as an editor does.
fn set_queues(house: &House, queues: &str) {
    let text = house.read("tasuki.yaml");
    let kept: String =
        text.lines().filter(|line| !line.starts_with("queues:")).map(|line| format!("{line}\n")).collect();
    fs::write(house.path("new"), format!("{kept}queues: {queues}\n")).expect("the team file");
    fs::rename(house.path("new"), house.path("tasuki.yaml")).expect("the team file");
}

/// Has a daemon that runs take other zones.
fn reload(house: &House, queues: &str) {
    let times =
        |house: &House| house.read("status/activity.log").matches("the team file was reloaded").count();
    let before = times(house);
    set_queues(house, queues);
    house.until("the reload", |house| times(house) > before);
}

/// Drops a file whole into a folder.
fn drop_in(folder: &Path, name: &str, text: &str) {
    let part = folder.join(format!(".{name}.tmp"));
    fs::write(&part, text).expect("the drop");
    fs::rename(part, folder.join(name)).expect("the drop");
}

fn task(id: &str) -> String {
    format!("id: {id}\nto: worker\ncontent: {id} 襷\n")
}

/// The view of a message that has ended, once it is there.
fn done(house: &House, id: &str) -> String {
    let path = |house: &House| -> Option<PathBuf> {
        let days = fs::read_dir(house.path("queue/done")).ok()?.flatten();
        days.map(|day| day.path().join(format!("{id}.yaml"))).find(|path| path.exists())
    };
    house.until(id, |house| path(house).is_some());
    fs::read_to_string(path(house).expect("it")).expect("its view")
}

fn said(house: &House, text: &str) {
    house.until(text, |house| house.read("status/activity.log").contains(text));
}

/// How often the journal says that a message was accepted.
fn accepted(house: &House, id: &str) -> usize {
    let log = house.read("status/activity.log");
    log.lines().filter(|line| line.contains(&format!("{id} accepted"))).count()
}

#[test]
fn another_drop_zone_is_as_queue_is() {
    let outside = tempfile::tempdir().expect("a folder");
    let real = outside.path().join("本物");
    fs::create_dir(&real).expect("a folder");
    std::os::unix::fs::symlink(&real, outside.path().join("link")).expect("a link");
    let queues = format!("['{FREE}', '{}']", outside.path().join("link/zone").display());
    let mut house = house("zones 二つ目", &queues);
    house.start();
    let (free, far) = (house.path(FREE), real.join("zone"));
    house.until("both zones", |_| free.is_dir() && far.is_dir());

    drop_in(&free, "日本語 😀.yaml", &task("m-free"));
    drop_in(&far, "x.yaml", &task("m-far"));
    assert!(house.result("m-free").contains("answer to m-free"));
    assert!(house.result("m-far").contains("answer to m-far"));

    drop_in(&free, "bad.yaml", "to: nobody\ncontent: 誰\n");
    let reason = free.join("rejected/bad.yaml.reason.yaml");
    house.until("a refusal beside the zone", |_| free.join("rejected/bad.yaml").exists());
    assert_eq!(fs::read_to_string(free.join("rejected/bad.yaml")).expect("it"), "to: nobody\ncontent: 誰\n");
    assert!(fs::read_to_string(reason).expect("a reason").contains("code: unknown-agent"));

    fs::write(far.join("b.yml"), "to: worker\ncontent: x\n").expect("a file");
    said(&house, &format!("{}/b.yml is not taken: its name must end in .yaml", far.display()));
    let status = String::from_utf8(house.ask(&["status"]).stdout).expect("text");
    assert!(status.contains(&format!("{}/rejected/: 1 drop was refused", free.display())), "{status}");
    assert!(status.contains(&format!("{}/b.yml is not taken", far.display())), "{status}");
    let doctor = String::from_utf8(house.ask(&["doctor"]).stdout).expect("text");
    assert!(doctor.contains(&format!("drop zone: {}", free.display())), "{doctor}");
    house.end();
    drop_in(&far, "waits.yaml", &task("m-waits"));
    let status = String::from_utf8(house.ask(&["status", "--json"]).stdout).expect("text");
    let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
    assert_eq!(status["files_in_queue"], 1, "{status}");
    house.start();
    assert!(house.result("m-waits").contains("answer to m-waits"));
    house.end();
}

#[test]
fn what_was_claimed_is_taken_once_and_as_its_owners_whatever_becomes_of_the_list() {
    let mut house = house("zones 打ち切り", &format!("['{FREE}', {{path: box, agent: worker}}]"));
    house.start();
    house.until("both zones", |house| house.path("box").is_dir() && house.path(FREE).is_dir());
    for round in 0..4 {
        let (a, b) = (format!("k-{round}-a"), format!("k-{round}-b"));
        drop_in(&house.path(FREE), "slot.yaml", &task(&a));
        drop_in(&house.path("box"), "slot.yaml", &format!("id: {b}\nto: user\ntype: info\ncontent: 報告\n"));
        house.kill();
        // The list is turned round: a number is no place in it.
        let turned = [
            format!("[{{path: box, agent: worker}}, '{FREE}']"),
            format!("['{FREE}', {{path: box, agent: worker}}]"),
        ];
        set_queues(&house, &turned[round % 2]);
        house.start();
        house.result(&a);
        assert!(done(&house, &b).contains("\nfrom: worker\n"), "{}", done(&house, &b));
        assert_eq!((accepted(&house, &a), accepted(&house, &b)), (1, 1));
    }
    // As a kill between claim and acceptance leaves it, by the number that the zone has on the disk.
    house.kill();
    let zones: serde_json::Value = serde_json::from_str(&house.read(".tasuki/zones.json")).expect("JSON");
    let zones = zones["zones"].as_array().expect("a list");
    let number = |name: &str| {
        zones
            .iter()
            .find(|zone| zone["place"].as_str().is_some_and(|place| place.ends_with(name)))
            .expect(name)["number"]
            .clone()
    };
    let claim = |zone: &str, seq: u32| format!(".tasuki/claim/{seq:032x}-{}-slot.yaml", number(zone));
    house.write(&claim("box", 1), "id: c-box\nto: user\ntype: info\ncontent: 報告\n");
    house.write(&claim(FREE, 2), &task("c-free"));
    house.write(&format!(".tasuki/claim/{:032x}-99-slot.yaml", 3), &task("c-unknown"));
    drop_in(&house.path("box"), "left.yaml", "id: stays\nto: user\ntype: info\ncontent: 残り\n");
    set_queues(&house, "[]");
    house.start();
    assert!(house.result("c-free").contains("answer to c-free"));
    let boxed = done(&house, "c-box");
    assert!(boxed.contains("\nfrom: worker\n") && boxed.contains("\nverified: true\n"), "{boxed}");
    house.until("the refusal of what nobody knows the zone of", |house| {
        house.path("queue/rejected/slot.yaml").exists()
    });
    assert!(house.read("queue/rejected/slot.yaml.reason.yaml").contains("zones.json"));
    assert!(house.path("box/left.yaml").exists(), "nobody wants it");
    assert_eq!((accepted(&house, "c-free"), accepted(&house, "c-box"), accepted(&house, "stays")), (1, 1, 0));
    reload(&house, "[{path: box, agent: worker}]");
    done(&house, "stays");
    house.end();
}

#[test]
fn what_lies_in_an_agents_own_zone_is_that_agents() {
    let mut house = house("zones 持ち主", "[{path: box, agent: worker, status: box/status}]");
    house.start();
    let own = house.path("box");
    house.until("the zone", |_| own.is_dir());
    drop_in(&own, "own.yaml", "id: o-1\nto: user\ntype: info\ncontent: 報告\n");
    let view = done(&house, "o-1");
    assert!(view.contains("\nfrom: worker\n") && view.contains("\nverified: true\n"), "{view}");

    let other = "id: o-2\nfrom: user\nto: worker\ncontent: 偽り\n";
    drop_in(&own, "other.yaml", other);
    house.until("the refusal", |_| own.join("rejected/other.yaml").exists());
    assert_eq!(fs::read_to_string(own.join("rejected/other.yaml")).expect("it"), other);
    let reason = fs::read_to_string(own.join("rejected/other.yaml.reason.yaml")).expect("a reason");
    assert!(reason.contains("code: bad-proof"), "{reason}");
    assert!(reason.contains("the drop zone is worker's, but the message says it is from user"), "{reason}");
    assert_eq!(accepted(&house, "o-2"), 0);
    // So it is where the name of the file says so, and where it cannot be read at all.
    drop_in(&own, "user_to_worker.yaml", "content: 偽り\n");
    house.until("the refusal", |_| own.join("rejected/user_to_worker.yaml").exists());
    drop_in(&own, "torn.yaml", "from: user\nto: [\n");
    house.until("the refusal", |_| own.join("rejected/torn.yaml.reason.yaml").exists());
    let reason = fs::read_to_string(own.join("rejected/torn.yaml.reason.yaml")).expect("a reason");
    assert!(reason.contains("from: worker"), "{reason}");

    let beside = own.join("status/agents/worker.yaml");
    let same = |house: &House| {
        fs::read_to_string(&beside).is_ok_and(|text| text == house.read("status/agents/worker.yaml"))
    };
    house.until("its status beside", same);
    reload(&house, "[{path: box, agent: worker}]");
    house.until("no status beside", |_| !beside.exists());
    reload(&house, "[{path: box, agent: worker, status: status-of-worker 状態}]");
    house.until("its status elsewhere", |house| {
        house.read("status-of-worker 状態/agents/worker.yaml").contains("agent_name: worker")
    });
    house.end();
}

#[test]
fn a_reload_adds_and_removes_zones() {
    let mut house = house("zones 読み直し", "[]");
    house.start();
    reload(&house, &format!("['{FREE}']"));
    let free = house.path(FREE);
    house.until("the zone", |_| free.is_dir());
    said(&house, &format!("{} is a drop zone now", free.display()));
    drop_in(&free, "a.yaml", &task("r-1"));
    house.result("r-1");
    reload(&house, "[]");
    said(&house, &format!("{} is no drop zone any more", free.display()));
    drop_in(&free, "b.yaml", &task("r-2"));
    drop_in(&house.path("queue"), "c.yaml", &task("r-3"));
    house.result("r-3");
    assert!(free.join("b.yaml").exists(), "what came later was taken, and this was not");
    set_queues(&house, "[queue]");
    said(&house, "the team file has an error; the previous settings stay in force");
    reload(&house, &format!("['{FREE}']"));
    house.result("r-2");
    assert_eq!(accepted(&house, "r-2"), 1);
    house.end();
}

#[test]
fn a_zone_that_is_taken_away_is_told_once_and_comes_back() {
    let mut house = house("zones 消える", &format!("['{FREE}', later/zone]"));
    house.start();
    let free = house.path(FREE);
    house.until("the zone", |_| free.is_dir());
    // The daemon makes it again; what is dropped then is seen at once.
    fs::remove_dir_all(&free).expect("to remove it");
    house.until("the zone again", |_| free.is_dir());
    drop_in(&free, "a.yaml", &task("g-1"));
    house.result("g-1");
    // A folder of somebody else's making in its place.
    fs::rename(&free, house.path("moved")).expect("to move it");
    let _ = fs::create_dir(&free);
    drop_in(&free, "b.yaml", &task("g-2"));
    house.result("g-2");

    // What it is to be made in is gone, or was never there.
    let troubles = |house: &House, name: &str| {
        let log = house.read("status/activity.log");
        log.lines()
            .filter(|line| line.contains("the drop zone cannot be looked at") && line.contains(name))
            .count()
    };
    house.until("the trouble", |house| troubles(house, "later") == 1);
    fs::rename(house.path("郵便 📮"), house.path("away")).expect("to move it");
    drop_in(&house.path("queue"), "c.yaml", &task("g-3"));
    house.result("g-3");
    house.until("the trouble", |house| troubles(house, "郵便") == 1);
    fs::create_dir(house.path("later")).expect("a folder");
    fs::rename(house.path("away"), house.path("郵便 📮")).expect("to move it back");
    said(&house, &format!("what is dropped into {}/ is taken again", free.display()));
    said(&house, &format!("what is dropped into {}/ is taken again", house.path("later/zone").display()));
    drop_in(&free, "d.yaml", &task("g-4"));
    drop_in(&house.path("later/zone"), "e.yaml", &task("g-5"));
    house.result("g-4");
    house.result("g-5");
    assert_eq!((troubles(&house, "later"), troubles(&house, "郵便")), (1, 1), "each was told once");
    house.end();
}

#[test]
fn two_workspaces_do_not_share_a_zone() {
    let shared = tempfile::tempdir().expect("a folder");
    let place = shared.path().join("共有");
    let queues = format!("['{}']", place.display());
    let (mut first, mut second) = (house("zones 一", &queues), house("zones 二", &queues));
    first.start();
    first.until("the zone", |_| place.is_dir());
    drop_in(&place, "a.yaml", &task("s-1"));
    first.result("s-1");
    second.start();
    said(&second, "the daemon of another workspace takes what is dropped into");
    for number in 2..6 {
        drop_in(&place, "a.yaml", &task(&format!("s-{number}")));
        first.result(&format!("s-{number}"));
    }
    reload(&first, "[]");
    said(&second, "is taken again");
    drop_in(&place, "a.yaml", &task("s-6"));
    second.result("s-6");
    first.end();
    second.end();
}
