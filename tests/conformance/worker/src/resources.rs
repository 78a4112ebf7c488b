//! The resources of the conformance server (`resources/read`).

use mcp_sieve_gateway::{error::RpcError, host::Era, local::LocalRequest};
use serde_json::{Value, json};

use crate::content::PNG;

pub(crate) fn read(ask: &LocalRequest) -> Result<Value, RpcError> {
    let uri = crate::text(&ask.params, "/uri")?;
    let text = |media: &str, text: &str| json!({"uri": uri, "mimeType": media, "text": text});
    let content = match uri.as_str() {
        "test://static-text" => text("text/plain", "This is the content of the static text resource."),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        "test://watched-resource" => text("text/plain", "This is the content of the watched resource."),
        _ => {
            let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let id = id.ok_or_else(|| RpcError::resource(&uri, Era::Stateless))?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text("application/json", &data.to_string())
        }
    };
    Ok(json!({"contents": [content]}))
}
