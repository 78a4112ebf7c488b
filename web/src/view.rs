//! The class `View`: the primitives, groups and tags that one caller sees.

use mcp_sieve::filter::ParsedFilter;
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::{
    Picker, Selection, decode,
    failure::{Failure, object},
    types::Facets,
};

/// The part of a sieve that one caller may see.
#[wasm_bindgen]
#[derive(Debug)]
pub struct View(mcp_sieve::View);

#[wasm_bindgen]
impl View {
    /// Selects the primitives of a kind that a filter keeps: an object, the parameters of a URL, or either as text.
    /// Without a filter, all are selected.
    ///
    /// Throws a `SieveError` with the code `json`, `expression`, `filter_type`, `filter_field`, `filter_limit` or
    /// `concern_value`.
    pub fn select(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Kind")] kind: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "FilterInput | URLSearchParams | string | null")]
        filter: JsValue,
    ) -> Result<Selection, Failure> {
        let ParsedFilter { filter, ignored, .. } = decode::filter(filter, self.0.on_unknown_member())?;
        Ok(Selection::new(self.0.list(decode::kind(kind)?, &filter)?, ignored))
    }

    /// Returns the groups and tags of visible primitives, and the declared concerns.
    pub fn facets(&self) -> Result<Ts<Facets>, Failure> {
        object(&Facets {
            groups: self.0.groups().into_iter().map(Into::into).collect(),
            tags: self.0.tags().into_iter().map(Into::into).collect(),
            concerns: self.0.concerns().map(Into::into).collect(),
        })
    }

    /// Returns the model of a user interface in which a person chooses a filter.
    pub fn picker(&self) -> Picker {
        Picker::new(self.0.picker())
    }
}

impl View {
    pub(crate) fn new(view: mcp_sieve::View) -> Self {
        Self(view)
    }
}
