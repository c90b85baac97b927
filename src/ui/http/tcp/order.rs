//! What the Unix socket asks of the TCP port, and what a request has come by.

use crate::ui::http::refused::Refused;
use crate::wire::api::{WebBody, WebInfo};
use crate::wire::web::{Credentials, Hosts};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Orders that wait; whoever finds no room waits for some.
pub(in crate::ui::http) const ORDERS_MAX: usize = 8;

/// Something to do with the port, and who waits for it.
#[derive(Debug)]
pub(in crate::ui::http) struct Order {
    pub(in crate::ui::http) body: WebBody,
    pub(in crate::ui::http) answer: oneshot::Sender<Result<WebInfo, Refused>>,
}

/// By which way a request has come.
#[derive(Debug, Clone)]
pub(in crate::ui::http) enum Way {
    /// By the Unix socket, which alone opens and closes the port.
    Socket(mpsc::Sender<Order>),
    /// By TCP, where the daemon proves itself.
    Tcp(Hosts, Arc<Credentials>),
}
