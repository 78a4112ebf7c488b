use futures_util::{FutureExt, future::LocalBoxFuture};
use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::{
    error::Error,
    json::{self, Members, Raw},
    middleware::{Arguments, Content, Environment, Hook, MAX_RESULT, Middleware, Outcome},
};

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
            outcome(&given.unwrap_or_default())
        }
        .boxed_local()
    }
}

/// Parses the result of a JavaScript function: an outcome, or the `failure` of a function on another server.
fn outcome(given: &str) -> Result<Outcome<'static>, Error> {
    let misshapen = || Error::failed("the function returned no content");
    let members = Raw::parse(given).ok().and_then(Members::read).ok_or_else(misshapen)?;
    if let Some(failure) = members.get("failure").and_then(json::text) {
        return Err(Error::failed(failure));
    }
    let content = members.get("content").ok_or_else(misshapen)?;
    let content = Content::read_within(content, MAX_RESULT).map_err(|_| misshapen())?.into_owned();
    let metadata = members.get("metadata").map(|metadata| metadata.get().to_owned());
    let outcome = Outcome { metadata, ..Outcome::new(content) };
    let refused = members.get("refusal").and_then(Members::read);
    let Some(refused) = refused else { return Ok(outcome) };
    let message = refused.get("message").and_then(json::text).unwrap_or_default();
    let remote = refused.get("reason").and_then(json::text).is_some_and(|reason| reason == "remote");
    Ok(outcome.refuse(if remote { "remote" } else { "host" }, message))
}
