//! The ranker of a deployment: another Worker, behind a service binding, that scores tools for the query of a search.

use futures_util::StreamExt;
use mcp_sieve::discovery::Candidate;
use mcp_sieve_gateway::host::MAX_RANKED;
use serde::Deserialize;
use serde_json::json;
use worker::{Env, Headers, Method, RequestInit, web_sys};

use crate::pieces::pieces;

/// The service binding. Without it searches are made by words alone.
const BINDING: &str = "SIEVE_RANKER";
/// The address that it is called at. The binding takes any host.
const URL: &str = "https://ranker/rank";
/// Maximum length, in bytes, of its answer.
const MAX_ANSWER: usize = 32 * MAX_RANKED;

/// What it answers.
#[derive(Debug, Deserialize)]
struct Ranking {
    /// One for each tool, in their order. A tool without one is left to the search by words.
    scores: Vec<Option<f32>>,
}

/// Returns whether the deployment has a ranker.
pub(crate) fn is_bound(env: &Env) -> bool {
    env.service(BINDING).is_ok()
}

/// Asks the ranker for scores.
///
/// # Errors
/// Why there are none, for the operator.
pub(crate) async fn scores(env: &Env, query: &str, tools: &[Candidate<'_>]) -> Result<Vec<f32>, String> {
    let failed = |error: worker::Error| format!("{BINDING}: {error}");
    let answer = ask(env, query, tools).await.map_err(failed)?;
    let ranking: Ranking = serde_json::from_slice(&answer).map_err(|error| {
        format!("{BINDING}: expected `{{\"scores\": […]}}` with a number or null for each tool: {error}")
    })?;
    Ok(ranking.scores.into_iter().map(|score| score.unwrap_or(f32::NAN)).collect())
}

async fn ask(env: &Env, query: &str, tools: &[Candidate<'_>]) -> worker::Result<Vec<u8>> {
    let tools = Candidate::to_json(tools);
    let body = ["{\"query\":", &json!(query).to_string(), ",\"tools\":", &tools, "}"].concat();
    let headers = Headers::new();
    headers.set("content-type", "application/json")?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers).with_body(Some(body.into()));
    let response = env.service(BINDING)?.fetch(URL, Some(init)).await?;
    if response.status_code() != 200 {
        let status = response.status_code();
        return Err(worker::Error::RustError(format!("it answered with status {status}")));
    }
    let mut answer = Vec::new();
    let Some(body) = web_sys::Response::from(response).body() else { return Ok(answer) };
    let mut arriving = pieces(&body)?;
    while let Some(piece) = arriving.next().await {
        answer.extend(piece?);
        if answer.len() > MAX_ANSWER {
            return Err(worker::Error::RustError(format!("its answer has more than {MAX_ANSWER} bytes")));
        }
    }
    Ok(answer)
}
