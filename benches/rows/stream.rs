//! Row 10: agents at work that print a hundred lines a second each, without end. The daemon's and tmux's processor time, told
//! apart, and how often the daemon looks at a pane: once a second at most. The limit only reads what tmux tells.

use crate::house::House;
use crate::limits;
use crate::proc::Deeds;
use crate::support::rounds::{self, Contest, Goal, Scale};
use crate::support::stamp;
use crate::team;
use std::fmt::Write as _;
use std::io::{BufRead as _, Write as _};
use std::time::Duration;

/// The word that makes this program an agent that prints.
pub(crate) const WORD: &str = "--stream";
/// Between two lines.
const LINE_EVERY: Duration = Duration::from_millis(10);
/// How many panes.
const SIZES: [(usize, &str); 2] = [(25, "25 panes"), (100, "100 panes")];
/// Until the first looks of a turn are over.
const WARM: Duration = Duration::from_secs(5);
/// How long is measured.
const MEASURED: Duration = Duration::from_secs(10);
/// Only to see that it runs.
const TINY: Duration = Duration::from_secs(1);
/// What looks at a pane costs is set against this.
const LOOKS_MAX: f64 = 1.0;

/// Takes its task and prints without end.
#[expect(clippy::disallowed_methods, reason = "an agent at work")]
pub(crate) fn live(_words: &[String]) {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).expect("a task");
    let mut out = std::io::stdout().lock();
    for number in 0_u64.. {
        writeln!(out, "line {number}: 仕事をしています, and so on and on").expect("a terminal");
        std::thread::sleep(LINE_EVERY);
    }
}

pub(crate) fn run(scale: Scale) {
    let goal = Goal::OursAtMost(5.0);
    for (panes, name) in scale.pick(&SIZES[..], &[(2, "2 panes")]) {
        let contest = Contest { name, unit: "% of a processor", goal };
        let program = std::env::current_exe().expect("this program").display().to_string();
        let command = [program, WORD.to_owned()];
        let limit = || limits::control::observed(*panes, &command, scale.pick(MEASURED, TINY).as_secs_f64());
        rounds::run(contest, scale, || tasuki(*panes, scale), limit);
    }
}

/// The daemon's share of a processor, in percent.
#[expect(clippy::disallowed_methods, reason = "looks at a process for a while")]
fn tasuki(panes: usize, scale: Scale) -> f64 {
    let program = std::env::current_exe().expect("this program");
    let command = format!("command: [{program:?}, {WORD}], marker: STREAM OK");
    let mut agents = String::new();
    for number in 0..panes {
        let how = format!("reports_to: user, provider: plain, timeout: 1h, {command}");
        writeln!(agents, "  - {{name: a{number}, {how}}}").unwrap();
    }
    let mut house = House::within(team::folder(), "stream", &agents, &[]);
    house.start();
    all(&house, panes, "idle");
    for number in 0..panes {
        let id = format!("p-{number}");
        team::drop_file(&house, &format!("{id}.yaml"), &team::message(&id, &format!("a{number}")));
    }
    all(&house, panes, "working");
    let server = house.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().expect("a process");
    std::thread::sleep(scale.pick(WARM, TINY));
    count_looks(&house);
    let look =
        || (Deeds::of(house.pid()), Deeds::of(server), lines(&house, panes), looks(&house), stamp::now());
    let (ours, theirs, printed, looked, from) = look();
    std::thread::sleep(scale.pick(MEASURED, TINY));
    let (ours_after, theirs_after, printed_after, looked_after, _) = look();
    let seconds = stamp::seconds_since(from);
    let share = (ours_after.ticks - ours.ticks) as f64 / seconds;
    println!(
        "    {:.0} lines a second each: {share:.1} %, tmux {:.1} %; {:.2} looks a second and pane (at most {LOOKS_MAX})",
        (printed_after - printed) as f64 / seconds / panes as f64,
        (theirs_after.ticks - theirs.ticks) as f64 / seconds,
        (looked_after - looked) as f64 / seconds / panes as f64,
    );
    share
}

fn all(house: &House, panes: usize, state: &str) {
    house.until(state, |house| {
        let is = |number: usize| {
            house.read(&format!("status/agents/a{number}.yaml")).contains(&format!("state: {state}"))
        };
        (0..panes).all(is)
    });
}

/// Has tmux count what it is asked to show: a character for each time.
fn count_looks(house: &House) {
    house.tmux(&["set-option", "-g", "@looks", ""]);
    house.tmux(&["set-hook", "-g", "after-capture-pane", "set-option -ga @looks x"]);
}

fn looks(house: &House) -> usize {
    house.tmux(&["show-options", "-gv", "@looks"]).trim().len()
}

/// Numbers of the last lines, added up; of one pane in ten, which is asked for all.
fn lines(house: &House, panes: usize) -> u64 {
    let last = |number: usize| -> u64 {
        let text = house.tmux(&["capture-pane", "-p", "-t", &format!("a{number}")]);
        let line =
            text.lines().rev().find_map(|line| line.strip_prefix("line ")?.split(':').next()?.parse().ok());
        line.unwrap_or(0)
    };
    (0..panes).map(last).sum()
}
