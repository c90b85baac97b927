//! Classes 26 and 63 to 72: messages that are well formed and make no sense to this team.

use crate::bad_input::table::{AGENT, Case, TEAM, Town, fixtures};
use std::fs;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = [fixtures(67..=67), fixtures(70..=70)].concat();
    let circle = "id: c-1\nto: worker\ncontent: x\ndepends_on: [c-2]\n---\nid: c-2\nto: worker\ncontent: x\ndepends_on: [c-1]\n";
    cases.extend([
        Case::refused(
            63,
            "63-no-route.yaml",
            "from: worker\nto: neighbour\ncontent: x\n",
            "no-route",
            "worker may not task neighbour; they may task: nobody",
        )
        .at(2, 5),
        Case::refused(
            63,
            "63-not-below.yaml",
            "from: boss\nto: neighbour\ncontent: x\n",
            "no-route",
            "boss may not task neighbour; they may task: worker",
        )
        .at(2, 5),
        Case::refused(65, "65-circle.yaml", circle, "cycle", "waits for itself through `depends_on`")
            .at(4, 13),
        Case::refused(
            66,
            "66-unknown-dependency.yaml",
            "to: worker\ncontent: x\ndepends_on: [msg-nowhere]\n",
            "unknown-dependency",
            "there is no message msg-nowhere",
        )
        .at(3, 13),
        Case::refused(
            69,
            "69-command.yaml",
            "to: worker\ncontent: x\nexpect: {command: [rm, -rf, /]}\n",
            "command-not-allowed",
            "`rm -rf /` is not one of the team file's `commands:`; it has none",
        )
        .at(3, 9),
    ]);
    cases
}

/// The view of an open message says so.
fn until_stage(town: &Town, id: &str, stage: &str) -> String {
    let view = format!("queue/active/{id}.yaml");
    town.house.until(&format!("{id} to be {stage}"), |house| {
        house.read(&view).contains(&format!("stage: {stage}\n"))
    });
    town.house.read(&view)
}

fn refused(town: &Town, name: &str, text: &str, code: &str, why: &str) {
    town.house.drop(name, text);
    let reason = town.reason(name);
    assert_eq!(reason["code"], code, "{name}: {reason}");
    assert!(reason["why"].as_str().is_some_and(|said| said.contains(why)), "{name}: {reason}");
    assert_eq!(town.house.read(&format!("queue/rejected/{name}")), text);
    println!("{name}: {} {}", reason["code"], reason["why"]);
}

#[test]
fn an_id_is_one_message() {
    let town = Town::start("ids");
    let text = "id: one\nfrom: user\nto: worker\ncontent: do it\nmetadata: {a: 1, b: [2]}\n";
    town.house.write("seen/one.hold", "");
    town.house.drop("first.yaml", text);
    town.house.until("it to be printed", |house| house.path("seen/one.printed").exists());
    let active = until_stage(&town, "one", "working");
    let token = active.lines().find_map(|line| line.strip_prefix("token: ")).expect("its token").to_owned();
    let same = |name: &str, text: &str| {
        town.house.drop(name, text);
        let note = format!("{name} is a duplicate of one: ignored");
        town.house.until(&note, |house| house.read("status/activity.log").contains(&note));
        assert!(!town.house.path("queue").join(name).exists() && town.accepted(name).is_empty());
    };
    for (round, open) in [("open", true), ("ended", false)] {
        same(&format!("{round}-same.yaml"), text);
        same(&format!("{round}-time.yaml"), &format!("{text}timestamp: 2026-02-02T12:00:00Z\n"));
        same(
            &format!("{round}-order.yaml"),
            "metadata: {b: [2], a: 1}\ncontent: 'do it'\nto: worker\nid: one\nfrom: user\ntype: task\n",
        );
        same(&format!("{round}-token.yaml"), &format!("{text}token: {token}\n"));
        for (number, other) in [
            text.replace("do it", "do that"),
            text.replace("to: worker", "to: neighbour"),
            text.replace("[2]", "[3]"),
            format!("{text}priority: high\n"),
            format!("{text}colour: red\n"),
        ]
        .iter()
        .enumerate()
        {
            refused(
                &town,
                &format!("{round}-{number}.yaml"),
                other,
                "id-conflict",
                "one was accepted before with other content",
            );
        }
        if open {
            fs::remove_file(town.house.path("seen/one.hold")).expect("the hold");
            assert!(town.house.result("one").contains("answer to one"));
            town.house.until("it to be closed", |house| !house.path("queue/active/one.yaml").exists());
        }
    }
    refused(
        &town,
        "twins.yaml",
        "id: twin\nto: worker\ncontent: x\n---\nid: twin\nto: worker\ncontent: x\n",
        "id-conflict",
        "two documents of the file have the same id",
    );
    refused(
        &town,
        "all-or-none.yaml",
        "id: none\nto: worker\ncontent: x\n---\nid: one\nto: worker\ncontent: other\n",
        "id-conflict",
        "one was accepted before with other content",
    );
    assert!(!town.house.read("status/activity.log").contains("none accepted"));
    town.end("end");
}

