//! `tasuki fsck`: checks the journal, and writes the views again that follow from it.

use super::context::{Context, Ended, refuse_agents};
use super::failure::{Failure, Kind};
use crate::daemon::views::rebuild::{Rebuild, Rebuilt};
use crate::engine::words::counted;
use crate::io::journal::{self, Damage, ReadOrder, ScanReport, scan};
use crate::io::views::Views;
use crate::io::workspace::Workspace;
use std::ops::ControlFlow;

/// Checks the journal; with --rebuild, restores missing results
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki fsck                    changes nothing; a daemon may be running
  tasuki fsck --rebuild          restores missing files of queue/done/ and queue/results/

Exit codes:
  0  sound
  1  damaged")]
pub(super) struct Args {
    /// Restore missing files of finished messages
    #[arg(long)]
    rebuild: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    if args.rebuild {
        refuse_agents(&context.client()?, "fsck --rebuild")?;
    }
    // A workspace that never had a daemon has no journal, and nothing is wrong with it.
    let there = workspace.journal().is_dir();
    let report = if there { journal::fsck(&workspace.journal())? } else { ScanReport::default() };
    let rebuilt = if args.rebuild && there { Some(rebuild(&workspace)?) } else { None };
    let value = serde_json::json!({
        "sound": report.is_sound(),
        "segments": report.segments.len(),
        "lines": report.lines,
        "torn": report.torn.is_some(),
        "faults": faults(&report),
        "rebuilt": rebuilt.map(|rebuilt| rebuilt.written),
        "kept": rebuilt.map(|rebuilt| rebuilt.kept),
    });
    context.tell(&value, || {
        let mut lines = vec![format!(
            "{} in {}{}",
            counted(usize::try_from(report.lines).unwrap_or(usize::MAX), "line"),
            counted(report.segments.len(), "segment"),
            if report.is_sound() { ": sound" } else { "" }
        )];
        lines.extend(faults(&report));
        if report.torn.is_some() {
            lines.push(
                "the last write is incomplete: nobody was told about it, and the next start removes it"
                    .into(),
            );
        }
        if let Some(rebuilt) = rebuilt {
            lines.push(format!(
                "finished messages: {} written again, {} already there",
                rebuilt.written, rebuilt.kept
            ));
        }
        lines.join("\n")
    })?;
    if report.is_sound() {
        return Ok(());
    }
    let newest = report.segments.iter().max();
    let is_new = |bad: &Damage| Some(&bad.segment) == newest && bad.copy.is_none() && bad.bytes > 0;
    let cure = if !report.ids.is_empty() || report.damaged.iter().any(is_new) {
        "the next start of the daemon makes lists of ids again, copies what is damaged to .tasuki/journal/damaged/, and goes on without it"
    } else {
        "nothing is left to do: the daemon goes on without what is lost here; `tasuki why ID` shows what is known of a message. A copy that is removed is made, and reported, again. A segment goes when it is older than `retention`, and its damage with it"
    };
    Err(Failure::new(Kind::Failed, "damaged", "the journal is damaged", cure))
}

/// Goes through the whole journal once.
fn rebuild(workspace: &Workspace) -> Result<Rebuilt, Failure> {
    workspace.prepare()?;
    let mut rebuild = Rebuild::new(Views::open(workspace.root())?);
    let mut taken = Ok(());
    scan(&workspace.journal(), 1, ReadOrder::OldestFirst, &mut |entry| {
        taken = rebuild.take(entry);
        if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    taken?;
    Ok(rebuild.finish()?)
}

fn faults(report: &ScanReport) -> Vec<String> {
    let damaged = report.damaged.iter();
    let damaged = damaged.map(|bad| {
        let copy = bad.copy.as_ref().map_or(String::new(), |path| format!("; a copy is {}", path.display()));
        format!(
            "segment {}: {} bytes at {} are damaged: {}{copy}",
            bad.segment, bad.bytes, bad.offset, bad.flaw
        )
    });
    let gaps = report.gaps.iter().map(|gap| match (gap.first.0, gap.last.0) {
        (first, last) if first == last => format!("step {first} is missing"),
        (first, last) => format!("steps {first} to {last} are missing"),
    });
    let ids = report.ids.iter().map(|bad| {
        format!("segment {}: its list of ids: {} (rebuilt at the next start)", bad.segment, bad.why)
    });
    damaged.chain(gaps).chain(ids).collect()
}
