//! Pseudonyms for values in the results of one server, for one caller. They are encrypted values; nothing is stored.
//!
//! They are opened in the arguments of later calls of the same caller to the same server, until they expire. Values are
//! encrypted with AES-SIV (RFC 5297), so that equal values have equal pseudonyms until the next period begins. Server,
//! caller, kind and period are authenticated but not contained: a pseudonym does not decrypt under others.

use std::{cell::RefCell, fmt};

use aes_siv::{KeyInit, siv::Aes128Siv};
use mcp_sieve::{
    json::{Members, Object},
    seal::Key,
};
use mcp_sieve_redact::{Pseudonym, Pseudonyms};

use crate::{call::content_view::misshapen, middleware::visit_strings, protocol::error::RpcError};

/// The purpose for which the key of pseudonyms is derived.
const PURPOSE: &str = "pseudonyms";
/// Maximum number of pseudonyms in the arguments of one call.
pub(crate) const MAX_PSEUDONYMS: usize = 1024;
/// Milliseconds per hour.
const HOUR_MS: u64 = 60 * 60 * 1000;
/// The methods in whose calls pseudonyms are opened, with the parameter that may contain them.
const OPENING: [(&str, &str); 2] = [("tools/call", "arguments"), ("prompts/get", "arguments")];

/// The pseudonyms of one server for one caller at one time.
pub(crate) struct CallPseudonyms {
    /// The ciphers of the current key and of earlier ones.
    ciphers: RefCell<Vec<Aes128Siv>>,
    server: String,
    caller: String,
    /// The number of the current period. Pseudonyms of this period and of its neighbors are opened.
    period: u64,
}

impl fmt::Debug for CallPseudonyms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallPseudonyms").field("server", &self.server).finish_non_exhaustive()
    }
}

impl CallPseudonyms {
    /// Creates the pseudonyms for a call to `servers`. They can be opened for at least `hours` and less than twice as
    /// long.
    pub fn new(key: &Key, servers: &[String], caller: Option<&str>, hours: u32, now: u64) -> Self {
        let ciphers = key.derived(PURPOSE).map(|key| Aes128Siv::new(&key.into())).collect();
        // A list of servers that are tried in turn is bound as a whole, so a call to one of them opens none of its
        // pseudonyms.
        let server = servers.join("\n");
        // Distinguishes an anonymous caller from one with an empty name.
        let caller = caller.map(|name| format!("={name}")).unwrap_or_default();
        Self {
            ciphers: RefCell::new(ciphers),
            server,
            caller,
            period: now / (u64::from(hours.max(1)) * HOUR_MS),
        }
    }

    /// Replaces the pseudonyms in the arguments of a call with their values. Returns the new parameters and the number
    /// of pseudonyms that were opened, or `None` if there were none.
    ///
    /// A pseudonym within a longer text stays unchanged if it cannot be opened.
    ///
    /// # Errors
    /// An argument that is a pseudonym and cannot be opened, and more than [`MAX_PSEUDONYMS`].
    pub fn open(&self, method: &str, params: &str) -> Result<Option<(String, usize)>, RpcError> {
        let Some((_, member)) = OPENING.iter().find(|(opening, _)| *opening == method) else {
            return Ok(None);
        };
        // Most calls have no pseudonyms. In JSON a pseudonym may be spelled with escapes.
        if Pseudonym::next(params, 0).is_none() && !params.contains("\\u") {
            return Ok(None);
        }
        let members = Members::parse(params).ok_or_else(misshapen)?;
        let Some(arguments) = members.get(member) else { return Ok(None) };
        let (mut found, mut opened, mut failure) = (0, 0, None);
        let rewritten = visit_strings(arguments, &mut |text| {
            let replaced = self.open_text(text, &mut found, &mut opened);
            replaced.unwrap_or_else(|refused| {
                failure.get_or_insert(refused);
                None
            })
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        let Some(rewritten) = rewritten else { return Ok(None) };
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        for (key, value) in &members.0 {
            object.raw(key, if key == member { &rewritten } else { value.get() }.as_bytes());
        }
        object.close();
        String::from_utf8(out).map(|params| Some((params, opened))).map_err(|_| misshapen())
    }

    fn open_text(
        &self,
        text: &str,
        found: &mut usize,
        opened: &mut usize,
    ) -> Result<Option<String>, RpcError> {
        let (mut out, mut done, mut place) = (String::new(), 0, 0);
        while let Some(pseudonym) = Pseudonym::next(text, place) {
            place = pseudonym.end;
            *found += 1;
            if *found > MAX_PSEUDONYMS {
                let message = format!("the arguments hold more than {MAX_PSEUDONYMS} pseudonyms");
                return Err(RpcError::handle("pseudonym_limit", message));
            }
            match self.value(&pseudonym) {
                Some(value) => {
                    *opened += 1;
                    out.push_str(text.get(done..pseudonym.start).unwrap_or_default());
                    out.push_str(&value);
                    done = pseudonym.end;
                }
                None if text.trim().len() == pseudonym.end - pseudonym.start => {
                    let message = "a pseudonym in the arguments has expired, or was made for another server or caller: get the value again from this server";
                    return Err(RpcError::handle("pseudonym_invalid", message));
                }
                None => {}
            }
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Ok((done > 0).then_some(out))
    }

    /// Decrypts a pseudonym that was made for this server and caller and has not expired.
    fn value(&self, pseudonym: &Pseudonym<'_>) -> Option<String> {
        let sealed = pseudonym.sealed()?;
        // The clock of the gateway that made it may be ahead.
        for period in [self.period, self.period.checked_sub(1)?, self.period.saturating_add(1)] {
            let period = period.to_be_bytes();
            for cipher in self.ciphers.borrow_mut().iter_mut() {
                if let Ok(value) = cipher.decrypt(self.bound(pseudonym.kind, &period), &sealed) {
                    return String::from_utf8(value).ok();
                }
            }
        }
        None
    }

    fn bound<'b>(&'b self, kind: &'b str, period: &'b [u8]) -> [&'b [u8]; 4] {
        [self.server.as_bytes(), self.caller.as_bytes(), kind.as_bytes(), period]
    }
}

impl Pseudonyms for CallPseudonyms {
    fn seal(&self, kind: &str, value: &str) -> Vec<u8> {
        let period = self.period.to_be_bytes();
        let sealed = self
            .ciphers
            .borrow_mut()
            .first_mut()
            .and_then(|cipher| cipher.encrypt(self.bound(kind, &period), value.as_bytes()).ok());
        // Encryption cannot fail: there is a key, and values are within the cipher's limit. If it did, no value would
        // be shown.
        sealed.unwrap_or_default()
    }
}
