//! The middleware environment of one call: the host's services, and pseudonyms for its results.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use mcp_sieve::Error;
use mcp_sieve_redact::Pseudonyms;

use crate::{
    call::pseudonyms::CallPseudonyms,
    middleware::{Documents, Environment, Record, Zone},
};

/// The environment of the middleware functions of a call: the environment of the host, with the pseudonyms of the call.
pub(crate) struct CallEnvironment<'e> {
    pub environment: &'e dyn Environment,
    /// The pseudonyms of the call; `None` in the direction of the server.
    pub pseudonyms: Option<Rc<CallPseudonyms>>,
}

impl Environment for CallEnvironment<'_> {
    fn now(&self) -> u64 {
        self.environment.now()
    }

    fn zone(&self, name: &str, ms: u64) -> Option<Zone> {
        self.environment.zone(name, ms)
    }

    fn tool(&self, name: &str) -> Option<String> {
        self.environment.tool(name)
    }

    fn documents(&self) -> Option<&dyn Documents> {
        self.environment.documents()
    }

    fn pseudonyms(&self) -> Option<Rc<dyn Pseudonyms>> {
        self.pseudonyms.clone().map(|pseudonyms| pseudonyms as Rc<dyn Pseudonyms>)
    }

    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        self.environment.reaches(url)
    }

    fn warn(&self, problem: &str) {
        self.environment.warn(problem);
    }

    fn record<'a>(&'a self, record: Record<'a>) -> LocalBoxFuture<'a, Result<String, Error>> {
        self.environment.record(record)
    }
}
