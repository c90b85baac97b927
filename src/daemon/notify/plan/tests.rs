//! What is told, given needs and times: some cases by hand, and many by chance.

use super::*;
use crate::wire::api::NeedKindInfo;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// What is asked for in these tests.
const ON: [NotifyKind; 3] = [NotifyKind::Asks, NotifyKind::Failed, NotifyKind::Completed];
/// A need waits no longer than this: half a minute and a look.
const LONGEST_MS: u64 = BETWEEN_MS + TICK_MS;
const TICK_MS: u64 = 1_000;

fn need(id: &str, agent: Option<&str>, since: u64) -> NeedInfo {
    let is_asked = id.starts_with("asks");
    NeedInfo {
        id: id.to_owned(),
        kind: if is_asked { NeedKindInfo::Asks } else { NeedKindInfo::Failed },
        group: if is_asked { NeedGroup::Stops } else { NeedGroup::Decide },
        title: "質問".to_owned(),
        detail: None,
        agent: agent.map(str::to_owned),
        message: None,
        since: rfc3339_ms(Millis(since)),
        asks: None,
        until: None,
        behind: Vec::new(),
        behind_count: 0,
        cures: Vec::new(),
        dismiss: None,
    }
}

/// Unread letters, of which this one is the newest.
fn unread(newest: &str, since: u64) -> NeedInfo {
    NeedInfo {
        kind: NeedKindInfo::Unread,
        group: NeedGroup::Info,
        message: Some(newest.to_owned()),
        ..need("unread", None, since)
    }
}

fn task(id: &str, seq: u64, agent: &str) -> CompletedTask {
    let event = NotifyEventInfo::from(&need(&format!("completed.{id}"), Some(agent), seq));
    CompletedTask { seq, event: NotifyEventInfo { kind: NotifyKind::Completed, ..event } }
}

fn plan(notified: Notified, now: u64) -> NotifyPlan {
    let mut plan = NotifyPlan::of(notified, Millis(now));
    plan.ask_for(&ON.into(), Millis(now));
    plan
}

fn ids(events: &[NotifyEventInfo]) -> Vec<&str> {
    events.iter().map(|event| event.id.as_str()).collect()
}

impl NotifyPlan {
    fn told_at(&mut self, at: u64, needs: &[NeedInfo]) -> Vec<String> {
        self.look(Millis(at), needs, Vec::new(), Seq(0));
        self.due(Millis(at)).into_iter().map(|event| event.id).collect()
    }
}

#[test]
fn what_comes_within_half_a_minute_goes_into_the_next_call() {
    let mut plan = plan(Notified::default(), 0);
    let (one, other) = (need("asks.a.1", Some("a"), 1), need("failed.x", Some("a"), 2));
    let held = need("asks.b", Some("b"), 3);
    assert_eq!(plan.told_at(1_000, std::slice::from_ref(&one)), ["asks.a.1"]);
    assert_eq!(plan.told_at(2_000, &[one.clone(), other.clone(), held.clone()]), ["asks.b"]);
    assert_eq!(plan.next_at(), Some(Millis(31_000)));
    assert!(plan.told_at(30_999, &[one.clone(), other.clone()]).is_empty());
    assert_eq!(plan.told_at(31_000, &[one.clone(), other.clone()]), ["failed.x"]);
    assert_eq!(plan.next_at(), None);
    // What has gone before its call is not told, and what comes back is told anew.
    assert!(plan.told_at(32_000, &[need("failed.y", Some("a"), 4)]).is_empty());
    assert_eq!(plan.told_at(70_000, &[held, one]), ["asks.a.1", "asks.b"]);
}

