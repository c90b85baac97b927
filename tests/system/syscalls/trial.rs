//! One point tried: the scene, what happens to it, and the daemon that comes after.

use crate::syscalls::points::{Fault, Point};
use crate::syscalls::scenes::{Scene, Stage};
use crate::syscalls::strace::{Held, Orders};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How long the daemon that something happens to may take.
const STRUCK: Duration = Duration::from_secs(6);
/// It goes on by itself after an error that is over within this (faults, B1: 5 s; and as much again for a busy machine).
const HEALED: Duration = Duration::from_secs(10);
/// And the daemon after it within this, views that could not be written included.
const SETTLED: Duration = Duration::from_secs(30);
/// An error that lasts, lasts this long.
const LASTING: Duration = Duration::from_millis(1_500);
const PAUSE: Duration = Duration::from_millis(3);

/// What became of a point.
pub(crate) struct Outcome {
    /// Whether the call was made at all.
    pub(crate) reached: bool,
    /// What is wrong, if anything is.
    pub(crate) verdict: Result<(), String>,
    /// What is no loss, but worth a word.
    pub(crate) remark: Option<&'static str>,
}

/// Tries a point.
pub(crate) fn run(scene: &Scene, point: &Point) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| tried(scene, point))).unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned());
        Outcome { reached: true, verdict: Err(why), remark: None }
    })
}

fn tried(scene: &Scene, point: &Point) -> Outcome {
    let mut stage = Stage::set(scene);
    let root = stage.house.path("").display().to_string();
    let orders = Orders::to_do(point, root.trim_end_matches('/'), stage.beside("orders"));
    stage.open(scene, &orders);
    wait(&mut stage, point);
    stage.close();
    let reached = orders.done() || point.fault == Fault::KillAfter && stage.house.ended().is_some();
    let (verdict, remark) = match after(&mut stage, point) {
        Ok(remark) => (Ok(()), remark),
        Err(why) => (Err(format!("{why}\n{}\n{}", story(&stage), stage.house.output())), None),
    };
    Outcome { reached, verdict, remark }
}

/// Until it is over, one way or the other.
fn wait(stage: &mut Stage, point: &Point) {
    let (start, mut held) = (Instant::now(), Held::default());
    let lasts = matches!(point.fault, Fault::Errors(_));
    while stage.house.ended().is_none() && start.elapsed() < STRUCK {
        if point.fault == Fault::KillAfter && held.is_there(stage.house.pid()) {
            return stage.house.kill_alone();
        }
        if lasts && start.elapsed() > LASTING || !lasts && stage.account.is_complete(&stage.house).is_ok() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// What a daemon without a tracer makes of it.
fn after(stage: &mut Stage, point: &Point) -> Result<Option<&'static str>, String> {
    let is_error = matches!(point.fault, Fault::Error(_) | Fault::Errors(_));
    let remark = if stage.house.ended().is_some() {
        is_error.then_some("ended")
    } else {
        let goes_on = stage.account.settle(&stage.house, HEALED).is_ok();
        (!goes_on).then_some("went on only after a restart")
    };
    stage.house.kill();
    stage.house.start();
    stage.send_again()?;
    let settled = stage.account.settle(&stage.house, SETTLED);
    let log = stage.house.read(".tasuki/daemon.log") + &stage.house.output();
    if log.contains("panicked") {
        return Err("the daemon has panicked".to_owned());
    }
    settled?;
    stage.house.end();
    let fsck = stage.house.tasuki().arg("fsck").output().expect("tasuki fsck");
    if !fsck.status.success() {
        return Err(format!("fsck: {}", String::from_utf8_lossy(&fsck.stdout)));
    }
    Ok(remark)
}

fn story(stage: &Stage) -> String {
    let log = stage.house.read(".tasuki/daemon.log");
    let last: Vec<&str> = log.lines().rev().take(12).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    format!("{}\n{}", stage.house.read("status/activity.log"), last.join("\n"))
}
