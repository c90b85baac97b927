//! What a master agent is asked that is to split a goal into tasks.

use crate::engine::message::Kind;
use crate::engine::team::Team;
use crate::engine::words::AgentName;

/// What stands before the lists.
const HEAD: &str = "\
Split the goal at the end of this text into tasks, and answer with the plan alone. Do not begin the work: other agents are given \
the tasks once the plan is taken.

- A task is what one agent does in one go, some ten minutes to an hour of work, and its result can be judged.
- `description` is all that its agent is told. Name files, limits, and how it is seen that the task is done. What came of the tasks \
that it depends on is handed to it.
- `dependencies` names the tasks that must be done before. Tasks that need nothing of one another run at the same time.
- Write names and descriptions in the language of the goal.

Your answer has one block in this form, and nothing else in YAML or JSON:

```yaml
tasks:
  - id: task-1
    name: a title in one line
    description: |
      What its agent is told.
    to: NAME
  - id: task-2
    name: another one
    description: |
      What its agent is told.
    dependencies: [task-1]
    to: NAME
```
";

/// The text for this master, who may give tasks to the agents that the team has for it.
#[must_use]
pub fn prompt(team: &Team, master: &AgentName, goal: &str) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\n`to` is one of these names. Left out, an agent of your kind is made for the task, with a copy of the repository of its own:\n\n");
    let members = team.lasting().chain(team.pools.keys());
    for name in members.filter(|name| *name != master && team.may_send(Kind::Task, master, name).is_ok()) {
        let what = match team.pools.get(name) {
            Some(members) => format!(" (any of {} agents)", members.len()),
            None => String::new(),
        };
        text.push_str(&format!("- {name}{what}\n"));
    }
    text.push_str(&format!("- {master} (you)\n"));
    if !team.commands.is_empty() {
        text.push_str(
            "\nA task may have `expect:`, which is checked when its agent says that it is done: `commit: true`, `files: [PATH]`, \
             `report: PATH`, and `command: NAME`, which must succeed. The commands are:\n\n",
        );
        for (name, words) in &team.commands {
            text.push_str(&format!("- {name}: {}\n", words.join(" ")));
        }
    }
    text.push_str("\n# Goal\n\n");
    text.push_str(goal.trim_end());
    text.push('\n');
    text
}
