//! The addresses of the port itself: the Unix socket opens it, a page has it proven, and a tab that was loaded anew goes on.

use super::order::{Order, Way};
use crate::ui::http::gate::{Gate, JsonAnswer};
use crate::ui::http::given::{Asked, Given, Key};
use crate::ui::http::refused::Refused;
use crate::wire::api::{ProofInfo, ProveQuery, TabInfo, WebBody, WebInfo};
use crate::wire::web::{Access, Challenge};
use axum::Json;
use axum::extract::Extension;
use axum::extract::State;
use axum::http::header::HOST;
use axum::http::{HeaderMap, StatusCode};
use tokio::sync::oneshot;

/// Where an address of pages is answered.
const TCP: &str = "the TCP port of `tasuki web`";

/// Opens or closes the port.
pub(in crate::ui::http) async fn web(
    State(gate): State<Gate>,
    key: Key,
    Given(body): Given<WebBody>,
) -> JsonAnswer<WebInfo> {
    let Way::Socket(orders) = &gate.way else { return Err(not_here("the Unix socket")) };
    // The token may do what the user may: an agent that got one would be the user.
    if key.0.is_some() {
        let why = "an agent may not open the port for browsers: its token can do what the user can";
        return Err(Refused::new(StatusCode::FORBIDDEN, "not-yours", why, "let a person do it"));
    }
    let (answer, answered) = oneshot::channel();
    let gone = Refused::ending;
    orders.send(Order { body, answer }).await.map_err(|_| gone())?;
    answered.await.map_err(|_| gone())?.map(Json)
}

/// Proves that this daemon knows the tokens.
pub(in crate::ui::http) async fn prove(
    State(gate): State<Gate>,
    headers: HeaderMap,
    Asked(query): Asked<ProveQuery>,
) -> JsonAnswer<ProofInfo> {
    let Way::Tcp(hosts, credentials) = &gate.way else { return Err(not_here(TCP)) };
    let tokens = credentials.tokens();
    let bad = || Refused::bad_request("`nonce` has 32 to 128 letters, digits, `-` and `_`");
    let challenge = Challenge::read(&query.nonce).ok_or_else(bad)?;
    // For the name by which the page was loaded: it is one of ours, or this was not reached.
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.filter(|host| hosts.holds(host.as_bytes()));
    let origin = host.map_or_else(|| hosts.origin(), |host| format!("http://{host}"));
    let proofs = [&tokens.full, &tokens.read_only].map(|token| token.proof(&challenge, &origin));
    let proofs: Option<Vec<String>> = proofs.into_iter().collect();
    let bug = || {
        let why = "a token is no key";
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", why, "please report this")
    };
    let session = credentials.session().to_owned();
    Ok(Json(ProofInfo { proofs: proofs.ok_or_else(bug)?, origin, session }))
}

/// Gives a tab its token again: it has kept a ticket alone.
pub(in crate::ui::http) async fn tab(
    State(gate): State<Gate>,
    access: Option<Extension<Access>>,
) -> JsonAnswer<TabInfo> {
    match (&gate.way, access) {
        (Way::Tcp(_, credentials), Some(Extension(access))) => {
            Ok(Json(TabInfo { token: credentials.token(access).text().to_owned() }))
        }
        _ => Err(not_here(TCP)),
    }
}

fn not_here(place: &str) -> Refused {
    let why = format!("this address is answered by way of {place} alone");
    Refused::new(StatusCode::FORBIDDEN, "other-way", why, "see protocol/API.md")
}
