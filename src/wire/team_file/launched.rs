//! What a launch comes to once it is started and given a task: the port in its words, and the paths in its lines.

use super::doorbells;
use super::fill::PORT;
use super::launch::Launch;
use crate::engine::words::MessageId;

impl Launch {
    /// What a doorbell tells this agent to read for a new task: its system prompt first, where that does not come to it otherwise.
    #[must_use]
    pub fn first_path(&self, id: &MessageId) -> String {
        doorbells::after_prompt(self.unread_prompt.as_deref(), &self.task_path(id))
    }

    /// Whether a port has to be found for it.
    #[must_use]
    pub fn wants_port(&self) -> bool {
        self.argv.iter().chain(self.env.values()).chain(self.files.values()).any(|text| text.contains(PORT))
    }

    /// The same with this port. Without one it is as it was, and whoever looks for a port there finds none.
    #[must_use]
    pub fn with_port(&self, port: Option<u16>) -> Self {
        let Some(port) = port.filter(|_| self.wants_port()) else { return self.clone() };
        let put = |text: &String| text.replace(PORT, &port.to_string());
        let (argv, env) =
            (self.argv.iter().map(put), self.env.iter().map(|(name, text)| (name.clone(), put(text))));
        let files = self.files.iter().map(|(name, text)| (name.clone(), put(text)));
        Self { argv: argv.collect(), env: env.collect(), files: files.collect(), ..self.clone() }
    }
}
