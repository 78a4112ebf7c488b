//! The operator's log of what was denied: an append-only table in one Durable Object, read at `GET /audit`.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod ledger;

use std::cell::Cell;

use http::StatusCode;
use mcp_sieve::mcp::{Failure, Operation};
use worker::{DurableObject, Env, Method, Request, Response, Result, State, durable_object};

use crate::{
    endpoint,
    identity::{bearer, sha256},
    isolate::variable,
    objects::send,
};
use ledger::Ledger;

/// Where the operator reads it.
pub(crate) const PATH: &str = "/audit";
/// The variable with the digest of the operator's token.
const OPERATOR: &str = "SIEVE_OPERATOR";
/// Most lines that an isolate writes in a second: whoever is denied can be denied as often as they like. The
/// line after them says how many are missing.
const LINES_A_SECOND: u32 = 50;

thread_local! {
    /// The second under way, the lines written in it, and those left out since the last.
    static PACE: Cell<(u64, u32, u32)> = const { Cell::new((0, 0, 0)) };
}

/// The log. `POST` appends an operation, `GET` reads a page.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct AuditObject {
    ledger: Ledger,
}

impl DurableObject for AuditObject {
    fn new(state: State, _: Env) -> Self {
        Self { ledger: Ledger::new(state.storage().sql()) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match request.method() {
            Method::Post => {
                self.ledger.append(&request.json::<Operation>().await?.bounded())?;
                Response::empty()
            }
            _ => {
                let number = |name: &str| {
                    let url = request.url().ok()?;
                    let (_, value) = url.query_pairs().find(|(key, _)| key == name)?;
                    value.parse::<u64>().ok()
                };
                Response::from_json(&self.ledger.page(number("after"), number("limit"))?)
            }
        }
    }
}

/// Appends an operation; one that cannot be kept is in the Worker's own log.
pub(crate) async fn record(env: &Env, operation: Operation) {
    let second = operation.at / 1000;
    let (last, lines, missing) = PACE.get();
    let lines = if last == second { lines } else { 0 };
    if lines >= LINES_A_SECOND {
        return PACE.set((second, lines, missing.saturating_add(1)));
    }
    PACE.set((second, lines + 1, 0));
    let lost = Operation {
        who: None,
        method: missing.to_string(),
        kind: None,
        reason: "not_kept".to_owned(),
        ..operation.clone()
    };
    let behind = (missing > 0).then_some(lost);
    for line in behind.into_iter().chain([operation]) {
        if let Err(error) = append(env, &line).await {
            worker::console_error!("audit: {line:?} is not kept: {error}");
        }
    }
}

async fn append(env: &Env, operation: &Operation) -> Result<()> {
    let ledger = env.durable_object("AUDIT")?.get_by_name("audit")?;
    send(&ledger, Method::Post, PATH, Some(serde_json::to_string(operation)?)).await.map(|_| ())
}

/// Shows the log, a page at a time and the oldest first, to whoever has the operator's token.
pub(crate) async fn read(request: &Request, env: &Env) -> Result<Response> {
    // Without an operator there is no such place.
    let Some(operator) = variable(env, OPERATOR) else {
        return Response::error("nothing is served here", 404);
    };
    let headers = endpoint::headers(request);
    if !bearer(&headers).is_some_and(|token| sha256(token.as_bytes()).eq_ignore_ascii_case(&operator)) {
        let message = format!("expected the bearer token whose digest is in {OPERATOR}");
        let failure = Failure::request(StatusCode::UNAUTHORIZED, "unauthorized", message);
        return endpoint::write(failure.into_response());
    }
    if request.method() != Method::Get {
        return Ok(
            Response::error("expected GET", 405)?.with_headers([("allow", "GET")].into_iter().collect())
        );
    }
    let query = request.url()?.query().map(|query| format!("?{query}")).unwrap_or_default();
    let ledger = env.durable_object("AUDIT")?.get_by_name("audit")?;
    let mut page = send(&ledger, Method::Get, &format!("{PATH}{query}"), None).await?;
    let kept = [("content-type", "application/json"), ("cache-control", "no-store")];
    Ok(Response::from_bytes(page.bytes().await?)?.with_headers(kept.into_iter().collect()))
}
