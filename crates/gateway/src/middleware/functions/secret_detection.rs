//! The function `secret_detection`: replaces secrets by placeholders, or rejects the context.

use mcp_sieve::{Error, json::Object};
use mcp_sieve_redact::{Action, Actions, Patterns, Redactor, secrets::Secrets};

use crate::middleware::{
    framework::{
        arguments::Arguments,
        function::{Call, Function},
        middleware::{Hook, Phase},
        outcome::Outcome,
    },
    functions::{
        pii_redaction::{carried, changed, write_redactions},
        redaction_options::{lend_pseudonyms, read_key},
    },
};

/// Replaces passwords, tokens and keys by placeholders such as `[SECRET_1]`, or rejects a context that contains any.
#[derive(Debug, Clone, Default)]
pub struct SecretDetection {
    patterns: Patterns,
}

impl SecretDetection {
    /// Creates a function that recognizes the placeholders of the operator's own kinds.
    pub fn new(patterns: Patterns) -> Self {
        Self { patterns }
    }
}

impl Function for SecretDetection {
    const NAME: &'static str = "secret_detection";
    const DESCRIPTION: &'static str =
        "Replaces passwords, tokens and private keys by handles, or refuses a context that contains them.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"action":{"type":"string","enum":["redact","refuse"],"default":"redact","description":"The treatment of secrets: replace them, or refuse the context"},"replacement":{"type":"string","enum":["handle","mask","hash","pseudonym"],"default":"handle","description":"The replacement of a secret: a handle, a mask with its last four letters or digits, a keyed hash, or a pseudonym of the gateway"},"key":{"type":"string","minLength":16,"maxLength":256,"description":"The key of the action hash, 16 to 256 bytes"},"allow":{"type":"array","items":{"type":"string","minLength":1,"maxLength":256},"maxItems":256,"description":"Texts: secrets that contain one of them are left unchanged"},"redactions":{"type":"object","additionalProperties":{"type":"string"},"description":"Handles of earlier calls and their values, which are used again"},"metadata":{"type":"string","enum":["handles","values"],"default":"handles","description":"Whether the metadata lists handles and types only, or the values as well"}},"additionalProperties":false}"#;
    const HOOK: Hook = Hook { changes: true, phase: Phase::Both, events: &["llm/completion", "tools/call"] };

    fn check_arguments(&self, arguments: &Arguments<'_>) -> Result<(), Error> {
        actions(arguments).map(drop)
    }

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, environment } = call;
        let allowed = arguments.texts("allow").unwrap_or_default().into_iter().map(Into::into).collect();
        let secrets = Secrets::new(allowed).with_patterns(self.patterns.clone());
        let mut actions = actions(arguments)?;
        lend_pseudonyms(environment, &mut actions)?;
        let mut redactor = Redactor::new(secrets, carried(arguments)).with_actions(actions);
        // `rules` has the name of each rule once, sorted.
        let (mut found, mut rules) = (0, Vec::new());
        context.each_text(&mut |_, text| {
            for rule in redactor.rules(text) {
                found += 1;
                if let Err(place) = rules.binary_search(&rule) {
                    rules.insert(place, rule);
                }
            }
        });
        let write_counts = |metadata: &mut Object<'_>| {
            if found > 0 {
                metadata.raw("found", found.to_string().as_bytes());
                Object::push_array(metadata.value("types"), &rules, |out, rule| {
                    mcp_sieve::json::Object::push_text(out, rule)
                });
            }
        };
        if arguments.text("action").as_deref() == Some("refuse") {
            let outcome = Outcome::new(context).with_metadata(|metadata| {
                write_counts(metadata);
                metadata.raw("allow", if found == 0 { b"true" } else { b"false" });
            });
            let message = format!("the context contains secrets ({}; {found} in total)", rules.join(", "));
            return Ok(if found == 0 { outcome } else { outcome.refuse("secret", message) });
        }
        if found > 0 || !redactor.placeholders().is_empty() {
            context.rewrite(&mut |_, text| changed(redactor.redact(text)));
        }
        let values = arguments.text("metadata").as_deref() == Some("values");
        Ok(Outcome::new(context).with_metadata(|metadata| {
            write_counts(metadata);
            write_redactions(metadata, redactor.placeholders(), values);
        }))
    }
}

/// Reads the arguments `replacement` and `key`.
///
/// # Errors
/// The errors of [`read_key`].
fn actions(arguments: &Arguments<'_>) -> Result<Actions, Error> {
    let replacement = arguments.text("replacement");
    let mut actions = Actions::all(replacement.as_deref().and_then(Action::named).unwrap_or_default());
    read_key(arguments, &mut actions).map(|()| actions)
}
