//! The Durable Object that stores the tracker.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::cell::Cell;

use serde_json::{Value, json};
use worker::{
    Date, DurableObject, Env, Method, Request, Response, Result, SqlStorage, State, durable_object,
};

use super::{Request as TrackerRequest, answer, error::TrackerError, schema, store::Store};

/// A tracker: a SQLite database and the requests to it.
///
/// The Worker sends a request as `POST`. The response is the return value of `answer` or `{"error": {"code": …,
/// "message": …, "data": …}}`, both with status 200: the gateway decides how an error is sent to the client.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct TrackerObject {
    sql: SqlStorage,
    /// Whether the tables are known to exist.
    ready: Cell<bool>,
}

impl DurableObject for TrackerObject {
    fn new(state: State, _env: Env) -> Self {
        Self { sql: state.storage().sql(), ready: Cell::new(false) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        if request.method() != Method::Post {
            return Response::error("only POST", 405);
        }
        let body = request.text().await?;
        // No `await` follows, so no other request runs in between.
        Response::from_json(&match self.reply(&body) {
            Ok(said) => said,
            Err(error) => json!({ "error": error }),
        })
    }
}

impl TrackerObject {
    /// Creates the tables if necessary and handles a request.
    fn reply(&self, body: &str) -> std::result::Result<Value, TrackerError> {
        let request: TrackerRequest = serde_json::from_str(body)
            .map_err(|error| TrackerError::params(format!("the tracker cannot read the request: {error}")))?;
        let now_ms = Date::now().as_millis();
        if !self.ready.get() {
            schema::prepare(&Store::open(&self.sql, now_ms)?)?;
            self.ready.set(true);
        }
        answer(&self.sql, &request, now_ms)
    }
}
