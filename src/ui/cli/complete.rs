//! What a shell completes besides verbs and flags: agents, ids and the choices of a dialog, asked of the workspace at each Tab.
//!
//! The script that `tasuki completions` prints calls the program with `TASUKI_COMPLETE` and the words so far. Whatever is wrong
//! there, nothing is said: a shell would print it into the line.

use super::context::{Color, Context, Globals};
use super::look::look_within;
use crate::engine::words::USER;
use crate::io::client::Client;
use crate::read::{Answers, state_words};
use crate::wire::api::{
    AgentInfo, AgentQuery, AgentsQuery, MessagesQuery, NeedsQuery, SessionQuery, SessionsQuery, TeamQuery,
};
use crate::wire::team_file::Settings;
use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use std::path::PathBuf;
use std::time::Duration;

/// Says that the program is asked for completions, by which shell.
pub(super) const VAR: &str = "TASUKI_COMPLETE";
/// How long a daemon may take for a Tab, before its files are read instead.
const PATIENCE: Duration = Duration::from_millis(500);
/// Ids that are offered: the newest.
const IDS: usize = 100;

/// Completes the words of a shell's line, if the program was called for that.
pub(super) fn is_done(command: fn() -> Command) -> bool {
    let factory = move || offering(command());
    CompleteEnv::with_factory(factory).var(VAR).try_complete(std::env::args_os(), None).unwrap_or(true)
}

/// The command line with what is offered for its words.
fn offering(command: Command) -> Command {
    let verb = command.get_name().to_owned();
    command.mut_args(|arg| offered(&verb, arg)).mut_subcommands(offering)
}

fn offered(verb: &str, arg: Arg) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    let candidates: fn() -> Vec<CompletionCandidate> = match (verb, id.as_str()) {
        ("list", "agent") => || in_order(agents().into_iter().chain([of(USER, None)])),
        ("list", "state") => states,
        ("list", "kind") => || ["task", "info", "result", "error"].map(|word| of(word, None)).into(),
        ("send", "to") => addressees,
        ("send", "from") | ("hire", "like" | "reports_to") | (_, "agent") => agents,
        ("send", "depends_on") | ("cancel", "ids") => || ids("open"),
        ("send", "expect_command") => commands,
        ("retry", "id") => || in_order(ids("held").into_iter().chain(ids("failed"))),
        ("needs", "dismiss") => dismissable,
        ("show", "id") => || ids("any"),
        ("why" | "log", "subject") => || in_order(agents().into_iter().chain(ids("any"))),
        ("answer", "choice") => choices,
        ("new", "master") => || lasting(agents()),
        ("add-task", "to") => || lasting(addressees()),
        ("add-task", "depends_on") | (_, "session_task") => session_tasks,
        ("retry", "session") => || in_order(sessions().into_iter().chain(failed_tasks())),
        (_, "session") => || in_order(sessions()),
        _ => return arg,
    };
    arg.add(ArgValueCandidates::new(candidates))
}

/// The commands of the team file, which a task may expect to succeed.
fn commands() -> Vec<CompletionCandidate> {
    let settings = context().and_then(|context| {
        let workspace = context.workspace().ok()?;
        Some(Settings::load(&workspace, &context.around).ok()?.settings)
    });
    let words = |(name, words): (&String, &Vec<String>)| of(name, Some(words.join(" ")));
    in_order(settings.iter().flat_map(|settings| settings.team.commands.iter().map(words)))
}

/// The words of the line, behind the name of the program.
fn words() -> Vec<String> {
    let words = std::env::args_os().skip_while(|word| word != "--").skip(2);
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The workspace that the line is about.
fn context() -> Option<Context> {
    let words = words();
    let root = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--root") {
        Some("") => words.get(at + 1).map(PathBuf::from),
        Some(rest) => rest.strip_prefix('=').map(PathBuf::from),
        None => None,
    });
    Context::new(Globals { root, json: false, color: Color::Never }).ok()
}

/// The answer to a question, if there is one.
fn ask<Q: Answers + Clone>(question: &Q) -> Option<Q::Answer> {
    let context = context()?;
    let workspace = context.workspace().ok()?;
    let client = Client::new(&workspace, &context.around).ok()?;
    Some(look_within(PATIENCE, &context, &workspace, &client, question).ok()?.answer)
}

fn of(value: &str, help: Option<String>) -> CompletionCandidate {
    CompletionCandidate::new(value).help(help.map(Into::into))
}

/// The order is meant: no shell sorts them by their letters.
fn in_order(candidates: impl IntoIterator<Item = CompletionCandidate>) -> Vec<CompletionCandidate> {
    let placed = candidates.into_iter().enumerate();
    placed.map(|(place, candidate)| candidate.display_order(Some(place))).collect()
}

