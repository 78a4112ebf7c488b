//! The function, its ranking and its limits.

use std::cmp::Reverse;

use mcp_sieve::{
    Error, Kind,
    catalog::{Assignments, Catalog, Lists, Source},
    json::Object,
    rank::{Hit, Index, Scratch},
    sort_indices,
};

use super::{
    action::{changes, only_reads},
    available::listed,
    query::query_text,
};
use crate::middleware::framework::{
    function::{Call, Function},
    middleware::{Hook, Phase},
    outcome::Outcome,
};

/// The divisor of the score of a tool that changes something, for a request that only reads. It is less than
/// [`Hit::FLOOR`](mcp_sieve::rank::Hit::FLOOR), so that a tool that matches much better than the others is still
/// suggested.
const DISCOUNT: u32 = 4;

/// The value of the argument `otherwise` that suggests no tool if none matches.
const NONE: &str = "none";

/// Ranks an application's tools by their relevance to a context, and suggests the best. The context is not changed.
#[derive(Debug, Clone, Copy)]
pub struct ToolFilter;

impl Function for ToolFilter {
    const NAME: &'static str = "tool_filter";
    const DESCRIPTION: &'static str =
        "Ranks the available tools by their relevance to the context, and suggests the best.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"availableTools":{"type":"array","description":"Names of tools, or tools as in the result of tools/list","items":{"type":["string","object"]},"maxItems":10000},"maxTools":{"type":"integer","description":"Maximum number of suggested tools","minimum":0,"maximum":10000},"maxTokens":{"type":"integer","description":"Maximum number of tokens of the suggested tools","minimum":0,"maximum":10000000},"otherwise":{"type":"string","enum":["all","none"],"default":"all","description":"The suggested tools if none matches: all that fit the limits, or none"}},"required":["availableTools"],"additionalProperties":false}"#;
    const HOOK: Hook = Hook { changes: false, phase: Phase::Response, events: &["tools/list"] };

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: context, arguments, environment } = call;
        let available = arguments.elements("availableTools").unwrap_or_default();
        let tools = listed(&available, environment)?;
        let lists = Lists::read(&tools).map_err(|error| error.within("arguments.availableTools"))?;
        let source = Source { server: "", lists };
        let catalog = Catalog::compile(&[source], &Assignments::default());
        let index = Index::new(&catalog, Kind::Tool);
        let mut scratch = Scratch::default();
        let query = query_text(&context);
        let hits = index.shares(&query, catalog.kind_index(Kind::Tool).len(), &mut scratch);
        let relevant = relevant(&catalog, hits, only_reads(&query));
        let candidates = match arguments.text("otherwise").as_deref() {
            Some(NONE) => relevant.clone(),
            _ if relevant.is_empty() => unranked(&catalog),
            _ => relevant.clone(),
        };
        let suggested = suggest(&candidates, arguments.whole("maxTools"), arguments.whole("maxTokens"));
        Ok(Outcome::new(context).with_metadata(|metadata| {
            Object::push_array(metadata.value("relevantTools"), &relevant, |out, tool| {
                let mut object = Object::open(out);
                object.text("name", tool.name);
                object.raw("score", format_thousandths(tool.score).as_bytes());
                object.close();
            });
            metadata.texts("suggestedToolSet", &suggested);
            if relevant.is_empty() {
                metadata.raw("matched", b"0");
            }
        }))
    }
}

#[derive(Clone, Copy)]
struct Relevant<'a> {
    name: &'a str,
    score: u32,
    tokens: u64,
}

/// Returns the tools whose score is at least a [`Hit::FLOOR`](mcp_sieve::rank::Hit::FLOOR)th of the best score, the
/// best first.
///
/// If the request only reads, tools that change something are discounted. For other requests, no tool is discounted:
/// to change something, a model often has to find it first.
fn relevant<'a>(catalog: &'a Catalog, hits: &[Hit], only_reads: bool) -> Vec<Relevant<'a>> {
    let kind_index = catalog.kind_index(Kind::Tool);
    let tool = |hit: &Hit| {
        let (name, tool) = (kind_index.id(hit.index)?, kind_index.bytes(hit.index)?);
        let discounted = only_reads && changes(name, tool);
        let score = if discounted { hit.score.div_ceil(DISCOUNT) } else { hit.score };
        let tokens = catalog.tokens_of(Kind::Tool, hit.index)?.count;
        Some(Relevant { name, score, tokens })
    };
    let tools: Vec<Relevant<'_>> = hits.iter().filter_map(tool).collect();
    let rank = |at: usize| tools.get(at).map(|tool| (Reverse(tool.score), tool.name));
    let order = sort_indices(tools.len(), &mut |a, b| rank(a).cmp(&rank(b)));
    let best = tools.iter().map(|tool| tool.score).max().unwrap_or_default();
    let relevant = order.iter().filter_map(|at| tools.get(*at as usize));
    relevant.take_while(|tool| tool.score >= best.div_ceil(Hit::FLOOR)).copied().collect()
}

/// Returns all tools, in the order of the application.
fn unranked(catalog: &Catalog) -> Vec<Relevant<'_>> {
    let kind_index = catalog.kind_index(Kind::Tool);
    let tool = |index: usize| {
        let (name, tokens) = (kind_index.id(index)?, catalog.tokens_of(Kind::Tool, index)?.count);
        Some(Relevant { name, score: 0, tokens })
    };
    kind_index.all().iter().filter_map(tool).collect()
}

/// Returns the best tools within the limits. A tool that is too large is skipped, because smaller ones may still fit.
fn suggest<'a>(relevant: &[Relevant<'a>], count: Option<i64>, tokens: Option<i64>) -> Vec<&'a str> {
    let mut left = tokens.map_or(u64::MAX, |tokens| u64::try_from(tokens).unwrap_or_default());
    let most = count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or_default());
    let fits = |tool: &&Relevant<'a>| match left.checked_sub(tool.tokens) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    relevant.iter().filter(fits).take(most).map(|tool| tool.name).collect()
}

/// Formats a number of thousandths as a decimal.
pub(crate) fn format_thousandths(number: u32) -> String {
    let text = format!("{}.{:03}", number / 1000, number % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
