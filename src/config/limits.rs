use serde::{Deserialize, Serialize};

use super::number::positive;
use crate::{error::Error, json::Entry};

/// Longest time over which requests are counted, in seconds. A counter that nobody asks for so long is gone.
const MAX_SECONDS: i64 = 60;

/// How much one caller may ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How often.
    pub rate: Option<Rate>,
    /// How many requests at the same time.
    pub concurrent: Option<u32>,
}

/// So many requests in so much time: all at once, and then one after another as they come free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Requests; each message of a batch is one.
    pub requests: u32,
    /// In so many seconds.
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
