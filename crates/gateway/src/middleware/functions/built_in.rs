//! The registry of the built-in functions.

use std::rc::Rc;

use mcp_sieve::Error;
use mcp_sieve_redact::{Patterns, moderation::Policies};

use crate::middleware::framework::{middleware::Middleware, registry::Registry};

use super::{
    ContentModeration, ContextLogger, DocumentRetrieval, HallucinationCheck, PiiRedaction, PiiRestoration,
    SecretDetection, TimestampInjector, ToolFilter,
};

impl Registry {
    /// Returns a registry of the built-in functions.
    pub fn built_in() -> Self {
        Self::with(Policies::default(), Patterns::default())
    }

    /// Returns a registry of the built-in functions with the operator's own policies and patterns: the members
    /// `policies` and `patterns` of the section `middleware` of a configuration, as JSON. Both are compiled once, for
    /// all calls.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](mcp_sieve::ErrorKind::Config) with the path of the first invalid member, such as
    /// `patterns.EMPLOYEE_ID.pattern`.
    pub fn built_in_with(policies: Option<&str>, patterns: Option<&str>) -> Result<Self, Error> {
        let policies = policies.map_or_else(|| Ok(Policies::default()), Policies::parse);
        let patterns = patterns.map_or_else(|| Ok(Patterns::default()), Patterns::parse);
        let policies = policies.map_err(|error| error.within("policies"))?;
        Ok(Self::with(policies, patterns.map_err(|error| error.within("patterns"))?))
    }

    fn with(policies: Policies, patterns: Patterns) -> Self {
        let functions: Vec<Rc<dyn Middleware>> = vec![
            Rc::new(PiiRedaction::new(patterns.clone())),
            Rc::new(PiiRestoration),
            Rc::new(SecretDetection::new(patterns)),
            Rc::new(ContentModeration::default().with_policies(policies)),
            Rc::new(DocumentRetrieval),
            Rc::new(TimestampInjector),
            Rc::new(ToolFilter),
            Rc::new(HallucinationCheck),
            Rc::new(ContextLogger),
        ];
        let mut registry = Self::new();
        // The result can be ignored: a test checks that the registry accepts each of them.
        functions.into_iter().for_each(|function| _ = registry.add(function));
        registry
    }
}
