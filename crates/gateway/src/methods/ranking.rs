//! Scores tools for a search with the host's ranking model.

use std::pin::pin;

use futures_util::future::{Either, select};
use mcp_sieve::{
    discovery::{Candidate, Tools},
    rank::Index,
};

use crate::host::{Host, MAX_RANK_MS, MAX_RANKED};

/// Returns the scores of the host's model for `tools`; `None` without a model, or during the pause after failures. If
/// the model fails, the operator is notified and the search uses words alone.
pub(super) async fn scores<H: Host>(host: &H, query: &str, tools: &Tools<'_>) -> Option<Vec<f32>> {
    let query = query.trim();
    let query = query.get(..query.floor_char_boundary(Index::MAX_QUERY)).filter(|query| !query.is_empty())?;
    let ranker = host.ranker()?;
    let count = tools.count();
    if count > MAX_RANKED {
        note(host, &format!("{count} tools are more than {MAX_RANKED}"));
        return None;
    }
    let admission = ranker.admit(host.now())?;
    match ask(host, query, tools, count).await {
        Ok(scores) => {
            ranker.answered();
            Some(scores)
        }
        Err(why) => {
            match ranker.failed(admission, host.now()) {
                0 => note(host, &why),
                ms => note(host, &format!("{why}; it is not called for {ms} ms")),
            }
            None
        }
    }
}

fn note<H: Host>(host: &H, why: &str) {
    host.note(&["a search was made by words alone: ranker: ", why].concat());
}

async fn ask<H: Host>(host: &H, query: &str, tools: &Tools<'_>, count: usize) -> Result<Vec<f32>, String> {
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