#[test]
fn a_limit_that_a_look_again_finds_is_not_told_twice() {
    let limit = |since| NeedInfo { kind: NeedKindInfo::Limit, ..need("limit.a", Some("a"), since) };
    let mut plan = NotifyPlan::of(Notified::default(), Millis(0));
    plan.ask_for(&[NotifyKind::Limit].into(), Millis(0));
    assert_eq!(plan.told_at(1_000, &[limit(1)]), ["limit.a"]);
    for minute in 1..10 {
        assert!(plan.told_at(minute * 60_000, &[]).is_empty(), "its agent is tried");
        assert!(plan.told_at(minute * 60_000 + 20_000, &[limit(1)]).is_empty(), "{minute}");
    }
    assert!(plan.told_at(600_000, &[]).is_empty());
    assert_eq!(plan.told_at(610_000, &[limit(2)]), ["limit.a"], "another one");
    assert!(plan.told_at(620_000, &[]).is_empty() && plan.told_at(620_000 + TRIED_MS, &[]).is_empty());
    assert_eq!(plan.told_at(630_000 + TRIED_MS, &[limit(2)]), ["limit.a"], "it was gone for long");
}

#[test]
fn a_command_that_cannot_be_started_is_tried_again_with_the_next_event() {
    let mut plan = plan(Notified::default(), 0);
    let needs = [need("asks.a", Some("a"), 1)];
    plan.look(Millis(0), &needs, vec![task("t", 7, "b")], Seq(7));
    let due = plan.due(Millis(0));
    assert_eq!(ids(&due), ["asks.a", "completed.t"]);
    plan.put_back(due);
    assert_eq!((plan.next_at(), plan.notified().seq), (None, Some(6)));
    assert!(plan.told_at(5_000, &needs).is_empty());
    let needs = [needs[0].clone(), need("failed.y", None, 2)];
    plan.look(Millis(6_000), &needs, Vec::new(), Seq(9));
    assert_eq!(ids(&plan.due(Millis(6_000))), ["asks.a", "failed.y", "completed.t"]);
    assert_eq!(plan.notified().seq, Some(9));
    // Nor is it waited for where the team file changes.
    let mut plan = self::plan(Notified::default(), 0);
    plan.look(Millis(0), &needs, Vec::new(), Seq(0));
    let due = plan.due(Millis(0));
    plan.put_back(due);
    plan.ask_for(&ON.into(), Millis(1_000));
    assert_eq!(plan.told_at(1_000, &needs), ["asks.a", "failed.y"]);
}

#[test]
fn of_what_began_before_it_was_asked_for_only_what_stops_work_is_told() {
    let mut plan = NotifyPlan::of(Notified::default(), Millis(10_000));
    plan.ask_for(&[NotifyKind::Asks].into(), Millis(10_000));
    let old = [need("asks.a", Some("a"), 5_000), need("failed.old", Some("b"), 5_000)];
    assert_eq!(plan.told_at(10_000, &old), ["asks.a"]);
    plan.ask_for(&ON.into(), Millis(60_000));
    let all = [old[0].clone(), old[1].clone(), need("failed.new", Some("b"), 61_000)];
    assert_eq!(plan.told_at(61_000, &all), ["failed.new"]);
    // What failed while no daemon ran, or before it could be told, is told by the next one.
    let mut plan = self::plan(plan.notified(), 200_000);
    let all = [all.as_slice(), &[need("failed.newer", Some("c"), 62_000)]].concat();
    assert_eq!(plan.told_at(200_000, &all), ["failed.newer"]);
}

#[test]
fn after_a_restart_a_need_may_be_missing_for_a_while() {
    let mut first = plan(Notified::default(), 0);
    let needs = [need("asks.a", Some("a"), 1)];
    assert_eq!(first.told_at(0, &needs), ["asks.a"]);
    let mut next = plan(first.notified(), 100_000);
    assert!(next.told_at(101_000, &[]).is_empty());
    assert!(next.told_at(110_000, &needs).is_empty(), "it is the same");
    assert!(next.told_at(111_000, &[]).is_empty());
    assert_eq!(next.told_at(150_000, &needs), ["asks.a"]);
    let mut late = plan(first.notified(), 100_000);
    assert!(late.told_at(100_000 + CARRIED_MS, &[]).is_empty());
    assert_eq!(late.told_at(200_000, &needs), ["asks.a"]);
}

/// Chance that can be had again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

/// Something that waits, and what became of it.
struct Lasts {
    info: NeedInfo,
    born: u64,
    /// Whether this daemon has seen it; it may be missing for a while after a start.
    missing_until: u64,
    told: Option<u64>,
    /// Whether the command could not be started or no daemon ran in its time.
    is_excused: bool,
}

