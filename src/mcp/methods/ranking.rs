use std::pin::pin;

use futures_util::future::{Either, select};

use crate::{
    discovery::{Candidate, Tools},
    mcp::host::{Host, MAX_RANK_MS, MAX_RANKED},
    rank::MAX_QUERY,
};

/// Returns the scores of the host's model for `tools`; `None` without a model. If the model fails, the operator is
/// notified and the search uses words alone.
pub(super) async fn scores<H: Host>(host: &H, query: &str, tools: &Tools<'_>) -> Option<Vec<f32>> {
    let query = query.trim();
    let query = query.get(..query.floor_char_boundary(MAX_QUERY)).filter(|query| !query.is_empty())?;
    if !host.ranks() {
        return None;
    }
    let scored = ask(host, query, tools).await;
    scored.inspect_err(|why| host.note(&["a search was made by words alone: ranker: ", why].concat())).ok()
}

async fn ask<H: Host>(host: &H, query: &str, tools: &Tools<'_>) -> Result<Vec<f32>, String> {
    let count = tools.count();
    if count > MAX_RANKED {
        return Err(format!("{count} tools are more than {MAX_RANKED}"));
    }
    let candidates: Vec<Candidate<'_>> = tools.candidates().collect();
    let scored = pin!(host.rank(query, &candidates));
    let scores = match select(scored, pin!(host.sleep(MAX_RANK_MS))).await {
        Either::Left((scores, _)) => scores?,
        Either::Right(_) => return Err(format!("it took longer than {MAX_RANK_MS} ms")),
    };
    if scores.len() == count {
        return Ok(scores);
    }
    Err(format!("expected {count} scores, one for each tool, got {}", scores.len()))
}
