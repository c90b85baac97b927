//! The oracle: what was given, as it was written down before, against what is there in the end. It asks the journal's lines,
//! the files and what the agents themselves wrote down; never the daemon.

mod book;
mod done;
mod ends;
mod files;
mod findings;
mod heard;
mod messages;

use super::world::Places;
use crate::io::journal;
use crate::io::workspace::Workspace;
pub(super) use book::Book;
pub(super) use done::Done;
pub(super) use ends::Ends;
pub(super) use findings::{Finding, FindingKind, Findings};
use std::io;

/// Everything that can be found in a finished run.
pub(super) fn check(places: &Places) -> io::Result<(Done, Book, Ends, Vec<Finding>)> {
    let workspace = Workspace::at(&places.workspace()).map_err(io::Error::other)?;
    let mut done = Done::read(places)?;
    let mut findings = Findings::default();
    done.tell(&mut findings);
    let report = journal::fsck(&workspace.journal()).map_err(io::Error::other)?;
    findings.check(report.is_sound() && report.torn.is_none(), FindingKind::Wrong, || {
        format!("the journal is not sound: {report:?}")
    });
    let book = Book::read(&workspace, &mut findings)?;
    done.resolve(&book);
    done.check_seen(&workspace, &mut findings);
    for text in &book.untimely {
        findings.add(FindingKind::Wrong, text.clone());
    }
    let expected = messages::check(&workspace, &done, &book, &mut findings);
    let ends = Ends::check(&done, &book, &mut findings);
    files::check(&workspace, &done, &book, &mut findings)?;
    heard::check(&places.heard(), &book, &expected, &mut findings)?;
    let mut findings = findings.0;
    findings.sort();
    Ok((done, book, ends, findings))
}
