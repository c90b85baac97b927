//! Debates: everybody speaks in a round, a role that fails stops nobody, and the worktrees go at the end.

use super::world::World;
use crate::engine::flowing::flow_id;
use crate::engine::make::{name, team};
use std::collections::BTreeMap;
use tasuki::engine::flow::debate::{Debate, DebateBudget, DebateRole, RoleId, name_of};
use tasuki::engine::flow::debating::DebateStage;
use tasuki::engine::flow::flow::Flow;
use tasuki::engine::flow::opening::Opening;
use tasuki::engine::flow::speaking::{SPEAKER, Told};
use tasuki::engine::flow::tree::{FlowRepository, TreeStage};
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::input::{Command, Input};
use tasuki::engine::job::{Found, JobId};
use tasuki::engine::message::Body;
use tasuki::engine::team::Team;
use tasuki::wire::debate::shown::notes;

fn with_speakers() -> Team {
    let mut team = team();
    let member = team.templates["scripted"].clone();
    team.templates.insert(SPEAKER.to_owned(), member);
    team
}

fn opening(roles: &[&str], keep: bool, parallel: u16) -> Opening {
    let role = |id: &&str| DebateRole {
        id: RoleId::new(id).expect("an id"),
        name: format!("the {id}"),
        provider: "claude".to_owned(),
        model: Some("opus".to_owned()),
    };
    let debate = Debate {
        roles: roles.iter().map(role).collect(),
        rounds: 3,
        timeout_ms: 300_000,
        keep,
        budget: DebateBudget::default(),
        baseline: None,
    };
    let (root, base) = ("/r".to_owned(), "c0ffee".to_owned());
    let repository = Box::new(FlowRepository { root, base, branch: None });
    let body = |content: String| Body { content: content.into(), extra: "".into() };
    let told = |round, role: &DebateRole| Told {
        text: body(format!("round {round}, {}", role.id)),
        env: BTreeMap::from([("PROVIDER".to_owned(), role.provider.clone())]),
    };
    let who = (flow_id(), name("user"), "どうする？".to_owned());
    Opening::of_debate(debate, who, (repository, parallel), body("どうする？".to_owned()), told)
        .expect("names")
}

fn agent(round: u8, role: &str) -> String {
    name_of(&flow_id(), round, &RoleId::new(role).expect("an id"))
}

/// A world in which a debate is open.
struct Hall(World);

impl Hall {
    fn open(opening: Opening) -> Self {
        let mut hall = Self(World::new(with_speakers()));
        hall.0.ask(Command::OpenFlow(Box::new(opening)));
        hall
    }

    fn flow(&self) -> &Flow {
        &self.0.engine.state().flows[&flow_id()]
    }

    fn stages(&self) -> String {
        self.flow().steps.iter().map(|step| step.stage.word()).collect::<Vec<_>>().join(" ")
    }

    fn trees(&self) -> Vec<TreeStage> {
        self.flow().trees.values().map(|tree| tree.stage).collect()
    }

    /// The worktree of a speech is made, and the role speaks.
    fn makes(&mut self, step: u64) {
        let tree = tasuki::engine::flow::name::StepName::numbered(step);
        let branch = self.flow().trees[&tree].branch.to_string();
        let (path, base) = (format!("/r/{branch}").into(), "c0ffee".into());
        let found = Found::Tree { path, base, head: "c0ffee".into(), note: None };
        self.0.step(Input::Job { id: JobId::Tree { flow: flow_id(), tree }, found });
    }

    fn ends(&mut self, step: u64, found: Found) {
        let tree = tasuki::engine::flow::name::StepName::numbered(step);
        self.0.step(Input::Job { id: JobId::EndTree { flow: flow_id(), tree }, found });
    }

    fn speaks(&mut self, round: u8, role: &str) {
        let agent = agent(round, role);
        self.0.start(&agent);
        self.0.give(&agent);
        self.0.claim(&agent);
    }

    fn fails(&mut self, round: u8, role: &str) {
        let agent = agent(round, role);
        let message = self.flow().steps.iter().find(|step| step.spec.to == name(&agent));
        let message = message.and_then(|step| step.message.clone()).expect("it was sent");
        self.0.cancel(message.as_str());
    }
}

