use futures_util::future::LocalBoxFuture;

use crate::{
    error::Error,
    middleware::framework::{
        arguments::Arguments, content::Content, environment::Environment, outcome::Outcome,
    },
};

/// A function from context to context.
pub trait Middleware {
    /// What callers name it by, unique in a registry.
    fn name(&self) -> &str;

    /// What it does, for whoever configures an application.
    fn description(&self) -> &str;

    /// The JSON Schema of its arguments; of the keywords that [`Schema`](super::schema::Schema) knows.
    fn input_schema(&self) -> &str {
        r#"{"type":"object","additionalProperties":false}"#
    }

    /// What it is to those who run chains of functions.
    fn hook(&self) -> Hook {
        Hook::DEFAULT
    }

    /// Changes a context, or judges it. The arguments have passed the schema, with its defaults in place.
    ///
    /// # Errors
    /// [`ErrorKind::MiddlewareFailed`](crate::error::ErrorKind::MiddlewareFailed) where it cannot do its work. A
    /// context that must not go on is no error: see [`Outcome::refusal`].
    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>>;
}

/// Where in a chain a function belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// Whether it changes contexts, or only judges them.
    pub changes: bool,
    /// On which side of the model or server.
    pub phase: Phase,
    /// What it is meant for, in the names of the interceptor proposal (SEP-2624).
    pub events: &'static [&'static str],
}

impl Hook {
    /// Changes requests to a model.
    pub const DEFAULT: Self = Self { changes: true, phase: Phase::Request, events: &["llm/completion"] };
}

/// The side of a model or server on which a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// On its way out: to a model, or to a server behind.
    Request,
    /// On its way back.
    Response,
    /// Either.
    Both,
}
