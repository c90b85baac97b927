//! Watches the drop zone, the team file and the views: pokes the mailbox, reads the team file again, tells of meddling.
use crate::daemon::news::NewsSender;
use crate::daemon::workers::mailbox::Jobs;
use crate::io::workspace::{Surroundings, Workspace};
/// x
pub async fn work(_w: Workspace, _a: Surroundings, _m: Jobs, _n: NewsSender) -> &'static str {
    "watch"
}
