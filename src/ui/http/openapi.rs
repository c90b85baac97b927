//! The same as `protocol/API.md` for programs: an OpenAPI 3.1 document, made from the table of addresses and the types themselves.

use super::address::{Address, Form, Part};
use crate::wire::api::Problem;
use crate::wire::message::schema;
use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value, json};

const VERSION: &str = "3.1.1";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const METRICS: &str = "application/openmetrics-text";
const ABOUT: &str =
    "The socket of a workspace's daemon: HTTP over a Unix socket. API.md says how it is used.";

/// The document of these addresses.
pub(super) fn document(addresses: &[Address]) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    take_in(&mut schemas, &Problem::schema_name(), schema_for!(Problem).to_value());
    take_in(&mut schemas, "Message", schema::message());
    for address in addresses {
        for part in address.parts() {
            if let Part::Type(name, schema) = part {
                take_in(&mut schemas, name, schema());
            }
        }
        let at = paths.entry(address.path).or_insert_with(|| json!({}));
        at[address.method.to_lowercase()] = operation(address);
    }
    // What is asked in the query is said there, field by field.
    schemas.retain(|name, _| !name.ends_with("Query"));
    json!({
        "openapi": VERSION,
        "info": {"title": "tasuki", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT},
        "servers": [{"url": "http://tasuki", "description": "Any host name will do over the Unix socket."}],
        "security": [{}, {"agentKey": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"agentKey": {
                "type": "http",
                "scheme": "bearer",
                "description": "TASUKI_AGENT_KEY of an agent's pane. Without it, the caller is the user.",
            }},
        },
    })
}

/// What is done at an address.
fn operation(address: &Address) -> Value {
    let mut operation = json!({
        "operationId": name_of(address),
        "summary": address.what,
        "tags": [address.path.trim_start_matches("/api").split('/').nth(1).unwrap_or_default()],
        "parameters": parameters(address),
        "responses": {
            address.status: {"description": address.what, "content": answer(address)},
            "default": {
                "description": "It was not done, or there is no answer",
                "content": {JSON: {"schema": reference(&Problem::schema_name())}},
            },
        },
    });
    if let Some(body) = body(address) {
        operation["requestBody"] = body;
    }
    operation
}

/// `post_messages_id_cancel`.
fn name_of(address: &Address) -> String {
    let words = address.path.trim_start_matches("/api").trim_start_matches('/').split(['/', '-', '.']);
    let words = words.map(|word| word.trim_matches(['{', '}']));
    words.fold(address.method.to_lowercase(), |name, word| name + "_" + word)
}

/// The words in its braces, and the fields of its query.
fn parameters(address: &Address) -> Vec<Value> {
    let asked = match &address.takes {
        Part::Type(name, schema) if name.ends_with("Query") => schema(),
        _ => json!({}),
    };
    let required = |name: &str| {
        asked["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
    };
    let in_path = |name: &str| address.path.contains(&format!("{{{name}}}"));
    let fields = asked["properties"].as_object();
    let words = address.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let words = words.map(|name| {
        let described = fields.and_then(|fields| fields.get(name)).and_then(|field| field["description"].as_str());
        let what = described.unwrap_or(match name {
            "id" => "Message id.",
            "token" => "Token of a turn.",
            _ => "Agent name or alias.",
        });
        json!({"name": name, "in": "path", "required": true, "description": what, "schema": {"type": "string"}})
    });
    let query = fields.into_iter().flatten().filter(|(name, _)| !in_path(name)).map(|(name, field)| {
        let mut field = field.clone();
        let what = field.as_object_mut().and_then(|field| field.remove("description")).unwrap_or_default();
        // What is not asked is left out: nothing stands for it.
        if let Some([kind, Value::String(null)]) = field["type"].as_array().map(Vec::as_slice)
            && null == "null"
        {
            field["type"] = kind.clone();
        }
        json!({"name": name, "in": "query", "required": required(name), "description": what, "schema": field})
    });
    words.chain(query).collect()
}

/// What is posted, if anything is.
fn body(address: &Address) -> Option<Value> {
    match &address.takes {
        Part::Type(name, schema) if !name.ends_with("Query") => {
            let required = schema().get("required").is_some();
            Some(json!({"required": required, "content": {JSON: {"schema": reference(name)}}}))
        }
        Part::Words(_) => {
            let one = reference("Message");
            let several = json!({"type": "array", "items": one.clone(), "minItems": 1});
            let yaml = "One message, or several documents with `---` between them.";
            let content = json!({
                JSON: {"schema": {"oneOf": [one, several]}},
                "application/yaml": {"schema": {"type": "string", "description": yaml}},
            });
            Some(json!({"required": true, "content": content}))
        }
        Part::Type(..) | Part::Nothing => None,
    }
}

/// What is answered, by its form.
fn answer(address: &Address) -> Value {
    let schema = match &address.gives {
        Part::Type(name, _) => reference(name),
        Part::Words(what) => json!({"type": "object", "description": what}),
        Part::Nothing => json!({}),
    };
    let mut content = json!({});
    if address.answers == Form::OpenMetrics {
        content[METRICS] = json!({"schema": {"type": "string"}});
    }
    if address.answers.as_json() {
        content[JSON] = json!({"schema": schema.clone()});
    }
    if address.answers.as_events() {
        let also = address.also.iter().map(|part| reference(part.name()));
        let data: Vec<Value> = [schema].into_iter().chain(also).collect();
        content[EVENTS] = json!({
            "schema": {"anyOf": data, "description": "Server-sent events. The `data:` of each is one of these."},
        });
    }
    content
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Takes a type in, and those within it.
fn take_in(schemas: &mut Map<String, Value>, name: &str, mut schema: Value) {
    let inner = schema.as_object_mut().and_then(|fields| {
        fields.remove("$schema");
        fields.remove("$defs")
    });
    for (name, schema) in inner.as_ref().and_then(Value::as_object).into_iter().flatten() {
        take_in(schemas, name, schema.clone());
    }
    point_at_components(&mut schema);
    schemas.entry(name).or_insert(schema);
}

fn point_at_components(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                *reference = reference.replace("#/$defs/", "#/components/schemas/");
            }
            fields.values_mut().for_each(point_at_components);
        }
        Value::Array(values) => values.iter_mut().for_each(point_at_components),
        _ => {}
    }
}
