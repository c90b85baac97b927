//! Messages to the user that nobody has read yet: `queue/inbox/` holds each until it was shown to a person.

use super::context::{Context, Ended};
use super::failure::Failure;
use super::files;
use super::table::harmless;
use crate::io::workspace::Workspace;
use crate::wire::message::view::MessageView;
use std::fs;
use std::io;

/// Prints them, or that there are none.
pub(super) fn show(context: &Context, workspace: &Workspace) -> Ended {
    if workspace.unread() == 0 && !context.globals.json {
        return context.say("nothing unread");
    }
    show_unread(context, workspace)
}

/// Prints each whole, and removes it then: it is read. An agent that looks at the log reads in nobody's place.
pub(super) fn show_unread(context: &Context, workspace: &Workspace) -> Ended {
    let is_person =
        ["TASUKI_AGENT", "TASUKI_AGENT_KEY"].iter().all(|name| context.around.var(name).is_none());
    for (view, path) in files::unread(workspace) {
        if context.globals.json {
            let MessageView { id, from, kind, in_reply_to, parent, accepted_at, .. } = &view;
            let unread = serde_json::json!({
                "id": id, "from": from, "type": kind, "in_reply_to": in_reply_to, "parent": parent,
                "accepted_at": accepted_at, "content": view.file.content.as_ref(),
            });
            context.say(serde_json::json!({"unread": unread}).to_string())?;
        } else {
            context.say(text(&view))?;
        }
        if is_person {
            // Only now: what could not be printed is not read.
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::at(&path)(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn text(view: &MessageView) -> String {
    let MessageView { id, from, kind, in_reply_to, parent, accepted_at, .. } = view;
    let (kind, content) = (kind.word(), &view.file.content);
    let about = in_reply_to.as_ref().or(parent.as_ref());
    let about = about.map_or(String::new(), |task| format!(" about {task}"));
    let head = harmless(&format!("{accepted_at} unread: {kind} {id} from {from}{about}"));
    let lines: Vec<String> = content.trim_end().lines().map(|line| format!("  {}", harmless(line))).collect();
    format!("{head}\n{}", lines.join("\n"))
}
