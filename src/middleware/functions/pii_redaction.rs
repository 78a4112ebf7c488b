use std::{borrow::Cow, rc::Rc};

use crate::{
    error::{Error, ErrorKind},
    json::{self, Object, push_array},
    middleware::{
        framework::{
            arguments::Arguments,
            function::{Call, Function},
            middleware::{Hook, Phase},
            outcome::Outcome,
        },
        pii::scanner::Scanner,
        scan::{kind::Kinds, patterns::Patterns, placeholder_map::PlaceholderMap, redact::Redactor},
    },
};

/// Puts placeholders in place of what identifies people: `[PERSON_1]`, `[SSN_1]`.
#[derive(Debug, Clone, Default)]
pub struct PiiRedaction {
    patterns: Patterns,
    /// The schema with the names of the operator's own kinds, where there are some.
    schema: Option<Rc<str>>,
}

/// Where the schema goes on after examples of names.
const LISTED: &str = "); everything when absent";

impl PiiRedaction {
    /// One that also finds kinds of the operator's own.
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
        "Puts handles in place of what identifies people, so that pii_restoration can put it back.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"aggressiveness":{"type":"string","enum":["standard","strict"],"default":"standard","description":"strict also takes for personal what nothing around it announces"},"types":{"type":"array","items":{"type":"string","maxLength":64},"maxItems":128,"description":"What to look for, by the names of handles (EMAIL, SSN); everything when absent"},"redactions":{"type":"object","additionalProperties":{"type":"string"},"description":"Handles of earlier calls and what they stand for, to go on from"},"metadata":{"type":"string","enum":["handles","values"],"default":"handles","description":"Whether the metadata lists handles and types alone, or says what they stand for, which pii_restoration needs"}},"additionalProperties":false}"#;
    const HOOK: Hook =
        Hook { changes: true, phase: Phase::Request, events: &["llm/completion", "tools/call"] };

    fn input_schema(&self) -> &str {
        self.schema.as_deref().unwrap_or(Self::INPUT_SCHEMA)
    }

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, .. } = call;
        let strict = arguments.text("aggressiveness").as_deref() == Some("strict");
        let scanner = Scanner::new(strict, kinds(&self.patterns, arguments)?);
        let scanner = scanner.with_patterns(self.patterns.clone());
        let mut redactor = Redactor::new(scanner, carried(arguments));
        context.rewrite(&mut |_, text| changed(redactor.redact(text)));
        let values = arguments.text("metadata").as_deref() == Some("values");
        Ok(Outcome::new(context).with_metadata(|metadata| tell(metadata, redactor.placeholders(), values)))
    }
}

/// A text that is not the one that was asked about.
pub(crate) fn changed(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

/// The kinds that are asked for.
fn kinds(patterns: &Patterns, arguments: &Arguments<'_>) -> Result<Option<Kinds>, Error> {
    let Some(names) = arguments.texts("types") else { return Ok(None) };
    let kind = |(at, name): (usize, &Cow<'_, str>)| {
        patterns.named(name).ok_or_else(|| {
            let message = format!("there is no type `{name}`");
            Error::new(ErrorKind::ArgumentsInvalid, message).field(format!("arguments.types[{at}]"))
        })
    };
    names.iter().enumerate().map(kind).collect::<Result<Kinds, _>>().map(Some)
}

/// Placeholders of earlier calls.
pub(crate) fn carried(arguments: &Arguments<'_>) -> PlaceholderMap {
    let values = values(arguments);
    PlaceholderMap::carried(values.iter().map(|(name, value)| (&**name, &**value)))
}

/// The names and values of the argument `redactions`.
pub(crate) fn values<'a>(arguments: &Arguments<'a>) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let members = arguments.members("redactions").unwrap_or_default();
    members.0.into_iter().filter_map(|(name, value)| Some((name, json::text(value)?))).collect()
}

/// Both forms of the proposal: a list without values, or a map with them.
pub(crate) fn tell(metadata: &mut Object<'_>, placeholders: &PlaceholderMap, values: bool) {
    if placeholders.is_empty() {
        return;
    }
    let out = metadata.value("redactions");
    if values {
        let mut map = Object::open(out);
        placeholders.iter().for_each(|(name, _, value)| map.text(&name, value));
        return map.close();
    }
    push_array(out, placeholders.iter(), |out, (name, kind, _)| {
        let mut redaction = Object::open(out);
        redaction.text("handle", &name);
        if let Some(kind) = kind {
            redaction.text("type", &placeholders.type_of(kind));
        }
        redaction.close();
    });
}
