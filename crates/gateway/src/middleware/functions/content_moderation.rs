//! The function `content_moderation`: flags phrases of policies, and rejects severe content.

use std::{fmt, rc::Rc};

use futures_util::future::LocalBoxFuture;
use mcp_sieve::{Error, ErrorKind, json::Object};
use mcp_sieve_redact::moderation::{Flag, Policies, Severity};

use crate::middleware::framework::{
    arguments::Arguments,
    content::{Content, TextItem},
    function::{Call, Function},
    middleware::{Hook, Phase},
    outcome::Outcome,
};

/// Maximum number of matches that the metadata lists.
const MAX_LISTED: usize = 100;
/// The warning about a context in which only [`Policies::HARM_SEEKING`] is flagged.
const HARM_SEEKING_WARNING: &str = "[MODERATION WARNING: This query may seek harmful advice]";
/// The warning about all other flags.
const WARNING: &str = "[MODERATION WARNING: {flags}; severity: {severity}]";

/// Flags phrases of policies, with a severity, and rejects a context from a given severity on.
#[derive(Clone, Default)]
pub struct ContentModeration {
    judge: Option<Rc<dyn Judge>>,
    policies: Policies,
    /// The schema with the names of the operator's own policies, if there are any.
    schema: Option<Rc<str>>,
}

/// An external judge of texts, such as a service or a model. Its flags are added to those of the phrase lists.
pub trait Judge {
    /// Returns the flags of a text under the given policies.
    ///
    /// # Errors
    /// Any error if it cannot judge the text. The function then fails with
    /// [`ErrorKind::MiddlewareFailed`](mcp_sieve::ErrorKind::MiddlewareFailed).
    fn judge<'a>(
        &'a self,
        text: &'a str,
        policies: &'a [&'a str],
    ) -> LocalBoxFuture<'a, Result<Vec<Flag>, Error>>;
}

impl fmt::Debug for ContentModeration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContentModeration").field("judge", &self.judge.is_some()).finish_non_exhaustive()
    }
}

impl ContentModeration {
    /// Creates a function that also calls an external judge.
    pub fn asking(judge: Rc<dyn Judge>) -> Self {
        Self { judge: Some(judge), ..Self::default() }
    }

    /// Adds the operator's own policies.
    #[must_use]
    pub fn with_policies(mut self, policies: Policies) -> Self {
        self.schema = list_policies(&policies).map(Into::into);
        self.policies = policies;
        self
    }
}

/// The text after the names of the built-in policies in the schema. Own names are inserted before it.
const LISTED: &str = "; all when absent.";

/// Returns the schema of the arguments with the names of own policies, each with its description.
fn list_policies(policies: &Policies) -> Option<String> {
    let mut names = Vec::new();
    for (name, description) in policies.own() {
        let described = description.map(|description| format!(" ({description})")).unwrap_or_default();
        // The text becomes part of a JSON string, so its quotation marks are removed.
        let mut json = Vec::new();
        Object::push_text(&mut json, &format!(", {name}{described}"));
        names.extend_from_slice(json.get(1..json.len().saturating_sub(1)).unwrap_or_default());
    }
    let (before, after) = ContentModeration::INPUT_SCHEMA.split_once(LISTED)?;
    let names = String::from_utf8(names).ok().filter(|names| !names.is_empty())?;
    Some([before, &names, LISTED, after].concat())
}

/// A flag, and the index of the item in which it was found.
type Placed = (usize, Flag);

impl Function for ContentModeration {
    const NAME: &'static str = "content_moderation";
    const DESCRIPTION: &'static str =
        "Flags phrases that policies forbid, with a severity and whether the context is blocked.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"policies":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64},"maxItems":32,"description":"violence, weapons, self_harm, hate, harassment, sexual, drugs, fraud, malware, prompt_injection, profanity, potential_harm_seeking; all when absent. violence and harassment include potential_harm_seeking"},"blockAt":{"type":"string","enum":["low","medium","high","never"],"default":"high","description":"The lowest severity that blocks the context"},"warning":{"type":"boolean","default":true,"description":"Whether a warning is added to a flagged context"},"warningText":{"type":"string","minLength":1,"maxLength":1000,"description":"The text of the warning; {flags} and {severity} in it are replaced"},"warningPosition":{"type":"string","enum":["first_text","last_text","first_item","last_item"],"default":"first_text","description":"Whether the warning begins the first or the last text, or is an item of its own before or after all others"},"matches":{"type":"boolean","default":false,"description":"Whether the metadata lists each match: its policy, phrase, weight, item and place"}},"additionalProperties":false}"#;
    const HOOK: Hook = Hook { changes: false, phase: Phase::Both, events: &["llm/completion", "tools/call"] };

    fn input_schema(&self) -> &str {
        self.schema.as_deref().unwrap_or(Self::INPUT_SCHEMA)
    }

