use wasm_bindgen::prelude::*;

use super::{
    answer,
    value::{plain, refusal},
};
use crate::{
    error::{Error, Ignored},
    filter::ParsedFilter,
    json::Raw,
    task::Filter,
};

/// A filter of tasks, compiled.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TaskQuery {
    filter: Filter,
    ignored: Vec<Ignored>,
}

#[wasm_bindgen]
impl TaskQuery {
    /// Reads the parameters of a list of tasks.
    #[wasm_bindgen(constructor)]
    pub fn new(params: &str) -> Result<TaskQuery, JsValue> {
        Self::read(params).map_err(|error| refusal(&error))
    }

    /// The places of the tasks that are kept of those in a JSON array, in the order asked for.
    pub fn select(&self, tasks: &str) -> Result<Vec<u32>, JsValue> {
        Raw::parse(tasks).and_then(|tasks| self.filter.select(tasks)).map_err(|error| refusal(&error))
    }

    /// The canonical form, its hash and what of it had no effect.
    pub fn describe(&self) -> JsValue {
        plain(answer::applied(self.filter.hash(), &self.filter.canonical(), &self.ignored))
    }
}

impl TaskQuery {
    fn read(params: &str) -> Result<Self, Error> {
        let ParsedFilter { filter, ignored } = Filter::read(Some(Raw::parse(params)?))?;
        Ok(Self { filter, ignored })
    }
}
