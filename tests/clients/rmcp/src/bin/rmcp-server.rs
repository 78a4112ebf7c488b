//! A server on the official Rust SDK, over stdio. It announces tools alone, and the SDK refuses the methods of all other
//! capabilities.

use std::{error::Error, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams,
        ServerConfig,
    },
    service::RequestContext,
};
use serde_json::json;

/// How long `wait` takes to answer.
const WAIT: Duration = Duration::from_millis(300);

struct Tools;

/// Reads a model of the SDK from JSON, which the protocol defines.
fn model<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        model(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "rmcp-server", "version": "1.0.0" },
            "instructions": "Add numbers.",
        }))
        .expect("the configuration is that of the protocol")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let number = json!({ "type": "integer", "format": "int64" });
        model(json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": [
            {
                "name": "add",
                "description": "Adds two numbers.",
                "inputSchema": { "type": "object", "properties": { "a": number, "b": number }, "required": ["a", "b"] },
                "outputSchema": { "type": "object", "properties": { "sum": number } },
                "annotations": { "readOnlyHint": true },
                "_meta": { "com.example/kept": [1, null] },
            },
            { "name": "wait", "description": "Answers late.", "inputSchema": { "type": "object" } },
            { "name": "fail", "description": "Fails.", "inputSchema": { "type": "object" } },
            { "name": "refuse", "description": "Answers with an error.", "inputSchema": { "type": "object" } },
        ] }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        let result: CallToolResult = match request.name.as_ref() {
            "add" => {
                let number = |name: &str| arguments.get(name).and_then(serde_json::Value::as_i64);
                let (Some(a), Some(b)) = (number("a"), number("b")) else {
                    return Err(ErrorData::invalid_params("expected the numbers `a` and `b`", None));
                };
                let sum = a.wrapping_add(b);
                model(json!({ "content": text(&sum.to_string()), "structuredContent": { "sum": sum } }))?
            }
            "wait" => {
                tokio::time::sleep(WAIT).await;
                model(json!({ "content": text("late") }))?
            }
            "fail" => model(json!({ "content": text("it failed"), "isError": true }))?,
            "refuse" => {
                return Err(ErrorData::internal_error("it refused", Some(json!({ "why": "always" }))));
            }
            name => return Err(ErrorData::invalid_params(format!("no tool is called {name}"), None)),
        };
        Ok(result.into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Tools.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
