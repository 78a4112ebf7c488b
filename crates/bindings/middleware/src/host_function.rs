//! Middleware functions that are written in JavaScript.

use futures_util::{FutureExt, future::LocalBoxFuture};
use js_sys::{Function, Promise};
use mcp_sieve::{
    Error,
    json::{self, Members, Raw},
};
use mcp_sieve_gateway::middleware::{Arguments, Content, Environment, Hook, MAX_RESULT, Middleware, Outcome};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The reason of a refusal that names none.
const REFUSED: &str = "host";

/// A middleware function in JavaScript.
#[derive(Debug)]
pub(super) struct JsMiddleware {
    pub name: String,
    pub description: String,
    pub schema: String,
    pub hook: Hook,
    pub apply: Function,
}

impl Middleware for JsMiddleware {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn input_schema(&self) -> &str {
        &self.schema
    }

    fn hook(&self) -> Hook {
        self.hook
    }

    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        _: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            // A string is the key under which JavaScript stores the exception.
            let failed = |thrown: JsValue| {
                let mark = thrown.as_string().unwrap_or_default();
                Error::failed(format!("the function `{}` has thrown{mark}", self.name))
            };
            let (context, arguments) = (context.to_json(), arguments.to_json());
            let called = self.apply.call2(&JsValue::NULL, &context.into(), &arguments.into());
            let promise = Promise::resolve(&called.map_err(failed)?);
            let given = JsFuture::from(promise).await.map_err(failed)?.as_string();
            outcome(&self.name, &given.unwrap_or_default())
        }
        .boxed_local()
    }
}

/// Parses the result of the JavaScript function `name`: an outcome, or the `failure` of a function on another server.
/// Metadata with `"allow": false` refuse the context, as those of a server do.
///
/// # Errors
/// [`ErrorKind::MiddlewareFailed`](mcp_sieve::ErrorKind::MiddlewareFailed) for a failure and for an invalid outcome.
fn outcome(name: &str, given: &str) -> Result<Outcome<'static>, Error> {
    let misshapen = || Error::failed(format!("the function `{name}` returned no content"));
    let members = Raw::parse(given).ok().and_then(Members::read).ok_or_else(misshapen)?;
    let member = |key: &str| members.get(key).filter(|value| !value.is_null());
    if let Some(failure) = member("failure").and_then(json::Raw::text) {
        return Err(Error::failed(failure));
    }
    let content = Content::read_within(member("content").ok_or_else(misshapen)?, MAX_RESULT);
    let content = content.map_err(|_| misshapen())?.into_owned();
    let metadata = member("metadata").map(|metadata| metadata.get().to_owned());
    let outcome = Outcome { metadata, ..Outcome::new(content) };
    if let Some(refusal) = member("refusal") {
        let (reason, message) = refusal_parts(refusal).ok_or_else(|| {
            Error::failed(format!(
                "the function `{name}` returned a refusal without a `reason` and a `message`"
            ))
        })?;
        return Ok(outcome.refuse(reason, message));
    }
    let allow = member("metadata").and_then(Members::read).and_then(|metadata| metadata.get("allow"));
    if allow.is_some_and(|allow| allow.get() == "false") {
        return Ok(outcome.refuse(REFUSED, format!("the function `{name}` does not allow the context")));
    }
    Ok(outcome)
}

/// Returns the reason and the message of a refusal; `None` if it is not `{reason?, message}`.
fn refusal_parts(refusal: Raw<'_>) -> Option<(String, String)> {
    let members = Members::read(refusal)?;
    let message = members.get("message").and_then(json::Raw::text)?;
    let reason = match members.get("reason") {
        Some(reason) => reason.text().filter(|reason| !reason.is_empty())?,
        None => REFUSED.into(),
    };
    Some((reason.into_owned(), message.into_owned()))
}
