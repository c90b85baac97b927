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
use tasuki::engine::flow::spent::SpeechCost;
use tasuki::engine::flow::tree::{FlowRepository, TreeStage};
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::input::{Command, Input, Report};
use tasuki::engine::job::{Found, JobId};
use tasuki::engine::message::{Body, BodyRef};
use tasuki::engine::team::Team;
use tasuki::engine::words::MessageId;
use tasuki::wire::api::ReplyBody;
use tasuki::wire::debate::document::RoundOutput;
use tasuki::wire::debate::reported::reports;
use tasuki::wire::debate::shown::{notes, output, result};
use tasuki::wire::headless::failed::{ProgramEnd, ProgramFailure};

/// The roles that have ended in a round, in their order.
fn outputs(flow: &Flow, round: u8, bodies: &mut dyn FnMut(BodyRef) -> Option<Body>) -> Vec<RoundOutput> {
    let debate = flow.debate().expect("a debate");
    let speeches = flow.speeches(debate, round).iter().zip(&debate.roles);
    speeches.filter_map(|(step, role)| output(step, (round, role, debate), bodies)).collect()
}

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
    opening_of(debate, parallel)
}

fn opening_of(debate: Debate, parallel: u16) -> Opening {
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

    /// A role answers by the socket, and says what that took.
    fn answers(&mut self, round: u8, role: &str, (tokens, no_news): (u64, bool)) {
        let agent = agent(round, role);
        self.0.start(&agent);
        self.0.give(&agent);
        let message = self.message_of(&agent);
        let token = self.0.token_of(&message).expect("a token");
        let spent = Some(Box::new(SpeechCost { tokens, cost_micro_usd: 1, no_news }));
        let (text, extra) = (role.into(), "".into());
        self.0.ask(Command::Reply { token, text, failed: false, extra, spent });
    }

    fn message_of(&self, agent: &str) -> MessageId {
        let message = self.flow().steps.iter().find(|step| step.spec.to == name(agent));
        message.and_then(|step| step.message.clone()).expect("it was sent")
    }

    /// Who has an output in a round, and whether it says something.
    fn outputs(&self, round: u8) -> Vec<(String, bool)> {
        let text = || Body { content: "text".into(), extra: "".into() };
        let all = outputs(self.flow(), round, &mut |_| Some(text()));
        all.into_iter().map(|output| (output.role, output.error.is_none())).collect()
    }

    fn fails(&mut self, round: u8, role: &str) {
        let message = self.message_of(&agent(round, role));
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
        assert_eq!(hall.outputs(round), [("qa".to_owned(), true), ("ops".to_owned(), false)]);
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

#[test]
fn who_calls_the_task_of_a_speaker_off_is_answered_though_it_is_dismissed_at_once() {
    let mut hall = Hall::open(opening(&["qa"], false, 0));
    hall.makes(1);
    let agent = agent(1, "qa");
    hall.0.start(&agent);
    hall.0.give(&agent);
    let message = hall.flow().steps[0].message.clone().expect("it was sent");
    let told = hall.0.cancel(message.as_str());
    assert!(told.contains(&format!("is cancelled; {agent} has ended")), "{told}");
}

/// What misleads whoever reads causes out of words.
const WORDS: &str = "tmux timed out: `x` did not end within 5m, its worktree could not be made, budget";

#[test]
fn each_failure_has_its_code_whatever_its_words_are() {
    let mut team = with_speakers();
    team.limits.restarts_max = 0;
    let mut hall = Hall(World::new(team));
    let roles = ["tree", "start", "dies", "slow", "off", "crash", "late"];
    hall.0.ask(Command::OpenFlow(Box::new(opening(&roles, true, 0))));
    let tree = tasuki::engine::flow::name::StepName::numbered(1);
    let found = Found::NotDone(WORDS.to_owned());
    hall.0.step(Input::Job { id: JobId::Tree { flow: flow_id(), tree }, found });
    (2..=7).for_each(|step| hall.makes(step));
    hall.0.report(&agent(1, "start"), Report::StartFailed { why: WORDS.to_owned() });
    hall.0.start(&agent(1, "dies"));
    hall.0.give(&agent(1, "dies"));
    hall.0.exit(&agent(1, "dies"), WORDS);
    hall.fails(1, "off");
    for (role, cause) in [("crash", ProgramEnd::Crashed), ("late", ProgramEnd::TimedOut)] {
        let agent = agent(1, role);
        hall.0.start(&agent);
        let token = hall.0.fresh();
        hall.0.give(&agent);
        let failure = Some(ProgramFailure { cause, exit: Some("exit 3".into()), stderr: None });
        let said = ReplyBody { text: WORDS.into(), failed: true, failure, ..ReplyBody::default() };
        let (extra, text) = (said.extra().into(), said.text.into());
        hall.0.ask(Command::Reply { token, text, failed: true, extra, spent: None });
    }
    hall.0.start(&agent(1, "slow"));
    hall.0.give(&agent(1, "slow"));
    hall.0.pass(306_000);

    let codes = |hall: &Hall| -> Vec<String> {
        let late = hall.flow().steps[6].answer.as_ref().map(|answer| answer.body);
        let body = |cause| {
            let failure = Some(ProgramFailure::of(cause));
            let said = ReplyBody { failed: true, failure, ..ReplyBody::default() };
            Body { content: WORDS.into(), extra: said.extra().into() }
        };
        let mut bodies =
            |place| Some(body(if Some(place) == late { ProgramEnd::TimedOut } else { ProgramEnd::Crashed }));
        let found = outputs(hall.flow(), 1, &mut bodies);
        found.into_iter().map(|output| output.tasuki.code.unwrap_or(output.role)).collect()
    };
    let expected = [
        "worktree-creation-failed",
        "tmux-session-failed",
        "agent-crashed",
        "round-execution-timeout",
        "cancelled",
        "agent-crashed",
        "round-execution-timeout",
    ];
    assert_eq!(codes(&hall), expected);
    hall.0.turn_segment();
    hall.0.crash(&[]);
    assert_eq!(codes(&hall), expected, "a snapshot has it, too");
}

#[test]
fn whoever_is_asked_alone_is_in_no_round_and_the_last_round_is_always_held() {
    let debate = opening(&["qa", "ops"], false, 0).head.debate.expect("a debate");
    let alone = DebateRole { id: RoleId::new("alone").expect("an id"), ..debate.roles[0].clone() };
    let mut hall =
        Hall::open(opening_of(Debate { rounds: 4, baseline: Some(Box::new(alone)), ..*debate }, 0));
    (1..=2).for_each(|step| hall.makes(step));
    hall.makes(9);
    hall.answers(1, "qa", (10, true));
    hall.answers(1, "ops", (10, true));
    assert!(hall.stages().starts_with("completed completed preparing preparing"), "{}", hall.stages());
    (3..=4).for_each(|step| hall.makes(step));
    let given = &hall.0.engine.state().open[&hall.message_of(&agent(2, "ops"))].progress.answers;
    assert_eq!(given.len(), 2, "what each of the round before has said: {given:?}");
    // Nobody who answered has anything new to say.
    hall.answers(2, "qa", (10, true));
    hall.0.crash(&[]);
    assert_eq!(hall.stages(), "completed completed completed sent pending pending pending pending sent");
    hall.fails(2, "ops");
    let after = "completed completed completed failed cancelled cancelled preparing preparing sent";
    assert_eq!(hall.stages(), after);
    (7..=8).for_each(|step| hall.makes(step));
    hall.answers(4, "ops", (10, false));
    hall.fails(4, "qa");
    assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Round(4)), "somebody is still asked alone");
    hall.answers(1, "alone", (10, false));
    [1, 2, 3, 4, 7, 8, 9].into_iter().for_each(|step| hall.ends(step, Found::Removed));
    assert_eq!(hall.flow().debate_stage(), Some(DebateStage::Completed));
    assert_eq!(hall.flow().spent().tokens, 50);
}

