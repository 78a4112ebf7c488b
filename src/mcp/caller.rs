use http::HeaderMap;
use serde_json::{Map, Value};

use super::Version;
use crate::expr::{Field, Subject};

/// Who is asking: what a verified token says, and what the request says of its client.
#[derive(Debug, Clone)]
pub struct Caller<'a> {
    /// Claims of the verified token; absent for an anonymous caller.
    pub claims: Option<&'a Map<String, Value>>,
    /// Headers of the HTTP request.
    pub headers: &'a HeaderMap,
    /// The revision in force.
    pub protocol: Version,
    /// `clientInfo`, as far as it was given.
    pub client: Option<Value>,
    /// `clientCapabilities`, of the request or of the session.
    pub capabilities: Value,
    /// The JSON-RPC method asked.
    pub method: &'a str,
}

impl Caller<'_> {
    /// Who it is, by the token's `sub`.
    pub fn principal(&self) -> Option<&str> {
        self.claims?.get("sub")?.as_str()
    }
}

impl Subject for Caller<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let client = |key: &str| self.client.as_ref()?.get(key)?.as_str();
        match field {
            Field::ClientName => client("name").into_iter().for_each(visit),
            Field::ClientVersion => client("version").into_iter().for_each(visit),
            Field::Protocol => visit(self.protocol.date()),
            Field::Method => visit(self.method),
            Field::Capability(path) => {
                let declared = at_path(&self.capabilities, path).filter(|value| !value.is_null());
                declared.into_iter().for_each(|_| visit("true"));
            }
            Field::Claim(path) => {
                // A claim's own name may hold dots; it is tried whole before it is read as a path.
                let claim = self.claims.and_then(|claims| {
                    claims.get(path).or_else(|| {
                        let (first, rest) = path.split_once('.')?;
                        at_path(claims.get(first)?, rest)
                    })
                });
                claim.into_iter().for_each(|claim| each_text(claim, visit));
            }
            Field::Header(name) => {
                let values = self.headers.get_all(name).iter();
                values.filter_map(|value| value.to_str().ok()).for_each(visit);
            }
            _ => {}
        }
    }
}

fn at_path<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

/// A text as it is, a number or boolean as it is written, an array as its elements.
fn each_text(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, visit)),
        Value::Number(_) | Value::Bool(_) => visit(&value.to_string()),
        Value::Null | Value::Object(_) => {}
    }
}
