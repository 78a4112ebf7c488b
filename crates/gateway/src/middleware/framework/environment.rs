//! The services that functions may use: clock, time zones, tools, documents and storage.

use std::rc::Rc;

use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, pending},
};
use mcp_sieve::{Error, ErrorKind};
use mcp_sieve_redact::Pseudonyms;

use crate::middleware::framework::documents::Documents;

/// The services that functions may use: the clock, time zones, tools, documents. The default methods stand for missing
/// services; a function that needs one of these fails.
pub trait Environment {
    /// Returns the time, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Waits for a number of milliseconds. The future of an environment without timers never ends.
    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
        _ = ms;
        pending().boxed_local()
    }

    /// Returns the offset and the name of a time zone (`Europe/Paris`) at `ms` milliseconds since 1970; `None` for an
    /// unknown zone. Functions handle UTC and offsets (`+02:00`) themselves.
    fn zone(&self, name: &str, ms: u64) -> Option<Zone> {
        _ = (name, ms);
        None
    }

    /// Returns the JSON of the tool with this name. Functions that receive only names look up the definitions with it.
    fn tool(&self, name: &str) -> Option<String> {
        _ = name;
        None
    }

    /// Returns the documents to search, if there are any.
    fn documents(&self) -> Option<&dyn Documents> {
        None
    }

    /// Returns the generator of pseudonyms, if there is one: a gateway has one for results of upstream servers.
    fn pseudonyms(&self) -> Option<Rc<dyn Pseudonyms>> {
        None
    }

    /// Returns whether a URL answers; `None` if it must not be requested, because the operator did not allow it or its
    /// host is not public.
    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        _ = url;
        async { None }.boxed_local()
    }

    /// Reports a problem that the operator can solve, such as a server that does not respond. The message must not
    /// contain any content of a context.
    fn warn(&self, problem: &str) {
        _ = problem;
    }

    /// Stores a copy of a context, and returns the name under which it is stored.
    fn record<'a>(&'a self, record: Record<'a>) -> LocalBoxFuture<'a, Result<String, Error>> {
        _ = record;
        let message = "contexts are not kept here";
        async move { Err(Error::new(ErrorKind::MiddlewareFailed, message)) }.boxed_local()
    }
}

/// A time zone at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Seconds ahead of UTC.
    pub ahead: i32,
    /// The name of the zone at that time: `CEST`, `GMT+2`.
    pub name: String,
}

/// A context to be stored for inspection.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    /// The time, in milliseconds since 1970.
    pub at: u64,
    /// The reason for storing or changing the context, in the application's words.
    pub reason: &'a str,
    /// The application's label for the context.
    pub label: &'a str,
    /// The context, as JSON.
    pub context: &'a str,
}
