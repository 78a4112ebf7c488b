//! What a server sends, told apart: notifications, requests and responses, each part still the bytes it
//! came as.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    error::{Error, ErrorKind},
    json::{self, Members, Raw},
    mcp::protocol::error::RpcError,
};

/// One JSON-RPC message.
#[derive(Debug)]
pub(crate) enum Message {
    /// Whole, as it came.
    Notification(Vec<u8>),
    /// Something that the server wants of its client.
    Request(Request),
    /// The end of a request.
    Response(Response),
}

/// A request of the server's.
#[derive(Debug)]
pub(crate) struct Request {
    /// Its id, as JSON.
    pub id: Vec<u8>,
    pub method: String,
    /// Its parameters, an empty object without any.
    pub params: Value,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    /// The integer it answers; `None` for another id or none.
    pub id: Option<i64>,
    /// Whether an id was given at all.
    pub addressed: bool,
    /// The JSON of `result`, or the error.
    pub outcome: Result<Vec<u8>, RpcError>,
}

/// Why bytes are no message.
#[derive(Debug)]
pub(crate) enum MessageError {
    /// Not JSON, or nested too deep.
    Json(Error),
    /// JSON, but not of JSON-RPC.
    Rpc,
}

/// A JSON-RPC error object.
#[derive(Deserialize)]
struct Wire {
    code: i64,
    message: String,
    data: Option<Value>,
}

/// Reads one message, or the several of an array: revision 2025-03-26 lets servers send batches.
///
/// # Errors
/// [`MessageError`]; one bad element spoils a batch.
pub(crate) fn read(source: &[u8]) -> Result<Vec<Message>, MessageError> {
    let source = std::str::from_utf8(source).map_err(|error| {
        MessageError::Json(Error::new(ErrorKind::Json, "not UTF-8").at_byte(error.valid_up_to()))
    })?;
    // Most bodies are one message, which is read as it is checked.
    if let Some(members) = Members::parse(source) {
        return message(&members, source.trim_ascii()).map(|message| vec![message]).ok_or(MessageError::Rpc);
    }
    let root = Raw::parse(source).map_err(MessageError::Json)?;
    let element = |raw: Raw<'_>| message(&Members::read(raw)?, raw.get());
    let messages = json::elements(root).and_then(|elements| elements.into_iter().map(element).collect());
    messages.ok_or(MessageError::Rpc)
}

/// Reads one message from its members; `source` is its text.
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
                // Numbers beyond what anybody computes with are none of a question's.
                let params = serde_json::from_str(params).unwrap_or_else(|_| json!({}));
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
