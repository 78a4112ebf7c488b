//! The class `Picker`: the model of a user interface for choosing a filter.

use mcp_sieve::{
    filter::{Limit, OnUnknownMember},
    picker::{Mark, Preferences, Showing},
};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::{
    decode,
    failure::{Failure, json_object, object, objects},
    picker_types::{PickerConcern, PickerGroup, PickerRow, PickerSummary, PickerTag},
};

/// Maximum number of rows that one call returns.
const MAX_ROWS: usize = 1000;

/// The model of a user interface in which a person chooses a filter.
///
/// Each method that changes the choice is one step of `undo`, and returns whether it changed anything. If the result
/// were no valid filter, it throws a `SieveError` and changes nothing. Groups are passed by their index in `groups()`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Picker(mcp_sieve::picker::Picker);

#[wasm_bindgen]
impl Picker {
    /// Selects a group or server with its descendants, or deselects it if it is on.
    pub fn toggle(&mut self, group: usize) -> Result<bool, Failure> {
        Ok(self.0.toggle(group)?)
    }

    /// Excludes a group or server with its descendants, or ends that.
    pub fn exclude(&mut self, group: usize) -> Result<bool, Failure> {
        Ok(self.0.exclude(group)?)
    }

    /// Requires a tag (`must`), excludes it (`not`), or ends that (`any`).
    pub fn mark(
        &mut self,
        tag: &str,
        #[wasm_bindgen(unchecked_param_type = "TagMark")] mark: &str,
    ) -> Result<bool, Failure> {
        let mark = match mark {
            "any" => Mark::Indifferent,
            "must" => Mark::Must,
            "not" => Mark::MustNot,
            other => return Err(unknown("mark", other, "`any`, `must`, `not`")),
        };
        Ok(self.0.mark(tag, mark)?)
    }

    /// Sets the accepted values of a concern. An empty array accepts all.
    #[wasm_bindgen(js_name = setConcern)]
    pub fn set_concern(&mut self, concern: &str, values: Vec<String>) -> Result<bool, Failure> {
        Ok(self.0.set_concern(concern, &values)?)
    }

    /// Sets the words that primitives have to match. An empty text matches all.
    #[wasm_bindgen(js_name = setQuery)]
    pub fn set_query(&mut self, words: &str) -> Result<bool, Failure> {
        Ok(self.0.set_query(words)?)
    }

    /// Sets the maximum numbers of primitives and of tokens; `undefined` for no limit.
    #[wasm_bindgen(js_name = setLimit)]
    pub fn set_limit(&mut self, count: Option<u32>, tokens: Option<u32>) -> Result<bool, Failure> {
        Ok(self.0.set_limit(Limit { count, tokens })?)
    }

    /// Switches a primitive off, or on again.
    #[wasm_bindgen(js_name = setDisabled)]
    pub fn set_disabled(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Kind")] kind: &str,
        name: &str,
        disabled: bool,
    ) -> Result<bool, Failure> {
        Ok(self.0.disable(decode::kind(kind)?, name, disabled)?)
    }

    /// Switches a primitive on and pins it, so that a limit keeps it, or switches it off.
    #[wasm_bindgen(js_name = setUsed)]
    pub fn set_used(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Kind")] kind: &str,
        name: &str,
        used: bool,
    ) -> Result<bool, Failure> {
        let kind = decode::kind(kind)?;
        Ok(if used { self.0.pin(kind, name) } else { self.0.disable(kind, name, true) }?)
    }

    /// Adds a primitive to the favorites, or removes it.
    #[wasm_bindgen(js_name = setFavorite)]
    pub fn set_favorite(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Kind")] kind: &str,
        name: &str,
        favorite: bool,
    ) -> Result<bool, Failure> {
        Ok(self.0.set_favorite(decode::kind(kind)?, name, favorite)?)
    }

    /// Sets whether only favorites are selected. Without favorites, this has no effect.
    #[wasm_bindgen(js_name = setOnlyFavorites)]
    pub fn set_only_favorites(&mut self, on: bool) -> Result<bool, Failure> {
        Ok(self.0.set_only_favorites(on)?)
    }

