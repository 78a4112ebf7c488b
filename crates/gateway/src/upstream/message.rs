//! The parser for messages of a server: notifications, requests and responses. Their parts stay the bytes that arrived.

use std::ops::Range;

use mcp_sieve::{
    Error, ErrorKind,
    json::{self, Members, Raw},
};
use serde::Deserialize;
use serde_json::Value;

use crate::protocol::error::RpcError;

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
    /// The id of the request, if it is an integer; `None` for any other id or none.
    pub id: Option<i64>,
    /// Whether the response has an id.
    pub addressed: bool,
    /// The JSON of `result`, or the error.
    pub outcome: Result<T, RpcError>,
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

/// Parses one message, or the messages of an array: revision 2025-03-26 allows servers to send batches.
///
/// # Errors
/// Returns [`MessageError`]. One invalid element invalidates the batch.
pub(crate) fn read(body: Vec<u8>) -> Result<Vec<Message>, MessageError> {
    let source = std::str::from_utf8(&body).map_err(|error| {
        MessageError::Json(Error::new(ErrorKind::Json, "not UTF-8").at_byte(error.valid_up_to()))
    })?;
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
    let root = Raw::parse(source).map_err(MessageError::Json)?;
    let element = |raw: Raw<'_>| part(&Members::read(raw)?, raw.get()).map(Part::into_message);
    let messages = root.elements().and_then(|elements| elements.into_iter().map(element).collect());
    messages.ok_or(MessageError::Rpc)
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
        let Self { id, addressed, outcome } = self;
        Response { id, addressed, outcome: outcome.map(result) }
    }
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
                serde_json::from_str::<Value>(params).ok()?;
                Part::Request(Request { id: id.get().into(), method, params: params.into() })
            }
            None => Part::Notification(source),
        });
    }
    let outcome = match (members.get("result"), members.get("error")) {
        (Some(result), None) if result.get().starts_with('{') => Ok(result),
        (None, Some(error)) => {
            let Wire { code, message, data } = serde_json::from_str(error.get()).ok()?;
            Err(RpcError::relayed(code, message, data))
        }
        _ => return None,
    };
    let addressed = id.is_some();
    let id = id.and_then(|id| serde_json::from_str(id.get()).ok());
    Some(Part::Response(Response { id, addressed, outcome }))
}
