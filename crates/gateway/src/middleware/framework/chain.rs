//! Chains of middleware functions: parsing, execution and reports.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use mcp_sieve::{
    Error, ErrorKind,
    json::{Entry, Members, Object, Raw},
};
use mcp_sieve_redact::PlaceholderMap;

use crate::middleware::framework::{
    content::Content,
    environment::Environment,
    outcome::{Outcome, Refusal},
    registry::Registry,
};

/// Maximum number of functions in a chain.
pub const MAX_STEPS: usize = 32;

/// Functions that are applied to a context, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// The functions, in order.
    pub steps: Vec<Step>,
    /// The number of items, counted from the end, that are passed to the functions. The items before them stay
    /// unchanged. `None` passes all items.
    pub last: Option<usize>,
}

/// One function of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name of the function.
    pub function: String,
    /// The arguments, as the JSON of an object.
    pub arguments: Option<String>,
    /// Whether the result is used or only reported.
    pub mode: Mode,
    /// Whether the chain continues with the unchanged context when the function fails. A refusal is not a failure, and
    /// neither is a step that cannot run: a function that does not exist, or arguments that it rejects.
    pub fail_open: bool,
}

/// Whether a chain uses the result of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// The result replaces the context.
    #[default]
    Enforce,
    /// The result is only reported. The chain continues with the unchanged context.
    Audit,
}

/// The values that placeholders stand for, between redaction and restoration.
///
/// A chain reads them from the member `redactions` of a function's metadata and passes them to each later function
/// that has an argument `redactions`. Only the caller of the chain receives them; no report contains them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Redactions(Option<String>);

/// The name of the argument and the metadata member with the values of placeholders.
const REDACTIONS: &str = "redactions";
/// The argument with the action of each kind of value. [`REPLACEMENT`] is the argument with one action for all kinds,
/// and [`PSEUDONYM`] an action that only a gateway supports.
const ACTIONS: &str = "actions";
const REPLACEMENT: &str = "replacement";
const PSEUDONYM: &str = "pseudonym";

impl fmt::Debug for Redactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactions(..)")
    }
}

impl Redactions {
    /// Parses the output of [`Redactions::to_json`]: an object that maps placeholders to values.
    ///
    /// # Errors
    /// [`ErrorKind::ContextInvalid`] for anything else.
    pub fn read(source: &str) -> Result<Self, Error> {
        let raw = Raw::parse(source)?;
        let texts =
            Members::read(raw).is_some_and(|map| map.0.iter().all(|(_, value)| value.text().is_some()));
        let refuse =
            || Error::new(ErrorKind::ContextInvalid, "expected an object of strings").field("handles");
        texts.then(|| Self(Some(source.to_owned()))).ok_or_else(refuse)
    }

    /// Returns the JSON of an object that maps placeholders to values.
    pub fn to_json(&self) -> &str {
        self.0.as_deref().unwrap_or("{}")
    }

    /// Adds the values that a function returned.
    ///
    /// # Errors
    /// [`ErrorKind::MiddlewareFailed`] for another value of a known placeholder, which would restore another text, and
    /// for a value that is not text. The values are then unchanged.
    fn add(&mut self, values: Raw<'_>) -> Result<(), Error> {
        let Some(values) = Members::read(values) else { return Ok(()) };
        let known = Members::parse(self.to_json()).unwrap_or_default();
        // There may be a hundred thousand values, and each function adds its own: a linear search would be quadratic.
        let mut first_values = BTreeMap::new();
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        for (at, (placeholder, value)) in known.0.iter().chain(&values.0).enumerate() {
            let text = value.text().ok_or_else(|| Error::failed("a handle has a value that is not text"))?;
            let name = PlaceholderMap::unbracketed(placeholder);
            let first = first_values.get(name);
            if at >= known.0.len() && first.is_some_and(|first| *first != text) {
                return Err(Error::failed("the function returned another value for a known handle"));
            }
            if first.is_none() {
                object.raw(placeholder, value.get().as_bytes());
                first_values.insert(name, text);
            }
        }
        object.close();
        let merged = String::from_utf8(out).ok();
        self.0 = merged.or_else(|| self.0.take());
        Ok(())
    }
}

/// The result of a chain.
#[derive(Debug)]
pub struct ChainResult {
    /// The context. After a refusal, the context as it was passed to the function that refused it.
    pub content: Content<'static>,
    /// The name and the metadata of each function that returned metadata, as JSON without the values of placeholders.
    pub metadata: Vec<(String, String)>,
    /// The reason why a function refused the context, if one did.
    pub refusal: Option<Refusal>,
}

