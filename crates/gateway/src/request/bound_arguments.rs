//! Bound arguments of a call: the values that the gateway fills, and the check that the caller gives none of its own.

use std::fmt;

use mcp_sieve::{
    catalog::{BoundArgument, BoundValue},
    expr::Field,
    json::{Members, Object, Raw},
};
use serde_json::{Map, Value};

use crate::{
    caller::identity::Caller,
    object::OwnedObject,
    protocol::{error::RpcError, params::same_name},
};

/// The first integer that a double does not hold beside its neighbors. A claim beyond it may have lost digits.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The values of one call's bound arguments, each with its path. They are in no log.
pub(crate) struct BoundArguments(Vec<(Vec<String>, String)>);

impl fmt::Debug for BoundArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(path, _)| path)).finish()
    }
}

impl BoundArguments {
    /// Returns the values for a call of `caller`; `None` for a tool without bound arguments.
    ///
    /// # Errors
    /// `argument_bound` for arguments that set a bound one, and `argument_unbound` for a value that is missing or is
    /// neither text, a number nor a boolean.
    pub fn read(
        bound: &[BoundArgument],
        caller: &Caller<'_>,
        arguments: Option<Raw<'_>>,
    ) -> Result<Option<Self>, RpcError> {
        if bound.is_empty() {
            return Ok(None);
        }
        bound.iter().try_for_each(|argument| check(arguments, &argument.path))?;
        let values =
            bound.iter().map(|BoundArgument { path, value }| Ok((path.clone(), json(value, caller)?)));
        values.collect::<Result<_, _>>().map(|values| Some(Self(values)))
    }

    /// Returns the parameters of a call with the values in its arguments.
    ///
    /// # Errors
    /// `argument_bound` for arguments that a middleware function set.
    pub fn fill(&self, params: Option<&OwnedObject>) -> Result<OwnedObject, RpcError> {
        let params = params.map(OwnedObject::read);
        let members = params.as_ref().map(|params| params.members().clone()).unwrap_or_default();
        let arguments = members.get("arguments");
        let mut text = arguments.filter(|raw| !raw.is_null()).map_or("{}", Raw::get).to_owned();
        for (path, json) in &self.0 {
            check(Some(Raw::known(&text)), path)?;
            text = with(Some(Raw::known(&text)), path, json);
        }
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.keep(&members, &["arguments"]);
        object.raw("arguments", text.as_bytes());
        object.close();
        let filled = std::str::from_utf8(&out).ok().and_then(OwnedObject::parse);
        filled.ok_or_else(|| RpcError::internal("encoding", "the parameters of the call cannot be read"))
    }
}

/// Checks that arguments do not set the bound argument at `path`, in any spelling that a server may read as its name.
fn check(arguments: Option<Raw<'_>>, path: &[String]) -> Result<(), RpcError> {
    let mut at = arguments.filter(|raw| !raw.is_null());
    for (depth, key) in path.iter().enumerate() {
        let Some(raw) = at else { return Ok(()) };
        let Some(members) = Members::read(raw) else {
            let outer = path.get(..depth).unwrap_or_default().join(".");
            let place = if outer.is_empty() { "arguments".to_owned() } else { format!("arguments.{outer}") };
            return Err(bound(format!(
                "`{place}` is not an object, and `{}` in it is bound",
                path.join(".")
            )));
        };
        let mut named = members.0.iter().filter(|(name, _)| same_name(name, key));
        let (first, is_last) = (named.next(), depth + 1 == path.len());
        match first {
            None => return Ok(()),
            Some(_) if is_last => {
                let message =
                    format!("the argument `{}` is bound by the operator, leave it out", path.join("."));
                return Err(bound(message));
            }
            Some((name, value)) if name == key && named.next().is_none() => at = Some(*value),
            Some(_) => {
                let message = format!("`arguments` has several members like `{key}`, and one in it is bound");
                return Err(bound(message));
            }
        }
    }
    Ok(())
}

fn bound(message: String) -> RpcError {
    RpcError::handle("argument_bound", message)
}

fn unbound(message: String) -> RpcError {
    RpcError::handle("argument_unbound", message)
}

/// Returns an object with the value at `path`. Missing objects on the way are created.
fn with(object: Option<Raw<'_>>, path: &[String], json: &str) -> String {
    let Some((key, rest)) = path.split_first() else { return json.to_owned() };
    let members = object.and_then(Members::read).unwrap_or_default();
    let inner = members.get(key).filter(|raw| !raw.is_null());
    let mut out = Vec::new();
    let mut written = Object::open(&mut out);
    written.keep(&members, &[key]);
    written.raw(key, with(inner, rest, json).as_bytes());
    written.close();
    String::from_utf8(out).unwrap_or_default()
}

/// Returns a value as JSON.
fn json(value: &BoundValue, caller: &Caller<'_>) -> Result<String, RpcError> {
    match value {
        BoundValue::Const(json) => Ok(json.clone()),
        BoundValue::Claim(path) => claim(path, caller),
        BoundValue::Header(name) => header(name, caller),
        _ => Err(unbound("the tool needs a value that this gateway cannot provide".to_owned())),
    }
}

fn claim(path: &str, caller: &Caller<'_>) -> Result<String, RpcError> {
    let claims = caller.claims.as_deref();
    let found = claims.and_then(|claims| {
        Field::at_path(claims, path, |object: &&Map<String, Value>, key| object.get(key), Value::as_object)
    });
    match found {
        Some(value @ (Value::String(_) | Value::Bool(_))) => Ok(value.to_string()),
        Some(Value::Number(number)) => {
            let is_exact = number.is_i64()
                || number.is_u64()
                || number.as_f64().is_some_and(|value| value.abs() < MAX_EXACT);
            match is_exact {
                true => Ok(number.to_string()),
                false => {
                    Err(unbound(format!("the claim `{path}` of the token is a number with too many digits")))
                }
            }
        }
        None | Some(Value::Null) => Err(unbound(format!("the tool needs the claim `{path}` of a token"))),
        Some(_) => {
            Err(unbound(format!("the claim `{path}` of the token is not text, a number or a boolean")))
        }
    }
}

fn header(name: &str, caller: &Caller<'_>) -> Result<String, RpcError> {
    let mut values = caller.headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Err(unbound(format!("the tool needs the header `{name}`")));
    };
    if values.next().is_some() {
        return Err(unbound(format!("the header `{name}` occurs twice")));
    }
    let text = value.to_str().map_err(|_| unbound(format!("the header `{name}` is not visible ASCII")))?;
    let mut out = Vec::new();
    Object::push_text(&mut out, text);
    Ok(String::from_utf8(out).unwrap_or_default())
}
