//! Row 10: agents at work that print a hundred lines a second each, without end. The daemon's and tmux's processor time, told
//! apart, and how often the daemon looks at a pane: once a second at most.

use crate::house::House;
use crate::proc::Deeds;
use crate::support::rounds::Scale;
use crate::support::{machine, stamp};
use crate::team;
use std::fmt::Write as _;
use std::io::{BufRead as _, Write as _};
use std::time::Duration;

/// The word that makes this program an agent that prints.
pub(crate) const WORD: &str = "--stream";
/// Between two lines.
const LINE_EVERY: Duration = Duration::from_millis(10);
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
    for panes in scale.pick(&[25, 100][..], &[2]) {
        watch(*panes, scale);
    }
}

#[expect(clippy::disallowed_methods, reason = "looks at a process for a while")]
fn watch(panes: usize, scale: Scale) {
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
    std::thread::sleep(scale.pick(Duration::from_secs(10), Duration::from_millis(500)));
    count_looks(&house);
    let look =
        || (Deeds::of(house.pid()), Deeds::of(server), lines(&house, panes), looks(&house), stamp::now());
    let (ours, theirs, printed, looked, from) = look();
    std::thread::sleep(scale.pick(Duration::from_secs(30), Duration::from_secs(2)));
    let (ours_after, theirs_after, printed_after, looked_after, _) = look();
    let seconds = stamp::seconds_since(from);
    let share = (ours_after.ticks - ours.ticks) as f64 / seconds;
    println!(
        "  {panes} panes, {:.0} lines a second each: {share:.1} % of a processor (at most 5), tmux {:.1} %; {:.2} looks a second and pane (at most {LOOKS_MAX}); load {}",
        (printed_after - printed) as f64 / seconds / panes as f64,
        (theirs_after.ticks - theirs.ticks) as f64 / seconds,
        (looked_after - looked) as f64 / seconds / panes as f64,
        machine::load()
    );
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