    /// Replaces the choice by a filter, such as a preset. Primitives that are switched off stay off.
    pub fn set(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "FilterInput | URLSearchParams | string | null")]
        filter: JsValue,
    ) -> Result<bool, Failure> {
        Ok(self.0.set(&decode::filter(filter, OnUnknownMember::default())?.filter)?)
    }

    /// As `set`, for a filter that the program sets. A change clears the steps of `undo`.
    pub fn begin(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "FilterInput | URLSearchParams | string | null")]
        filter: JsValue,
    ) -> Result<bool, Failure> {
        Ok(self.0.begin(&decode::filter(filter, OnUnknownMember::default())?.filter)?)
    }

    /// Reverts the last step, of at most 100.
    pub fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// Repeats the step that `undo` reverted last.
    pub fn redo(&mut self) -> bool {
        self.0.redo()
    }

    /// Applies stored preferences. This clears the steps of `undo`.
    pub fn prefer(&mut self, preferences: &str) -> Result<bool, Failure> {
        let preferences: Preferences = preferences.parse()?;
        Ok(self.0.prefer(&preferences)?)
    }

    /// Returns the person's own part of the choice as text, to store in a `PreferenceStore`.
    pub fn preferences(&self) -> String {
        self.0.preferences().to_string()
    }

    /// Returns the filter of the choice, in canonical form.
    #[wasm_bindgen(unchecked_return_type = "AppliedFilter")]
    pub fn filter(&self) -> Result<JsValue, Failure> {
        json_object(&self.0.filter()?.to_string())
    }

    /// Returns the groups, depth first, below their servers if there are several.
    pub fn groups(&self) -> Result<Vec<Ts<PickerGroup>>, Failure> {
        let nodes = self.0.groups().iter().zip(self.0.group_counts());
        objects(nodes.map(|(node, counts)| PickerGroup::new(node, counts)))
    }

    /// Returns the tags.
    pub fn tags(&self) -> Result<Vec<Ts<PickerTag>>, Failure> {
        let tags = self.0.tags().iter().zip(self.0.tag_counts());
        objects(tags.map(|(tag, counts)| PickerTag::new(tag, counts)))
    }

    /// Returns the declared concerns.
    pub fn concerns(&self) -> Result<Vec<Ts<PickerConcern>>, Failure> {
        let mut counts = self.0.value_counts().into_iter();
        objects(self.0.concerns().map(|concern| PickerConcern::new(concern, &mut counts)))
    }

    /// Returns the choice in numbers.
    pub fn summary(&self) -> Result<Ts<PickerSummary>, Failure> {
        object(&PickerSummary::from(&self.0))
    }

    /// Returns the rows from `from` up to, but not including, `to`; at most 1000.
    pub fn rows(&self, from: usize, to: usize) -> Result<Vec<Ts<PickerRow>>, Failure> {
        let to = to.min(from.saturating_add(MAX_ROWS));
        objects((from..to).map_while(|at| self.0.row(at)).map(PickerRow::from))
    }

    /// The kind of rows and counts, initially `tools`.
    #[wasm_bindgen(getter, unchecked_return_type = "Kind")]
    pub fn kind(&self) -> String {
        self.0.kind().list_key().to_owned()
    }

    /// Sets the kind of rows and counts.
    #[wasm_bindgen(js_name = showKind)]
    pub fn show_kind(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Kind")] kind: &str,
    ) -> Result<(), Failure> {
        self.0.show_kind(decode::kind(kind)?);
        Ok(())
    }

    /// Sets the rows: those that match (`left`), the hidden ones, those that the limit drops (best first), or all.
    pub fn show(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "\"left\" | \"hidden\" | \"dropped\" | \"all\"")] rows: &str,
    ) -> Result<(), Failure> {
        self.0.show(match rows {
            "left" => Showing::Matching,
            "hidden" => Showing::Hidden,
            "dropped" => Showing::Dropped,
            "all" => Showing::All,
            other => return Err(unknown("rows", other, "`left`, `hidden`, `dropped`, `all`")),
        });
        Ok(())
    }

    /// Searches the rows by words, best first. The filter does not change.
    pub fn find(&mut self, words: &str) {
        self.0.find(words);
    }
}

impl Picker {
    pub(crate) fn new(picker: mcp_sieve::picker::Picker) -> Self {
        Self(picker)
    }
}

fn unknown(what: &str, got: &str, known: &str) -> Failure {
    Failure::new("invalid_option", format!("unknown {what} `{got}`, expected one of {known}"))
}
