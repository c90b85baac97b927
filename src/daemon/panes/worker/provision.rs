//! What a launch is given besides what the team file says: its port, its files and its key.

use crate::io::agent_folder;
use crate::io::mux::MuxError;
use crate::io::side_channel;
use crate::wire::team_file::Launch;
use std::io;
use std::sync::Arc;

/// The port and the key of a launch.
#[derive(Debug)]
pub(super) struct Provision {
    /// Its port, where its command has `{port}`.
    port: Option<u16>,
    key: String,
}

impl Provision {
    /// Makes what the program needs where it is to be started, and finds the port of one that runs.
    pub(super) async fn of(launch: &Arc<Launch>, key: &str, is_new: bool) -> Result<Self, MuxError> {
        Ok(Self { port: prepare(launch, is_new).await?, key: key.to_owned() })
    }

    /// How it is started, and was: with its port, and with the password that keeps others from asking it.
    pub(super) fn launch(&self, launch: &Launch) -> Launch {
        let mut own = launch.with_port(self.port);
        if let Some(kind) = launch.profile.side_channel.filter(|_| self.port.is_some() && launch.wants_port())
        {
            side_channel::lock(kind, &mut own.env, &self.key);
        }
        own
    }
}

/// Makes what the program needs before it starts, on a thread for such. Gives its port, if it wants one.
async fn prepare(launch: &Arc<Launch>, is_new: bool) -> Result<Option<u16>, MuxError> {
    let (launch, wants_port) = (Arc::clone(launch), launch.wants_port());
    if launch.files.is_empty() && !wants_port {
        return Ok(None);
    }
    let made = tokio::task::spawn_blocking(move || {
        if !is_new {
            return Ok(agent_folder::kept_port(&launch.folder).filter(|_| wants_port));
        }
        let port = wants_port.then(|| agent_folder::find_port(&launch.folder)).transpose()?;
        agent_folder::write(&launch.folder, &launch.with_port(port).files).map(|()| port)
    });
    let failed = |source: io::Error| MuxError::Io {
        what: "cannot make the files that the program needs".to_owned(),
        source: Arc::new(source),
    };
    made.await.map_err(|error| failed(error.into()))?.map_err(|error| failed(io::Error::other(error)))
}
