//! The tokens of a workspace's port, what each allows, and the proof that whoever answers knows them.
//!
//! # Why a page asks for a proof
//!
//! A page that is left open outlives the daemon. While no daemon runs, any user of the machine may listen on its port. A page
//! that sent its token to whoever answers would give it away. So it sends a challenge first: fresh random letters. The
//! answer is HMAC-SHA256, by the token, of `tasuki web`, the challenge, and the origin of the page.
//!
//! - **A stranger on another port** gets the page's challenge and passes it on to the daemon. The origin holds the port at which
//!   the page was loaded, and a daemon proves itself for its own names only (a `Host` that is not its own gets 421). The proof
//!   that the stranger gets is for another origin, and the page refuses it.
//! - **Replay.** A proof holds for its challenge alone, and each page makes a new one each time. The daemon keeps none.
//! - **Length extension** works against a bare hash of key and text. It does not work against HMAC.
//! - **Two readings.** The challenge has letters, digits, `-` and `_` only, and an origin begins with `http://`. So the end of the
//!   challenge is known, and no text is the text of two challenges or of two origins.
//! - **Other uses of the key.** The text begins with words of its own. Tickets and opening words begin with others
//!   ([`super::Credentials`]), so nobody gets one of them by asking for a proof.
//! - **Read-only.** Both tokens are proven, since the daemon does not know which one a page has. Each proof is made by its own
//!   token and tells nothing of the other. Whoever has the read-only token can prove himself to read-only pages, and to no others.
//! - **Guessing.** A proof is seen by whoever asks. A token has 256 random bits, and nobody finds it by trying.

use ctutils::CtEq as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;

/// Random bytes of a token: as many as a proof has, so that neither is the weaker.
const TOKEN_BYTES: usize = 32;
/// Length of a challenge: 128 bits in hex at least, and not so long that it carries anything else.
const CHALLENGE_CHARS: std::ops::RangeInclusive<usize> = 32..=128;
/// What a proof is for.
const PURPOSE: &[u8] = b"tasuki web";
/// What a ticket is for.
const TICKET: &[u8] = b"tasuki tab";
/// What an opening word is for.
const OPENING: &[u8] = b"tasuki open";

/// A token: 64 hex digits in small letters. It is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct WebToken(String);

impl fmt::Debug for WebToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebToken")
    }
}

impl WebToken {
    /// The token of these random bytes.
    #[must_use]
    pub fn of_bytes(bytes: [u8; TOKEN_BYTES]) -> Self {
        Self(hex(&bytes))
    }

    /// A token as a file holds it; none if it is not one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 2 * TOKEN_BYTES && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// As it stands in an address.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether these are its letters, in a time that does not depend on which of them differ.
    pub(super) fn is(&self, letters: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(letters).to_bool()
    }

    /// The proof that whoever answers at `origin` knows it, in hex; none only if HMAC takes no key, which is a bug.
    #[must_use]
    pub fn proof(&self, challenge: &Challenge, origin: &str) -> Option<String> {
        let parts = [PURPOSE, challenge.0.as_bytes(), origin.as_bytes()];
        hmac_sha256(self.0.as_bytes(), &parts).map(|proof| hex(&proof))
    }

    /// What a page shows in its place while the port stays open, whose session this is; none as of a proof.
    #[must_use]
    pub fn ticket(&self, session: &Self) -> Option<Self> {
        hmac_sha256(self.0.as_bytes(), &[TICKET, session.0.as_bytes()]).map(Self::of_bytes)
    }

    /// By which a file of the user's may open the page; none as of a proof.
    #[must_use]
    pub fn opening(&self) -> Option<Self> {
        hmac_sha256(self.0.as_bytes(), &[OPENING]).map(Self::of_bytes)
    }
}

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// What the user may.
    Full,
    /// Look, and change nothing.
    ReadOnly,
}

/// Both tokens of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    pub full: WebToken,
    pub read_only: WebToken,
}

impl Tokens {
    /// What the value of an `Authorization` allows, if anything. Both tokens are always compared.
    #[must_use]
    pub fn access(&self, authorization: &[u8]) -> Option<Access> {
        let letters = authorization.strip_prefix(b"Bearer ")?;
        let (full, read_only) = (self.full.is(letters), self.read_only.is(letters));
        if full {
            return Some(Access::Full);
        }
        read_only.then_some(Access::ReadOnly)
    }
}

/// What a page asks to be proven by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge(String);

