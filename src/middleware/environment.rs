/// The world, lent to functions. What it does not have it says so by its defaults, and a function that cannot do
/// without fails.
pub trait Environment {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// What the clocks of a time zone (`Europe/Paris`) show at `ms` since 1970; none where the zone is not known.
    /// UTC and distances from it (`+02:00`) are not asked for.
    fn zone(&self, name: &str, ms: u64) -> Option<Zone> {
        _ = (name, ms);
        None
    }
}

/// A time zone at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Seconds ahead of UTC.
    pub ahead: i32,
    /// What it is called then: `CEST`, `GMT+2`.
    pub name: String,
}
