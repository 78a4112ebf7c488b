//! Tools that send no request to the client.

use std::time::Duration;

use mcp_sieve_gateway::{
    error::RpcError,
    local::{Level, LocalRequest, Reply},
    streams::Change,
};
use serde_json::{Value, json};
use worker::{Delay, Env};

use crate::{
    content::{WAV, image, resource, result, text},
    input, tasks,
};

/// Delay between notifications.
const PAUSE: Duration = Duration::from_millis(50);

/// Calls a tool by its name.
pub(crate) async fn call(env: &Env, ask: &LocalRequest) -> Result<Reply, RpcError> {
    let name = crate::text(&ask.params, "/name")?;
    if let Some(reply) = input::call(&name, ask).await {
        return reply;
    }
    if let Some(reply) = tasks::call(&name, ask) {
        return reply;
    }
    Ok(Reply::Result(match name.as_str() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => result([image()]),
        "test_audio_content" => result([json!({"type": "audio", "data": WAV, "mimeType": "audio/wav"})]),
        "test_embedded_resource" => result([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => result([
            json!({"type": "text", "text": "Multiple content types test:"}),
            image(),
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "test_error_handling" => failed("This tool intentionally returns an error for testing"),
        "test_tool_with_progress" => progress(ask).await,
        "test_tool_with_logging" | "test_logging_tool" => logging(ask).await,
        "test_trigger_tool_change" => crate::toggle(env, Change::Tools).await?,
        "test_trigger_prompt_change" => crate::toggle(env, Change::Prompts).await?,
        "test_header_argument" => text(&crate::text(&ask.params, "/arguments/region").unwrap_or_default()),
        _ => text("done"),
    }))
}

/// Returns a tool result that reports an error.
pub(crate) fn failed(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

async fn progress(ask: &LocalRequest) -> Value {
    for step in [0.0, 50.0, 100.0] {
        ask.sender.progress(step, Some(100.0), None);
        Delay::from(PAUSE).await;
    }
    text("done")
}

async fn logging(ask: &LocalRequest) -> Value {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        ask.sender.log(Level::Info, message);
        Delay::from(PAUSE).await;
    }
    text("done")
}