/// A workspace, the worker, and its file.
struct World {
    dice: Dice,
    now: u64,
    number: u64,
    needs: Vec<Lasts>,
    /// Completed tasks by their steps, and when each was told.
    journal: Vec<(CompletedTask, u64, Option<u64>, bool)>,
    plan: NotifyPlan,
    cursor: u64,
    saved: Notified,
    looks: bool,
    broken_until: u64,
    calls: BTreeMap<Option<String>, u64>,
    told: usize,
}

impl World {
    fn new(seed: u64) -> Self {
        let plan = plan(Notified::default(), 0);
        let saved = plan.notified();
        Self {
            dice: Dice(seed),
            now: 0,
            number: 0,
            needs: Vec::new(),
            journal: Vec::new(),
            plan,
            cursor: 0,
            saved,
            looks: false,
            broken_until: 0,
            calls: BTreeMap::new(),
            told: 0,
        }
    }

    fn agent(&mut self) -> Option<String> {
        [None, Some("a"), Some("b"), Some("襷")][self.dice.below(4) as usize].map(str::to_owned)
    }

    /// One second.
    fn tick(&mut self) {
        self.now += TICK_MS;
        let woken = self.plan.next_at().is_some_and(|at| at.0 <= self.now);
        if std::mem::replace(&mut self.looks, false) {
            self.look();
        }
        self.looks |= woken;
        if self.dice.one_in(8) {
            self.number += 1;
            let kind = ["asks", "failed"][self.dice.below(2) as usize];
            let (agent, id) = (self.agent(), format!("{kind}.{}", self.number));
            let info = need(&id, agent.as_deref(), self.now);
            self.needs.push(Lasts { info, born: self.now, missing_until: 0, told: None, is_excused: false });
            self.looks = true;
        }
        if self.dice.one_in(10) && !self.needs.is_empty() {
            let at = self.dice.below(self.needs.len() as u64) as usize;
            let gone = self.needs.swap_remove(at);
            self.is_told_in_time(gone.born, gone.told, gone.is_excused, &gone.info.id);
            self.looks = true;
            // It may come back under its name, if this daemon has seen it.
            if self.dice.one_in(3) && gone.missing_until <= self.now && self.plan.carried_until.0 < self.now {
                self.look();
                let info = NeedInfo { since: rfc3339_ms(Millis(self.now)), ..gone.info };
                self.needs.push(Lasts { info, born: self.now, told: None, ..gone });
                self.looks = true;
            }
        }
        if self.dice.one_in(12) {
            let seq = self.journal.len() as u64 + 1;
            let agent = self.agent().unwrap_or_default();
            self.journal.push((task(&seq.to_string(), seq, &agent), self.now, None, false));
            self.looks = true;
        }
        if self.dice.one_in(150) {
            self.broken_until = self.now + self.dice.below(60_000);
        }
        if self.now < self.broken_until {
            self.excuse();
        }
        if self.dice.one_in(200) {
            self.restart();
        }
    }

    fn excuse(&mut self) {
        self.needs.iter_mut().for_each(|need| need.is_excused = true);
        self.journal.iter_mut().for_each(|task| task.3 = true);
    }

    /// The daemon is killed, and another one starts after a while.
    fn restart(&mut self) {
        self.now += self.dice.below(100) * TICK_MS;
        self.plan = plan(self.saved.clone(), self.now);
        self.cursor = self.saved.seq.unwrap_or(0);
        self.excuse();
        let missing = self.dice.below(20_000);
        self.needs.iter_mut().for_each(|need| need.missing_until = self.now + missing);
        self.calls.clear();
        self.looks = true;
    }

