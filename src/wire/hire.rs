//! An agent that is to be hired: from a request's JSON to what the engine is asked for.

use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::roster::{Hire, Host, Like, Recipe};
use crate::engine::words::AgentName;
use crate::wire::api::{HireBody, Problem};
use crate::wire::team_file::{NoLaunch, phrase_of};

/// What is wanted, as far as it can be judged by itself.
///
/// # Errors
/// What is wrong with a name or with the phrase, or that it is not said what the agent is made from.
pub fn wanted(body: HireBody) -> Result<Hire, Problem> {
    let HireBody { name, like, provider, reports_to, cwd, model, env, marker } = body;
    let name = word("name", &name)?;
    let like = match (like, provider) {
        (Some(like), None) => Like::Member(word("like", &like)?),
        (None, Some(provider)) => Like::Profile(provider),
        _ => {
            let why = "exactly one of `like` and `provider` says what the agent is made from";
            return Err(problem("bad-request", why, "give one of the two"));
        }
    };
    let reports_to = reports_to.map(|above| word("reports_to", &above)).transpose()?;
    let phrase = phrase_of(&name, marker.as_deref());
    let phrase = phrase.map_err(|NoLaunch { why, cure }| problem("bad-recipe", &why, &cure))?;
    let recipe = Recipe { like, cwd, model, env, host: Host::Local };
    Ok(Hire { name, reports_to, phrase, recipe, flow: None, notes: Vec::new() })
}

fn word(field: &'static str, text: &str) -> Result<AgentName, Problem> {
    AgentName::new(text).map_err(|wrong| {
        let refusal = Refusal::new(Code::BadName, format!("`{}` {wrong}", text.escape_debug()));
        Problem {
            field: Some(field.to_owned()),
            ..problem(refusal.code.word(), &refusal.why, refusal.cure())
        }
    })
}

fn problem(code: &str, why: &str, cure: &str) -> Problem {
    Problem { code: code.to_owned(), why: why.to_owned(), cure: cure.to_owned(), ..Problem::default() }
}
