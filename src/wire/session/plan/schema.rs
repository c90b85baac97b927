//! The JSON Schema of a plan, for editors and for agents: from the same words and limits as the reader's.

use super::fields::{NAME_CHARS_MAX, PARALLEL_DEFAULT, PARALLEL_MAX};
use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::plan::OnFailure;
use crate::engine::flow::unmet::Join;
use serde_json::{Value, json};

/// The name of a task.
const TASK: &str = "^task-[0-9]{1,18}$";
/// The name of an agent, an alias, a pool or a profile.
const NAME: &str = "^[a-z0-9][a-z0-9_-]{0,63}$";

/// The schema of a plan.
#[must_use]
pub fn schema() -> Value {
    let text = |what: &str| json!({"type": "string", "description": what});
    let line = |what: &str| json!({"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX, "description": what});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A plan for tasuki",
        "description": "Tasks, of which some need others. The smallest plan has `tasks`, each with `name` and `description`.",
        "type": "object",
        "required": ["tasks"],
        "additionalProperties": false,
        "properties": {
            "goal": text("What all of it is for."),
            "name": line("What the plan is called, in one line."),
            "on_failure": {
                "enum": OnFailure::ALL.map(OnFailure::word),
                "default": OnFailure::default().word(),
                "description": "What happens when a task is not completed. `stop`: nothing more begins. `skip`: what needs it is cancelled. `continue`: what needs it begins all the same.",
            },
            "parallel": {
                "type": "integer", "minimum": 0, "maximum": PARALLEL_MAX, "default": PARALLEL_DEFAULT,
                "description": "How many tasks are under way at the same time; 0 is as many as there are.",
            },
            "pr": {
                "type": "boolean", "default": false,
                "description": "Whether a pull request is opened for each task that is completed in a worktree, by the program `gh`.",
            },
            "tasks": {"type": "array", "minItems": 1, "maxItems": STEPS_MAX, "items": {"$ref": "#/$defs/task"}, "description": "What is to be done."},
        },
        "$defs": {"task": task(), "expect": expect()},
    })
}

fn task() -> Value {
    let id = |what: &str| json!({"type": "string", "pattern": TASK, "description": what});
    let name = |what: &str| json!({"type": "string", "pattern": NAME, "description": what});
    let model = json!({"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX, "pattern": "^[^-]", "description": "Model that the agent uses."});
    json!({
        "type": "object",
        "description": "One task.",
        "required": ["name", "description"],
        "additionalProperties": false,
        "properties": {
            "id": id("Name of the task, kept as written. Default: `task-` and its place in the list, from 1."),
            "name": {"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX, "description": "What the task is called, in one line."},
            "description": {"type": "string", "minLength": 1, "description": "What its agent is told."},
            "dependencies": {"type": "array", "items": id("Name of a task of this plan."), "description": "Tasks that must be completed before this one begins."},
            "join": {
                "enum": Join::ALL.map(Join::word), "default": Join::default().word(),
                "description": "`all`: it begins when all of its dependencies are completed. `any`: when all have ended and one is completed.",
            },
            "worktree_strategy": {
                "enum": ["New", "Shared", "new", "shared"],
                "description": "`New`: the task has a worktree of its own. `Shared`: it has that of its dependencies. Default: one of its own in a git repository with a commit where an agent is hired for it, and none where `to` says who does it.",
            },
            "share_with": id("With `Shared`, where its dependencies have several worktrees: the dependency whose worktree it has."),
            "to": name("Who does it: a member of the team, or a pool."),
            "hire": {
                "description": "Instead of `to`: an agent that is made for the task.",
                "oneOf": [
                    name("Profile that it is made of."),
                    {"type": "object", "additionalProperties": false, "required": ["provider"],
                     "properties": {"provider": name("Profile that it is made of."), "model": model}},
                    {"type": "object", "additionalProperties": false, "required": ["like"],
                     "properties": {"like": name("Member of the team that it is made after."), "model": model}},
                ],
            },
            "timeout": {"type": "string", "description": "Longest working time, such as `30m`."},
            "expect": {"$ref": "#/$defs/expect"},
            "touches": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "Patterns of the files that it will change, such as `src/auth/**`."},
        },
    })
}

fn expect() -> Value {
    let path = json!({"type": "string", "minLength": 1});
    json!({
        "type": "object",
        "description": "The evidence that closes the task.",
        "additionalProperties": false,
        "properties": {
            "commit": {"type": "boolean", "description": "Whether there must be a new commit."},
            "files": {"type": "array", "items": path, "description": "Files that must be there."},
            "command": {"type": "array", "items": {"type": "string"}, "description": "Command of the team file that must succeed."},
            "report": {"type": "string", "minLength": 1, "description": "Report that must be there and not be empty."},
        },
    })
}