    fn check_arguments(&self, arguments: &Arguments<'_>) -> Result<(), Error> {
        policies(&self.policies, arguments).map(drop)
    }

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, .. } = call;
        let policies = policies(&self.policies, arguments)?;
        let mut flags: Vec<Placed> = Vec::new();
        let mut texts = Vec::new();
        context.each_text(&mut |place, text| {
            flags.extend(self.policies.flags(text, &policies).into_iter().map(|flag| (place.item, flag)));
            if self.judge.is_some() {
                texts.push((place.item, text.to_owned()));
            }
        });
        if let Some(judge) = &self.judge {
            for (item, text) in &texts {
                let judged = judge
                    .judge(text, &policies)
                    .await
                    .map_err(|error| error.with_kind(ErrorKind::MiddlewareFailed))?;
                flags.extend(judged.into_iter().map(|flag| (*item, flag)));
            }
        }
        let flagged = flagged(&self.policies, &flags);
        let severity = flagged.iter().map(|(_, severity)| *severity).max().unwrap_or(Severity::None);
        let bound = arguments.text("blockAt").and_then(|name| Severity::named(&name));
        let allow = severity == Severity::None || bound.is_none_or(|bound| severity < bound);
        if severity > Severity::None && arguments.flag("warning") {
            let names: Vec<&str> = flagged.iter().map(|(policy, _)| *policy).collect();
            add_warning(&mut context, arguments, &names, severity);
        }
        let listed = if arguments.flag("matches") { flags.as_slice() } else { &[] };
        let outcome = Outcome::new(context)
            .with_metadata(|metadata| write_flags(metadata, &flagged, listed, severity, allow));
        let message = format!(
            "the context was flagged for {}",
            flagged.iter().map(|(policy, _)| *policy).collect::<Vec<_>>().join(", ")
        );
        Ok(if allow { outcome } else { outcome.refuse("moderation", message) })
    }
}

/// Returns the policies in the arguments and those that they include; all policies if the arguments have none.
///
/// # Errors
/// [`ErrorKind::ArgumentsInvalid`] for an unknown name.
fn policies<'p>(known: &'p Policies, arguments: &Arguments<'_>) -> Result<Vec<&'p str>, Error> {
    let Some(names) = arguments.texts("policies") else { return Ok(known.names()) };
    let mut policies = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let named = known.named(name).ok_or_else(|| {
            let message =
                format!("there is no policy `{name}`, expected one of {}", known.names().join(", "));
            Error::new(ErrorKind::ArgumentsInvalid, message).field(format!("arguments.policies[{at}]"))
        })?;
        named.into_iter().for_each(|name| {
            if !policies.contains(&name) {
                policies.push(name);
            }
        });
    }
    Ok(policies)
}

/// Adds the warning about `flags` at the position that the arguments select.
fn add_warning(context: &mut Content<'_>, arguments: &Arguments<'_>, flags: &[&str], severity: Severity) {
    let default = if flags == [Policies::HARM_SEEKING] { HARM_SEEKING_WARNING } else { WARNING };
    let template = arguments.text("warningText").unwrap_or(default.into());
    let warning = template.replace("{severity}", severity.name()).replace("{flags}", &flags.join(", "));
    let before_text = format!("{warning}\n\n");
    match arguments.text("warningPosition").as_deref() {
        Some("last_text") => context.prepend_to_text(TextItem::Last, &before_text),
        Some("first_item") => context.prepend(&warning),
        Some("last_item") => context.append(&warning),
        _ => context.prepend_to_text(TextItem::First, &before_text),
    }
}

/// Returns the policies that have flags, in order of their first flag, and the severity of each. Each phrase counts
/// once.
fn flagged<'f>(policies: &Policies, flags: &'f [Placed]) -> Vec<(&'f str, Severity)> {
    let mut sums: Vec<(&str, u32, Vec<&str>)> = Vec::new();
    for (_, flag) in flags {
        let known = sums.iter().position(|(policy, ..)| *policy == flag.policy);
        let place = known.unwrap_or_else(|| {
            sums.push((&flag.policy, 0, Vec::new()));
            sums.len() - 1
        });
        if let Some((_, sum, phrases)) =
            sums.get_mut(place).filter(|(.., phrases)| !phrases.contains(&flag.phrase.as_str()))
        {
            *sum += flag.weight;
            phrases.push(&flag.phrase);
        }
    }
    sums.into_iter().map(|(policy, sum, _)| (policy, policies.severity(policy, sum))).collect()
}

fn write_flags(
    metadata: &mut Object<'_>,
    flagged: &[(&str, Severity)],
    flags: &[Placed],
    severity: Severity,
    allow: bool,
) {
    let names: Vec<&str> = flagged.iter().map(|(policy, _)| *policy).collect();
    metadata.texts("flags", &names);
    metadata.text("severity", severity.name());
    metadata.raw("allow", if allow { b"true" } else { b"false" });
    if flags.is_empty() {
        return;
    }
    Object::push_array(metadata.value("matches"), flags.iter().take(MAX_LISTED), |out, (item, flag)| {
        let mut entry = Object::open(out);
        entry.text("policy", &flag.policy);
        entry.text("phrase", &flag.phrase);
        for (key, number) in
            [("weight", flag.weight as usize), ("item", *item), ("start", flag.start), ("end", flag.end)]
        {
            entry.raw(key, number.to_string().as_bytes());
        }
        entry.close();
    });
}