#[test]
fn whoever_was_asked_more_than_once_is_said_to_have_been() {
    let mut hall = Hall::open(opening(&["qa", "ops"], false, 0));
    (1..=2).for_each(|step| hall.makes(step));
    let (qa, ops) = (agent(1, "qa"), agent(1, "ops"));
    // What was not typed after all is no question.
    hall.0.start(&ops);
    hall.0.ready(&ops);
    hall.0.withdrawn(&ops);
    hall.0.pass(10_000);
    hall.0.give(&ops);
    hall.0.start(&qa);
    hall.0.give(&qa);
    hall.0.exit(&qa, "tmux is gone");
    hall.0.turn_segment();
    hall.0.crash(&[]);
    hall.0.pass(60_000);
    hall.0.start(&qa);
    hall.0.give(&qa);
    for role in [&qa, &ops] {
        let token = hall.0.token_of(&hall.message_of(role)).expect("a token");
        hall.0.ask(Command::Reply { token, text: "x".into(), failed: false, extra: "".into(), spent: None });
    }
    let all = outputs(hall.flow(), 1, &mut |_| None);
    let tries: Vec<_> = all.iter().map(|output| (&*output.role, output.tasuki.tries)).collect();
    assert_eq!(tries, [("qa", Some(2)), ("ops", None)]);
}

