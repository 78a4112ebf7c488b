use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::{
    error::{Error, ErrorKind},
    middleware::{framework::documents::Documents, scan::Pseudonyms},
};

/// The world, lent to functions. What it does not have it says so by its defaults, and a function that cannot do
/// without fails.
pub trait Environment {
    /// The time, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// What the clocks of a time zone (`Europe/Paris`) show at `ms` since 1970; none where the zone is not known.
    /// UTC and distances from it (`+02:00`) are not asked for.
    fn zone(&self, name: &str, ms: u64) -> Option<Zone> {
        _ = (name, ms);
        None
    }

    /// The JSON of a tool, by its name: a function that is given names alone learns from it what they mean.
    fn tool(&self, name: &str) -> Option<String> {
        _ = name;
        None
    }

    /// Returns the documents to search, if there are any.
    fn documents(&self) -> Option<&dyn Documents> {
        None
    }

    /// Returns what makes pseudonyms, if anything does: a gateway where a result comes back from a server.
    #[doc(hidden)]
    fn pseudonyms(&self) -> Option<Rc<dyn Pseudonyms>> {
        None
    }

    /// Whether an address answers; none where it is not to be asked, since the operator did not allow it or it
    /// is no public one.
    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        _ = url;
        async { None }.boxed_local()
    }

    /// Reports a problem that the operator can solve, such as a server that does not answer. The text holds nothing of a
    /// context.
    fn warn(&self, problem: &str) {
        _ = problem;
    }

    /// Keeps a copy of a context; gives the name that it is kept under.
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
    /// Why it is kept or was changed, in the application's words.
    pub reason: &'a str,
    /// Which of its contexts it is, in the application's words.
    pub label: &'a str,
    /// The context, as JSON.
    pub context: &'a str,
}
