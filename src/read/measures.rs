//! The numbers of `/metrics` as they are when somebody asks: what has happened since is counted, and how things are is measured.

use super::metrics::{Metrics, OTHER};
use super::model::Model;
use super::problems::unreadable;
use crate::engine::life::StageName;
use crate::engine::words::AgentName;
use crate::io::journal::{Cursor, Extents, Kind};
use crate::wire::api::Problem;
use crate::wire::events;
use prometheus_client::encoding::text;
use std::ops::ControlFlow;

impl Model {
    /// All numbers as they are now. `lag` is how long the loop took to answer, in seconds.
    ///
    /// # Errors
    /// [`Problem`] if the journal cannot be read.
    pub fn metrics(&mut self, began: Cursor, reached: Extents, lag: f64) -> Result<String, Problem> {
        let mut metrics = self.metrics.take().unwrap_or_else(|| Box::new(Metrics::new(began)));
        let read = self.count(&mut metrics, reached);
        if read.is_ok() {
            self.measure(&metrics, reached, lag);
        }
        let mut page = String::new();
        let written = text::encode(&mut page, &metrics.registry);
        self.metrics = Some(metrics);
        read?;
        written.map_err(|error| unreadable(&error))?;
        Ok(page)
    }

    /// Counts what has happened since the last time.
    fn count(&mut self, metrics: &mut Metrics, reached: Extents) -> Result<(), Problem> {
        let Some(reader) = self.reader().map_err(|error| unreadable(&error))? else { return Ok(()) };
        let team = self.engine().team();
        let from = metrics.cursor;
        let cursor = reader.follow(from, Some(reached.written), &mut |entry| {
            if entry.kind == Kind::Step
                && let Ok(events) = events::decode(entry.payload)
            {
                let named = |name: &AgentName| match team.members.contains_key(name) || name.is_user() {
                    true => name.to_string(),
                    false => OTHER.to_owned(),
                };
                events.iter().for_each(|event| metrics.take(entry.at, event, &named));
            }
            ControlFlow::Continue(())
        });
        metrics.cursor = cursor.map_err(|error| unreadable(&error))?;
        Ok(())
    }

    /// Measures how things are.
    fn measure(&mut self, metrics: &Metrics, reached: Extents, lag: f64) {
        let counts = &metrics.counts;
        let flushed = reached.flushes.saturating_sub(counts.flushes.get());
        counts.flushes.inc_by(flushed);
        counts.lag.set(lag);
        let agents = self.agents();
        let needs = self.needs(&agents);
        counts.needs.set(whole(needs.needs_you()));
        let state = self.engine().state();
        counts.halted.set(i64::from(state.halted.is_some()));
        counts.open.clear();
        for name in StageName::ALL.iter().filter(|name| !name.has_ended()) {
            counts.open.get_or_create(&vec![("stage", name.word().to_owned())]).set(0);
        }
        for open in state.open.values() {
            counts.open.get_or_create(&vec![("stage", open.stage.word().to_owned())]).inc();
        }
        counts.agents.clear();
        for agent in agents {
            // What never happened to an agent is 0, and not unknown.
            for family in [&counts.restarts, &counts.limits, &counts.questions] {
                drop(family.get_or_create(&vec![("agent", agent.agent_name.clone())]));
            }
            let labels = vec![("agent", agent.agent_name), ("state", agent.state)];
            counts.agents.get_or_create(&labels).set(1);
        }
    }
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
