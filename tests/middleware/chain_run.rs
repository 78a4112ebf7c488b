//! Helpers that run a middleware chain on a context.

use futures_executor::block_on;
use mcp_sieve::{
    Error,
    json::{Entry, Raw},
};
use mcp_sieve_gateway::middleware::{Chain, ChainResult, Content, Redactions, Report};
use serde_json::Value;

use super::{shout::shouting, world::World};

/// The result of a chain, with its reports and its placeholders.
pub struct ChainRun {
    pub result: Result<ChainResult, Error>,
    pub reports: Vec<Report>,
    pub handles: Redactions,
}

/// Checks a chain, and runs it on a context.
pub fn run_chain(chain: &str, context: &str) -> ChainRun {
    let read = Chain::read(&Entry::root(Raw::parse(chain).unwrap())).unwrap();
    read.check(&shouting()).unwrap();
    run_unchecked(chain, context)
}

/// Runs a chain on a context.
pub fn run_unchecked(chain: &str, context: &str) -> ChainRun {
    let registry = shouting();
    let chain = Chain::read(&Entry::root(Raw::parse(chain).unwrap())).unwrap();
    let content = Content::read(Raw::parse(context).unwrap()).unwrap();
    let (mut reports, mut handles) = (Vec::new(), Redactions::default());
    let row = Value::Null;
    let world = World::from_row(&row);
    let result = block_on(chain.run(&registry, content, &mut handles, &world, &mut reports));
    ChainRun { result, reports, handles }
}

/// A context with two texts.
pub const TWO: &str = r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#;
