//! The redacted values behind the handles of a call, over its rounds. A stateless client makes each round as a request
//! of its own. It carries the values, encrypted, in `requestState`, beside the server's own state.

use aes_siv::{KeyInit, siv::Aes128Siv};
use mcp_sieve::{json::Raw, seal::Key};

use crate::{
    middleware::Redactions,
    protocol::{
        error::RpcError,
        request_state::{self, StateSealer},
    },
};

/// The purpose of the token, and that for which the key of the values is derived.
const PURPOSE: &str = "rounds";
const VALUES: &str = "round values";

/// Seals and opens the values of one call.
pub(crate) struct RoundHandles {
    key: Key,
    sealer: StateSealer,
    /// The hash of the call, from [`request_state::about_members`].
    pub about: [u8; 32],
}

/// The values from the earlier rounds of a call, and the JSON of the server's state.
pub(crate) type EarlierRounds = (Redactions, Option<String>);

impl RoundHandles {
    /// Creates the sealer of one call, which the hash `about` identifies.
    pub fn new(key: &Key, now: u64, about: [u8; 32]) -> Self {
        Self { key: key.clone(), sealer: StateSealer::new(key, PURPOSE, now, about), about }
    }

    /// Returns a token with the values, and with the server's state if it has any.
    pub fn close(&self, values: &Redactions, state: Option<Raw<'_>>) -> String {
        let state = state.map(Raw::get).unwrap_or_default();
        let sealed = self
            .ciphers()
            .next()
            .and_then(|mut cipher| cipher.encrypt([&self.about[..]], values.to_json().as_bytes()).ok());
        let length = u32::try_from(state.len()).unwrap_or_default().to_be_bytes();
        // Encryption cannot fail: there is a key, and the values are within the cipher's limit.
        self.sealer.close(&[&length[..], state.as_bytes(), &sealed.unwrap_or_default()].concat())
    }

    /// Returns the content of a token that [`RoundHandles::close`] made, and nothing for a state of the server's.
    ///
    /// # Errors
    /// The errors of [`StateSealer::open`].
    pub fn open(&self, token: &str) -> Result<Option<EarlierRounds>, RpcError> {
        if request_state::peek(&self.key, PURPOSE, token).is_none() {
            return Ok(None);
        }
        let content = self.sealer.open(token)?;
        let read = || {
            let (state, sealed) = parts(&content)?;
            let mut ciphers = self.ciphers();
            let values = ciphers.find_map(|mut cipher| cipher.decrypt([&self.about[..]], sealed).ok())?;
            let values = Redactions::read(std::str::from_utf8(&values).ok()?).ok()?;
            Some((values, (!state.is_empty()).then(|| state.to_owned())))
        };
        // The key that encrypted the values may have been removed, since the token was sealed with another.
        read().map(Some).ok_or_else(request_state::foreign)
    }

    fn ciphers(&self) -> impl Iterator<Item = Aes128Siv> {
        self.key.derived(VALUES).map(|key| Aes128Siv::new(&key.into()))
    }
}

/// Returns the server's state as the client would have it without handles, from the state that it has.
pub(crate) fn server_state(key: &Key, token: String) -> Option<String> {
    match request_state::peek(key, PURPOSE, &token) {
        None => Some(token),
        Some(content) => serde_json::from_str(parts(&content)?.0).ok(),
    }
}

fn parts(content: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = content.split_first_chunk::<4>()?;
    let (state, sealed) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    Some((std::str::from_utf8(state).ok()?, sealed))
}
