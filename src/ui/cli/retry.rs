//! `tasuki retry`: a held message goes on; a failed one is sent again as a new message.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::files;
use super::send::send;
use crate::engine::message::refusal::Code;
use crate::engine::words::MessageId;
use crate::io::chance::mint_id;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::workspace::Workspace;
use crate::wire::api::{Done, MessagePage, MessagesQuery, Problem, Question};
use crate::wire::message::draft::OWN_KEYS;
use serde_json::{Map, Value, json};

/// Fields of the old message that a new one does not take over.
const LEFT: [&str; 5] = ["id", "status", "token", "timestamp", "deadline"];

/// Releases a held message, or sends a failed one again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki retry msg-a1b2c3d4e5f6

A held message keeps its id. A failed or cancelled one is sent again as a new message with `retry_of` and without its deadline.")]
pub(super) struct Args {
    /// Message id
    #[arg(value_name = "ID")]
    id: MessageId,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let path = format!("/api/messages/{}/retry", args.id);
    match client.post::<Done>(&path, &json!({}), ANSWER_DEADLINE) {
        Ok(done) => context.tell(&done, || done.what.clone()),
        Err(ClientError::Refused(Problem { code, .. })) if matches!(&*code, "not-open" | "no-message") => {
            send_again(context, &workspace, &client, &args.id)
        }
        Err(error) => Err(error.into()),
    }
}

fn send_again(context: &Context, workspace: &Workspace, client: &Client, old: &MessageId) -> Ended {
    let refused =
        |why: String| Failure::new(Kind::Rejected, "not-open", why, format!("see `tasuki why {old}`"));
    let path = files::done_file(workspace, old).ok_or_else(|| {
        let cure = "`tasuki log` shows the last messages with their ids";
        Failure::new(Kind::Rejected, "not-open", format!("there is no message {old}"), cure)
    })?;
    let view: Option<Map<String, Value>> = files::read(&path);
    let mut view =
        view.ok_or_else(|| refused("it cannot be read".into()).within(path.display().to_string()))?;
    if view.get("status") == Some(&json!("completed")) {
        return Err(refused(format!(
            "{old} is completed; only a held, failed or cancelled message can be retried"
        )));
    }
    if let Some(again) = sent_again(workspace, client, old) {
        let cure = format!("wait for it, or end it with `tasuki cancel {again}`");
        let why = format!("{old} is being tried again already, as {again}");
        return Err(Failure::new(Kind::Rejected, "wrong-stage", why, cure));
    }
    let id = mint_id();
    view.retain(|key, _| !LEFT.contains(&key.as_str()) && !OWN_KEYS.contains(&key.as_str()));
    view.insert("id".to_owned(), json!(id.as_str()));
    view.insert("retry_of".to_owned(), json!(old.as_str()));
    let from = view.get("from").and_then(Value::as_str).unwrap_or("user").to_owned();
    send(context, workspace, client, &Value::Object(view), &id).map_err(|failure| {
        // The key is an agent's, and the message somebody else's.
        if failure.problem.code != Code::BadProof.word() {
            return failure;
        }
        let why = format!("{old} was sent by {from}, and an agent sends again only what it sent itself");
        let cure = format!("let {from} run `tasuki retry {old}`");
        Failure::new(Kind::Rejected, Code::NotYours.word(), why, cure)
    })?;
    let what = format!("{old} is sent again as {id}");
    context.tell(&Done { what: what.clone(), id: Some(id.to_string()) }, || what)
}

/// A message that repeats this one and is open, or waits in `queue/`.
fn sent_again(workspace: &Workspace, client: &Client, old: &MessageId) -> Option<String> {
    let (state, retry_of) = (Some("open".to_owned()), Some(old.to_string()));
    let asked = MessagesQuery { state, retry_of, ..MessagesQuery::default() };
    if let Ok(list) = client.get::<MessagePage>(&asked.address(), ANSWER_DEADLINE) {
        return list.messages.into_iter().next().map(|message| message.id.to_string());
    }
    let waiting = std::fs::read_dir(workspace.queue()).into_iter().flatten().flatten();
    let views = waiting.filter_map(|entry| files::read::<Map<String, Value>>(&entry.path()));
    let again = |view: &Map<String, Value>| view.get("retry_of") == Some(&json!(old.as_str()));
    let id = views.into_iter().find(again)?.remove("id")?;
    id.as_str().map(str::to_owned)
}
