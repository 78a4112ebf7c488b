//! The parser for JSON-RPC messages from clients, and for the body of a POST.

use std::borrow::Cow;

use http::StatusCode;
use mcp_sieve::{
    Error, ErrorKind,
    json::{self, Members, Raw},
};

use crate::object::{ReadObject, deserialize};
use serde_json::Value;

use crate::protocol::{error::RpcError, method::Method};

/// The member that holds the parameters.
const PARAMS: &str = "params";

/// A JSON-RPC message whose parts are slices of the received text.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    /// The id of a request; `None` for a notification.
    pub id: Option<Raw<'a>>,
    pub method: Cow<'a, str>,
    /// The method in the table of methods; `None` for an unknown one.
    pub known: Option<Method>,
    pub params: Option<ReadObject<'a>>,
    /// The members of `params._meta`; empty without one.
    pub meta: Members<'a>,
}

/// The body of a POST.
#[derive(Debug)]
pub(crate) enum Post<'a> {
    /// One message.
    One(Incoming<'a>),
    /// The elements of an array, unchecked.
    Batch(Vec<Raw<'a>>),
}

/// A message from a client.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// A request or, without an id, a notification.
    Message(Message<'a>),
    /// The client's response to a request of ours. A result is the text of an object, as the client wrote it.
    Response { id: String, answer: Result<String, RpcError> },
}

impl<'a> Post<'a> {
    /// Parses the body of a POST.
    pub fn read(body: &'a [u8]) -> Result<Self, RpcError> {
        let source = std::str::from_utf8(body).map_err(|_| RpcError::parse("the body is not UTF-8"))?;
        // Most bodies are one message. This parses and validates it in one pass.
        if let Some((members, params)) = Members::parse_and(source, PARAMS) {
            return Incoming::from_members(members, params).map(Self::One);
        }
        let root = Raw::parse(source).map_err(|error| RpcError::parse(error.to_string()))?;
        root.elements().map(Self::Batch).ok_or_else(not_an_object)
    }
}

impl<'a> Incoming<'a> {
    /// Reads a message.
    pub fn read(root: Raw<'a>) -> Result<Self, RpcError> {
        let (members, params) = Members::parse_and(root.get(), PARAMS).ok_or_else(not_an_object)?;
        Self::from_members(members, params)
    }

    /// Reads a message from its members and those of its parameters.
    fn from_members(members: Members<'a>, params: Option<Members<'a>>) -> Result<Self, RpcError> {
        if members.get("jsonrpc").and_then(json::Raw::text).as_deref() != Some("2.0") {
            return Err(invalid("message", "expected `jsonrpc` to be \"2.0\""));
        }
        let id = members.get("id");
        if id.is_some_and(|id| !is_id(id)) {
            return Err(invalid("message", "expected `id` to be a string or an integer"));
        }
        let Some(method) = members.get("method") else {
            let answered = id.zip(response_content(&members));
            let response = answered.map(|(id, answer)| Self::Response {
                id: id.text().map_or_else(|| id.get().to_owned(), Cow::into_owned),
                answer,
            });
            return response.ok_or_else(|| invalid("message", "expected a `method`"));
        };
        let method = method.text().ok_or_else(|| invalid("message", "expected `method` to be a string"))?;
        // Some clients write parameters and cursors that they leave out as `null`.
        let params = match (members.get(PARAMS).filter(|raw| !raw.is_null()), params) {
            (None, _) => None,
            (Some(raw), Some(members)) => Some(ReadObject::known(raw, members)),
            (Some(_), None) => return Err(invalid("message", "expected `params` to be an object")),
        };
        let meta = params.as_ref().and_then(|params| params.get("_meta")).and_then(Members::read);
        let (meta, known) = (meta.unwrap_or_default(), Method::named(&method));
        Ok(Self::Message(Message { id, method, known, params, meta }))
    }
}

impl<'a> Message<'a> {
    /// Returns the request with other parameters and the same `_meta`.
    pub fn with_params(&self, params: Raw<'a>) -> Self {
        let Self { id, known, .. } = *self;
        let (method, meta) = (self.method.clone(), self.meta.clone());
        Self { id, method, known, params: ReadObject::read(params), meta }
    }

    /// Returns a member of `params`.
    pub fn param(&self, key: &str) -> Option<Raw<'a>> {
        self.params.as_ref()?.get(key)
    }

    /// Returns the cursor of a list request; `None` for the first page. No cursor of the gateway is empty, so an empty
    /// one is that of the first page too.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidCursor`] for a cursor that is no string.
    pub fn cursor(&self) -> Result<Option<Cow<'a, str>>, Error> {
        let Some(raw) = self.param("cursor").filter(|raw| !raw.is_null()) else { return Ok(None) };
        let cursor = raw.text();
        let cursor = cursor
            .ok_or_else(|| Error::new(ErrorKind::InvalidCursor, "expected a string").field("cursor"))?;
        Ok(Some(cursor).filter(|cursor| !cursor.is_empty()))
    }

    /// Returns a member of `params` that must be a string.
    ///
    /// # Errors
    /// Invalid params, naming the member.
    pub fn text_param(&self, key: &str) -> Result<Cow<'a, str>, RpcError> {
        let text = self.param(key).and_then(json::Raw::text);
        text.ok_or_else(|| RpcError::params(format!("`{key}` is required, a string")))
    }
}

/// Returns the content of a response: a result, or the client's error.
fn response_content(members: &Members<'_>) -> Option<Result<String, RpcError>> {
    let value = |raw: Raw<'_>| deserialize::<Value>(raw.get()).ok();
    if let Some(error) = members.get("error") {
        let error = value(error)?;
        let code = error.get("code").and_then(Value::as_i64)?;
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        return Some(Err(RpcError::relayed(code, message, error.get("data").cloned())));
    }
    let result = members.get("result").filter(|raw| value(*raw).is_some_and(|result| result.is_object()));
    result.map(|result| Ok(result.get().to_owned()))
}

fn not_an_object() -> RpcError {
    invalid("message", "expected a JSON-RPC object")
}

/// Returns whether a value is a valid id: a string or an integer, not `null` or a fraction.
fn is_id(raw: Raw<'_>) -> bool {
    raw.text().is_some() || serde_json::from_str::<i64>(raw.get()).is_ok()
}

fn invalid(reason: &str, message: &str) -> RpcError {
    RpcError::request(StatusCode::BAD_REQUEST, reason, message)
}
