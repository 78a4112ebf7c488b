//! The function `context_logger`: stores a copy of the context for inspection.

use mcp_sieve::Error;

use crate::middleware::framework::{
    environment::Record,
    function::{Call, Function},
    middleware::{Hook, Phase},
    outcome::Outcome,
};

/// Stores a copy of the whole context, with the application's reason. The function fails if the copy cannot be stored.
#[derive(Debug, Clone, Copy)]
pub struct ContextLogger;

impl Function for ContextLogger {
    const NAME: &'static str = "context_logger";
    const DESCRIPTION: &'static str =
        "Stores a copy of the whole context in the audit store, if the operator has turned that on.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"reason":{"type":"string","description":"The reason for storing the context, or what changed it","default":"","maxLength":1000},"label":{"type":"string","description":"The application's name for the context: a conversation, a turn","default":"","maxLength":200}},"additionalProperties":false}"#;
    const HOOK: Hook = Hook { changes: false, phase: Phase::Both, events: &["llm/completion", "tools/call"] };

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: context, arguments, environment } = call;
        let [reason, label] = ["reason", "label"].map(|key| arguments.text(key).unwrap_or_default());
        let json = context.to_json();
        let record = Record { at: environment.now(), reason: &reason, label: &label, context: &json };
        let id = environment.record(record).await?;
        Ok(Outcome::new(context).with_metadata(|metadata| metadata.text("record", &id)))
    }
}