/// In the order of the team file.
fn agents() -> Vec<CompletionCandidate> {
    let agents = ask(&AgentsQuery {}).map(|list| list.agents).unwrap_or_default();
    in_order(agents.into_iter().map(|agent| of(&agent.agent_name, Some(agent.state))))
}

/// Those who are not hired for a task, with which they would go.
fn lasting(mut candidates: Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    let agents = ask(&AgentsQuery {}).map(|list| list.agents).unwrap_or_default();
    let is_for_flow = |agent: &AgentInfo| agent.hired.as_ref().is_some_and(|hired| hired.flow.is_some());
    let hired: Vec<String> = agents.into_iter().filter(is_for_flow).map(|agent| agent.agent_name).collect();
    candidates.retain(|candidate| !hired.iter().any(|name| candidate.get_value() == &**name));
    candidates
}

/// Whoever may be written to.
fn addressees() -> Vec<CompletionCandidate> {
    let Some(team) = ask(&TeamQuery {}) else { return Vec::new() };
    let aliases = team.members.iter().flat_map(|member| member.aliases.iter());
    let members = team.members.iter().map(|member| of(&member.agent_name, Some(member.provider.clone())));
    let pools = team.pools.iter().map(|pool| of(&pool.name, Some(pool.members.join(", "))));
    let aliases = aliases.map(|alias| of(alias, None));
    in_order(members.chain(pools).chain(aliases))
}

fn states() -> Vec<CompletionCandidate> {
    // Without spaces, which a shell would have to quote.
    state_words().into_iter().map(|word| of(&word.replace(' ', "-"), None)).collect()
}

/// The newest messages in this state, with what they are about.
fn ids(state: &str) -> Vec<CompletionCandidate> {
    let query = MessagesQuery { state: Some(state.to_owned()), limit: Some(IDS), ..MessagesQuery::default() };
    let messages = ask(&query).map(|page| page.messages).unwrap_or_default();
    in_order(messages.into_iter().map(|view| of(view.id.as_str(), view.title)))
}

/// What can be dismissed, with what it is.
fn dismissable() -> Vec<CompletionCandidate> {
    let needs = ask(&NeedsQuery {}).map(|needs| needs.needs).unwrap_or_default();
    let needs = needs.into_iter().filter(|need| need.dismiss.is_some());
    in_order(needs.map(|need| of(&need.id, Some(need.title))))
}

/// The first word behind a verb that is no flag.
fn behind(words: &[String], verb: &str) -> Option<String> {
    let mut after = words.iter().skip_while(|word| *word != verb).skip(1);
    after.find(|word| !word.starts_with('-')).cloned()
}

/// Sessions that are known, with what they are called.
fn sessions() -> Vec<CompletionCandidate> {
    let sessions = ask(&SessionsQuery {}).map(|list| list.sessions).unwrap_or_default();
    sessions.into_iter().take(IDS).map(|session| of(&session.id, session.title)).collect()
}

/// The tasks of the session of the line, with what they are called.
fn session_tasks() -> Vec<CompletionCandidate> {
    // `session`, its verb, and the session.
    let words = words();
    let id = behind(&words, "session").and_then(|verb| behind(&words, &verb));
    let tasks = id.and_then(|id| ask(&SessionQuery { id })).map(|details| details.tasks).unwrap_or_default();
    in_order(tasks.into_iter().map(|task| of(&task.id, Some(task.name))))
}

/// Tasks that have failed, of the newest sessions.
fn failed_tasks() -> Vec<CompletionCandidate> {
    /// Each takes a question.
    const SESSIONS: usize = 5;
    let sessions = ask(&SessionsQuery {}).map(|list| list.sessions).unwrap_or_default();
    let failed = sessions.into_iter().filter(|session| session.counts.failed > 0).take(SESSIONS);
    let details = failed.filter_map(|session| ask(&SessionQuery { id: session.id }));
    let tasks = details.flat_map(|details| details.tasks).filter(|task| task.status == "Failed");
    tasks.map(|task| of(&task.id, Some(task.name))).collect()
}

/// The choices of the dialog that the agent of the line shows.
fn choices() -> Vec<CompletionCandidate> {
    let words = words();
    let Some(name) = behind(&words, "answer") else { return Vec::new() };
    let asks = ask(&AgentQuery { name }).and_then(|details| details.agent.asks);
    let choices = asks.map(|asks| asks.choices).unwrap_or_default();
    in_order((1..).zip(choices).map(|(number, choice)| of(&format!("{number}"), Some(choice))))
}
