//! The function `pii_redaction`: replaces personal data by placeholders.

use std::{borrow::Cow, rc::Rc};

use mcp_sieve::{Error, json::Object};
use mcp_sieve_redact::{Patterns, PlaceholderMap, Redactor, pii::Scanner};

use crate::middleware::{
    framework::{
        arguments::Arguments,
        function::{Call, Function},
        middleware::{Hook, Phase},
        outcome::Outcome,
    },
    functions::redaction_options::{RedactionOptions, lend_pseudonyms},
};

/// Replaces personal data by placeholders, such as `[PERSON_1]` and `[SSN_1]`.
#[derive(Debug, Clone, Default)]
pub struct PiiRedaction {
    patterns: Patterns,
    /// The schema with the names of the operator's own kinds, if there are any.
    schema: Option<Rc<str>>,
}

/// The text after the examples of names in the schema. Own names are inserted before it.
const LISTED: &str = "); all if absent";

impl PiiRedaction {
    /// Creates a function that also finds the operator's own kinds.
    pub fn new(patterns: Patterns) -> Self {
        let names: String = patterns.names().flat_map(|name| [", ", name]).collect();
        let listed = Self::INPUT_SCHEMA.split_once(LISTED).filter(|_| !names.is_empty());
        let schema = listed.map(|(before, after)| [before, &names, LISTED, after].concat().into());
        Self { patterns, schema }
    }
}

impl Function for PiiRedaction {
    const NAME: &'static str = "pii_redaction";
    const DESCRIPTION: &'static str =
        "Replaces personal data by handles, so that pii_restoration can restore it.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"aggressiveness":{"type":"string","enum":["standard","strict"],"default":"standard","description":"strict also detects personal data that no word around it announces"},"types":{"type":"array","items":{"type":"string","maxLength":64},"maxItems":128,"description":"Types to detect, by the names of handles (EMAIL, SSN); all if absent"},"preset":{"type":"string","enum":["eu","us","health","minimal"],"description":"A named selection of types; types and actions override it"},"actions":{"type":"object","additionalProperties":{"type":"string","enum":["handle","mask","hash","pseudonym","generalise","keep"]},"description":"The action for each type, * for all others: handle by default, the only one that can be restored"},"key":{"type":"string","minLength":16,"maxLength":256,"description":"The key of the action hash, 16 to 256 bytes"},"redactions":{"type":"object","additionalProperties":{"type":"string"},"description":"Handles of earlier calls and their values, which are used again"},"metadata":{"type":"string","enum":["handles","values"],"default":"handles","description":"Whether the metadata lists handles and types only, or the values as well, which pii_restoration needs"}},"additionalProperties":false}"#;
    const HOOK: Hook =
        Hook { changes: true, phase: Phase::Request, events: &["llm/completion", "tools/call"] };

    fn input_schema(&self) -> &str {
        self.schema.as_deref().unwrap_or(Self::INPUT_SCHEMA)
    }

    fn check_arguments(&self, arguments: &Arguments<'_>) -> Result<(), Error> {
        RedactionOptions::read(&self.patterns, arguments).map(drop)
    }

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, environment } = call;
        let strict = arguments.text("aggressiveness").as_deref() == Some("strict");
        let RedactionOptions { kinds, mut actions } = RedactionOptions::read(&self.patterns, arguments)?;
        lend_pseudonyms(environment, &mut actions)?;
        let scanner = Scanner::new(strict, kinds).with_patterns(self.patterns.clone());
        let mut redactor = Redactor::new(scanner, carried(arguments)).with_actions(actions);
        context.rewrite(&mut |_, text| changed(redactor.redact(text)));
        let values = arguments.text("metadata").as_deref() == Some("values");
        Ok(Outcome::new(context)
            .with_metadata(|metadata| write_redactions(metadata, redactor.placeholders(), values)))
    }
}

/// Returns the new text; `None` if the text was not changed.
pub(crate) fn changed(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

/// Returns the placeholders of earlier calls, from the argument `redactions`.
pub(crate) fn carried(arguments: &Arguments<'_>) -> PlaceholderMap {
    let values = values(arguments);
    PlaceholderMap::carried(values.iter().map(|(name, value)| (&**name, &**value)))
}

/// Returns the names and the values in the argument `redactions`.
pub(crate) fn values<'a>(arguments: &Arguments<'a>) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let members = arguments.members("redactions").unwrap_or_default();
    members.0.into_iter().filter_map(|(name, value)| Some((name, value.text()?))).collect()
}

/// Writes the placeholders in one of the two forms of the proposal: a list without values, or a map with them.
pub(crate) fn write_redactions(metadata: &mut Object<'_>, placeholders: &PlaceholderMap, values: bool) {
    if placeholders.is_empty() {
        return;
    }
    let out = metadata.value("redactions");
    if values {
        let mut map = Object::open(out);
        placeholders.iter().for_each(|(name, _, value)| map.text(&name, value));
        return map.close();
    }
    Object::push_array(out, placeholders.iter(), |out, (name, kind, _)| {
        let mut redaction = Object::open(out);
        redaction.text("handle", &name);
        if let Some(kind) = kind {
            redaction.text("type", &placeholders.type_of(kind));
        }
        redaction.close();
    });
}
