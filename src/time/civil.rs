//! Gregorian calendar dates, converted from and to days since 1970.

/// Number of days from March 1 of the year 0 to January 1, 1970.
const EPOCH_DAYS: i64 = 719_468;
/// Number of days in the 400 years after which the calendar repeats.
const CYCLE_DAYS: i64 = 146_097;

/// A date of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CivilDate {
    /// The year; 0 is the year before 1.
    pub year: i64,
    /// The month, from 1 to 12.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
}

impl CivilDate {
    /// Number of seconds in a day.
    pub const DAY_S: i64 = 86_400;

    /// Returns the date of a day, counted from January 1, 1970.
    pub fn from_days(days: i64) -> Self {
        // Years are counted from March 1, so that a leap day is the last day of its year.
        let days = days + EPOCH_DAYS;
        let (cycle, day) = (days.div_euclid(CYCLE_DAYS), days.rem_euclid(CYCLE_DAYS));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Self { year: cycle * 400 + year + next, month, day }
    }

    /// Returns the date if the month and the day exist.
    pub fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        (1..=CivilDate::days_in_month(year, month)).contains(&day).then_some(Self { year, month, day })
    }

    /// Returns the number of days since January 1, 1970.
    pub fn days(self) -> i64 {
        let Self { year, month, day } = self;
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - EPOCH_DAYS
    }
}

impl CivilDate {
    /// Returns the number of days of a month from 1 to 12; 0 for any other month.
    pub fn days_in_month(year: i64, month: i64) -> i64 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        match month {
            2 => 28 + i64::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::CivilDate;

    #[test]
    fn every_day_follows_the_one_before() {
        let mut expected = CivilDate { year: 1600, month: 1, day: 1 };
        for days in expected.days()..expected.days() + 300_000 {
            assert_eq!(CivilDate::from_days(days), expected);
            assert_eq!(expected.days(), days);
            let CivilDate { year, month, day } = expected;
            expected = match (month, day) {
                (12, 31) => CivilDate { year: year + 1, month: 1, day: 1 },
                _ if day == CivilDate::days_in_month(year, month) => {
                    CivilDate { year, month: month + 1, day: 1 }
                }
                _ => CivilDate { day: day + 1, ..expected },
            };
        }
    }

    proptest! {
        #[test]
        fn dates_agree_with_the_crate_time(days in -3_000_000i64..2_900_000) {
            let expected = time::Date::from_julian_day((days + 2_440_588) as i32).ok();
            let date = CivilDate::from_days(days);
            prop_assert_eq!(date.days(), days);
            prop_assert_eq!(CivilDate::new(date.year, date.month, date.day), Some(date));
            let found = expected.map(|date| {
                let (year, month, day) = date.to_calendar_date();
                CivilDate { year: year.into(), month: u8::from(month).into(), day: day.into() }
            });
            prop_assert_eq!(Some(date), found);
        }

        #[test]
        fn a_day_beyond_its_month_is_no_date(year in -9_999i64..9_999, month in 0i64..14, day in 0i64..33) {
            let month_of = u8::try_from(month).ok().and_then(|month| time::Month::try_from(month).ok());
            let expected = month_of
                .is_some_and(|month| time::Date::from_calendar_date(year as i32, month, day as u8).is_ok());
            prop_assert_eq!(CivilDate::new(year, month, day).is_some(), expected);
        }
    }
}