#[test]
fn a_role_that_fails_stops_nobody_and_every_worktree_goes_at_the_end() {
    let mut hall = Hall::open(opening(&["qa", "ops"], false, 0));
    assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Round(1)));
    assert_eq!(hall.stages(), "preparing preparing pending pending pending pending");
    for round in 1..=3u8 {
        let first = u64::from(round - 1) * 2 + 1;
        assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Round(round)));
        hall.makes(first);
        hall.makes(first + 1);
        let refused = hall.0.send(&format!("letter{round} user>{}", agent(round, "qa")));
        assert!(refused.contains("no-route") && refused.contains("the role qa in a debate"), "{refused}");
        let hired = &hall.0.engine.state().hired[&name(&agent(round, "qa"))];
        assert_eq!(hired.recipe.env["PROVIDER"].as_deref(), Some("claude"));
        assert!(hired.recipe.cwd.as_deref().is_some_and(|cwd| cwd.ends_with(&agent(round, "qa"))));
        hall.speaks(round, "qa");
        assert_eq!(hall.flow().trees.len(), usize::from(round) * 2);
        assert!(hall.trees().iter().all(|stage| *stage == TreeStage::There), "nothing of it has gone");
        hall.fails(round, "ops");
    }
    assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Round(3)), "it is not over yet");
    assert_eq!(hall.trees(), [TreeStage::Removing; 6]);
    for step in [1, 2, 3, 5] {
        hall.ends(step, Found::Removed);
    }
    // One that cannot go is called by its branch and its folder.
    let branch = agent(2, "ops");
    hall.ends(4, Found::NotDone(format!("{branch} is not removed: it is locked: 家")));
    // One that cannot go keeps no other, and its removal is named again after a crash until it is known what came of it.
    let said = hall.0.crash(&[]);
    let again = said.lines().filter(|line| line.contains("remove the worktree of"));
    assert_eq!(again.count(), 1, "{said}");
    hall.ends(6, Found::NotDone("it is locked: 家".to_owned()));
    assert_eq!(hall.trees()[5], TreeStage::Kept);
    assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Completed));
    let kept = hall.flow().trees.values().last().expect("six");
    assert_eq!(kept.note.as_deref(), Some("it is locked: 家"));
    assert!(kept.path.is_some(), "where it was is known still");
    let told = ["a worktree could not be removed: r2-ops, r3-ops: it is locked: 家"];
    assert_eq!(notes(hall.flow()), told, "what they have in common is told once");
    assert!(hall.0.engine.state().hired.is_empty());
}

#[test]
fn a_round_of_which_nothing_came_is_the_last() {
    let mut hall = Hall::open(opening(&["qa", "ops"], true, 0));
    (1..=2).for_each(|step| hall.makes(step));
    hall.speaks(1, "qa");
    hall.speaks(1, "ops");
    (3..=4).for_each(|step| hall.makes(step));
    hall.fails(2, "qa");
    hall.fails(2, "ops");
    assert_eq!(hall.stages(), "completed completed failed failed cancelled cancelled");
    let Some(DebateStage::Failed(why)) = hall.flow().debate_stage() else { panic!("{:?}", hall.flow()) };
    assert_eq!(why, "no role has completed round 2: qa, ops: cancelled by user", "one reason is told once");
    assert!(hall.trees().iter().all(|stage| *stage == TreeStage::There), "they are kept as was asked");
}

#[test]
fn one_speaks_at_a_time_and_a_debate_that_is_called_off_keeps_nothing() {
    let mut hall = Hall::open(opening(&["qa", "ops", "dev"], false, 1));
    assert!(hall.stages().starts_with("preparing ready ready pending"), "{}", hall.stages());
    hall.makes(1);
    hall.speaks(1, "qa");
    assert!(hall.stages().starts_with("completed preparing ready pending"), "{}", hall.stages());
    hall.makes(2);
    let refused = hall.0.ask(Command::Flow { id: flow_id(), wish: FlowWish::Pause });
    assert!(refused.contains("refused wrong-stage") && refused.contains("is a debate"), "{refused}");
    let said = hall.0.ask(Command::Flow { id: flow_id(), wish: FlowWish::Cancel });
    assert!(said.contains("debate a1b2c3d4-e5f6-7890-abcd-ef1234567890 is cancelled"), "{said}");
    assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Cancelled));
    assert_eq!(hall.trees(), [TreeStage::Removing; 2]);
    assert!(hall.0.engine.state().hired.is_empty(), "whoever speaks is dismissed");
    (1..=2).for_each(|step| hall.ends(step, Found::Removed));
    assert_eq!(hall.trees(), [TreeStage::Gone; 2]);
}