impl Challenge {
    /// 32 to 128 letters, digits, `-` and `_`; none if it is anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (CHALLENGE_CHARS.contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }
}

/// HMAC-SHA256 (RFC 2104) of these parts, one behind the other.
fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> Option<[u8; 32]> {
    let mut hmac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    parts.iter().for_each(|part| hmac.update(part));
    Some(hmac.finalize().into_bytes().into())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Tokens {
        Tokens { full: WebToken::of_bytes([1; 32]), read_only: WebToken::of_bytes([0xab; 32]) }
    }

    #[test]
    fn the_hmac_is_that_of_rfc_4231() {
        let large = [0xaa; 131];
        let vectors: [(&[u8], &[u8], &str); 6] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (
                &[
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                ],
                &[0xcd; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            ),
            (
                &large,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &large,
                b"This is a test using a larger than block-size key and a larger than block-size data. The key needs \
                  to be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ];
        for (key, text, expected) in vectors {
            assert_eq!(hmac_sha256(key, &[text]).map(|mac| hex(&mac)).as_deref(), Some(expected));
            // Parts are one text.
            let (first, rest) = text.split_at(text.len() / 2);
            assert_eq!(hmac_sha256(key, &[first, &[], rest]).map(|mac| hex(&mac)).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_proof_is_for_one_token_one_challenge_and_one_origin() {
        let of = |token: &WebToken, challenge: &str, origin: &str| {
            token.proof(&Challenge::read(challenge).unwrap(), origin).unwrap()
        };
        let (tokens, challenge, origin) = (tokens(), "n".repeat(32), "http://127.0.0.1:7410");
        let proof = of(&tokens.full, &challenge, origin);
        // What a page computes by itself: the key is the token's letters.
        let text = format!("tasuki web{challenge}{origin}");
        let own = hmac_sha256(tokens.full.text().as_bytes(), &[text.as_bytes()]).unwrap();
        assert_eq!(proof, hex(&own));
        assert_ne!(proof, of(&tokens.read_only, &challenge, origin));
        assert_ne!(proof, of(&tokens.full, &"n".repeat(33), origin));
        for other in ["http://127.0.0.1:7411", "http://localhost:7410", "http://[::1]:7410"] {
            assert_ne!(proof, of(&tokens.full, &challenge, other), "{other}");
        }
    }

    #[test]
    fn a_challenge_has_letters_and_an_end() {
        for good in ["a".repeat(32), "Z9-_".repeat(32)] {
            assert!(Challenge::read(&good).is_some(), "{good}");
        }
        let long = "a".repeat(40);
        for bad in [
            String::new(),
            "a".repeat(31),
            "a".repeat(129),
            format!("{long}http://127.0.0.1:1"),
            format!("{long}:"),
            format!("{long}\0"),
            format!("{long} "),
            format!("{long}+"),
            format!("{long}襷"),
        ] {
            assert!(Challenge::read(&bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn a_token_opens_as_a_whole_or_not_at_all() {
        let tokens = tokens();
        let (full, read_only) = (tokens.full.text().to_owned(), tokens.read_only.text().to_owned());
        assert_eq!(tokens.access(format!("Bearer {full}").as_bytes()), Some(Access::Full));
        assert_eq!(tokens.access(format!("Bearer {read_only}").as_bytes()), Some(Access::ReadOnly));
        for other in [
            String::new(),
            "Bearer ".to_owned(),
            full.clone(),
            format!("bearer {full}"),
            format!("Bearer  {full}"),
            format!("Bearer {full} "),
            format!("Bearer {}", &full[..63]),
            format!("Bearer {full}0"),
            format!("Bearer {}", read_only.to_uppercase()),
            format!("Basic {full}"),
            format!("Bearer {full},Bearer {read_only}"),
            format!("Bearer {}", "0".repeat(64)),
        ] {
            assert_eq!(tokens.access(other.as_bytes()), None, "{other}");
        }
        // Each letter counts.
        for at in 0..64 {
            let mut wrong = full.clone().into_bytes();
            wrong[at] ^= 1;
            assert_eq!(tokens.access(&[b"Bearer ", &wrong[..]].concat()), None, "{at}");
        }
        assert!(!format!("{tokens:?}").contains(&full[..8]));
        assert_eq!(WebToken::read(&full), Some(tokens.full.clone()));
        for other in [&full[1..], &read_only.to_uppercase(), &"g".repeat(64), ""] {
            assert_eq!(WebToken::read(other), None, "{other}");
        }
    }
}
