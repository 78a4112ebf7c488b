//! `find_free_time`: the gaps between events, within working hours.

use serde_json::{Value, json};

use super::{
    args::Args,
    calendar::{DAY, may_instant},
    error::Fail,
    instant::Instant,
    store::Store,
    tools::Reply,
};

/// Maximum length of the searched range, in days.
const MAX_SEARCH_DAYS: i64 = 31;
/// Length of the searched range without a `to`, in days.
const DEFAULT_SEARCH_DAYS: i64 = 7;

/// The requirements for a free slot. Times are Unix seconds.
#[derive(Debug, Clone, Copy)]
struct FreeTimeQuery {
    from: i64,
    to: i64,
    /// Minimum length of a slot, in seconds.
    seconds: i64,
    /// Start of the working day, in seconds from local midnight; `day_end` is its end.
    day_start: i64,
    day_end: i64,
    /// Offset of local time from UTC, in seconds; positive east of Greenwich.
    offset: i64,
    weekends: bool,
}

/// Handles `find_free_time`.
pub(crate) fn find(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let from = may_instant(args, "from")?.unwrap_or(store.now());
    let to = may_instant(args, "to")?.map_or_else(|| from.plus(DEFAULT_SEARCH_DAYS * DAY), Ok)?;
    if to <= from || to.unix() - from.unix() > MAX_SEARCH_DAYS * DAY {
        return Err(Fail::refused(format!("`to` must be after `from`, by at most {MAX_SEARCH_DAYS} days")));
    }
    let wanted = FreeTimeQuery {
        from: from.unix(),
        to: to.unix(),
        seconds: args.integer("minutes")? * 60,
        day_start: args.integer("day_start")? * 3600,
        day_end: args.integer("day_end")? * 3600,
        offset: args.integer("utc_offset_minutes")? * 60,
        weekends: args.flag("weekends")?,
    };
    if wanted.day_end - wanted.day_start < wanted.seconds {
        return Err(Fail::refused("the working day from `day_start` to `day_end` is shorter than `minutes`"));
    }
    let people = args.json_list("attendees")?;
    let busy = store.rows(
        "SELECT json_array(unixepoch(e.start_at), unixepoch(e.end_at)) FROM events e
         WHERE e.end_at > ?1 AND e.start_at < ?2 AND (?3 = '[]' OR EXISTS
           (SELECT 1 FROM attendees a JOIN json_each(?3) j ON j.value = a.person WHERE a.event = e.id))
         ORDER BY e.start_at",
        [from.text().into(), to.text().into(), people.into()],
    )?;
    let busy: Vec<(i64, i64)> = busy.iter().filter_map(span).collect();
    let limit = usize::try_from(args.integer("limit")?).unwrap_or(0);
    let slots: Vec<Value> = gaps(wanted, &busy)
        .into_iter()
        .take(limit)
        .filter_map(|(start, end)| {
            let [first, last] = [start, end].map(|at| Instant::from_unix(at).map(Instant::text));
            Some(json!({ "start": first?, "end": last?, "minutes": (end - start) / 60 }))
        })
        .collect();
    Ok(Reply::Data(json!({ "slots": slots })))
}

/// Returns the start and end of a busy range in Unix seconds.
fn span(row: &Value) -> Option<(i64, i64)> {
    match row.as_array()?.as_slice() {
        [start, end] => Some((start.as_i64()?, end.as_i64()?)),
        _ => None,
    }
}

/// Returns the free slots, earliest first. `busy` is sorted by start and may overlap.
fn gaps(wanted: FreeTimeQuery, busy: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let FreeTimeQuery { from, to, seconds, day_start, day_end, offset, weekends } = wanted;
    let local_day = |at: i64| (at + offset).div_euclid(DAY);
    let mut found = Vec::new();
    for day in local_day(from)..=local_day(to) {
        // Day 0 of the Unix calendar was a Thursday; adding 3 makes Monday 0.
        if !weekends && (day + 3).rem_euclid(7) >= 5 {
            continue;
        }
        let midnight = day * DAY - offset;
        let (open, close) = ((midnight + day_start).max(from), (midnight + day_end).min(to));
        let mut free_from = open;
        for (start, end) in busy.iter().chain([&(close, close)]) {
            let until = (*start).min(close);
            if until - free_from >= seconds {
                found.push((free_from, until));
            }
            free_from = free_from.max(*end);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;
    /// Monday 2026-05-04, midnight UTC.
    const MONDAY: i64 = 1_777_852_800;

    fn wanted(days: i64, minutes: i64) -> FreeTimeQuery {
        FreeTimeQuery {
            from: MONDAY,
            to: MONDAY + days * DAY,
            seconds: minutes * 60,
            day_start: 9 * HOUR,
            day_end: 17 * HOUR,
            offset: 0,
            weekends: false,
        }
    }

    /// Returns a range given in hours after midnight of [`MONDAY`].
    fn hours(start: i64, end: i64) -> (i64, i64) {
        (MONDAY + start * HOUR, MONDAY + end * HOUR)
    }

    #[test]
    fn gaps_lie_between_events_and_within_the_day() {
        let busy = [hours(8, 10), hours(9, 11), hours(12, 13), hours(16, 20)];
        assert_eq!(gaps(wanted(1, 60), &busy), [hours(11, 12), hours(13, 16)]);
        assert_eq!(gaps(wanted(1, 61), &busy), [hours(13, 16)]);
        assert_eq!(gaps(wanted(1, 30), &[hours(0, 24)]), []);
        assert_eq!(gaps(wanted(1, 30), &[]), [hours(9, 17)]);
    }

    #[test]
    fn weekends_are_left_out_unless_wanted() {
        assert_eq!(gaps(wanted(7, 30), &[]).len(), 5);
        assert_eq!(gaps(FreeTimeQuery { weekends: true, ..wanted(7, 30) }, &[]).len(), 7);
    }

    #[test]
    fn the_working_day_is_local_and_the_search_clips_it() {
        let east = FreeTimeQuery { offset: 2 * HOUR, ..wanted(1, 30) };
        assert_eq!(gaps(east, &[]), [hours(7, 15)]);
        let late = FreeTimeQuery { from: MONDAY + 12 * HOUR, ..wanted(1, 30) };
        assert_eq!(gaps(late, &[]), [hours(12, 17)]);
    }
}
