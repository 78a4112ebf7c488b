/// How fresh a catalog has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// As fresh as its sources want it: callers are shown what it lists.
    List,
    /// At most [`ROUTE_MS`] older: callers ask for what they have seen already.
    Route,
    /// A name that the catalog does not have: as fresh as it is known anywhere, since another process may have listed it.
    Unknown,
}

/// Milliseconds for which a catalog is good for routing even where its server wants no list kept. Without it a
/// server whose lists are stale at once, as some libraries have it by default, would be listed for every call.
pub const ROUTE_MS: u64 = 5_000;