    fn look(&mut self) {
        let now = Millis(self.now);
        let is_there = |need: &&Lasts| need.missing_until <= self.now;
        let needs: Vec<NeedInfo> = self.needs.iter().filter(is_there).map(|need| need.info.clone()).collect();
        self.looks |= needs.len() < self.needs.len();
        let completed: Vec<CompletedTask> =
            self.journal.iter().skip(self.cursor as usize).map(|(task, ..)| task.clone()).collect();
        self.cursor = self.journal.len() as u64;
        self.plan.look(now, &needs, completed, Seq(self.cursor));
        let due = self.plan.due(now);
        let is_news = !due.is_empty();
        if is_news && self.now < self.broken_until {
            self.plan.put_back(due);
        } else {
            self.tell(due);
        }
        let notified = self.plan.notified();
        if is_news || (&notified.told, &notified.on) != (&self.saved.told, &self.saved.on) {
            self.saved = notified;
        }
    }

    fn tell(&mut self, events: Vec<NotifyEventInfo>) {
        let agents: BTreeSet<Option<String>> = events.iter().map(|event| event.agent.clone()).collect();
        for agent in agents {
            let before = self.calls.insert(agent.clone(), self.now);
            let is_soon = before.is_some_and(|before| self.now - before < BETWEEN_MS);
            assert!(!is_soon, "{agent:?} twice within half a minute, at {before:?} and {}", self.now);
        }
        for event in events {
            self.told += 1;
            let need = self.needs.iter_mut().find(|need| need.info.id == event.id).map(|need| &mut need.told);
            let task = self.journal.iter_mut().find(|(task, ..)| task.event.id == event.id);
            let told = need.or(task.map(|task| &mut task.2)).expect("what is told is so");
            assert_eq!(told.replace(self.now), None, "{} is told twice", event.id);
        }
    }

    fn is_told_in_time(&self, born: u64, told: Option<u64>, is_excused: bool, id: &str) {
        let late = told.unwrap_or(self.now).saturating_sub(born);
        assert!(is_excused || late <= LONGEST_MS, "{id} of {born} is told at {told:?}, now {}", self.now);
    }
}

#[test]
fn whatever_comes_nothing_is_told_twice_or_too_late_or_too_often() {
    let given = std::env::var("TASUKI_SEED").ok().and_then(|text| text.parse().ok());
    let seed: u64 = given.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    println!("to see the same again: TASUKI_SEED={seed}");
    let mut told = 0;
    for run in 0..300 {
        let mut world = World::new(seed.wrapping_add(run));
        (0..600).for_each(|_| world.tick());
        // In the end all that lasts is told, whatever was in the way.
        world.broken_until = 0;
        world.plan.ask_for(&ON.into(), Millis(world.now));
        world.needs.iter_mut().for_each(|need| need.missing_until = 0);
        for _ in 0..40 {
            world.looks = true;
            world.now += TICK_MS;
            world.look();
        }
        for need in &world.needs {
            assert!(need.told.is_some(), "{} is never told", need.info.id);
            world.is_told_in_time(need.born, need.told, need.is_excused, &need.info.id);
        }
        for (task, at, told, is_excused) in &world.journal {
            assert!(told.is_some(), "{} is never told", task.event.id);
            world.is_told_in_time(*at, *told, *is_excused, &task.event.id);
        }
        told += world.told;
    }
    assert!(told > 10_000, "{told} events are few");
}

#[test]
fn each_letter_is_told_though_those_that_are_unread_are_one_need() {
    let mut plan = NotifyPlan::of(Notified::default(), Millis(0));
    plan.ask_for(&[NotifyKind::Unread].into(), Millis(0));
    plan.look(Millis(1_000), &[unread("i-1", 500)], Vec::new(), Seq(0));
    assert_eq!(ids(&plan.due(Millis(1_000))), ["unread.i-1"]);
    // A second one of the same agent, while the first is unread.
    plan.look(Millis(2_000), &[unread("i-2", 1_500)], Vec::new(), Seq(0));
    assert!(plan.due(Millis(2_000)).is_empty(), "within half a minute");
    plan.look(Millis(1_000 + BETWEEN_MS), &[unread("i-2", 1_500)], Vec::new(), Seq(0));
    assert_eq!(ids(&plan.due(Millis(1_000 + BETWEEN_MS))), ["unread.i-2"]);
    plan.look(Millis(100_000), &[unread("i-2", 1_500)], Vec::new(), Seq(0));
    assert!(plan.due(Millis(100_000)).is_empty(), "once");
}
