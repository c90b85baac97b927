//! Tasks that expect something: what was there before is recorded, a claim is checked before it counts, and what is missing goes
//! back to its agent.

use super::world::World;
use crate::engine::make::{id, name, team, token};
use expect_test::expect;
use tasuki::engine::event::Event;
use tasuki::engine::evidence::{Base, Evidence};
use tasuki::engine::input::{Command, Input};
use tasuki::engine::job::{Found, JobId};
use tasuki::engine::words::Millis;

fn base_of(message: &str, agent: &str) -> (JobId, Found) {
    let base = Base {
        agent: name(agent),
        at: Millis(1),
        commit: Some("c0ffee".to_owned()),
        log_bytes: 0,
        command: Vec::new(),
        record: None,
    };
    (JobId::Base { message: id(message), agent: name(agent) }, Found::Base(base))
}

fn evidence(passed: bool, broken: bool) -> Evidence {
    let how = if passed { "it is there" } else { "it is missing" }.to_owned();
    Evidence { check: "file a.md".to_owned(), passed, broken, how, at: Millis(2), ms: 3 }
}

impl World {
    pub(crate) fn job(&mut self, (id, found): (JobId, Found)) -> String {
        self.step(Input::Job { id, found })
    }

    fn checked(&mut self, made: u16, passed: bool) -> String {
        let found = Found::Checked(vec![evidence(passed, false)]);
        self.job((JobId::Check { message: id("t1"), made }, found))
    }

    /// `boss` has the first turn of `t1`, which expects something.
    fn expecting() -> Self {
        Self::expecting_of(World::new(team()), "boss")
    }

    fn expecting_of(mut world: World, agent: &str) -> Self {
        world.send(&format!("t1 user>{agent} expect"));
        world.job(base_of("t1", agent));
        world.give(agent);
        assert_eq!(world.stage("t1"), "working");
        world
    }

    fn answer(&self, message: &str) -> (Vec<Evidence>, String) {
        let ended = self.journal.iter().flat_map(|(_, _, events)| events).find_map(|event| match event {
            Event::Ended { id: ended, answer: Some(answer), .. } if *ended == id(message) => Some(answer),
            _ => None,
        });
        let answer = ended.expect("an answer");
        (answer.evidence.clone(), answer.body.content.to_string())
    }
}

