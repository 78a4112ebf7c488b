//! Seals the `requestState` that clients return in the next round of a request.

use mcp_sieve::{
    json::{Members, Object, Raw},
    seal::Key,
    sort_indices,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{object::deserialize, protocol::error::RpcError};

/// Time, in milliseconds, in which a client must answer.
const TTL_MS: u64 = 60 * 60 * 1000;
/// Parameters that may differ between the rounds of a request.
const CHANGING: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// Seals the state that a caller returns in the next round of a request. A token is valid for one hour, for that
/// request and caller.
#[derive(Debug)]
pub(crate) struct StateSealer {
    key: Key,
    /// The kind of state. A token of one purpose is invalid for another.
    purpose: &'static str,
    now: u64,
    about: [u8; 32],
}

impl StateSealer {
    /// Creates a sealer for one request, which a hash from [`about_members`] or [`about_values`] identifies.
    pub fn new(key: &Key, purpose: &'static str, now: u64, about: [u8; 32]) -> Self {
        Self { key: key.clone(), purpose, now, about }
    }

    /// Returns a token with the sealed `state`.
    pub fn close(&self, state: &[u8]) -> String {
        let until = self.now.saturating_add(TTL_MS).to_be_bytes();
        self.key.seal(self.purpose, &[&until[..], &self.about[..], state].concat())
    }

    /// Returns the state in a token that [`StateSealer::close`] made.
    ///
    /// # Errors
    /// A token of another key, request or caller, and one that has expired.
    pub fn open(&self, token: &str) -> Result<Vec<u8>, RpcError> {
        let read = || {
            let content = self.key.open(self.purpose, token)?;
            let (until, rest) = content.split_first_chunk::<8>()?;
            let (about, state) = rest.split_first_chunk::<32>()?;
            (*about == self.about).then(|| (u64::from_be_bytes(*until), state.to_vec()))
        };
        match read() {
            Some((until, state)) if self.now < until => Ok(state),
            Some(_) => Err(RpcError::handle("handle_expired", "`requestState` has expired, ask anew")),
            None => Err(foreign()),
        }
    }
}

/// Returns the text of each answer in `inputResponses` by its key, in the client's order; `None` if it is not an object of
/// objects.
pub(crate) fn input_responses(raw: Raw<'_>) -> Option<Vec<(String, String)>> {
    let is_object =
        |answer: &Raw<'_>| deserialize::<Value>(answer.get()).is_ok_and(|answer| answer.is_object());
    let answers = Members::read(raw)?.0.into_iter();
    let answers = answers.map(|(key, answer)| {
        Some(answer).filter(is_object).map(|answer| (key.into_owned(), answer.get().to_owned()))
    });
    answers.collect()
}

/// Returns `inputResponses` with these answers, the text of each by its key.
pub(crate) fn responses_text(answers: &[(String, String)]) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    answers.iter().for_each(|(key, answer)| object.raw(key, answer.as_bytes()));
    object.close();
    // The output consists of UTF-8 text.
    String::from_utf8(out).unwrap_or_default()
}

/// Returns the error for a state of another request.
pub(crate) fn foreign() -> RpcError {
    RpcError::handle("handle_invalid", "`requestState` is not of this request").denied("handle_invalid")
}

/// Returns the state in a token without checking its request, caller or age. Use it only to find the instance that will
/// check them.
pub(crate) fn peek(key: &Key, purpose: &str, token: &str) -> Option<Vec<u8>> {
    key.open(purpose, token)?.get(8 + 32..).map(<[u8]>::to_vec)
}

/// Returns the hash of a call over all its rounds: caller, method and the parameters that do not change.
pub(crate) fn about_members(principal: &str, method: &str, params: &Members<'_>) -> [u8; 32] {
    let params = params.0.iter().map(|(key, value)| (key.as_ref(), *value)).collect();
    // Values are hashed in a normal form, because a client may serialize its request differently in each round.
    let text = |value: Raw<'_>| match serde_json::from_str::<Value>(value.get()) {
        Ok(read) => read.to_string(),
        // A number or a text that Rust cannot represent.
        Err(_) => value.get().to_owned(),
    };
    about(principal, method, params, &text)
}

/// Does the same as [`about_members`] for fully parsed parameters.
pub(crate) fn about_values(principal: &str, method: &str, params: &Value) -> [u8; 32] {
    let params = params.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value)).collect();
    about(principal, method, params, &|value: &Value| value.to_string())
}

fn about<V: Copy>(
    principal: &str,
    method: &str,
    mut params: Vec<(&str, V)>,
    text: &dyn Fn(V) -> String,
) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut add = |part: &str| {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    };
    add(principal);
    add(method);
    params.retain(|(key, _)| !CHANGING.contains(key));
    // Repeated keys are hashed in the order in which they were written.
    let key = |at: usize| (params.get(at).map(|(key, _)| *key), at);
    let order = sort_indices(params.len(), &mut |a, b| key(a).cmp(&key(b)));
    for (key, value) in order.into_iter().filter_map(|at| params.get(at as usize).copied()) {
        add(key);
        add(&text(value));
    }
    hasher.finalize().into()
}
