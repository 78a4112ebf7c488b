//! The class `TaskFilter`: selects and orders tasks (SEP-1904).

use mcp_sieve::TaskPage as CorePage;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use crate::{
    decode,
    failure::{Failure, json_object, object, objects},
    types::{Ignored, UnknownName},
};

/// Maximum number of tasks on a page if none is given.
const PAGE_SIZE: u32 = 50;

/// A filter of tasks (SEP-1904), which selects and orders the tasks of a `tasks/list` result.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TaskFilter(mcp_sieve::TaskFilter);

/// A page of a list of tasks.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TaskPage {
    /// The indices of the tasks in the array, in the order of the filter.
    indices: Vec<u32>,
    /// The cursor for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[wasm_bindgen]
impl TaskFilter {
    /// Reads the parameters of a `tasks/list` request: an object or JSON text. The filter is in `filter` or beside it.
    ///
    /// Throws a `SieveError` with the code `json`, `filter_type`, `filter_limit`, `time_format` or `expression`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "TaskListParams | string | null")] params: JsValue,
    ) -> Result<TaskFilter, Failure> {
        Ok(Self(decode::text(params)?.as_deref().unwrap_or("{}").parse()?))
    }

    /// Returns the indices of the tasks that match, in the order of the filter.
    pub fn select(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly Task[] | string")] tasks: JsValue,
    ) -> Result<Vec<u32>, Failure> {
        Ok(self.0.select(&decode::list_text(tasks)?)?)
    }

    /// Returns a page of at most `limit` (50) tasks that match, after the position of `cursor`, the `nextCursor` of the
    /// page before. Tasks whose time to live is over are skipped.
    ///
    /// Throws a `SieveError` as the constructor, with `invalid_cursor` or with `cursor_filter_mismatch`.
    pub fn page(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly Task[] | string")] tasks: JsValue,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> Result<Ts<TaskPage>, Failure> {
        let (limit, now) = (limit.unwrap_or(PAGE_SIZE) as usize, js_sys::Date::now() as u64);
        let CorePage { indices, next_cursor, .. } =
            self.0.page(&decode::list_text(tasks)?, cursor.as_deref(), limit, now)?;
        object(&TaskPage { indices, next_cursor })
    }

    /// Returns the capability `tasks.list.filter` of a host whose tasks have these methods.
    #[wasm_bindgen(unchecked_return_type = "object")]
    pub fn capability(methods: Vec<String>) -> Result<JsValue, Failure> {
        let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
        json_object(&mcp_sieve::TaskFilter::capability(&methods))
    }

    /// Returns the filter in canonical form.
    #[wasm_bindgen(unchecked_return_type = "TaskFilterInput")]
    pub fn filter(&self) -> Result<JsValue, Failure> {
        json_object(&self.0.to_json())
    }

    /// Returns the entries of the filter that have no effect, such as unknown fields.
    pub fn ignored(&self) -> Result<Vec<Ts<Ignored>>, Failure> {
        objects(self.0.ignored().iter().map(Ignored::from))
    }

    /// Returns the names in the filter that match no task, such as an unknown status.
    pub fn unknown(&self) -> Result<Vec<Ts<UnknownName>>, Failure> {
        objects(self.0.unknown().iter().map(UnknownName::from))
    }
}
