//! `tasuki web`: the port for browsers, and the address by which a page gets its token.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use crate::io::client::{ANSWER_DEADLINE, Client};
use crate::io::web_file::write_opening;
use crate::io::workspace::Workspace;
use crate::wire::api::{WebBody, WebInfo};
use crate::wire::web::{WebToken, opening_query};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// Program that opens an address in the user's browser.
const OPENER: &str = "xdg-open";

/// Shows the team in a browser on this machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki web                     opens a port of 127.0.0.1 and prints the address of the page
  tasuki web messages/msg-a1b2c3d4e5f6
                                 the address of one message
  tasuki web --read-only         the address of a page that can only look
  tasuki web --new-token         locks every page that is open
  tasuki web --off               closes the port

The port is closed until this is called. It stays open over restarts of the daemon, until --off. Whoever has the address can do \
what you can: keep it as you keep a password. `--open` opens a file that leads to it: other users of this machine see the name of \
the file in `ps`, and no token. A browser in a sandbox may not be let read it; then open the address yourself.

Exit codes:
  2  the port is taken, or its file cannot be used
  5  no daemon is running")]
pub(super) struct Args {
    /// Place on the page: needs, command, team, messages, sessions or debates, or one item of a place, such as messages/ID or
    /// sessions/ID
    place: Option<String>,
    /// Port. Default: the one that it had before, else one that follows from the path of the workspace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1024..))]
    port: Option<u16>,
    /// Print the address and nothing else
    #[arg(long)]
    print_url: bool,
    /// Open the address in your browser (xdg-open)
    #[arg(long)]
    open: bool,
    /// Make both tokens anew; pages with the old ones are locked
    #[arg(long)]
    new_token: bool,
    /// Address of a page that can only look
    #[arg(long)]
    read_only: bool,
    /// Close the port
    #[arg(long, conflicts_with_all = ["place", "port", "print_url", "open", "new_token", "read_only"])]
    off: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let body = WebBody { off: args.off, port: args.port, new_token: args.new_token };
    let info: WebInfo = client.post("/api/web", &body, ANSWER_DEADLINE)?;
    if args.off {
        return context.tell(&serde_json::json!({"on": info.on}), || "the port is closed".to_owned());
    }
    let opening = info.token.as_deref().and_then(WebToken::read).and_then(|token| opening_query(&token));
    let token = if args.read_only { info.read_only_token } else { info.token };
    let (Some(origin), Some(token)) = (info.origin, token) else {
        let why = "the daemon did not say where it listens";
        return Err(Failure::new(Kind::Failed, "no-answer", why, "see .tasuki/daemon.log"));
    };
    let url = address(&origin, &token, args.place.as_deref());
    if args.open {
        let query = opening.map_or_else(String::new, |opening| format!("?{opening}"));
        open(&workspace, &url.replacen("/#", &format!("/{query}#"), 1))?;
    }
    let value = serde_json::json!({"on": true, "url": url, "read_only": args.read_only});
    context.tell(&value, || url.clone())?;
    if !args.print_url {
        let can = if args.read_only { "look at all that you can see" } else { "do what you can" };
        context.remark(format!("whoever has this address can {can}; `tasuki web --off` closes the port"));
    }
    Ok(())
}

/// The address that gives a page its token, in the fragment: a browser sends that to nobody.
fn address(origin: &str, token: &str, place: Option<&str>) -> String {
    let place = place.map(|place| place.trim_start_matches(['#', '/'])).filter(|place| !place.is_empty());
    let place = place.map_or_else(String::new, |place| format!("&at=/{}", encoded(place)));
    format!("{origin}/#token={token}{place}")
}

/// A place as it may stand behind the token: an `&` in it would end it.
fn encoded(place: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    place.bytes().map(byte).collect()
}

/// Hands a file over that leads to the address. The browser goes on when this command has ended.
fn open(workspace: &Workspace, url: &str) -> Ended {
    let cure = "open the address yourself: `tasuki web --print-url`";
    let file = write_opening(workspace, url)
        .map_err(|error| Failure::new(Kind::Failed, "no-browser", error.to_string(), cure))?;
    let mut command = Command::new(OPENER);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let opened = command.spawn().map(drop);
    opened.map_err(|error| {
        Failure::new(Kind::Failed, "no-browser", format!("cannot run {OPENER}: {error}"), cure)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_token_and_its_place_in_the_fragment() {
        let of = |place| address("http://127.0.0.1:20123", "ab12", place);
        assert_eq!(of(None), "http://127.0.0.1:20123/#token=ab12");
        assert_eq!(of(Some("#/")), of(None));
        let message = "http://127.0.0.1:20123/#token=ab12&at=/messages/msg-1";
        for place in ["messages/msg-1", "/messages/msg-1", "#/messages/msg-1"] {
            assert_eq!(of(Some(place)), message, "{place}");
        }
        assert_eq!(
            of(Some("team/襷?view=table&state=stuck")),
            "http://127.0.0.1:20123/#token=ab12&at=/team/%E8%A5%B7%3Fview%3Dtable%26state%3Dstuck"
        );
    }
}