#[test]
fn hands_are_counted() {
    let team = format!(
        "{TEAM}  - {{name: hand, reports_to: worker, provider: plain, command: [bash, ./agent.sh], marker: HAND OK, env: {{PHRASE: HAND OK}}}}\nsettings: {{max_hops: 1}}\n"
    );
    let town = Town::with("hands", &team);
    for id in ["first", "second"] {
        town.house.write(&format!("seen/{id}.hold"), "");
    }
    town.house.drop("first.yaml", "id: first\nto: boss\ncontent: x\n");
    until_stage(&town, "first", "working");
    town.house.drop("second.yaml", "id: second\nfrom: boss\nto: worker\nparent: first\ncontent: x\n");
    let second = until_stage(&town, "second", "working");
    assert!(second.contains("hops: 1\n"), "{second}");
    refused(
        &town,
        "64-third.yaml",
        "id: third\nfrom: worker\nto: hand\nparent: second\ncontent: x\n",
        "too-many-hops",
        "it has already gone through 1 hand",
    );
    for id in ["second", "first"] {
        fs::remove_file(town.house.path(&format!("seen/{id}.hold"))).expect("the hold");
        town.house.result(id);
    }
    // The hand was never asked; the worker, which sent it, is told.
    let told = "64-third.yaml was refused: it has already gone through 1 hand (too-many-hops). Cure: ";
    until_told(&town, told);
    town.end("end");
}

/// An agent has read an error that says so.
fn until_told(town: &Town, words: &str) {
    town.house.until(words, |house| {
        let seen = fs::read_dir(house.path("seen")).expect("seen").flatten();
        let texts = seen.map(|file| fs::read_to_string(file.path()).unwrap_or_default());
        texts
            .into_iter()
            .any(|text| (text.contains("type: error") || text.contains("answers:")) && text.contains(words))
    });
}

#[test]
fn the_sender_of_a_refused_drop_is_told() {
    let town = Town::start("senders");
    let cases = [
        ("worker", "body.yaml", "from: worker\ncontent: x\n", "body.yaml was refused: `to` is missing"),
        (
            "boss",
            "boss_to_worker.yaml",
            "content: [x]\n",
            "boss_to_worker.yaml was refused: `content` must be a text, not a list",
        ),
        (
            "neighbour",
            "later.yaml",
            "to: user\ntype: info\ncontent: x\n---\nfrom: neighbour\nto: ../x\ncontent: x\n",
            "later.yaml was refused: `to`: `../x`",
        ),
    ];
    for (sender, name, text, told) in cases {
        town.house.drop(name, text);
        until_told(&town, told);
        assert_eq!(town.reason(name)["from"], sender);
    }
    // The words of a stranger make no agent of it, and a name that is none is nobody's.
    for (number, from) in ["ghost", "../../etc/passwd", "\"wor\\u202eker\""].iter().enumerate() {
        town.house.drop(&format!("stranger-{number}.yaml"), &format!("from: {from}\nto: [x]\ncontent: x\n"));
        town.reason(&format!("stranger-{number}.yaml"));
    }
    town.goes_on("good");
    town.check_quiet();
    town.end("end");
}

