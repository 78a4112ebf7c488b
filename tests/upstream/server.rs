//! Servers of both eras, as functions from a request to a reply.

use serde_json::{Value, json};

use crate::net::{Piece, Reply, Seen};

pub fn response(status: u16, media: &str, body: impl Into<Vec<u8>>) -> Reply {
    Reply::Response {
        status,
        headers: vec![("content-type".to_owned(), media.to_owned())],
        body: vec![Piece::Bytes(body.into())],
    }
}

/// Returns a JSON-RPC result as JSON.
pub fn result(seen: &Seen, result: Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
    response(200, "application/json", body.to_string())
}

/// Returns a JSON-RPC error as JSON.
pub fn error(seen: &Seen, status: u16, error: Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error});
    response(status, "application/json", body.to_string())
}

/// Returns a JSON-RPC error without the id of a request.
pub fn nameless(status: u16, code: i64, message: &str) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    response(status, "application/json", body.to_string())
}

/// Returns an event stream.
pub fn stream(pieces: Vec<Piece>) -> Reply {
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    Reply::Response { status: 200, headers, body: pieces }
}

/// Returns an event that contains a message.
pub fn event(message: &Value) -> Piece {
    Piece::Bytes(format!("event: message\ndata: {message}\n\n").into_bytes())
}

/// Returns the event that ends a stream.
pub fn last(seen: &Seen, result: &Value) -> Piece {
    event(&json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result}))
}

/// Returns a server with the handshake era and these capabilities; `rest` answers everything except the handshake.
pub fn legacy(capabilities: Value, rest: impl Fn(&Seen) -> Reply) -> impl Fn(&Seen) -> Reply {
    legacy_in(capabilities, "2025-11-25", "session-1", rest)
}

/// Like [`legacy`], with the version and the session that the handshake returns.
pub fn legacy_in(
    capabilities: Value,
    version: &'static str,
    session: &'static str,
    rest: impl Fn(&Seen) -> Reply,
) -> impl Fn(&Seen) -> Reply {
    move |seen| match seen.method() {
        "initialize" => {
            let info = json!({"name": "server", "version": "1"});
            let body = json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": info});
            let mut reply = result(seen, body);
            if let Reply::Response { headers, .. } = &mut reply {
                headers.push(("mcp-session-id".to_owned(), session.to_owned()));
            }
            reply
        }
        "notifications/initialized" => Reply::Response { status: 202, headers: vec![], body: vec![] },
        "server/discover" => nameless(400, -32000, "Bad Request: Server not initialized"),
        _ => rest(seen),
    }
}

/// Returns a server with the stateless era and these capabilities; `rest` answers everything except the discovery.
pub fn modern(capabilities: Value, rest: impl Fn(&Seen) -> Reply) -> impl Fn(&Seen) -> Reply {
    move |seen| match seen.method() {
        "server/discover" => result(
            seen,
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                "ttlMs": 0, "cacheScope": "public"}),
        ),
        "initialize" => error(seen, 404, json!({"code": -32601, "message": "method not found"})),
        _ => rest(seen),
    }
}
