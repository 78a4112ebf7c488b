use std::{fmt, sync::Arc};

use crate::{
    catalog::{Kind, Primitive},
    expr::{Field, NoCaller, Subject},
    json::Raw,
};

/// A policy in Rust: a primitive is visible to a caller only where it holds, as for those of the configuration,
/// among which it is asked in one order.
///
/// It is synchronous and asks nobody; what it has to know it is made with, or reads of primitive and caller.
///
/// ```
/// use mcp_sieve::{catalog::{Kind, Primitive}, expr::Field, policy::{Asking, Predicate, PredicateError}};
///
/// /// Nobody is shown tools with long schemas.
/// struct Short;
///
/// impl Predicate for Short {
///     fn name(&self) -> &str {
///         "short"
///     }
///
///     fn kinds(&self) -> &[Kind] {
///         &[Kind::Tool]
///     }
///
///     fn holds(&self, primitive: &Primitive<'_>, _: &dyn Asking) -> Result<bool, PredicateError> {
///         Ok(primitive.json().len() < 10_000)
///     }
/// }
/// ```
pub trait Predicate: Send + Sync {
    /// For logs, and to order predicates of one priority.
    fn name(&self) -> &str;

    /// Higher is asked first.
    fn priority(&self) -> i32 {
        0
    }

    /// The kinds it judges; it is not asked about others.
    fn kinds(&self) -> &[Kind] {
        &Kind::ALL
    }

    /// What it reads beside the primitive. It is shown nothing else, so that what it said can be kept.
    fn reads(&self) -> Reads<'_> {
        Reads::Primitive
    }

    /// Whether what it cannot judge is shown. By default it is hidden.
    fn fails_open(&self) -> bool {
        false
    }

    /// Whether the primitive is visible to whoever asks.
    ///
    /// # Errors
    /// [`PredicateError`] if it cannot decide.
    fn holds(&self, primitive: &Primitive<'_>, asking: &dyn Asking) -> Result<bool, PredicateError>;
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

/// What a predicate reads beside the primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads<'a> {
    /// Nothing: it is asked once of each primitive.
    Primitive,
    /// These fields of the caller: it is asked once for all callers who are alike in them.
    Caller(&'a [Field]),
    /// All of the caller and the request itself: it is asked anew at every request, which takes its time.
    Request,
}

/// Who asks, and in what request.
pub trait Asking: Subject {
    /// The id of the request, as JSON.
    fn id(&self) -> Option<&str> {
        None
    }

    /// A member of the request's `_meta`; none where it has no such member, or no `_meta` at all.
    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        _ = key;
        None
    }
}

impl Asking for NoCaller {}

/// The predicates that are registered, beside the policies that the configuration spells.
#[derive(Clone, Default)]
pub struct Predicates(Vec<Arc<dyn Predicate>>);

impl Predicates {
    /// Registers one more.
    pub fn add(&mut self, predicate: impl Predicate + 'static) {
        self.0.push(Arc::new(predicate));
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Predicate>> {
        self.0.iter()
    }
}

impl PartialEq for Predicates {
    /// Whether they are the same, not merely alike: nobody can compare what they do.
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
    pub asking: &'a dyn Asking,
}

impl Subject for RestrictedCaller<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let told = match self.reads {
            Reads::Primitive => false,
            Reads::Caller(fields) => fields.contains(field),
            Reads::Request => true,
        };
        if told {
            self.asking.values(field, visit);
        }
    }
}

impl Asking for RestrictedCaller<'_> {
    fn id(&self) -> Option<&str> {
        (self.reads == Reads::Request).then(|| self.asking.id()).flatten()
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        (self.reads == Reads::Request).then(|| self.asking.meta(key)).flatten()
    }
}
