//! The trait `Middleware`, which every function implements, and the phases in which functions run.

use futures_util::future::LocalBoxFuture;
use mcp_sieve::Error;

use crate::middleware::framework::{
    arguments::Arguments, content::Content, environment::Environment, outcome::Outcome,
};

/// A function that changes or checks a context.
pub trait Middleware {
    /// Returns the name, unique in a registry.
    fn name(&self) -> &str;

    /// Returns the description, for the operator who configures an application.
    fn description(&self) -> &str;

    /// Returns the JSON Schema of the arguments, written with the keywords that [`Schema`](super::schema::Schema)
    /// supports.
    fn input_schema(&self) -> &str {
        r#"{"type":"object","additionalProperties":false}"#
    }

    /// Returns where the function belongs in a chain.
    fn hook(&self) -> Hook {
        Hook::DEFAULT
    }

    /// Checks arguments beyond the schema, such as names that it does not list. They match the schema, with its
    /// defaults filled in. Called when a chain is checked, and not before [`Middleware::apply`].
    ///
    /// # Errors
    /// [`ErrorKind::ArgumentsInvalid`](mcp_sieve::ErrorKind::ArgumentsInvalid) with the path, for arguments that
    /// `apply` would reject with every context.
    fn check_arguments(&self, _arguments: &Arguments<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Changes or checks a context. The arguments match the schema, with its defaults filled in.
    ///
    /// # Errors
    /// [`ErrorKind::MiddlewareFailed`](mcp_sieve::ErrorKind::MiddlewareFailed) if the function cannot do its work.
    /// To reject a context, return [`Outcome::refusal`] instead of an error.
    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>>;
}

/// The place of a function in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// Whether the function changes contexts, or only checks them.
    pub changes: bool,
    /// The side of the model or upstream server on which the function runs.
    pub phase: Phase,
    /// The events that the function is meant for, with the names of the interceptor proposal (SEP-2624).
    pub events: &'static [&'static str],
}

impl Hook {
    /// The hook of a function that changes requests to a model.
    pub const DEFAULT: Self = Self { changes: true, phase: Phase::Request, events: &["llm/completion"] };
}

/// The side of a model or server on which a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// On the way to a model or an upstream server.
    Request,
    /// On the way back.
    Response,
    /// Both ways.
    Both,
}
