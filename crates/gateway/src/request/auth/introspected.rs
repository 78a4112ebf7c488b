//! The judgements of authorization servers on opaque tokens (RFC 7662), which are kept for a moment.

use std::{collections::BTreeMap, fmt::Write, rc::Rc};

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Request, header};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::config::{self, Introspection};

/// Maximum length, in bytes, of the response to an introspection.
pub const MAX_INTROSPECTION: usize = 64 * 1024;
/// Maximum number of judgements that are kept. Beyond it the one that was used the longest time ago is forgotten.
pub const MAX_INTROSPECTED: usize = 1024;
/// Maximum length, in bytes, of a response that is kept.
const MAX_KEPT: usize = 8 * 1024;
/// Time, in milliseconds, for which a judgement is kept. A revoked token works that much longer.
const KEEP_MS: u64 = 60 * 1000;
/// The same for a token that is not active. It may be too new for a replica of the authorization server.
const KEEP_INACTIVE_MS: u64 = 10 * 1000;

/// The claims of a token, or `None` for one that is not active.
pub(super) type Judgement = Option<Rc<Map<String, Value>>>;

/// A cache of judgements. It holds digests of tokens, not the tokens.
#[derive(Debug, Default)]
pub(super) struct Introspected {
    entries: BTreeMap<[u8; 32], Entry>,
    /// The number of the last use of any entry.
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    judgement: Judgement,
    /// From when to when it is valid, in milliseconds since 1970. The clock may jump.
    valid: (u64, u64),
    used: u64,
}

impl Introspected {
    /// Returns the key of a token for the issuer at this place of the configuration.
    pub fn key(place: usize, token: &str) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(place.to_le_bytes());
        digest.update(token);
        digest.finalize().into()
    }

    /// Returns a judgement that is still valid.
    pub fn get(&mut self, key: &[u8; 32], now: u64) -> Option<Judgement> {
        let entry =
            self.entries.get_mut(key).filter(|entry| (entry.valid.0..entry.valid.1).contains(&now))?;
        self.uses += 1;
        entry.used = self.uses;
        Some(entry.judgement.clone())
    }

    /// Keeps a judgement, whose response had this length.
    pub fn keep(&mut self, key: [u8; 32], judgement: Judgement, length: usize, now: u64) {
        if length > MAX_KEPT {
            return;
        }
        if self.entries.len() >= MAX_INTROSPECTED && !self.entries.contains_key(&key) {
            let least = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| *key);
            least.iter().for_each(|key| _ = self.entries.remove(key));
        }
        let lasts = if judgement.is_some() { KEEP_MS } else { KEEP_INACTIVE_MS };
        self.uses += 1;
        let entry = Entry { judgement, valid: (now, now.saturating_add(lasts)), used: self.uses };
        self.entries.insert(key, entry);
    }
}

/// Returns the request that asks an endpoint about a token (RFC 7662, section 2.1), with the credentials of the client
/// (RFC 6749, section 2.3.1). `variable` returns the variables and secrets of the deployment.
///
/// # Errors
/// A credential that refers to a variable which the deployment lacks.
pub fn introspection_request(
    endpoint: &Introspection,
    token: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Request<Vec<u8>>, String> {
    let expand = |template: &str| config::expand(template, variable).map_err(|error| error.to_string());
    let id = expand(&endpoint.client.id)?;
    let secret = expand(endpoint.client.secret.as_deref().unwrap_or_default())?;
    let credentials = STANDARD.encode([&form_encoded(&id), ":", &form_encoded(&secret)].concat());
    let body = ["token=", &form_encoded(token), "&token_type_hint=access_token"].concat();
    let request = Request::post(&endpoint.url)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::AUTHORIZATION, format!("Basic {credentials}"));
    request.body(body.into_bytes()).map_err(|error| error.to_string())
}

/// Encodes text as a value of `application/x-www-form-urlencoded`.
fn form_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(byte.into()),
            // Writing to a string cannot fail.
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

