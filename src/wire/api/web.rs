//! The door for browsers, as it is opened and as it proves itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Opens the TCP port for browsers, or closes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebBody {
    /// Whether the port is closed.
    pub off: bool,
    /// Port. Default: the one that it had before, else one that follows from the path of the workspace
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Whether both tokens are made anew. Pages with the old ones are locked.
    pub new_token: bool,
}

/// The port for browsers as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebInfo {
    /// Whether it is open.
    pub on: bool,
    /// Origin of the page, such as `http://127.0.0.1:20123`; null if it is closed.
    pub origin: Option<String>,
    /// Token that may do what the user may; null if it is closed.
    pub token: Option<String>,
    /// Token that may only look; null if it is closed.
    pub read_only_token: Option<String>,
}

/// What is to be proven, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProveQuery {
    /// 32 to 128 fresh random letters, digits, `-` and `_`.
    pub nonce: String,
}

/// Proofs that whoever answers knows the tokens: a page with a token sends it only after it has found its own proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProofInfo {
    /// Origin that they hold for: `http://` and the `Host` of the request.
    pub origin: String,
    /// A proof for each token, in hex: HMAC-SHA256, keyed by the token's letters, of `tasuki web`, `nonce` and `origin`.
    pub proofs: Vec<String>,
    /// Session of the port: random, and new whenever the port is opened. HMAC-SHA256, keyed by the token's letters, of
    /// `tasuki tab` and this is the ticket that a page shows in place of its token.
    pub session: String,
}

/// What a tab that was loaded anew goes on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TabInfo {
    /// Token that the ticket of the request was made of.
    pub token: String,
}
