//! What a port knows its callers by: the tokens, and what is made of them.
//!
//! # Why a page has a ticket
//!
//! While no daemon runs, any user of the machine may listen on its port. A tab that is loaded anew then runs that user's page
//! under our origin, which reads all that the tab has kept. So a tab keeps no token. It keeps a ticket: HMAC-SHA256, by the
//! token, of `tasuki tab` and the session of the port, which is random and new whenever the port is opened. The daemon has the
//! port as long as the session lasts, so nobody else reads a ticket that is still good. A page also shows its ticket with each
//! request, and never its token: a request that reaches a stranger in the moment of the daemon's end gives nothing away.
//!
//! A page that stays loaded has the token in its memory. It goes on with the next daemon, and gets the next ticket.

use super::tokens::{Access, Tokens, WebToken};

/// The query by which a file of the user's opens the page.
const OPEN: &str = "open=";

/// The tokens of an open port, and what is made of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    tokens: Tokens,
    tickets: Tokens,
    session: WebToken,
    opening: WebToken,
}

impl Credentials {
    /// Of a port that is opened with these tokens. `session` is random. None only if HMAC takes no key, which is a bug.
    #[must_use]
    pub fn new(tokens: Tokens, session: WebToken) -> Option<Self> {
        let tickets =
            Tokens { full: tokens.full.ticket(&session)?, read_only: tokens.read_only.ticket(&session)? };
        let opening = tokens.full.opening()?;
        Some(Self { tokens, tickets, session, opening })
    }

    /// The tokens.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Its letters. Everybody may know them.
    #[must_use]
    pub fn session(&self) -> &str {
        self.session.text()
    }

    /// What the value of an `Authorization` allows, if anything: a token, or a ticket of this session.
    #[must_use]
    pub fn access(&self, authorization: &[u8]) -> Option<Access> {
        let (by_token, by_ticket) = (self.tokens.access(authorization), self.tickets.access(authorization));
        by_token.or(by_ticket)
    }

    /// The token that allows this.
    #[must_use]
    pub fn token(&self, access: Access) -> &WebToken {
        match access {
            Access::Full => &self.tokens.full,
            Access::ReadOnly => &self.tokens.read_only,
        }
    }

    /// Whether a query is that by which a file of the user's opens the page.
    #[must_use]
    pub fn opens(&self, query: &str) -> bool {
        query.strip_prefix(OPEN).is_some_and(|letters| self.opening.is(letters.as_bytes()))
    }
}

/// That query, for this token; none only if HMAC takes no key, which is a bug.
#[must_use]
pub fn opening_query(full: &WebToken) -> Option<String> {
    full.opening().map(|opening| format!("{OPEN}{}", opening.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_holds_for_its_token_and_for_one_session() {
        let tokens = Tokens { full: WebToken::of_bytes([1; 32]), read_only: WebToken::of_bytes([2; 32]) };
        let of = |session| Credentials::new(tokens.clone(), WebToken::of_bytes([session; 32])).unwrap();
        let (now, later) = (of(3), of(4));
        let bearer = |token: &WebToken| format!("Bearer {}", token.text()).into_bytes();
        for port in [&now, &later] {
            assert_eq!(port.access(&bearer(&tokens.full)), Some(Access::Full));
            assert_eq!(port.access(&bearer(&tokens.read_only)), Some(Access::ReadOnly));
        }
        assert_eq!(now.access(&bearer(&now.tickets.full)), Some(Access::Full));
        assert_eq!(now.access(&bearer(&now.tickets.read_only)), Some(Access::ReadOnly));
        assert_eq!(later.access(&bearer(&now.tickets.full)), None, "its session is over");
        assert_eq!(now.access(&bearer(&later.tickets.full)), None);
        // What everybody may know opens nothing.
        assert_eq!(now.access(&bearer(&now.session)), None);
        assert_eq!(now.access(&bearer(&now.opening)), None);
        assert_eq!((now.token(Access::Full), now.token(Access::ReadOnly)), (&tokens.full, &tokens.read_only));
    }

    #[test]
    fn a_file_of_the_users_opens_the_page_by_its_word_alone() {
        let tokens = Tokens { full: WebToken::of_bytes([1; 32]), read_only: WebToken::of_bytes([2; 32]) };
        let port = Credentials::new(tokens.clone(), WebToken::of_bytes([3; 32])).unwrap();
        let query = opening_query(&tokens.full).unwrap();
        assert!(port.opens(&query));
        let of_look = opening_query(&tokens.read_only).unwrap();
        let token = format!("open={}", tokens.full.text());
        for other in [
            "",
            "open",
            "open=",
            &query[1..],
            &query[..query.len() - 1],
            &format!("{query}&x"),
            &of_look,
            &token,
        ] {
            assert!(!port.opens(other), "{other}");
        }
    }
}
