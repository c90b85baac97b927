//! The JSON Schema of a request, for editors and other programs: from the same words and limits as the reader's.

use super::super::roles::BUILT_IN;
use super::limits::{
    BUDGET_MINUTES_MAX, BUDGET_TOKENS_MAX, BUDGET_USD_MAX, CONTEXT_FILES_MAX, MODEL_BYTES_MAX, PROVIDERS_MAX,
    ROLE_ID_BYTES_MAX, ROLES_AT_ONCE_DEFAULT, ROLES_AT_ONCE_MAX, ROLES_MAX, ROUNDS, ROUNDS_DEFAULT,
    TIMEOUT_SECONDS, TIMEOUT_SECONDS_DEFAULT,
};
use crate::wire::session::plan::NAME_CHARS_MAX;
use serde_json::{Value, json};

/// The name of a profile.
const NAME: &str = "^[a-z0-9][a-z0-9_-]{0,63}$";

/// The schema of a request.
#[must_use]
pub fn schema() -> Value {
    let provider = |what: &str| json!({"type": ["string", "null"], "pattern": NAME, "description": what});
    let whole = |from: u64, to: u64, default: u64, what: &str| json!({"type": "integer", "minimum": from, "maximum": to, "default": default, "description": what});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A debate for tasuki",
        "description": "A task, and the roles that debate it. The smallest request has `task` and `roles`.",
        "type": "object",
        "required": ["task", "roles"],
        "additionalProperties": false,
        "properties": {
            "task": {"type": "string", "minLength": 1, "description": "What is debated."},
            "roles": {
                "description": "Who debates: ids of built-in roles, also in one text with commas, or roles of your own.",
                "oneOf": [
                    {"type": "string", "minLength": 1},
                    {"type": "array", "minItems": 1, "maxItems": ROLES_MAX, "items": {"$ref": "#/$defs/role"}},
                ],
            },
            "model": model("Model of the roles that have neither a model nor a provider of their own."),
            "timeout_seconds": whole(*TIMEOUT_SECONDS.start(), *TIMEOUT_SECONDS.end(), TIMEOUT_SECONDS_DEFAULT, "How long a role may take in a round."),
            "preserve_worktrees": {"type": "boolean", "default": false, "description": "Whether worktrees stay when it is over."},
            "base_dir": {"type": ["string", "null"], "minLength": 1, "description": "The folder that it is about. Default: the workspace's repository."},
            "provider": provider("Profile of the agents of roles that name none."),
            "providers": {
                "description": "Profiles that go round the roles that name none, so that vendors are mixed.",
                "oneOf": [
                    {"type": "null"},
                    {"type": "string"},
                    {"type": "array", "maxItems": PROVIDERS_MAX, "items": {"type": "string", "pattern": NAME}},
                ],
            },
            "parallel": whole(0, ROLES_AT_ONCE_MAX.into(), ROLES_AT_ONCE_DEFAULT.into(), "How many roles are at work at the same time; 0 is all."),
            "rounds": whole((*ROUNDS.start()).into(), (*ROUNDS.end()).into(), ROUNDS_DEFAULT.into(), "How many rounds there are. In the last one roles agree on a plan."),
            "baseline": {"type": "boolean", "default": false, "description": "Whether one role alone is asked besides, with the same budget."},
            "budget": budget(),
        },
        "$defs": {"role": role()},
    })
}

fn model(what: &str) -> Value {
    json!({"type": ["string", "null"], "minLength": 1, "maxLength": MODEL_BYTES_MAX, "pattern": "^[^-\\s]\\S*$", "description": what})
}

fn budget() -> Value {
    json!({
        "type": ["object", "null"],
        "description": "What the whole debate may use up; it is looked at before a role begins.",
        "additionalProperties": false,
        "properties": {
            "tokens": {"type": "integer", "minimum": 1, "maximum": BUDGET_TOKENS_MAX, "description": "Tokens of all roles."},
            "cost_usd": {"type": "number", "exclusiveMinimum": 0, "maximum": BUDGET_USD_MAX, "description": "US dollars, as far as providers tell."},
            "minutes": {"type": "integer", "minimum": 1, "maximum": BUDGET_MINUTES_MAX, "description": "Minutes since it began."},
        },
    })
}

fn role() -> Value {
    let ids: Vec<&str> = BUILT_IN.iter().map(|role| role.id).collect();
    let id = format!("^[a-z0-9][a-z0-9_-]{{0,{}}}$", ROLE_ID_BYTES_MAX - 1);
    json!({"oneOf": [
        {"enum": ids, "description": "A built-in role."},
        {
            "type": "object",
            "description": "A role. One with the id of a built-in role has its name and prompt where it says nothing else.",
            "required": ["id"],
            "additionalProperties": false,
            "properties": {
                "id": {"type": "string", "pattern": id, "description": "How branches, files and columns call it."},
                "name": {"type": ["string", "null"], "maxLength": NAME_CHARS_MAX, "description": "How people call it, in one line."},
                "system_prompt": {"type": ["string", "null"], "description": "What it is told of itself before each round."},
                "initial_context": {
                    "type": ["array", "string", "null"], "maxItems": CONTEXT_FILES_MAX, "items": {"type": "string", "minLength": 1},
                    "description": "Files that it is shown in the first round.",
                },
                "provider": {"type": ["string", "null"], "pattern": NAME, "description": "Profile of its agent."},
                "model": model("Model of its agent."),
            },
            "if": {"not": {"properties": {"id": {"enum": ids}}}},
            "then": {"required": ["system_prompt"]},
        },
    ]})
}
