//! A plan, or a task of one, as it lies in a file: read here first, so that what is wrong is shown with its place, with a daemon
//! or without.

use crate::engine::message::refusal::Code;
use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::FILE_BYTES_MAX;
use crate::wire::session::plan::{PlanRefusal, read};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What the standard input is called.
const INPUT: &str = "-";

/// A file's text, and how the file is called.
pub(in crate::ui::cli) struct PlanText {
    pub(in crate::ui::cli) text: String,
    pub(in crate::ui::cli) place: String,
}

/// Reads a file, or the standard input for `-`.
pub(in crate::ui::cli) fn written(path: &Path) -> Result<PlanText, Failure> {
    written_within(
        path,
        FILE_BYTES_MAX,
        "put long texts into files of their own, and name their paths in the description",
    )
}

/// The same of a file that may have so many bytes.
pub(in crate::ui::cli) fn written_within(path: &Path, most: usize, cure: &str) -> Result<PlanText, Failure> {
    let is_input = path.as_os_str() == INPUT;
    let place = if is_input { "standard input".to_owned() } else { path.display().to_string() };
    let bytes = if is_input {
        all_of(io::stdin().lock(), most)
    } else {
        File::open(path).and_then(|file| all_of(file, most))
    };
    let bytes = bytes.map_err(|error| {
        let why = format!("cannot read it: {error}");
        Failure::new(Kind::Rejected, "unreadable", why, "name a file").within(&place)
    })?;
    // One that is too large is refused as such and not for where it was cut.
    if bytes.len() > most {
        let why = format!("it has more than {most} bytes");
        return Err(Failure::new(Kind::Rejected, Code::TooLarge.word(), why, cure).within(place));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(PlanText { text, place }),
        Err(_) => {
            Err(Failure::new(Kind::Rejected, "not-utf8", "it is not UTF-8", "save it as UTF-8").within(place))
        }
    }
}

/// What is wrong with a plan, as far as it says so itself: whoever has a team knows more.
pub(super) fn wrong_by_itself(written: &PlanText) -> Option<Failure> {
    let refusal = read(written.text.as_bytes()).err()?;
    Some(refused(refusal, Some(written.place.clone())))
}

/// Why a plan or a task is not taken, with the line at fault if it is one of a file.
pub(in crate::ui::cli) fn refused(refusal: PlanRefusal, place: Option<String>) -> Failure {
    let PlanRefusal { refusal, cure, line_text, others } = refusal;
    let line = refusal.line;
    let mut failure = Failure::from(refusal);
    failure.problem.cure = cure.to_owned();
    let Some(place) = place else {
        // Nobody has seen the text that was made of the options.
        (failure.problem.line, failure.problem.column) = (None, None);
        if failure.problem.code == Code::ContentEmpty.word() {
            failure.problem.cure =
                "give it with `--name`, its title, and `--description`, all that its agent is to know"
                    .to_owned();
        }
        return failure;
    };
    if let Some(line) = line.filter(|_| !line_text.is_empty()) {
        failure.problem.why = format!("{}\n  {line} | {line_text}", failure.problem.why);
    }
    let others = others.into_iter().map(|other| refused(other, Some(place.clone()))).collect();
    failure.within(place).and(others)
}

fn all_of(from: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
