//! The trait `Function`, a shorter way to implement `Middleware`.

use std::{fmt, future::Future};

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::Error;

use crate::middleware::framework::{
    arguments::Arguments,
    content::Content,
    environment::Environment,
    middleware::{Hook, Middleware},
    outcome::Outcome,
};

/// A function with a constant description: the short way to implement [`Middleware`].
pub trait Function {
    /// The name by which callers call it, unique in a registry.
    const NAME: &'static str;

    /// The description, for the operator who configures an application.
    const DESCRIPTION: &'static str;

    /// The JSON Schema of the arguments, written with the keywords that [`Schema`](super::schema::Schema) supports.
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","additionalProperties":false}"#;

    /// The place of the function in a chain.
    const HOOK: Hook = Hook::DEFAULT;

    /// Returns the schema; [`Function::INPUT_SCHEMA`] by default. Override it if the schema depends on the instance.
    fn input_schema(&self) -> &str {
        Self::INPUT_SCHEMA
    }

    /// Checks arguments beyond the schema.
    ///
    /// # Errors
    /// As [`Middleware::check_arguments`].
    fn check_arguments(&self, _arguments: &Arguments<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Changes or checks the context of a call.
    ///
    /// # Errors
    /// As [`Middleware::apply`].
    fn run<'a>(&'a self, call: Call<'a>) -> impl Future<Output = Result<Outcome<'a>, Error>> + 'a;
}

/// The context, the arguments and the services that a function is called with.
#[derive(Clone)]
pub struct Call<'a> {
    /// The context.
    pub content: Content<'a>,
    /// The arguments. They match the schema, and its defaults are filled in.
    pub arguments: &'a Arguments<'a>,
    /// The clock, documents and other services that the function may use.
    pub environment: &'a dyn Environment,
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A context may hold personal data, which must not reach a log.
        f.debug_struct("Call").field("items", &self.content.len()).finish_non_exhaustive()
    }
}

impl<F: Function> Middleware for F {
    fn name(&self) -> &str {
        F::NAME
    }

    fn description(&self) -> &str {
        F::DESCRIPTION
    }

    fn input_schema(&self) -> &str {
        Function::input_schema(self)
    }

    fn hook(&self) -> Hook {
        F::HOOK
    }

    fn check_arguments(&self, arguments: &Arguments<'_>) -> Result<(), Error> {
        Function::check_arguments(self, arguments)
    }

    fn apply<'a>(
        &'a self,
        content: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        self.run(Call { content, arguments, environment }).boxed_local()
    }
}
