//! Hands over to the lab: `tasuki agent scripted`, `tasuki torture`, and `tasuki lint` of a script.

use crate::lab::scripted::{self, ScriptedArgs};
use crate::lab::torture::{self, Args, Setting};
use crate::lab::trouble::{self, Trouble};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use std::process::ExitCode;

/// What `tasuki agent --help` shows besides.
pub(in crate::ui::cli) const AGENT_EXAMPLE: &str =
    "\n  tasuki agent scripted --phrase OK      plays a script, for demos and tests";

/// Runs the scripted agent. Agents and tests start it outside of any workspace.
pub(in crate::ui::cli) fn play(args: &ScriptedArgs, is_json: bool) -> ExitCode {
    match scripted::run(args) {
        Ok(code) => code,
        Err(why) => {
            let script = args.script.as_ref().map(|path| path.display().to_string());
            let mut failure = Failure::from(why);
            failure.place = script.filter(|_| failure.problem.line.is_some());
            failure.end(is_json)
        }
    }
}

/// Runs `tasuki torture` and shows its report.
pub(in crate::ui::cli) fn torture(context: &Context, args: &Args) -> Ended {
    let remark = |text: &str| context.remark(text);
    let setting = Setting { around: &context.around, json: context.globals.json, remark: &remark };
    let report = torture::run(setting, args)?;
    context.tell(&report.value, || report.text.clone())?;
    Ok(report.close()?)
}

/// Checks the text of a script; `name` is its file.
pub(in crate::ui::cli) fn check_script(text: &str, name: &str) -> Result<(), Failure> {
    scripted::check(text, name).map_err(Failure::from)
}

/// Scripted agents are here, so a team may have them.
#[expect(clippy::unnecessary_wraps, reason = "a build without the lab refuses them")]
pub(in crate::ui::cli) fn refuse_scripted(_provider: &str) -> Result<(), Failure> {
    Ok(())
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        let kind = match trouble.kind {
            trouble::Kind::Failed => Kind::Failed,
            trouble::Kind::Rejected => Kind::Rejected,
        };
        let mut failure = Self { kind, ..Self::of(trouble.code, &trouble) };
        if failure.problem.cure.is_empty() {
            failure.problem.cure = trouble.cure.unwrap_or_default();
        }
        failure.report = trouble.report;
        (failure.problem.line, failure.problem.column) = trouble.place.unzip();
        failure
    }
}
