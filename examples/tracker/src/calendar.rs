//! Calendar events and their tools.

use serde_json::Value;

use super::{
    args::Args,
    error::Fail,
    instant::{self, Instant},
    limits::{self, MAX_EVENTS},
    store::{self, Store},
    tools::Reply,
};

/// Seconds in a day.
pub(crate) const DAY: i64 = 86_400;
/// Maximum length of an event, in days.
const MAX_EVENT_DAYS: i64 = 14;
/// Length of the range that `list_events` covers without a `to`, in days.
const DEFAULT_SPAN_DAYS: i64 = 14;
/// Maximum number of overlapping events in the result of an event.
const MAX_CONFLICTS: i64 = 20;

/// SQL expression for an event in a list, from a row `e` of `events`.
pub(crate) const BRIEF: &str = "json_object('id', e.id, 'title', e.title, 'start', e.start_at, 'end', e.end_at,
    'location', e.location, 'attendees', json((SELECT json_group_array(person ORDER BY person) FROM attendees WHERE event = e.id)))";

/// SQL query for the events `o` that overlap event `?1` and share an attendee with it; at most `?2` rows.
const CONFLICTS: &str = "SELECT json_object('id', o.id, 'title', o.title, 'start', o.start_at, 'end', o.end_at)
    FROM events e JOIN events o ON o.id != e.id AND o.start_at < e.end_at AND o.end_at > e.start_at
    WHERE e.id = ?1 AND EXISTS (SELECT 1 FROM attendees a JOIN attendees b ON a.person = b.person WHERE a.event = e.id AND b.event = o.id)
    ORDER BY o.start_at, o.id LIMIT ?2";

/// Returns an event with its description and its conflicts.
fn read(store: &Store<'_>, id: i64) -> Result<Value, Fail> {
    let query =
        format!("SELECT json_set({BRIEF}, '$.description', e.description) FROM events e WHERE id = ?");
    let mut event = store.row(&query, [id.into()])?.ok_or_else(|| Fail::absent("event", id))?;
    let conflicts = store.rows(CONFLICTS, [id.into(), MAX_CONFLICTS.into()])?;
    if let Value::Object(members) = &mut event {
        members.insert("conflicts".into(), conflicts.into());
    }
    Ok(event)
}

/// Returns an optional argument parsed as an instant.
pub(crate) fn may_instant(args: &Args, name: &str) -> Result<Option<Instant>, Fail> {
    let read = |text| {
        Instant::parse(text).ok_or_else(|| Fail::refused(format!("`{name}` must be {}", instant::EXPECTED)))
    };
    args.may_text(name)?.map(read).transpose()
}

/// Rejects an event that ends before it starts or is longer than [`MAX_EVENT_DAYS`].
fn check_length(start: Instant, end: Instant) -> Result<(), Fail> {
    if end <= start {
        return Err(Fail::refused("`end` must be after `start`"));
    }
    if end.unix() - start.unix() > MAX_EVENT_DAYS * DAY {
        return Err(Fail::refused(format!("an event lasts at most {MAX_EVENT_DAYS} days")));
    }
    Ok(())
}

/// Handles `list_events`.
pub(crate) fn list(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const WHERE: &str = "e.end_at > ?1 AND e.start_at < ?2
        AND (?3 IS NULL OR EXISTS (SELECT 1 FROM attendees a WHERE a.event = e.id AND a.person = ?3))";
    let from = may_instant(args, "from")?.unwrap_or(store.now());
    let to = may_instant(args, "to")?.map_or_else(|| from.plus(DEFAULT_SPAN_DAYS * DAY), Ok)?;
    if to <= from {
        return Err(Fail::refused("`to` must be after `from`"));
    }
    let offset = args.integer("offset")?;
    let attendee = args.may_text("attendee")?;
    let span = || [from.text().into(), to.text().into(), attendee.into()];
    let total = store.number(&format!("SELECT count(*) FROM events e WHERE {WHERE}"), span())?;
    let [from, to, attendee] = span();
    let rows = store.rows(
        &format!("SELECT {BRIEF} FROM events e WHERE {WHERE} ORDER BY e.start_at, e.id LIMIT ?4 OFFSET ?5"),
        [from, to, attendee, args.integer("limit")?.into(), offset.into()],
    )?;
    Ok(Reply::Data(store::page("events", rows, total, offset)))
}

/// Handles `get_event`.
pub(crate) fn get(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    read(store, args.integer("event")?).map(Reply::Data)
}

/// Handles `create_event`.
pub(crate) fn create(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let (Some(start), Some(end)) = (may_instant(args, "start")?, may_instant(args, "end")?) else {
        return Err(Fail::Fault("an event without start or end passed its schema".into()));
    };
    check_length(start, end)?;
    limits::room(store, "SELECT count(*) FROM events", MAX_EVENTS, "events")?;
    let id = store.number(
        "INSERT INTO events (title, start_at, end_at, location, description) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        [
            args.text("title")?.into(),
            start.text().into(),
            end.text().into(),
            args.may_text("location")?.into(),
            args.text("description")?.into(),
        ],
    )?;
    store.run(
        "INSERT INTO attendees (event, person) SELECT ?1, value FROM json_each(?2)",
        [id.into(), args.json_list("attendees")?.into()],
    )?;
    read(store, id).map(Reply::Data)
}

/// Handles `move_event`.
pub(crate) fn shift(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("event")?;
    let event = read(store, id)?;
    let was = |name: &str| event.get(name).and_then(Value::as_str).and_then(Instant::parse);
    let (Some(start), Some(old_start), Some(old_end)) =
        (may_instant(args, "start")?, was("start"), was("end"))
    else {
        return Err(Fail::Fault(format!("event {id} has no start or end")));
    };
    let kept = || start.plus(old_end.unix() - old_start.unix());
    let end = may_instant(args, "end")?.map_or_else(kept, Ok)?;
    check_length(start, end)?;
    store.run(
        "UPDATE events SET start_at = ?2, end_at = ?3 WHERE id = ?1",
        [id.into(), start.text().into(), end.text().into()],
    )?;
    read(store, id).map(Reply::Data)
}

/// Handles `cancel_event`.
pub(crate) fn cancel(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("event")?;
    if !store.any("DELETE FROM events WHERE id = ? RETURNING id", [id.into()])? {
        return Err(Fail::absent("event", id));
    }
    Ok(Reply::Said(format!("Cancelled event {id}.")))
}
