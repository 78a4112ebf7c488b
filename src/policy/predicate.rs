//! Policies written in Rust: the trait `Predicate`, and the caller that it reads.

use std::{fmt, sync::Arc};

use crate::{
    catalog::{Kind, Primitive},
    expr::{Field, NoCaller, Subject},
    json::Raw,
};

/// A policy in Rust: a primitive is visible to a caller only where it holds. It is ordered among the policies of the
/// configuration by priority and name.
///
/// It is synchronous; all that it needs to know it holds itself, or reads from the primitive and the caller.
///
/// ```
/// use mcp_sieve::{
///     Caller, Config, Filter, Kind, Sieve,
///     catalog::Primitive,
///     policy::{CallerContext, Predicate, PredicateError},
/// };
///
/// /// Hides prompts with long descriptions.
/// struct Short;
///
/// impl Predicate for Short {
///     fn name(&self) -> &str {
///         "short"
///     }
///
///     fn kinds(&self) -> &[Kind] {
///         &[Kind::Prompt]
///     }
///
///     fn holds(&self, primitive: &Primitive<'_>, _: &dyn CallerContext) -> Result<bool, PredicateError> {
///         Ok(primitive.json().len() < 40)
///     }
/// }
///
/// let lists = r#"{"prompts":[{"name":"greet"},{"name":"plan","description":"Plans a whole week"}]}"#;
/// let sieve = Sieve::compile(lists, &Config::default().with_predicate(Short))?;
/// let prompts = sieve.view(&Caller::anonymous()).prompts(&Filter::default())?;
/// assert_eq!(prompts.names().collect::<Vec<_>>(), ["greet"]);
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
pub trait Predicate: Send + Sync {
    /// Returns the name in logs. Predicates of the same priority are evaluated in the order of their names.
    fn name(&self) -> &str;

    /// Predicates with a higher priority are evaluated first.
    fn priority(&self) -> i32 {
        0
    }

    /// Returns the kinds of primitives that the predicate judges.
    fn kinds(&self) -> &[Kind] {
        &Kind::ALL
    }

    /// Returns the data that it reads besides the primitive. It gets nothing else, so that its results can be cached.
    fn reads(&self) -> Reads<'_> {
        Reads::Primitive
    }

    /// Returns whether a primitive that the predicate cannot judge is shown. By default it is hidden.
    fn fails_open(&self) -> bool {
        false
    }

    /// Returns whether the primitive is visible to the caller.
    ///
    /// # Errors
    /// [`PredicateError`] if it cannot decide.
    fn holds(&self, primitive: &Primitive<'_>, asking: &dyn CallerContext) -> Result<bool, PredicateError>;
}

/// The reason why a predicate cannot decide. The operator sees it, the caller never does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateError(String);

impl PredicateError {
    /// Makes an error of its reason, which a report quotes.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for PredicateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PredicateError {}

/// The data that a predicate reads in addition to the primitive.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads<'a> {
    /// Nothing: it is called once for each primitive.
    Primitive,
    /// These fields of the caller: it is called once for all callers with the same values of them.
    Caller(&'a [Field]),
    /// The whole caller and request: it is called for every request, which costs time.
    Request,
}

/// A caller, and the request that it makes.
pub trait CallerContext: Subject {
    /// Returns the id of the request, as JSON.
    fn id(&self) -> Option<&str> {
        None
    }

    /// Returns the caller and its request as one JSON object, for predicates in another language. A caller without a
    /// request has none.
    fn describe(&self) -> Option<String> {
        None
    }

    /// Returns a member of the request's `_meta`, if it has such a member.
    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        _ = key;
        None
    }

    /// Returns whether the client declares these capabilities, a JSON object, with every member of it at every level.
    /// By default it does.
    fn declares(&self, capabilities: &str) -> bool {
        _ = capabilities;
        true
    }
}

impl CallerContext for NoCaller {}

/// The predicates that are registered, in addition to the policies of the configuration.
#[derive(Clone, Default)]
pub struct Predicates(Vec<Arc<dyn Predicate>>);

impl Predicates {
    /// Registers a predicate.
    pub fn add(&mut self, predicate: impl Predicate + 'static) {
        self.0.push(Arc::new(predicate));
    }

    /// Returns the registered predicates, in the order of registration.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Predicate>> {
        self.0.iter()
    }
}

impl PartialEq for Predicates {
    /// Returns whether the predicates are the same objects. Their behaviour cannot be compared.
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| Arc::ptr_eq(a, b))
    }
}

impl fmt::Debug for Predicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|predicate| predicate.name())).finish()
    }
}

impl fmt::Debug for dyn Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Predicate").field(&self.name()).finish()
    }
}

/// Restricts a caller to the fields that a predicate declared in [`Predicate::reads`].
pub(super) struct RestrictedCaller<'a> {
    pub reads: Reads<'a>,
    pub asking: &'a dyn CallerContext,
}

impl Subject for RestrictedCaller<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let may_read = match self.reads {
            Reads::Primitive => false,
            Reads::Caller(fields) => fields.contains(field),
            Reads::Request => true,
        };
        if may_read {
            self.asking.values(field, visit);
        }
    }
}

impl CallerContext for RestrictedCaller<'_> {
    fn id(&self) -> Option<&str> {
        (self.reads == Reads::Request).then(|| self.asking.id()).flatten()
    }

    fn describe(&self) -> Option<String> {
        (self.reads == Reads::Request).then(|| self.asking.describe()).flatten()
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        (self.reads == Reads::Request).then(|| self.asking.meta(key)).flatten()
    }
}
