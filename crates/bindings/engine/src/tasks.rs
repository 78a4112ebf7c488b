//! The class `TaskQuery`: a compiled filter of tasks, for JavaScript.

use mcp_sieve::{
    Error, TaskFilter,
    json::{Entry, Object, Raw},
    task::Support,
};
use mcp_sieve_bindings_value::{plain, refusal};
use wasm_bindgen::prelude::*;

use super::answer;

/// A compiled filter of tasks.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TaskQuery(TaskFilter);

#[wasm_bindgen]
impl TaskQuery {
    /// Parses the parameters of a `tasks/list` request.
    #[wasm_bindgen(constructor)]
    pub fn new(params: &str) -> Result<TaskQuery, JsValue> {
        params.parse().map(Self).map_err(|error: Error| refusal(&error))
    }

    /// Returns the indices of the matching tasks in a JSON array, in the order of the filter.
    pub fn select(&self, tasks: &str) -> Result<Vec<u32>, JsValue> {
        self.0.select(tasks).map_err(|error| refusal(&error))
    }

    /// Returns a page of at most `limit` matching tasks in a JSON array, after the position of `cursor`:
    /// `{"indices":[…],"nextCursor":"…"}`, without `nextCursor` on the last page. `now` is in milliseconds since 1970.
    pub fn page(
        &self,
        tasks: &str,
        cursor: Option<String>,
        limit: usize,
        now: f64,
    ) -> Result<JsValue, JsValue> {
        let page =
            self.0.page(tasks, cursor.as_deref(), limit, now as u64).map_err(|error| refusal(&error))?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        Object::push_array(object.value("indices"), &page.indices, |out, at| {
            out.extend(at.to_string().bytes())
        });
        page.next_cursor.iter().for_each(|next| object.text("nextCursor", next));
        object.close();
        Ok(plain(out))
    }

    /// Returns the capability `tasks.list.filter` of a host whose tasks have the methods in a JSON array.
    pub fn capability(methods: &str) -> Result<JsValue, JsValue> {
        let methods = Raw::parse(methods).and_then(|methods| Entry::root(methods).texts());
        let methods = methods.map_err(|error| refusal(&error))?;
        let mut out = Vec::new();
        Support::write_all(&methods, &mut out);
        Ok(plain(out))
    }

    /// Returns the canonical form, its hash, and the parts of the filter that had no effect.
    pub fn describe(&self) -> JsValue {
        let report = (self.0.ignored(), self.0.unknown());
        plain(answer::applied(&self.0.hash(), self.0.to_json().as_bytes(), report))
    }
}
