use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::{
    error::Error,
    middleware::framework::{
        arguments::Arguments,
        content::Content,
        environment::{Environment, Record},
        middleware::{Hook, Middleware, Phase},
        outcome::Outcome,
    },
};

/// Keeps a copy of the whole context, with the reason that the application gives. A context that cannot be kept
/// does not go on.
#[derive(Debug, Clone, Copy)]
pub struct ContextLogger;

impl Middleware for ContextLogger {
    fn name(&self) -> &str {
        "context_logger"
    }

    fn description(&self) -> &str {
        "Keeps a copy of the whole context in the audit store, where the operator has turned that on."
    }

    fn input_schema(&self) -> &str {
        r#"{"type":"object","properties":{"reason":{"type":"string","description":"Why the context is kept, or what changed it","default":"","maxLength":1000},"label":{"type":"string","description":"What the application calls this context: a conversation, a turn","default":"","maxLength":200}},"additionalProperties":false}"#
    }

    fn hook(&self) -> Hook {
        Hook { changes: false, phase: Phase::Both, events: &["llm/completion", "tools/call"] }
    }

    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let [reason, label] = ["reason", "label"].map(|key| arguments.text(key).unwrap_or_default());
            let json = context.to_json();
            let record = Record { at: environment.now(), reason: &reason, label: &label, context: &json };
            let id = environment.record(record).await?;
            Ok(Outcome::of(context).tell(|metadata| metadata.text("record", &id)))
        }
        .boxed_local()
    }
}
