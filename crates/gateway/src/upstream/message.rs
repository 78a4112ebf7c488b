//! The parser for messages of a server: notifications, requests and responses. Their parts stay the bytes that arrived.

use std::ops::Range;

use mcp_sieve::{
    Error,
    json::{self, Members, Raw},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{object::deserialize, protocol::error::RpcError, upstream::sse::BYTE_ORDER_MARK};

/// A JSON-RPC message.
#[derive(Debug)]
pub(crate) enum Message {
    /// The complete message, as it arrived.
    Notification(Vec<u8>),
    /// A request of the server to its client.
    Request(Request),
    /// The response to a request.
    Response(Response),
}

/// A request of the server.
#[derive(Debug)]
pub(crate) struct Request {
    /// The id, as JSON.
    pub id: Vec<u8>,
    pub method: String,
    /// The parameters, as JSON; an empty object if there are none.
    pub params: String,
}

/// A response with a result of type `T`.
#[derive(Debug)]
pub(crate) struct Response<T = Vec<u8>> {
    /// The id of the request, as JSON.
    pub id: Option<Box<str>>,
    /// The JSON of `result`, or the error.
    pub outcome: Result<T, RpcError>,
    /// Whether the result has not been read: `outcome` is the beginning of the response itself.
    pub is_unread: bool,
}

impl<T> Response<T> {
    /// Returns whether the response has an id.
    pub fn is_addressed(&self) -> bool {
        self.id.is_some()
    }

    /// Returns whether the response answers the request with this id, given as JSON. Integers may be spelled in any way.
    pub fn answers(&self, id: &str) -> bool {
        let spelled_so = |own: &str| integer(own).is_some_and(|own| integer(id) == Some(own));
        self.id.as_deref().is_some_and(|own| own == id || spelled_so(own))
    }
}

/// The reason why bytes are not a message.
#[derive(Debug)]
pub(crate) enum MessageError {
    /// The bytes are not JSON, or nested too deeply.
    Json(Error),
    /// The bytes are JSON, but not JSON-RPC.
    Rpc,
}

/// A JSON-RPC error object.
#[derive(Deserialize)]
struct Wire {
    code: i64,
    message: String,
    data: Option<Value>,
}

/// A message that borrows from its text.
enum Part<'a> {
    Notification(&'a str),
    Request(Request),
    Response(Response<Raw<'a>>),
}

/// Parses one message, or the messages of an array: the revisions up to 2025-03-26 allow servers to send batches.
///
/// # Errors
/// Returns [`MessageError`]. The invalid elements of a batch are left out, unless all are.
pub(crate) fn read(mut body: Vec<u8>) -> Result<Vec<Message>, MessageError> {
    if body.starts_with(BYTE_ORDER_MARK) {
        body.drain(..BYTE_ORDER_MARK.len());
    }
    // Official clients read other bytes as U+FFFD.
    if std::str::from_utf8(&body).is_err() {
        body = String::from_utf8_lossy(&body).into_owned().into_bytes();
    }
    let source = std::str::from_utf8(&body).unwrap_or_default();
    // Most bodies are a single message, which this parses and validates in one pass.
    if let Some(members) = Members::parse(source) {
        let message = match part(&members, source.trim_ascii()).ok_or(MessageError::Rpc)? {
            // A result can be long, so it is not copied.
            Part::Response(response) => {
                let response = response.map(|result| place(result, source));
                Message::Response(response.map(|place| cut(body, place)))
            }
            part => part.into_message(),
        };
        return Ok(vec![message]);
    }
    let root = Raw::parse_deep(source).map_err(MessageError::Json)?;
    let element = |raw: Raw<'_>| part(&Members::read(raw)?, raw.get()).map(Part::into_message);
    let messages: Vec<_> =
        root.elements().ok_or(MessageError::Rpc)?.into_iter().filter_map(element).collect();
    if messages.is_empty() { Err(MessageError::Rpc) } else { Ok(messages) }
}

/// Returns the position of a value in the text from which it was parsed.
fn place(value: Raw<'_>, source: &str) -> Range<usize> {
    let start = value.get().as_ptr().addr().wrapping_sub(source.as_ptr().addr());
    start..start.wrapping_add(value.get().len())
}

/// Cuts a text to a range.
fn cut(mut body: Vec<u8>, place: Range<usize>) -> Vec<u8> {
    body.truncate(place.end);
    body.drain(..place.start.min(body.len()));
    body
}

impl Message {
    /// Returns the number of bytes that the message holds, about.
    pub fn len(&self) -> usize {
        match self {
            Self::Notification(message) => message.len(),
            Self::Request(request) => request.params.len(),
            Self::Response(response) => response.outcome.as_ref().map_or(0, Vec::len),
        }
    }
}

impl Part<'_> {
    fn into_message(self) -> Message {
        match self {
            Self::Notification(source) => Message::Notification(source.into()),
            Self::Request(request) => Message::Request(request),
            Self::Response(response) => Message::Response(response.map(|result| result.get().into())),
        }
    }
}

impl<T> Response<T> {
    /// Converts the result.
    fn map<U>(self, result: impl FnOnce(T) -> U) -> Response<U> {
        let Self { id, outcome, is_unread } = self;
        Response { id, outcome: outcome.map(result), is_unread }
    }
}

/// Returns the integer that an id stands for. Some servers return `3` as `"3"` or `3.0`, as official clients accept.
pub(crate) fn integer(id: &str) -> Option<i64> {
    /// The integers up to this one have a representation as `f64`.
    const MAX: f64 = 9_007_199_254_740_992.0;
    let id = Raw::known(id);
    let text = id.text().unwrap_or_else(|| id.get().into());
    let number: f64 = text.trim().parse().ok()?;
    (number.fract() == 0.0 && number.abs() < MAX).then_some(number as i64)
}

/// Converts the members of a message. `source` is its text.
fn part<'a>(members: &Members<'a>, source: &'a str) -> Option<Part<'a>> {
    if members.get("jsonrpc").and_then(json::Raw::text)? != "2.0" {
        return None;
    }
    let id = members.get("id").filter(|id| !id.is_null());
    if let Some(method) = members.get("method") {
        let method = method.text()?.into_owned();
        return Some(match id {
            Some(id) => {
                let params = members.get("params").map_or("{}", Raw::get);
                // Numbers that are out of range fail here. The client must not get a request without them.
                let params = Raw::known(params).well_formed();
                serde_json::from_str::<Value>(&params).ok()?;
                Part::Request(Request { id: id.get().into(), method, params: params.into_owned() })
            }
            None => Part::Notification(source),
        });
    }
    // Some servers write the member that has no value as `null`.
    let given = |key: &str| members.get(key).filter(|value| !value.is_null());
    let outcome = match (given("result"), given("error")) {
        (Some(result), None) if result.get().starts_with('{') => Ok(result),
        (None, Some(error)) => {
            let Wire { code, message, data } = deserialize(error.get()).ok()?;
            Err(RpcError::relayed(code, message, data))
        }
        _ => return None,
    };
    Some(Part::Response(Response { id: id.map(|id| id.get().into()), outcome, is_unread: false }))
}
