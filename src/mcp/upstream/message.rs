//! The parser for messages of a server: notifications, requests and responses. Their parts stay the bytes that arrived.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    error::{Error, ErrorKind},
    json::{self, Members, Raw},
    mcp::protocol::error::RpcError,
};

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
    /// The parameters; an empty object if there are none.
    pub params: Value,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    /// The id of the request, if it is an integer; `None` for any other id or none.
    pub id: Option<i64>,
    /// Whether the response has an id.
    pub addressed: bool,
    /// The JSON of `result`, or the error.
    pub outcome: Result<Vec<u8>, RpcError>,
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

/// Parses one message, or the messages of an array: revision 2025-03-26 allows servers to send batches.
///
/// # Errors
/// Returns [`MessageError`]. One invalid element invalidates the batch.
pub(crate) fn read(source: &[u8]) -> Result<Vec<Message>, MessageError> {
    let source = std::str::from_utf8(source).map_err(|error| {
        MessageError::Json(Error::new(ErrorKind::Json, "not UTF-8").at_byte(error.valid_up_to()))
    })?;
    // Most bodies are a single message, which this parses and validates in one pass.
    if let Some(members) = Members::parse(source) {
        return message(&members, source.trim_ascii()).map(|message| vec![message]).ok_or(MessageError::Rpc);
    }
    let root = Raw::parse(source).map_err(MessageError::Json)?;
    let element = |raw: Raw<'_>| message(&Members::read(raw)?, raw.get());
    let messages = json::elements(root).and_then(|elements| elements.into_iter().map(element).collect());
    messages.ok_or(MessageError::Rpc)
}

/// Converts the members of a message. `source` is its text.
fn message(members: &Members<'_>, source: &str) -> Option<Message> {
    if members.get("jsonrpc").and_then(json::text)? != "2.0" {
        return None;
    }
    let id = members.get("id").filter(|id| !json::is_null(*id));
    if let Some(method) = members.get("method") {
        let method = json::text(method)?.into_owned();
        return Some(match id {
            Some(id) => {
                let params = members.get("params").map_or("{}", Raw::get);
                // Numbers that are out of range fail here. The client must not get a request without them.
                let params = serde_json::from_str(params).ok()?;
                Message::Request(Request { id: id.get().into(), method, params })
            }
            None => Message::Notification(source.into()),
        });
    }
    let outcome = match (members.get("result"), members.get("error")) {
        (Some(result), None) if result.get().starts_with('{') => Ok(result.get().into()),
        (None, Some(error)) => {
            let Wire { code, message, data } = serde_json::from_str(error.get()).ok()?;
            Err(RpcError::relayed(code, message, data))
        }
        _ => return None,
    };
    let addressed = id.is_some();
    let id = id.and_then(|id| serde_json::from_str(id.get()).ok());
    Some(Message::Response(Response { id, addressed, outcome }))
}
