//! Points in time: RFC 3339 text outside, whole seconds in UTC inside, so that stored instants compare as
//! text the way they compare as times.

use time::{Duration, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::error::Fail;

/// What a caller is told when an instant does not parse.
pub(crate) const EXPECTED: &str =
    "an RFC 3339 date and time from 1970 to 2999, such as `2026-05-04T09:30:00Z`";

/// The first second after 2999. No plan reaches beyond it, and below it no sum in this program leaves the range
/// of the time library.
const END: i64 = 32_503_680_000;

/// A whole second in UTC, from 1970 to 2999 when it came from a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(OffsetDateTime);

impl Instant {
    /// Reads RFC 3339; any offset, fractions of a second are dropped.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let seconds = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp();
        (0..END).contains(&seconds).then_some(seconds).and_then(Self::from_unix)
    }

    /// Midnight UTC at the start of a day written `YYYY-MM-DD`.
    pub(crate) fn parse_day(text: &str) -> Option<Self> {
        Self::parse(&format!("{text}T00:00:00Z"))
    }

    /// The instant `seconds` after the start of 1970, if there is one.
    pub(crate) fn from_unix(seconds: i64) -> Option<Self> {
        OffsetDateTime::from_unix_timestamp(seconds).ok().map(Self)
    }

    /// Seconds since the start of 1970.
    pub(crate) fn unix(self) -> i64 {
        self.0.unix_timestamp()
    }

    /// This many seconds later, or earlier.
    ///
    /// # Errors
    /// When that is outside what the tracker keeps.
    pub(crate) fn plus(self, seconds: i64) -> Result<Self, Fail> {
        let sum = self
            .0
            .checked_add(Duration::seconds(seconds))
            .filter(|sum| (0..END).contains(&sum.unix_timestamp()));
        sum.map(Self).ok_or_else(|| Fail::refused("the time is outside 1970 to 2999"))
    }

    /// RFC 3339 in UTC, as it is stored.
    pub(crate) fn text(self) -> String {
        // The format has no year beyond 9999, and none is in range.
        self.0.format(&Rfc3339).unwrap_or_default()
    }

    /// RFC 3339 with the offset given, and the weekday there.
    pub(crate) fn at_offset(self, minutes: i64) -> Option<(String, String)> {
        let seconds = i32::try_from(minutes.checked_mul(60)?).ok()?;
        let local = self.0.checked_to_offset(UtcOffset::from_whole_seconds(seconds).ok()?)?;
        Some((local.format(&Rfc3339).ok()?, local.weekday().to_string()))
    }

    /// `YYYY-MM-DD` in UTC.
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
