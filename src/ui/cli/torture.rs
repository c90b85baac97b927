//! `tasuki torture`: hands over to the lab, and shows its report.

use super::desk::{Desk, Ended};
use crate::lab::torture::{self, Args, Setting};

pub(super) fn run(desk: &Desk, args: &Args) -> Ended {
    let remark = |text: &str| desk.remark(text);
    let setting = Setting { around: &desk.around, json: desk.globals.json, remark: &remark };
    let report = torture::run(setting, args)?;
    desk.tell(&report.value, || report.text.clone())?;
    Ok(report.close()?)
}
