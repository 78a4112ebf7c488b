//! Parses and formats RFC 3339 timestamps.

use super::civil::CivilDate;

/// Seconds since 1970 in UTC, and nanoseconds.
pub(crate) type Moment = (i64, u32);

/// Parses a timestamp of RFC 3339, `2026-07-28T12:00:00.5+02:00`, or a date alone, which stands for its first moment in
/// UTC. A time without an offset is rejected.
pub fn parse_rfc3339(text: &str) -> Option<Moment> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = shaped(date, "0000-00-00")?;
    let midnight = CivilDate::new(year, month, day)?.days() * CivilDate::DAY_S;
    let Some(time) = time else { return Some((midnight, 0)) };

    let (clock, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, 0),
        None => {
            let (clock, zone) = time.split_at_checked(time.len().checked_sub("+00:00".len())?)?;
            let ahead = zone.strip_prefix('+');
            let [hours, minutes, _] = shaped(ahead.or_else(|| zone.strip_prefix('-'))?, "00:00")?;
            let seconds = (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) * 60)?;
            (clock, if ahead.is_some() { seconds } else { -seconds })
        }
    };
    let (clock, nanos) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, nanos(fraction)?),
        None => (clock, 0),
    };
    let [hour, minute, second] = shaped(clock, "00:00:00")?;
    let minutes = hour * 60 + minute;
    // A leap second ends the last minute of a day in UTC. It counts as the first second of the next day.
    let seconds = if (minutes * 60 - offset).rem_euclid(CivilDate::DAY_S) == 86_340 { 60 } else { 59 };
    let sound = hour < 24 && minute < 60 && second <= seconds;
    sound.then_some((midnight + minutes * 60 + second - offset, nanos))
}

/// Returns the numbers of a text that has digits where `shape` has zeros, and otherwise equals it.
fn shaped(text: &str, shape: &str) -> Option<[i64; 3]> {
    let (mut numbers, mut at) = ([0; 3], 0);
    for (byte, form) in text.bytes().zip(shape.bytes()) {
        match form {
            b'0' if byte.is_ascii_digit() => {
                let number = numbers.get_mut(at)?;
                *number = *number * 10 + i64::from(byte - b'0');
            }
            _ if byte == form && form != b'0' => at += 1,
            _ => return None,
        }
    }
    (text.len() == shape.len()).then_some(numbers)
}

/// Parses a fraction of a second; digits beyond nanoseconds are dropped.
fn nanos(fraction: &str) -> Option<u32> {
    let sound = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    sound.then(|| digits.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
}

impl CivilDate {
    /// Formats milliseconds since 1970 as an RFC 3339 timestamp in UTC, with milliseconds.
    pub fn timestamp(ms: u64) -> String {
        signed_timestamp(i64::try_from(ms).unwrap_or(i64::MAX))
    }
}

/// Formats a time as [`CivilDate::timestamp`](crate::time::CivilDate::timestamp) does; it may be before 1970.
pub fn signed_timestamp(ms: i64) -> String {
    format!("{}.{:03}Z", seconds(ms), ms.rem_euclid(1_000))
}

impl CivilDate {
    /// Formats milliseconds since 1970 as an RFC 3339 timestamp in UTC, without trailing zeros in the fraction.
    pub fn short_timestamp(ms: u64) -> String {
        let written = CivilDate::timestamp(ms);
        // Of a whole second the zeros after the point go, and then the point.
        let (second, fraction) = written.split_at(written.len() - ".000Z".len());
        let fraction = fraction.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
        format!("{second}{fraction}Z")
    }
}

/// Formats a time to the second, without a zone.
fn seconds(ms: i64) -> String {
    let seconds = ms.div_euclid(1_000);
    let CivilDate { year, month, day } = CivilDate::from_days(seconds.div_euclid(CivilDate::DAY_S));
    let rest = seconds.rem_euclid(CivilDate::DAY_S);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;
    use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

    use super::{parse_rfc3339, signed_timestamp};
    use crate::time::CivilDate;

    proptest! {
        #[test]
        fn timestamps_agree_with_the_crate_time(ms in -62_167_219_200_000i64..253_402_300_800_000, minutes in -1439i32..1440) {
            let expected = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).unwrap();
            let moment = Some((ms.div_euclid(1_000), ms.rem_euclid(1_000) as u32 * 1_000_000));
            prop_assert_eq!(OffsetDateTime::parse(&signed_timestamp(ms), &Rfc3339).unwrap(), expected);
            prop_assert_eq!(parse_rfc3339(&signed_timestamp(ms)), moment);
            if let Ok(ms) = u64::try_from(ms) {
                prop_assert_eq!(CivilDate::short_timestamp(ms), expected.format(&Rfc3339).unwrap());
            }
            let offset = UtcOffset::from_whole_seconds(minutes * 60).unwrap();
            if let Some(ahead) = expected.checked_to_offset(offset)
                && let Ok(written) = ahead.format(&Rfc3339)
            {
                prop_assert_eq!(parse_rfc3339(&written), moment);
            }
        }
    }
}
