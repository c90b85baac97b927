//! Between two lives nobody does what clients ask: they are told why at once, and may still end the daemon.

use crate::daemon::clients::request::{Call, Request, Response};
use crate::daemon::ending::Ending;
use crate::io::workspace::Workspace;
use tokio::sync::mpsc;

/// The calls, from one who answers them to the next.
pub(in crate::daemon) fn take(calls: &mut mpsc::Receiver<Call>) -> mpsc::Receiver<Call> {
    std::mem::replace(calls, mpsc::channel(1).1)
}

/// What callers are told while there is no loop.
#[derive(Debug, Clone)]
pub(in crate::daemon) struct Unavailable {
    /// Why there is none.
    pub(in crate::daemon) why: String,
    /// The way to whoever ends the daemon.
    end: mpsc::Sender<Ending>,
    /// Where everything can be stopped: the next life looks for it.
    workspace: Workspace,
}

impl Unavailable {
    /// With the way to whoever ends the daemon.
    pub(in crate::daemon) fn new(end: mpsc::Sender<Ending>, workspace: Workspace) -> Self {
        Self { why: "the daemon starts".to_owned(), end, workspace }
    }

    /// Does something that may take as long as a disk is full, and answers those who call meanwhile.
    pub(in crate::daemon) async fn meanwhile<T>(
        &self,
        calls: &mut mpsc::Receiver<Call>,
        work: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                Some(call) = calls.recv() => self.answer(call),
            }
        }
    }

    fn answer(&self, call: Call) {
        let response = match call.request {
            // Who may do what is known to the loop alone.
            _ if call.key.is_some() => Response::Unavailable(self.why.clone()),
            Request::Down { keep_agents } => {
                let _ = self.end.try_send(Ending::asked(keep_agents));
                Response::Ok
            }
            Request::Halt(on) => Response::of_stop_file(&self.workspace, self.workspace.put_stop_file(on)),
            _ => Response::Unavailable(format!("{}; drops stay in queue/ meanwhile", self.why)),
        };
        drop(call.answer.send(response));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::clients::request::Until;
    use crate::engine::words::MessageId;
    use std::time::Duration;
    use tokio::sync::oneshot;

    /// How long that may take on a loaded machine.
    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn whoever_calls_between_two_lives_is_told_why_and_may_end_the_daemon() {
        let ((end, mut ends), (to_loop, mut calls)) = (mpsc::channel(1), mpsc::channel(4));
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("queue")).unwrap();
        let workspace = Workspace::at(folder.path()).unwrap();
        let away = Unavailable {
            why: "restarting: 襷 is full".to_owned(),
            ..Unavailable::new(end, workspace.clone())
        };
        let mut told = Vec::new();
        for request in [
            Request::WaitFor(MessageId::new("t-1").unwrap(), Until::Ended),
            Request::Send { drafts: Vec::new() },
            Request::Halt(true),
            Request::Down { keep_agents: false },
        ] {
            let (answer, answered) = oneshot::channel();
            to_loop.send(Call { request, key: None, answer }).await.unwrap();
            told.push(answered);
        }
        let work = away.meanwhile(&mut calls, ends.recv());
        let heard = tokio::time::timeout(PATIENCE, work).await;
        assert_eq!(heard, Ok(Some(Ending::StopAgents)), "the work goes on meanwhile");
        for answered in told.drain(..2) {
            let Ok(Response::Unavailable(why)) = answered.await else { panic!("why it is not done") };
            assert!(why.contains("襷 is full") && why.contains("drops stay in queue/"), "{why}");
        }
        for answered in told {
            assert!(matches!(answered.await, Ok(Response::Ok)));
        }
        assert!(workspace.stop_file().exists());
    }
}
