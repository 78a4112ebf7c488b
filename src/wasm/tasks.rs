use wasm_bindgen::prelude::*;

use super::{
    answer,
    value::{plain, refusal},
};
use crate::{
    error::{Error, Ignored},
    filter::ParsedFilter,
    json::{Entry, Object, Raw, push_array},
    task::{Support, TaskCursor, TaskFilter},
};

/// A compiled filter of tasks.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TaskQuery {
    filter: TaskFilter,
    ignored: Vec<Ignored>,
}

#[wasm_bindgen]
impl TaskQuery {
    /// Parses the parameters of a `tasks/list` request.
    #[wasm_bindgen(constructor)]
    pub fn new(params: &str) -> Result<TaskQuery, JsValue> {
        Self::read(params).map_err(|error| refusal(&error))
    }

    /// Returns the indices of the matching tasks in a JSON array, in the order of the filter.
    pub fn select(&self, tasks: &str) -> Result<Vec<u32>, JsValue> {
        Raw::parse(tasks).and_then(|tasks| self.filter.select(tasks)).map_err(|error| refusal(&error))
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
        self.paged(tasks, cursor.as_deref(), limit, now as u64).map(plain).map_err(|error| refusal(&error))
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
        plain(answer::applied(self.filter.hash(), &self.filter.canonical(), &self.ignored))
    }
}

impl TaskQuery {
    fn read(params: &str) -> Result<Self, Error> {
        let ParsedFilter { filter, ignored } = TaskFilter::read(Some(Raw::parse(params)?))?;
        Ok(Self { filter, ignored })
    }

    fn paged(&self, tasks: &str, cursor: Option<&str>, limit: usize, now: u64) -> Result<Vec<u8>, Error> {
        // A registry has a single reader, so its cursors have no owner.
        let bound = TaskCursor { filter: self.filter.hash(), owner: 0 };
        let from = cursor.map(|token| bound.decode(token)).transpose()?;
        let page = self.filter.page(Raw::parse(tasks)?, from, limit, now)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        push_array(object.value("indices"), &page.indices, |out, at| out.extend(at.to_string().bytes()));
        page.next.iter().for_each(|next| object.text("nextCursor", &bound.encode(next)));
        object.close();
        Ok(out)
    }
}
