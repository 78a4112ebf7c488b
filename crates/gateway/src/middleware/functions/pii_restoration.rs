//! The function `pii_restoration`: replaces placeholders by their original values.

use mcp_sieve::Error;
use mcp_sieve_redact::Restorer;

use crate::middleware::{
    framework::{
        content::MAX_RESULT,
        function::{Call, Function},
        middleware::{Hook, Phase},
        outcome::Outcome,
    },
    functions::pii_redaction::{changed, values},
};

/// Replaces placeholders by their values. Unknown placeholders stay unchanged.
#[derive(Debug, Clone, Copy)]
pub struct PiiRestoration;

impl Function for PiiRestoration {
    const NAME: &'static str = "pii_restoration";
    const DESCRIPTION: &'static str = "Restores the values of the handles of pii_redaction.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"redactions":{"type":"object","additionalProperties":{"type":"string"},"description":"Handles and their values, as in the metadata of pii_redaction"},"tolerant":{"type":"boolean","default":false,"description":"Whether to restore handles that a model rewrote: in another case, escaped for Markdown, without brackets, in other brackets, or several in one pair"}},"required":["redactions"],"additionalProperties":false}"#;
    const HOOK: Hook =
        Hook { changes: true, phase: Phase::Response, events: &["llm/completion", "tools/call"] };

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, .. } = call;
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
        room.map(|_| Outcome::new(context)).ok_or_else(large)
    }
}