/// Reads the response to an introspection. `issuer` is its `iss`, if it names none.
///
/// # Errors
/// What is wrong with the response, for the operator.
pub(super) fn read(response: &[u8], issuer: &str) -> Result<Judgement, String> {
    if response.len() > MAX_INTROSPECTION {
        return Err(format!("the response is larger than {MAX_INTROSPECTION} bytes"));
    }
    let expected = || "expected a JSON object with `active` as `true` or `false`".to_owned();
    let mut claims: Map<String, Value> = serde_json::from_slice(response).map_err(|_| expected())?;
    match claims.remove("active") {
        Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => return Ok(None),
        _ => return Err(expected()),
    }
    claims.entry("iss").or_insert_with(|| issuer.into());
    Ok(Some(Rc::new(claims)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::config::AuthClient;

    fn active() -> Judgement {
        read(br#"{"active": true, "sub": "a"}"#, "https://login.example").unwrap()
    }

    #[test]
    fn a_response_says_whether_the_token_is_active() {
        let claims = active().unwrap();
        assert_eq!(claims.get("iss").unwrap(), "https://login.example");
        assert!(!claims.contains_key("active"));
        let other = read(br#"{"active": true, "iss": "https://b.example"}"#, "https://a.example").unwrap();
        assert_eq!(other.unwrap().get("iss").unwrap(), "https://b.example");
        assert_eq!(read(br#"{"active": false, "sub": "a"}"#, "x"), Ok(None));
        for bad in
            ["", "[]", "<html>", "{}", r#"{"active": "true"}"#, r#"{"active": 1}"#, r#"{"active": null}"#]
        {
            assert!(read(bad.as_bytes(), "x").unwrap_err().contains("`active`"), "{bad}");
        }
        assert!(read(&vec![b' '; MAX_INTROSPECTION + 1], "x").unwrap_err().contains("larger"));
    }

    #[test]
    fn a_request_has_the_credentials_of_the_client_and_the_token_in_its_body_alone() {
        let client = AuthClient { id: "a:b".to_owned(), secret: Some("${S}".to_owned()), key: None };
        let endpoint = Introspection { url: "https://login.example/judge".to_owned(), client };
        let ask =
            |variable: &dyn Fn(&str) -> Option<String>| introspection_request(&endpoint, "t&k=é ~", variable);
        let request = ask(&|name| (name == "S").then(|| "p%w".to_owned())).unwrap();
        assert_eq!(request.uri(), "https://login.example/judge");
        let basic = format!("Basic {}", STANDARD.encode("a%3Ab:p%25w"));
        assert_eq!(request.headers()["authorization"], basic);
        assert_eq!(request.body(), b"token=t%26k%3D%C3%A9%20%7E&token_type_hint=access_token");
        assert_eq!(ask(&|_| None).unwrap_err(), "`${S}` is no variable or secret here");
    }

    #[test]
    fn judgements_are_kept_for_a_moment() {
        let (yes, no) = (Introspected::key(0, "yes"), Introspected::key(0, "no"));
        assert_ne!(yes, Introspected::key(1, "yes"), "each issuer judges for itself");
        let mut kept = Introspected::default();
        kept.keep(yes, active(), 10, 1_000);
        kept.keep(no, None, 10, 1_000);
        assert!(kept.get(&yes, 60_999).unwrap().is_some() && kept.get(&yes, 61_000).is_none());
        assert!(kept.get(&no, 10_999).unwrap().is_none() && kept.get(&no, 11_000).is_none());
        assert!(kept.get(&yes, 999).is_none(), "the clock went backwards");
        kept.keep(yes, active(), MAX_KEPT + 1, 70_000);
        assert!(kept.get(&yes, 70_000).is_none());
    }

    #[test]
    fn the_least_used_judgement_is_forgotten() {
        let mut kept = Introspected::default();
        let key = |number: usize| Introspected::key(number, "token");
        for number in 0..MAX_INTROSPECTED {
            kept.keep(key(number), active(), 10, 0);
        }
        assert!(kept.get(&key(0), 1).is_some());
        kept.keep(key(MAX_INTROSPECTED), active(), 10, 1);
        assert_eq!(kept.entries.len(), MAX_INTROSPECTED);
        assert!(kept.get(&key(0), 1).is_some() && kept.get(&key(1), 1).is_none());
    }
}
