//! The public filter of tasks (SEP-1904): selection, pages and capability.

use std::str::FromStr;

use crate::{
    digest::Digest,
    error::{Error, Ignored, UnknownName},
    filter::{OnUnknownMember, ParsedFilter},
    json::Raw,
    task::{self, Support, TaskCursor},
};

/// A filter of tasks (SEP-1904): it selects and orders the tasks of a `tasks/list` result.
///
/// A host that has more tasks than one page can hold uses [`TaskFilter::page`].
///
/// ```
/// use mcp_sieve::TaskFilter;
///
/// let tasks = r#"[
///     {"taskId":"1","status":"working","createdAt":"2026-07-28T10:00:00Z","lastUpdatedAt":"2026-07-28T10:00:00Z","ttl":null},
///     {"taskId":"2","status":"failed","createdAt":"2026-07-28T11:00:00Z","lastUpdatedAt":"2026-07-28T11:00:00Z","ttl":null},
///     {"taskId":"3","status":"failed","createdAt":"2026-07-28T09:00:00Z","lastUpdatedAt":"2026-07-28T09:00:00Z","ttl":null}]"#;
/// let filter: TaskFilter = r#"{"filter":{"status":["failed"],"orderBy":"createdAt","order":"asc"}}"#.parse()?;
/// assert_eq!(filter.select(tasks)?, [2, 1]);
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TaskFilter {
    filter: task::TaskFilter,
    ignored: Vec<Ignored>,
    unknown: Vec<UnknownName>,
}

/// A page of a list of tasks.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPage {
    /// The indices of the tasks in the list, in the order of the filter.
    pub indices: Vec<u32>,
    /// The cursor for the next page; `None` on the last page. It contains the position of the last task in readable
    /// form.
    pub next_cursor: Option<String>,
}

impl FromStr for TaskFilter {
    type Err = Error;

    /// Parses the parameters of a `tasks/list` request, a JSON object. The fields of the filter are in `filter` or
    /// beside it. Absent fields select every task. Unknown fields are [reported](Self::ignored).
    ///
    /// # Errors
    /// [`ErrorKind::FilterField`](crate::error::ErrorKind::FilterField) for a misspelt member of `filter`,
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) for other text,
    /// [`ErrorKind::FilterType`](crate::error::ErrorKind::FilterType),
    /// [`ErrorKind::FilterLimit`](crate::error::ErrorKind::FilterLimit),
    /// [`ErrorKind::TimeFormat`](crate::error::ErrorKind::TimeFormat) and
    /// [`ErrorKind::Expression`](crate::error::ErrorKind::Expression) for a field that cannot be used.
    fn from_str(params: &str) -> Result<Self, Error> {
        let params = Raw::parse(params)?;
        if !params.is_object() {
            return Err(Error::filter_type("filter", "an object"));
        }
        let parsed = task::TaskFilter::read(Some(params), OnUnknownMember::default())?;
        let ParsedFilter { filter, ignored, unknown } = parsed;
        Ok(Self { filter, ignored, unknown })
    }
}

impl TaskFilter {
    /// Returns the indices of the tasks that match, in the order of the filter. `tasks` is a JSON array of tasks in the
    /// form of either protocol revision; elements that are not tasks are skipped.
    ///
    /// # Errors
    /// [`ErrorKind::FilterType`](crate::error::ErrorKind::FilterType) for another JSON value,
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) for other text.
    pub fn select(&self, tasks: &str) -> Result<Vec<u32>, Error> {
        self.filter.select(Raw::parse(tasks)?)
    }

    /// Returns a page of at most `limit` tasks that match, behind the position of `cursor`, the
    /// [`next_cursor`](TaskPage::next_cursor) of the page before. Tasks whose time to live is over at `now`, in
    /// milliseconds since 1970, are skipped.
    ///
    /// # Errors
    /// As [`TaskFilter::select`]; [`ErrorKind::InvalidCursor`](crate::error::ErrorKind::InvalidCursor) and
    /// [`ErrorKind::CursorFilterMismatch`](crate::error::ErrorKind::CursorFilterMismatch) for a cursor of another list.
    pub fn page(&self, tasks: &str, cursor: Option<&str>, limit: usize, now: u64) -> Result<TaskPage, Error> {
        // A registry has a single reader, so its cursors have no owner.
        let bound = TaskCursor { filter: self.filter.hash(), owner: 0 };
        let from = cursor.map(|token| bound.decode(token)).transpose()?;
        let page = self.filter.page(Raw::parse(tasks)?, from, limit, now)?;
        Ok(TaskPage { indices: page.indices, next_cursor: page.next.map(|place| bound.encode(&place)) })
    }

    /// Returns the value of the capability `tasks.list.filter` of a server that applies every criterion, to tasks of
    /// these methods, as JSON.
    pub fn capability(methods: &[&str]) -> String {
        let methods: Vec<String> = methods.iter().map(|method| (*method).to_owned()).collect();
        let mut out = Vec::new();
        Support::write_all(&methods, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns the canonical JSON of the filter, which is equal for equivalent filters.
    pub fn to_json(&self) -> String {
        String::from_utf8(self.filter.canonical()).unwrap_or_default()
    }

    /// Returns the hash of [`TaskFilter::to_json`], 32 hexadecimal digits.
    pub fn hash(&self) -> String {
        Digest::hex(self.filter.hash())
    }

    /// Returns the parts of the filter that had no effect, such as unknown fields.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// Returns the names in the filter that match no task, such as an unknown status.
    pub fn unknown(&self) -> &[UnknownName] {
        &self.unknown
    }
}