#[test]
fn a_report_counts_failures_as_the_status_does() {
    let debate = opening(&["qa", "ops"], true, 0).head.debate.expect("a debate");
    let alone = DebateRole { id: RoleId::new("alone").expect("an id"), ..debate.roles[0].clone() };
    let mut hall =
        Hall::open(opening_of(Debate { rounds: 2, baseline: Some(Box::new(alone)), ..*debate }, 0));
    [1, 2, 5].into_iter().for_each(|step| hall.makes(step));
    hall.answers(1, "qa", (10, false));
    let baseline = agent(1, "alone");
    hall.0.start(&baseline);
    hall.0.give(&baseline);
    hall.0.exit(&baseline, "tmux is gone");
    hall.0.pass(60_000);
    for role in ["ops", "alone"] {
        hall.0.start(&agent(1, role));
        hall.0.give(&agent(1, role));
        let token = hall.0.token_of(&hall.message_of(&agent(1, role))).expect("a token");
        hall.0.ask(Command::Reply {
            token,
            text: "no model".into(),
            failed: true,
            extra: "".into(),
            spent: None,
        });
    }
    (3..=4).for_each(|step| hall.makes(step));
    hall.answers(2, "qa", (10, false));
    // Who was called off has not failed.
    hall.0.start(&agent(2, "ops"));
    hall.0.give(&agent(2, "ops"));
    hall.fails(2, "ops");
    assert_eq!(hall.stages(), "completed failed completed failed failed");
    let text = || Body { content: "text".into(), extra: "".into() };
    let told = result(hall.flow(), "", None).message;
    let report = reports(hall.flow(), &mut |_| Some(text())).expect("it is over").markdown;
    assert!(told.contains("2 failed") && report.contains("2 failed"), "{told}\n{report}");
    assert!(report.contains("- Baseline, **alone**: ") && report.contains("asked 2 times"), "{report}");
}

#[test]
fn nobody_is_asked_once_the_budget_is_used_up_and_after_a_cancel() {
    let debate = opening(&["qa", "ops"], true, 1).head.debate.expect("a debate");
    let budget = DebateBudget { tokens: Some(20), ..DebateBudget::default() };
    let open = |budget| Hall::open(opening_of(Debate { budget, ..(*debate).clone() }, 1));
    let mut hall = open(budget);
    (1..=2).for_each(|step| {
        hall.makes(step);
        hall.answers(1, ["qa", "ops"][step as usize - 1], (10, false));
    });
    assert_eq!(hall.stages(), "completed completed failed failed cancelled cancelled");
    let why = hall.flow().steps[2].note.clone();
    assert_eq!(why.as_deref(), Some("the budget of 20 tokens is used up: 20 are known"));
    let mut hall = open(DebateBudget::default());
    hall.makes(1);
    hall.answers(1, "qa", (10, false));
    hall.makes(2);
    hall.0.ask(Command::Flow { id: flow_id(), wish: FlowWish::Cancel });
    assert_eq!(hall.stages(), "completed cancelled cancelled cancelled cancelled cancelled");
}
