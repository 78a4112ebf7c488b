use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::{
    error::Error,
    middleware::{
        framework::{
            arguments::Arguments,
            content::{Content, MAX_RESULT},
            environment::Environment,
            middleware::{Hook, Middleware, Phase},
            outcome::Outcome,
        },
        functions::pii_redaction::{changed, values},
        scan::restore::Restorer,
    },
};

/// Puts back what handles stand for. Handles that the map does not know stay as they are.
#[derive(Debug, Clone, Copy)]
pub struct PiiRestoration;

impl Middleware for PiiRestoration {
    fn name(&self) -> &str {
        "pii_restoration"
    }

    fn description(&self) -> &str {
        "Puts back what the handles of pii_redaction stand for."
    }

    fn input_schema(&self) -> &str {
        r#"{"type":"object","properties":{"redactions":{"type":"object","additionalProperties":{"type":"string"},"description":"Handles and what they stand for, as the metadata of pii_redaction has them"},"tolerant":{"type":"boolean","default":false,"description":"Whether handles are known in another case and with other signs between their letters"}},"required":["redactions"],"additionalProperties":false}"#
    }

    fn hook(&self) -> Hook {
        Hook { changes: true, phase: Phase::Response, events: &["llm/completion", "tools/call"] }
    }

    fn apply<'a>(
        &'a self,
        mut context: Content<'a>,
        arguments: &'a Arguments<'a>,
        _: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let values = values(arguments);
            let map = values.iter().map(|(name, value)| (&**name, &**value));
            let restorer = Restorer::new(map, arguments.flag("tolerant"));
            let mut room = Some(MAX_RESULT);
            context.rewrite(&mut |_, text| {
                let restored = restorer.restore_within(text, room?);
                room = restored.as_ref().and_then(|restored| room?.checked_sub(restored.len()));
                restored.and_then(changed)
            });
            let large = || Error::failed(format!("the restored context is larger than {MAX_RESULT} bytes"));
            room.map(|_| Outcome::of(context)).ok_or_else(large)
        }
        .boxed_local()
    }
}
