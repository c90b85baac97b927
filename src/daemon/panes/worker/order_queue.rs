//! The orders of the loop; those that come while a turn is typed are obeyed after it.

use crate::daemon::panes::orders::{Order, Typed};
use std::collections::VecDeque;
use tokio::sync::mpsc;

/// The orders of one worker.
#[derive(Debug)]
pub(super) struct OrderQueue {
    orders: mpsc::Receiver<Order>,
    /// Orders that came while a turn was typed.
    ahead: VecDeque<Order>,
}

impl OrderQueue {
    pub(super) const fn new(orders: mpsc::Receiver<Order>) -> Self {
        Self { orders, ahead: VecDeque::new() }
    }

    /// An order that came meanwhile.
    pub(super) fn ahead(&mut self) -> Option<Order> {
        self.ahead.pop_front()
    }

    /// The next order; none if the loop is gone.
    pub(super) async fn next(&mut self) -> Option<Order> {
        match self.ahead.pop_front() {
            None => self.orders.recv().await,
            ahead => ahead,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.orders.is_closed()
    }

    /// Whether the turn that is being typed was called off meanwhile. What else came is obeyed after it.
    pub(super) fn is_called_off(&mut self, typed: &Typed) -> bool {
        while let Ok(order) = self.orders.try_recv() {
            self.ahead.push_back(order);
        }
        self.ahead.iter().any(|order| match order {
            Order::Unwatch { .. } | Order::Close => true,
            Order::Interrupt { id, turn } => (id, *turn) == (&typed.id, typed.turn.number),
            _ => false,
        })
    }
}
