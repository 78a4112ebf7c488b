//! The Durable Object that holds one tracker.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::cell::Cell;

use serde_json::{Value, json};
use worker::{
    Date, DurableObject, Env, Method, Request, Response, Result, SqlStorage, State, durable_object,
};

use super::{Request as Asked, answer, error::TrackerError, schema, store::Store};

/// One tracker: a SQLite database and the requests to it.
///
/// The Worker sends `POST` with what it asks; the reply is what `answer` gives or
/// `{"error": {"code": …, "message": …, "data": …}}`, both with status 200: the protocol core decides what
/// becomes of an error on the wire.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct TrackerObject {
    sql: SqlStorage,
    /// Whether the tables are known to be there.
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
        // From here on nothing waits, so no other request comes in between.
        Response::from_json(&match self.reply(&body) {
            Ok(said) => said,
            Err(error) => json!({ "error": error }),
        })
    }
}

impl TrackerObject {
    fn reply(&self, body: &str) -> std::result::Result<Value, TrackerError> {
        let asked: Asked = serde_json::from_str(body)
            .map_err(|error| TrackerError::params(format!("the tracker cannot read the request: {error}")))?;
        let now_ms = Date::now().as_millis();
        if !self.ready.get() {
            schema::prepare(&Store::open(&self.sql, now_ms)?)?;
            self.ready.set(true);
        }
        answer(&self.sql, &asked, now_ms)
    }
}