/// The report about one function: sizes and counts, without any content of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The name of the function.
    pub function: String,
    /// Whether the result was used or only reported.
    pub mode: Mode,
    /// The sizes of the context before and after the function, in bytes.
    pub bytes: [usize; 2],
    /// The numbers of items before and after the function.
    pub items: [usize; 2],
    /// Whether the function changed the context.
    pub changed: bool,
    /// The code of the refusal, or of the error with which the function failed.
    pub ended: Option<Cow<'static, str>>,
}

impl Chain {
    /// Parses a chain: an array of steps, each a name or `{"use", "arguments", "mode", "failOpen"}`; or an object with
    /// the array as `steps`, and `last`.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut chain = Self::default();
        if entry.raw().is_object() {
            let mut record = entry.record(&["steps", "last"])?;
            record.need(&["steps"]);
            record.fill("steps", &mut chain.steps, |entry| entry.list(Step::read));
            record.fill_optional("last", &mut chain.last, |entry| entry.whole(0, i64::from(u32::MAX)));
            record.end()?;
        } else {
            chain.steps = entry.list(Step::read)?;
        }
        if chain.steps.len() > MAX_STEPS {
            return Err(entry.refuse(format!("expected at most {MAX_STEPS} functions")));
        }
        Ok(chain)
    }

    /// Checks that the functions exist and that they accept their arguments.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of the first step that [`Registry::check`] rejects.
    pub fn check(&self, registry: &Registry) -> Result<(), Error> {
        self.steps.iter().enumerate().try_for_each(|(at, step)| {
            let arguments = step.complete(registry, &Redactions::default());
            let checked = registry.check(&step.function, arguments.as_deref());
            // `last` occurs only in an object, whose steps are a member.
            let list = if self.last.is_some() { "steps" } else { "" };
            checked.map_err(|error| {
                let unknown = error.kind() == ErrorKind::UnknownMiddleware;
                let error = error.with_kind(ErrorKind::Config);
                // A call has the function as `name`. A step is the name itself, or an object with `use`.
                let error = if unknown { error.field("") } else { error };
                error.within(&format!("{list}[{at}]"))
            })
        })
    }

    /// Returns the index of the first step that writes pseudonyms.
    pub fn pseudonymous_step(&self) -> Option<usize> {
        self.steps.iter().position(Step::is_pseudonymous)
    }

    /// Applies the functions to a context, in order, and appends a report for each to `reports`.
    ///
    /// `placeholders` passes values in and out. The chain ends at a refusal, and at an error unless the step only
    /// audits, or has `failOpen` and could run.
    ///
    /// # Errors
    /// The error of the function that failed. The reports up to it are in `reports`.
    pub async fn run(
        &self,
        registry: &Registry,
        context: Content<'_>,
        placeholders: &mut Redactions,
        environment: &dyn Environment,
        reports: &mut Vec<Report>,
    ) -> Result<ChainResult, Error> {
        let mut content = context.into_owned();
        let before = self.last.map(|last| content.split_last(last)).unwrap_or_default();
        let mut ran = ChainResult { content: Content::default(), metadata: Vec::new(), refusal: None };
        for step in &self.steps {
            let mut carried = placeholders.clone();
            let mut report = Report::before(&step.function, step.mode, &content);
            let applied = step.apply(registry, content.clone(), &mut carried, environment).await;
            let outcome = match applied {
                Ok(outcome) => outcome,
                Err(error) => {
                    report.ended = Some(error.code().into());
                    reports.push(report);
                    let cannot_run =
                        matches!(error.kind(), ErrorKind::ArgumentsInvalid | ErrorKind::UnknownMiddleware);
                    if step.fail_open && !cannot_run || step.mode == Mode::Audit {
                        continue;
                    }
                    return Err(error);
                }
            };
            report.after(&content, &outcome);
            reports.push(report);
            ran.metadata.extend(outcome.metadata.map(|metadata| (step.function.clone(), metadata)));
            if step.mode == Mode::Audit {
                continue;
            }
            if outcome.refusal.is_some() {
                ran.refusal = outcome.refusal;
                break;
            }
            *placeholders = carried;
            content = outcome.content;
        }
        content.put_back(before);
        ran.content = content;
        Ok(ran)
    }
}

