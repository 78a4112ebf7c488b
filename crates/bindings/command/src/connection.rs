//! The bindings `sealConnection` and `openConnection`: records of connections, as the gateway seals them.

use mcp_sieve_gateway::sign_in::{Connection, connection_key};
use wasm_bindgen::prelude::*;

/// Returns a connection (JSON) sealed for a holder and a server, as text; nothing if it is no connection, or the key is
/// empty.
#[wasm_bindgen(js_name = sealConnection)]
#[must_use]
pub fn seal_connection(key: &str, holder: &str, server: &str, json: &str) -> Option<String> {
    let connection: Connection = serde_json::from_str(json).ok()?;
    Some(connection.seal(&connection_key(key)?, holder, server)).filter(|sealed| !sealed.is_empty())
}

/// Returns the connection (JSON) that was sealed under this key for this holder and server; nothing for another text.
#[wasm_bindgen(js_name = openConnection)]
#[must_use]
pub fn open_connection(key: &str, holder: &str, server: &str, text: &str) -> Option<String> {
    let connection = Connection::open(&connection_key(key)?, text, holder, server)?;
    serde_json::to_string(&connection).ok()
}
