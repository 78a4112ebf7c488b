//! How fresh a catalog must be for a request.

/// The required freshness of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// As fresh as its sources require, for lists that are sent to callers.
    List,
    /// At most [`ROUTE_MS`] older, for requests that name a primitive.
    Route,
    /// As fresh as any process has it, for a name that this catalog does not contain.
    Unknown,
}

/// Time, in milliseconds, for which a catalog can be used for routing after it has expired. Some libraries let lists
/// expire at once by default; without this, each call would fetch the lists of such servers.
pub const ROUTE_MS: u64 = 5_000;