impl Step {
    /// Returns a step for a function, without arguments, that is enforced and does not fail open.
    pub fn new(function: &str) -> Self {
        Self { function: function.to_owned(), arguments: None, mode: Mode::Enforce, fail_open: false }
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        if !entry.raw().is_object() {
            return entry.some_text().map(|function| Self::new(&function));
        }
        let mut step = Self::new("");
        let mut record = entry.record(&["use", "arguments", "mode", "failOpen"])?;
        record.need(&["use"]);
        record.fill("use", &mut step.function, Entry::some_text);
        record.fill_optional("arguments", &mut step.arguments, |entry| {
            let object = entry.raw().is_object().then(|| entry.raw().get().to_owned());
            object.ok_or_else(|| entry.refuse("expected an object"))
        });
        record.fill("mode", &mut step.mode, |entry| match entry.text()?.as_str() {
            "enforce" => Ok(Mode::Enforce),
            "audit" => Ok(Mode::Audit),
            _ => Err(entry.refuse(format!("expected {}", Error::one_of(&["enforce", "audit"])))),
        });
        record.fill("failOpen", &mut step.fail_open, Entry::flag);
        record.end().map(|()| step)
    }

    /// Returns whether the step writes pseudonyms.
    fn is_pseudonymous(&self) -> bool {
        let members = self.arguments.as_deref().and_then(Members::parse).unwrap_or_default();
        let is_pseudonym = |value: Raw<'_>| value.text().is_some_and(|action| action == PSEUDONYM);
        let actions = members.get(ACTIONS).and_then(Members::read).unwrap_or_default();
        // A function of an upstream server (`server/function`) may use the same words with another meaning.
        self.mode == Mode::Enforce
            && !self.function.contains('/')
            && (members.get(REPLACEMENT).is_some_and(is_pseudonym)
                || actions.0.iter().any(|(_, action)| is_pseudonym(*action)))
    }

    async fn apply(
        &self,
        registry: &Registry,
        content: Content<'static>,
        placeholders: &mut Redactions,
        environment: &dyn Environment,
    ) -> Result<Outcome<'static>, Error> {
        let arguments = self.complete(registry, placeholders);
        let arguments = arguments.as_deref().map(Raw::parse).transpose()?;
        let mut outcome = registry.apply(&self.function, arguments, content, environment).await?;
        // The values belong to `placeholders` alone, so they are removed from the metadata.
        let metadata = outcome.metadata.take();
        if let Some(members) = metadata.as_deref().and_then(Members::parse) {
            let values = members.get(REDACTIONS).filter(|values| values.is_object());
            values
                .map_or(Ok(()), |values| placeholders.add(values))
                .map_err(|error| error.within(&self.function))?;
            outcome = outcome.with_metadata(|object| {
                object.keep(&members, if values.is_some() { &[REDACTIONS] } else { &[] })
            });
        }
        Ok(outcome)
    }

    /// Returns the arguments of the step. Adds the values of placeholders if the function has an argument for them and
    /// the step does not set it. Returns `None` if the arguments are not a JSON object.
    fn complete(&self, registry: &Registry, placeholders: &Redactions) -> Option<String> {
        let given = self.arguments.as_deref().unwrap_or("{}");
        let members = Members::parse(given)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.keep(&members, &[]);
        let takes = |name: &str| registry.takes(&self.function, name) && members.get(name).is_none();
        if takes(REDACTIONS) {
            object.raw(REDACTIONS, placeholders.to_json().as_bytes());
        }
        if takes("metadata") && registry.takes(&self.function, REDACTIONS) {
            object.text("metadata", "values");
        }
        object.close();
        String::from_utf8(out).ok()
    }
}

impl Report {
    /// Returns the report about a function before it is called.
    pub fn before(function: &str, mode: Mode, content: &Content<'_>) -> Self {
        let (bytes, items) = (content.size(), content.len());
        let function = function.to_owned();
        Self { function, mode, bytes: [bytes; 2], items: [items; 2], changed: false, ended: None }
    }

    /// Adds the outcome of the function to the report.
    pub fn after(&mut self, before: &Content<'_>, outcome: &Outcome<'_>) {
        self.bytes[1] = outcome.content.size();
        self.items[1] = outcome.content.len();
        self.changed = *before != outcome.content;
        self.ended = outcome.refusal.as_ref().map(|refusal| refusal.reason.clone());
    }
}