#[test]
fn nothing_is_typed_before_what_was_there_is_recorded() {
    let mut world = World::new(team());
    expect![[r#"
        accepted t1 task user>boss
        > answer accepted [t1]
        > job record what boss has before t1
        > seek boss
    "#]]
    .assert_eq(&world.send("t1 user>boss expect"));
    assert_eq!(world.ready("boss"), "", "it is free, and is not typed to yet");
    // A second job of the same kind is not asked for, and the agent is not forgotten.
    expect![[r#"
        t1 is based for boss
        t1 intent #1 task k00005 by boss
        > ring boss t1 #1 task k00005
    "#]]
    .assert_eq(&world.job(base_of("t1", "boss")));
    assert_eq!(world.job(base_of("t1", "boss")), "", "news of old");
}

#[test]
fn a_claim_ends_the_task_once_its_check_has_passed() {
    let mut world = World::expecting();
    let said = world.claim("boss");
    assert!(said.contains("t1 claim") && said.contains("> job check claim 1 of t1"), "{said}");
    assert_eq!(world.stage("t1"), "claimed");
    // Whatever else says the same meanwhile counts for nothing, and is no fault.
    world.claim("boss");
    assert!(world.reply(5, "again").contains("is being checked"));
    let said = world.checked(1, true);
    assert!(said.contains("t1 verify (marker)\n"), "{said}");
    assert_eq!(world.stage("t1"), "completed");
    assert_eq!(world.answer("t1"), (vec![evidence(true, false)], "done by boss".to_owned()));
    assert_eq!(world.checked(1, true), "");
}

#[test]
fn what_is_missing_goes_back_to_its_agent_and_in_the_end_fails_the_task() {
    let mut world = World::expecting();
    for made in 1..=3 {
        world.claim("boss");
        assert_eq!(world.checked(made - 1, true), "", "it was made of an older claim");
        let said = world.checked(made, false);
        assert!(
            said.contains(&format!(
                "t1 reopen (a check failed ({made} of 4): file a.md failed: it is missing)"
            )),
            "{said}"
        );
        assert_eq!(world.stage("t1"), "waiting");
        let fresh = world.fresh();
        let said = world.give("boss");
        assert!(said.contains(&format!("intent #{} feedback {fresh}", made + 1)), "{said}");
    }
    world.claim("boss");
    world.checked(4, false);
    assert_eq!(world.stage("t1"), "failed");
    let (found, text) = world.answer("t1");
    assert_eq!(found, [evidence(false, false)]);
    expect![[r#"
        a check of its claim failed, and its agent was told so 3 times: file a.md failed: it is missing

        What its agent reported as done:

        done by boss"#]]
    .assert_eq(&text);
    // The agent is free again.
    world.send("t2 user>boss");
    assert!(world.give("boss").contains("t2 intent"));
}

#[test]
fn what_cannot_be_checked_is_not_laid_at_its_agents_door() {
    for found in [
        Found::Checked(vec![evidence(true, false), evidence(false, true)]),
        Found::NotDone("no process can be started".to_owned()),
    ] {
        let mut world = World::expecting();
        world.claim("boss");
        world.job((JobId::Check { message: id("t1"), made: 1 }, found));
        assert_eq!(world.stage("t1"), "failed");
        let (_, text) = world.answer("t1");
        assert!(text.starts_with("its claim could not be checked: "), "{text}");
    }
    let mut world = World::new(team());
    world.send("t1 user>boss expect");
    let job = JobId::Base { message: id("t1"), agent: name("boss") };
    world.job((job, Found::NotDone("the disk is full".to_owned())));
    assert_eq!(world.stage("t1"), "failed");
}

#[test]
fn a_check_that_was_under_way_at_a_crash_is_made_again() {
    let mut world = World::expecting();
    world.claim("boss");
    let said = world.crash(&["boss", "ann", "bob", "eve"]);
    assert!(said.contains("> job check claim 1 of t1"), "{said}");
    world.checked(1, false);
    assert_eq!(world.stage("t1"), "waiting");
    // So is a base, as soon as its agent is to be typed to.
    let mut world = World::new(team());
    world.send("t1 user>boss expect");
    assert!(world.crash(&["boss", "ann", "bob", "eve"]).contains("> job record what boss has before t1"));
    // What a snapshot keeps is enough for both.
    let mut world = World::expecting();
    world.claim("boss");
    world.turn_segment();
    assert!(world.crash(&["boss"]).contains("> job check claim 1 of t1"));
    world.checked(1, true);
    assert_eq!(world.stage("t1"), "completed");
}

#[test]
fn a_claim_stands_when_its_agent_ends_and_what_is_missing_is_put_right_by_the_next_process() {
    let mut world = World::expecting();
    world.claim("boss");
    world.exit("boss", "exit 1");
    assert_eq!(world.stage("t1"), "claimed");
    world.checked(1, false);
    world.pass(2_000);
    world.start("boss");
    let said = world.give("boss");
    assert!(said.contains("t1 intent #2 task") && said.contains("redelivered"), "{said}");
    world.claim("boss");
    world.checked(2, true);
    assert_eq!(world.stage("t1"), "completed");
    // One that is gone for good cannot: its message fails, or goes to somebody else of its pool.
    let mut world = World::expecting();
    world.claim("boss");
    for _ in 0..=team().limits.restarts_max {
        world.exit("boss", "exit 1");
        world.pass(100_000);
        world.start("boss");
    }
    assert_eq!((world.stage("t1"), world.runs("boss")), ("claimed", false));
    world.checked(1, false);
    assert_eq!(world.stage("t1"), "failed");
}

#[test]
fn whoever_gets_it_from_a_pool_has_a_tree_of_its_own() {
    let mut world = World::new(team());
    world.send("t1 user>crew expect");
    world.job(base_of("t1", "ann"));
    world.ready("ann");
    world.withdrawn("ann");
    let said = world.ready("bob");
    assert!(!said.contains("intent"), "{said}");
    assert!(world.job(base_of("t1", "bob")).contains("intent #1 task"));
}

#[test]
fn a_person_may_take_what_was_said_unchecked_and_call_it_off_while_it_is_checked() {
    let mut world = World::expecting();
    world.claim("boss");
    let said = world.cancel("t1");
    assert!(said.contains("> drop the jobs of t1"), "{said}");
    assert_eq!((world.stage("t1"), world.checked(1, true).as_str()), ("cancelled", ""));
    // At any time from its first claim on, for a check may be wrong.
    for at in 0..3 {
        let mut world = World::expecting();
        world.claim("boss");
        if at > 0 {
            world.checked(1, false);
        }
        if at > 1 {
            world.give("boss");
        }
        world.ask(Command::Done { agent: name("boss"), of: None });
        assert_eq!((world.stage("t1"), world.answer("t1").1.as_str()), ("completed", "done by boss"), "{at}");
    }
}

#[test]
fn parts_that_come_while_it_is_checked_are_waited_for() {
    let mut world = World::expecting();
    world.claim("boss");
    world.send("p1 boss>ann token=k00005");
    world.checked(1, true);
    assert_eq!(world.stage("t1"), "waiting");
    world.give("ann");
    world.claim("ann");
    let said = world.give("boss");
    assert!(said.contains("t1 intent #2 answers"), "{said}");
    world.claim("boss");
    world.checked(2, true);
    assert_eq!(world.stage("t1"), "completed");
}

#[test]
fn an_error_of_its_agent_needs_no_check_and_ends_one_that_is_under_way() {
    for claims_before in [false, true] {
        let mut world = World::expecting();
        if claims_before {
            world.claim("boss");
        }
        let (token, text) = (token(5), "cannot be done".into());
        world.ask(Command::Reply { token, text, failed: true, extra: "".into(), spent: None });
        assert_eq!(world.stage("t1"), "failed", "{claims_before}");
    }
}

#[test]
fn what_tries_a_failed_task_again_is_held_against_what_was_there_before_that() {
    let mut world = World::expecting();
    world.claim("boss");
    let job = (JobId::Check { message: id("t1"), made: 1 }, Found::NotDone("the disk is full".to_owned()));
    world.job(job);
    assert_eq!(world.stage("t1"), "failed");
    let said = world.send("t2 user>boss expect again=t1");
    assert!(!said.contains("> job"), "{said}");
    assert!(world.ready("boss").contains("t2 intent #1 task"));
    // For somebody else it is another tree.
    let said = world.send("t3 user>ann expect again=t1");
    assert!(said.contains("> job record what ann has before t3"), "{said}");
}

#[test]
fn a_claim_that_came_in_time_is_in_time_though_its_check_takes_longer() {
    for passed in [true, false] {
        let mut world = World::new(team());
        world.send("t1 user>boss expect deadline=5000");
        world.job(base_of("t1", "boss"));
        world.give("boss");
        world.claim("boss");
        world.pass(10_000);
        assert_eq!(world.stage("t1"), "claimed");
        world.checked(1, passed);
        assert_eq!(world.stage("t1"), if passed { "completed" } else { "failed" });
    }
}