#[test]
fn nobody_waits_for_himself() {
    let town = Town::with("circles", &format!("{TEAM}routes: [{{from: worker, to: [boss]}}]\n"));
    for id in ["whole", "part"] {
        town.house.write(&format!("seen/{id}.hold"), "");
    }
    town.house.drop("whole.yaml", "id: whole\nto: boss\ncontent: x\n");
    until_stage(&town, "whole", "working");
    town.house.drop("part.yaml", "id: part\nfrom: boss\nto: worker\nparent: whole\ncontent: x\n");
    until_stage(&town, "part", "working");
    refused(
        &town,
        "65-agents.yaml",
        "from: worker\nto: boss\nparent: part\ncontent: x\n",
        "wait-cycle",
        "boss waits for this task's parent",
    );
    refused(
        &town,
        "65-whole.yaml",
        "from: boss\nto: worker\nparent: whole\ndepends_on: [whole]\ncontent: x\n",
        "cycle",
        "whole can only end after whole, of which this is a part",
    );
    refused(
        &town,
        "65-itself.yaml",
        "id: self\nto: worker\ndepends_on: [self]\ncontent: x\n",
        "cycle",
        "self waits for itself",
    );
    for id in ["part", "whole"] {
        fs::remove_file(town.house.path(&format!("seen/{id}.hold"))).expect("the hold");
        town.house.result(id);
    }
    town.end("end");
}

#[test]
fn too_many_messages_wait_and_it_is_told() {
    let town = Town::with("rates", &format!("{TEAM}settings: {{messages_per_minute: 2}}\n"));
    for number in 1..=3 {
        town.house.drop(
            &format!("71-{number}.yaml"),
            &format!("id: rate-{number}\nfrom: boss\nto: worker\ncontent: x\n"),
        );
        if number < 3 {
            town.house.result(&format!("rate-{number}"));
        }
    }
    town.house.drop("71-user.yaml", "id: rate-user\nto: worker\ncontent: x\n");
    let told = "rate-3 accepted: task from boss (not verified) to worker as 71-3.yaml; it waits: boss has sent worker too many messages within a minute";
    town.house.until(told, |house| house.read("status/activity.log").contains(told));
    town.house.result("rate-user");
    let view = town.house.read("queue/active/rate-3.yaml");
    assert!(view.contains("stage: queued\n"), "it was given all the same: {view}");
    let why = town.house.tasuki().args(["why", "rate-3"]).output().expect("why");
    let why = String::from_utf8(why.stdout).expect("UTF-8");
    assert!(why.contains("it waits: boss has sent worker too many messages within a minute"), "{why}");
    assert!(!town.house.path("seen/rate-3.yaml").exists());
    town.end("end");
}

#[test]
fn what_is_called_off_or_late_is_never_typed() {
    let town = Town::start("called off");
    town.house.write("seen/busy.hold", "");
    town.house.drop("busy.yaml", "id: busy\nto: worker\ncontent: x\n");
    until_stage(&town, "busy", "working");
    town.house.drop("cancel.yaml", "id: cancel\nto: worker\ncontent: x\n");
    until_stage(&town, "cancel", "queued");
    let cancel = town.house.tasuki().args(["cancel", "cancel"]).output().expect("cancel");
    assert!(cancel.status.success(), "{cancel:?}");
    let soon =
        chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::seconds(2);
    let soon = soon.format("%Y-%m-%dT%H:%M:%S%.3fZ");
    town.house.drop("late.yaml", &format!("id: late\nto: worker\ndeadline: {soon}\ncontent: x\n"));
    until_stage(&town, "late", "queued");
    let late = town.house.result("late");
    assert!(late.contains("type: error") && late.contains("status: failed"), "{late}");
    assert!(late.contains("deadline"), "{late}");
    let cancelled = town.house.result("cancel");
    assert!(cancelled.contains("type: error") && cancelled.contains("status: cancelled"), "{cancelled}");
    fs::remove_file(town.house.path("seen/busy.hold")).expect("the hold");
    town.house.result("busy");
    town.house.drop("after.yaml", "id: after\nto: worker\ncontent: x\n");
    town.house.result("after");
    let pane = town.house.tmux(&["capture-pane", "-pJ", "-S", "-", "-t", "tasuki:worker"]);
    assert!(
        pane.contains("[tasuki] task after ") && !pane.contains("late") && !pane.contains("cancel"),
        "{pane}"
    );
    assert!(!AGENT.contains("late"), "the check above would fail by itself");
    town.end("end");
}
