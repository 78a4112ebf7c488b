//! A function of a middleware server, as an implementation of `Middleware`.

use std::{fmt, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::Error;

use crate::{
    middleware::{Arguments, Content, Environment, Hook, Middleware, Outcome, Phase},
    remote::{failure::Failure, remote_server::RemoteServer},
    upstream::Fetch,
};

/// A function of a middleware server.
pub(crate) struct RemoteFunction<F> {
    /// The name in the registry, `SERVER/FUNCTION`.
    pub name: String,
    /// The name on the server.
    pub function: String,
    pub description: String,
    pub schema: String,
    /// The server, followed by its fallbacks.
    pub servers: Vec<Rc<RemoteServer<F>>>,
}

impl<F> fmt::Debug for RemoteFunction<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<F: Fetch> Middleware for RemoteFunction<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn input_schema(&self) -> &str {
        &self.schema
    }

    /// Returns a hook for both phases, because servers do not declare one.
    fn hook(&self) -> Hook {
        Hook { changes: true, phase: Phase::Both, events: &["llm/completion"] }
    }

    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let context = context.to_json();
            let mut problems = Vec::new();
            for server in &self.servers {
                let failure = match server.invoke(&self.function, &arguments.0, &context).await {
                    Ok(outcome) => return Ok(outcome),
                    Err(failure) => failure,
                };
                let answered = matches!(failure, Failure::Refused(_));
                let problem = failure.into_error().to_string();
                environment.warn(&format!("{}: {problem}", self.name));
                problems.push(problem);
                if answered {
                    break;
                }
            }
            Err(Error::failed(problems.join("; ")).within(&self.name))
        }
        .boxed_local()
    }
}
