//! Points in time: RFC 3339 text outside, whole seconds in UTC inside. Stored instants therefore sort the same way as
//! text and as times.

use time::{Duration, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::error::Fail;

/// The part of an error message that describes a valid instant.
pub(crate) const EXPECTED: &str =
    "an RFC 3339 date and time from 1970 to 2999, such as `2026-05-04T09:30:00Z`";

/// The first second after 2999, in Unix seconds. Below this limit no sum in this program leaves the range of the time
/// library.
const END: i64 = 32_503_680_000;

/// A whole second in UTC. One that came from a caller lies between 1970 and 2999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(OffsetDateTime);

impl Instant {
    /// Parses an RFC 3339 date and time with any offset; fractions of a second are dropped.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let seconds = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp();
        (0..END).contains(&seconds).then_some(seconds).and_then(Self::from_unix)
    }

    /// Returns midnight UTC at the start of a day written as `YYYY-MM-DD`.
    pub(crate) fn parse_day(text: &str) -> Option<Self> {
        Self::parse(&format!("{text}T00:00:00Z"))
    }

    /// Returns the instant `seconds` after the start of 1970, or `None` outside the range of the time library.
    pub(crate) fn from_unix(seconds: i64) -> Option<Self> {
        OffsetDateTime::from_unix_timestamp(seconds).ok().map(Self)
    }

    /// Returns the seconds since the start of 1970.
    pub(crate) fn unix(self) -> i64 {
        self.0.unix_timestamp()
    }

    /// Returns the instant this many seconds later, or earlier if negative.
    ///
    /// # Errors
    /// When the sum is outside 1970 to 2999.
    pub(crate) fn plus(self, seconds: i64) -> Result<Self, Fail> {
        let sum = self
            .0
            .checked_add(Duration::seconds(seconds))
            .filter(|sum| (0..END).contains(&sum.unix_timestamp()));
        sum.map(Self).ok_or_else(|| Fail::refused("the time is outside 1970 to 2999"))
    }

    /// Returns the instant as RFC 3339 text in UTC, the stored form.
    pub(crate) fn text(self) -> String {
        // Formatting fails only for years beyond 9999, which are out of range.
        self.0.format(&Rfc3339).unwrap_or_default()
    }

    /// Returns RFC 3339 text with this offset from UTC, and the weekday at that offset.
    pub(crate) fn at_offset(self, minutes: i64) -> Option<(String, String)> {
        let seconds = i32::try_from(minutes.checked_mul(60)?).ok()?;
        let local = self.0.checked_to_offset(UtcOffset::from_whole_seconds(seconds).ok()?)?;
        Some((local.format(&Rfc3339).ok()?, local.weekday().to_string()))
    }

    /// Returns the day in UTC as `YYYY-MM-DD`.
    pub(crate) fn day(self) -> String {
        self.0.date().to_string()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::Instant;

    #[test]
    fn offsets_and_fractions_are_normalised() {
        for (given, stored) in [
            ("2026-05-04T09:30:00Z", "2026-05-04T09:30:00Z"),
            ("2026-05-04T09:30:00.987+02:00", "2026-05-04T07:30:00Z"),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
            ("2999-12-31T23:59:59Z", "2999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Instant::parse(given).unwrap().text(), stored, "{given}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for given in [
            "",
            "2026-05-04",
            "2026-05-04T09:30",
            "2026-02-30T09:30:00Z",
            "3000-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(Instant::parse(given), None, "{given}");
        }
        assert!(Instant::parse("2999-12-31T23:59:59Z").unwrap().plus(1).is_err());
        assert_eq!(Instant::parse_day("2026-05-04").unwrap().text(), "2026-05-04T00:00:00Z");
        assert_eq!(Instant::parse_day("2026-5-4"), None);
    }
}
