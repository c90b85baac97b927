//! Being told to end, also while the daemon waits for something that may take long.

use crate::daemon::ending::Ending;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// SIGTERM and SIGINT end the daemon and leave the agents; SIGHUP and SIGIO (leases) do nothing.
/// The way for others to end it, and where all of them are heard.
pub(in crate::daemon) fn signals() -> std::io::Result<(mpsc::Sender<Ending>, mpsc::Receiver<Ending>)> {
    let (sender, receiver) = mpsc::channel(1);
    let others = sender.clone();
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (mut hup, mut lease) = (signal(SignalKind::hangup())?, signal(SignalKind::io())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => drop(sender.try_send(Ending::KeepAgents)),
                _ = int.recv() => drop(sender.try_send(Ending::KeepAgents)),
                _ = hup.recv() => {}
                _ = lease.recv() => {}
            }
        }
    });
    Ok((others, receiver))
}

/// Does something that may take as long as a disk is full, unless the daemon is told to end before.
pub(in crate::daemon) async fn unless_ended<T>(
    work: impl Future<Output = T>,
    signals: &mut mpsc::Receiver<Ending>,
) -> Result<T, Ending> {
    tokio::select! {
        done = work => Ok(done),
        Some(ending) = signals.recv() => Err(ending),
    }
}
