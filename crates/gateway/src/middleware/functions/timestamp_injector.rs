//! The function `timestamp_injector`: adds the current time to the first text.

use mcp_sieve::{Error, ErrorKind, time::CivilDate};

use crate::middleware::framework::{
    content::TextItem,
    environment::Zone,
    function::{Call, Function},
    outcome::Outcome,
};

/// Prepends the current time to the first text: `[Current time: Saturday, October 4, 2025, 3:42 PM UTC]`.
#[derive(Debug, Clone, Copy)]
pub struct TimestampInjector;

impl Function for TimestampInjector {
    const NAME: &'static str = "timestamp_injector";
    const DESCRIPTION: &'static str = "Inserts the current time before the first text.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"timeZone":{"type":"string","description":"An IANA name such as Europe/Paris, UTC, or an offset from UTC such as +02:00","default":"UTC","maxLength":64},"format":{"type":"string","enum":["long","date","iso"],"default":"long"}},"additionalProperties":false}"#;

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, environment } = call;
        let now = environment.now();
        let name = arguments.text("timeZone").unwrap_or_default();
        let zone = fixed(&name).or_else(|| environment.zone(&name, now)).ok_or_else(|| {
            let message = format!("the time zone `{name}` is not known here");
            Error::new(ErrorKind::ArgumentsInvalid, message).field("arguments.timeZone")
        })?;
        let time = Local::new(now, &zone);
        let written = match arguments.text("format").as_deref() {
            Some("iso") => time.iso(),
            Some("date") => time.date(),
            _ => time.long(),
        };
        context.prepend_to_text(TextItem::First, &format!("[Current time: {written}]\n\n"));
        Ok(Outcome::new(context))
    }
}

/// Returns the zone of a name for UTC or of an offset such as `+02:00`; `None` for any other name.
fn fixed(name: &str) -> Option<Zone> {
    if ["UTC", "Z", "GMT"].iter().any(|utc| utc.eq_ignore_ascii_case(name)) {
        return Some(Zone { ahead: 0, name: "UTC".to_owned() });
    }
    let (sign, distance) = match name.split_at_checked(1)? {
        ("+", distance) => (1, distance),
        ("-", distance) => (-1, distance),
        _ => return None,
    };
    let (hours, minutes) = distance.split_once(':').unwrap_or((distance, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) =
        (Some(hours).filter(|text| digits(text)), Some(minutes).filter(|text| digits(text)));
    let (hours, minutes): (i32, i32) = (hours?.parse().ok()?, minutes?.parse().ok()?);
    let known = hours <= 14 && minutes < 60;
    let sign_text = if sign > 0 { '+' } else { '-' };
    known.then(|| Zone {
        ahead: sign * (hours * 3600 + minutes * 60),
        name: format!("UTC{sign_text}{hours:02}:{minutes:02}"),
    })
}

const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A date and time in a time zone.
struct Local<'a> {
    date: CivilDate,
    weekday: usize,
    /// The second of the day.
    second: i64,
    zone: &'a Zone,
}

impl<'a> Local<'a> {
    fn new(ms: u64, zone: &'a Zone) -> Self {
        let seconds = i64::try_from(ms / 1000).unwrap_or_default() + i64::from(zone.ahead);
        let days = seconds.div_euclid(CivilDate::DAY_S);
        Self {
            date: CivilDate::from_days(days),
            weekday: usize::try_from(days.rem_euclid(7)).unwrap_or_default(),
            second: seconds.rem_euclid(CivilDate::DAY_S),
            zone,
        }
    }

    fn date(&self) -> String {
        let CivilDate { year, month, day } = self.date;
        let weekday = DAYS.get(self.weekday).copied().unwrap_or_default();
        let month =
            usize::try_from(month - 1).ok().and_then(|month| MONTHS.get(month)).copied().unwrap_or_default();
        format!("{weekday}, {month} {day}, {year}")
    }

    fn long(&self) -> String {
        let (hour, minute) = (self.second / 3600, self.second / 60 % 60);
        let half = if hour < 12 { "AM" } else { "PM" };
        let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
        format!("{}, {hour}:{minute:02} {half} {}", self.date(), self.zone.name)
    }

    fn iso(&self) -> String {
        let Self { date: CivilDate { year, month, day }, second, zone, .. } = self;
        let [hour, minute, second] = [second / 3600, second / 60 % 60, second % 60];
        let distance = match zone.ahead {
            0 => "Z".to_owned(),
            ahead => {
                let sign = if ahead < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", ahead.abs() / 3600, ahead.abs() / 60 % 60)
            }
        };
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{distance}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{Local, fixed};

    #[track_caller]
    fn shows(ms: u64, zone: &str, long: &str, iso: &str) {
        let zone = fixed(zone).unwrap();
        let time = Local::new(ms, &zone);
        assert_eq!((time.long().as_str(), time.iso().as_str()), (long, iso));
    }

    #[test]
    fn times() {
        shows(0, "UTC", "Thursday, January 1, 1970, 12:00 AM UTC", "1970-01-01T00:00:00Z");
        shows(1_759_592_520_000, "utc", "Saturday, October 4, 2025, 3:42 PM UTC", "2025-10-04T15:42:00Z");
        shows(
            1_709_208_059_999,
            "+02:00",
            "Thursday, February 29, 2024, 2:00 PM UTC+02:00",
            "2024-02-29T14:00:59+02:00",
        );
        shows(
            951_782_400_000,
            "-00:30",
            "Monday, February 28, 2000, 11:30 PM UTC-00:30",
            "2000-02-28T23:30:00-00:30",
        );
        shows(
            4_107_542_400_000,
            "+14",
            "Monday, March 1, 2100, 2:00 PM UTC+14:00",
            "2100-03-01T14:00:00+14:00",
        );
    }

    #[test]
    fn what_is_no_distance() {
        for name in ["", "+", "+x", "+15", "+02:60", "+-2", "02:00", "Europe/Paris", "é"] {
            assert_eq!(fixed(name), None, "{name}");
        }
    }
}
