//! The settings under `limits`: request rates and concurrency for each caller.

use mcp_sieve::{Error, json::Entry};
use serde::{Deserialize, Serialize};

use super::number::positive;

/// Maximum time, in seconds, over which requests are counted. A counter without requests for that long is removed.
const MAX_SECONDS: i64 = 60;

/// The request limits of one caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum rate of requests.
    pub rate: Option<Rate>,
    /// The maximum number of concurrent requests.
    pub concurrent: Option<u32>,
}

/// A number of requests per time. A caller may send all of them in a burst, then one whenever the next is replenished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// The number of requests. Each message of a batch counts as one.
    pub requests: u32,
    /// The period, in seconds, in which that number is replenished.
    pub seconds: u32,
}

impl Limits {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut limits = Self::default();
        let mut record = entry.record(&["rate", "concurrent"])?;
        record.fill_optional("rate", &mut limits.rate, Rate::read);
        record.fill_optional("concurrent", &mut limits.concurrent, positive);
        record.end().map(|()| limits)
    }
}

impl Rate {
    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut rate = Self { requests: 0, seconds: 60 };
        let mut record = entry.record(&["requests", "seconds"])?;
        record.need(&["requests"]);
        record.fill("requests", &mut rate.requests, positive);
        record.fill("seconds", &mut rate.seconds, |entry| entry.whole(1, MAX_SECONDS));
        record.end().map(|()| rate)
    }
}
