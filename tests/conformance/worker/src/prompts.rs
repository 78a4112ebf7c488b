//! The prompts of the conformance server (`prompts/get`).

use mcp_sieve_gateway::{
    error::RpcError,
    local::{Input, LocalRequest, Reply},
};
use serde_json::{Value, json};

use crate::content::{image, resource};

pub(crate) fn get(ask: &LocalRequest) -> Result<Reply, RpcError> {
    let argument = |name: &str| crate::text(&ask.params, &format!("/arguments/{name}"));
    let messages = match crate::text(&ask.params, "/name")?.as_str() {
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            vec![said(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let content = "Embedded resource content for testing.";
            vec![
                message(resource(&argument("resourceUri")?, "text/plain", content)),
                said("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![message(image()), said("Please analyze the image above.")],
        "test_input_required_result_prompt" => match ask.answers.get("user_context") {
            Some(answer) => vec![said(&format!("With the context {answer}"))],
            None => {
                let schema = json!({
                    "type": "object",
                    "properties": {"context": {"type": "string"}},
                    "required": ["context"],
                });
                let params = json!({"mode": "form", "message": "What context?", "requestedSchema": schema});
                return Ok(Reply::Input(Input::default().ask("user_context", "elicitation/create", params)));
            }
        },
        _ => vec![said("This is a simple prompt for testing.")],
    };
    Ok(Reply::Result(json!({"messages": messages})))
}

fn message(content: Value) -> Value {
    json!({"role": "user", "content": content})
}

fn said(text: &str) -> Value {
    message(json!({"type": "text", "text": text}))
}
