//! The client of one middleware server, with a cache of its list of functions.

use std::cell::RefCell;

use mcp_sieve::{
    Error,
    json::{Members, Object},
};

use crate::{
    middleware::Outcome,
    protocol::error::{INVALID_PARAMS, RpcError},
    remote::{
        definition::{Definition, Definitions},
        failure::Failure,
        outcome,
    },
    upstream::{Fetch, Upstream},
};

const LIST: &str = "middleware/list";
const INVOKE: &str = "middleware/invoke";

/// A middleware server and its cached list of functions.
pub(crate) struct RemoteServer<F> {
    upstream: Upstream,
    fetch: F,
    definitions: RefCell<Definitions>,
}

impl<F: Fetch> RemoteServer<F> {
    pub fn new(upstream: Upstream, fetch: F) -> Self {
        Self { upstream, fetch, definitions: RefCell::default() }
    }

    pub fn name(&self) -> &str {
        self.upstream.name()
    }

    /// Returns the functions that the server lists.
    ///
    /// # Errors
    /// [`ErrorKind::MiddlewareFailed`](mcp_sieve::ErrorKind::MiddlewareFailed) if the list cannot be fetched.
    pub async fn list(&self) -> Result<Vec<Definition>, Error> {
        let listed = self.in_time(LIST, self.fresh_definitions()).await;
        listed.map(|definitions| definitions.all).map_err(Failure::into_error)
    }

    /// Calls a function with a context, given as JSON. The time limit includes fetching the list of functions.
    ///
    /// # Errors
    /// A server that cannot be reached, rejects the call, or returns an invalid result.
    pub async fn invoke(
        &self,
        name: &str,
        arguments: &Members<'_>,
        context: &str,
    ) -> Result<Outcome<'static>, Failure> {
        let call = async {
            let function = match self.definition(name).await? {
                Ok(function) => function,
                Err(failure) => return Ok(Err(failure)),
            };
            let write = |params: &mut Object<'_>| {
                params.text("name", name);
                function.write_arguments(arguments, params.value("arguments"));
                params.raw("context", context.as_bytes());
            };
            let answer = self.upstream.request_own(&self.fetch, INVOKE, &write).await?;
            Ok(self.outcome(name, answer))
        };
        self.in_time(INVOKE, call).await
    }

    fn outcome(&self, name: &str, answer: Result<Vec<u8>, RpcError>) -> Result<Outcome<'static>, Failure> {
        let result = answer.map_err(|error| {
            // The function may now have other parameters.
            if error.code == INVALID_PARAMS {
                self.definitions.take();
            }
            Failure::answered(self.name(), INVOKE, &error)
        })?;
        let name = format!("{}/{name}", self.name());
        outcome::read(&name, &result).map_err(|problem| Failure::invalid(self.name(), INVOKE, problem))
    }

    /// Returns the definition of a function. The list is fetched if it lacks the function or has expired.
    async fn definition(&self, name: &str) -> Result<Result<Definition, Failure>, RpcError> {
        let now = self.fetch.now();
        let known = Some(self.definitions.borrow()).filter(|known| now < known.until);
        if let Some(definition) = known.and_then(|known| known.find(name).cloned()) {
            return Ok(Ok(definition));
        }
        let listed = self.fresh_definitions().await?;
        Ok(listed.and_then(|definitions| {
            definitions.find(name).cloned().ok_or_else(|| Failure::missing(self.name(), name))
        }))
    }

    async fn fresh_definitions(&self) -> Result<Result<Definitions, Failure>, RpcError> {
        let answer = self.upstream.request_own(&self.fetch, LIST, &|_| {}).await?;
        let result = match answer {
            Ok(result) => result,
            Err(error) => return Ok(Err(Failure::answered(self.name(), LIST, &error))),
        };
        let Some(definitions) = Definitions::read(&result, self.fetch.now()) else {
            return Ok(Err(Failure::invalid(self.name(), LIST, "expected the array `middleware`")));
        };
        self.definitions.replace(definitions.clone());
        Ok(Ok(definitions))
    }

    async fn in_time<T>(
        &self,
        method: &str,
        work: impl Future<Output = Result<Result<T, Failure>, RpcError>>,
    ) -> Result<T, Failure> {
        let done = self.upstream.in_time(&self.fetch, method, work).await;
        done.unwrap_or_else(|failure| Err(Failure::unanswered(self.name(), method, &failure)))
    }
}
