//! The rotation: what ended in the old one is shown first, or named in the snapshot of the new one.

use crate::daemon::ending::Broken;
use crate::daemon::journal::rotation::RotationStage;
use crate::daemon::journal::snapshot;
use crate::daemon::r#loop::daemon::Daemon;
use crate::engine::words::{MessageId, Millis, Seq};
use std::collections::BTreeSet;

impl Daemon {
    /// Turns the segment once everything before it is written, and shown if it has ended: its views are not made again from a
    /// closed segment. Views that cannot be written, since something else is in their place say, hold no segment up: its
    /// successor says that they are owed.
    pub(in crate::daemon) fn rotate_segment(&mut self) -> Result<(), Broken> {
        if !self.journal.rotation.closed.is_empty() && self.views.is_idle() && !self.views.owes() {
            self.engine.forget(&std::mem::take(&mut self.journal.rotation.closed));
            self.keep_needed_places();
        }
        let now = self.timers.clock.now();
        let holds = self.views.holds_segment();
        let may_turn = self.ending.is_none() && !holds;
        if self.journal.rotation.stage == RotationStage::No && may_turn && self.journal.wants_rotation(now) {
            self.journal.rotation.stage = RotationStage::Draining;
        }
        let settled = self.journal.is_idle() && self.views.is_settled();
        let may_fail =
            matches!(self.journal.rotation.stage, RotationStage::Draining | RotationStage::Syncing);
        if may_fail && holds {
            // What could not be flushed now could not be made again from a closed segment.
            self.go_on();
            self.views.set_rotating(false);
            self.views.submit(&self.engine, &self.journal, now)?;
        } else if self.journal.rotation.stage == RotationStage::Draining && settled {
            self.views.sync();
            self.views.submit(&self.engine, &self.journal, now)?;
            self.journal.rotation.stage = RotationStage::Syncing;
        }
        if self.journal.rotation.stage == RotationStage::Syncing
            && self.journal.is_idle()
            && self.views.is_settled()
        {
            self.journal.rotation.owed = self.views.owed().clone(); // all other views are written
            let (places, handled) = (self.journal.places(), self.mailbox.handled());
            let snapshot = snapshot::encode(&self.engine, places, handled, &self.journal.rotation.owed);
            let finished = snapshot::fingerprints(&self.engine, &self.journal.rotation.closed);
            self.journal.rotate(now, snapshot, finished)?;
            self.journal.rotation.stage = RotationStage::Writing;
        }
        Ok(())
    }

    /// The segment is turned: what ended in it is the archive's to know, and kept here where its views are owed.
    pub(in crate::daemon) fn rotated(&mut self) {
        let snapshot_seq = Seq(self.engine.state().seq.0 + 1);
        self.engine.segment_closed_but(snapshot_seq, &self.journal.rotation.owed);
        self.journal.rotation.closed = std::mem::take(&mut self.journal.rotation.owed);
        self.keep_needed_places();
    }

    fn keep_needed_places(&mut self) {
        let needed = self.engine.needed_steps();
        self.journal.keep_places(|seq| needed.contains(&seq));
    }

    /// The segment is turned, or not: what came meanwhile is taken up.
    pub(in crate::daemon) fn go_on(&mut self) {
        self.journal.rotation.stage = RotationStage::No;
        for input in std::mem::take(&mut self.journal.rotation.held_back) {
            self.step(input);
        }
    }

    /// Views of what ended in earlier segments before this moment would be removed at once: they are not owed any more, and
    /// their segments may go.
    pub(in crate::daemon) fn owe_no_more(&mut self, before: Millis) {
        let finished = &self.engine.state().finished;
        let is_old = |id: &&MessageId| finished.get(id).is_none_or(|finished| finished.at < before);
        let old: BTreeSet<MessageId> = self.journal.rotation.closed.iter().filter(is_old).cloned().collect();
        if old.is_empty() {
            return;
        }
        self.views.give_up(&old);
        self.journal.rotation.closed.retain(|id| !old.contains(id));
        self.engine.forget(&old);
        self.keep_needed_places();
    }
}
