//! The class `Picker`: a user's choice of primitives, for JavaScript user interfaces.

use mcp_sieve::{
    Error, Filter, Kind,
    expr::Expr,
    filter::Limit,
    json::Raw,
    picker::{Checked, Counts, Mark, Picker as Core, Preferences, Showing},
};
use mcp_sieve_bindings_value::{plain, refusal};
use wasm_bindgen::prelude::*;

use super::{answer, engine::Engine};

/// A user's choice from the catalog of an engine.
///
/// A group is passed as its index in the result of `facets`, and a kind as its index in [`Kind::ALL`]. Methods that
/// change the choice return whether it changed.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Picker {
    core: Core,
    /// The expression for the tools that every disclosure mode lists.
    always: Option<Expr>,
    numbers: Vec<u32>,
}

#[wasm_bindgen]
impl Picker {
    /// Creates a picker without any choice. The picker stays valid after the engine is freed.
    #[wasm_bindgen(constructor)]
    pub fn new(engine: &Engine) -> Self {
        Self { core: engine.picker(), always: engine.always(), numbers: Vec::new() }
    }

    /// Adds a group and the groups below it, or removes them.
    pub fn toggle(&mut self, at: usize) -> Result<bool, JsValue> {
        js_result(self.core.toggle(at))
    }

    /// Excludes a group, or ends its exclusion.
    pub fn exclude(&mut self, at: usize) -> Result<bool, JsValue> {
        js_result(self.core.exclude(at))
    }

    /// Ignores a tag (0), requires it (1), or excludes it (2).
    pub fn mark(&mut self, tag: &str, mark: u32) -> Result<bool, JsValue> {
        let mark = match mark {
            1 => Mark::Must,
            2 => Mark::MustNot,
            _ => Mark::Indifferent,
        };
        js_result(self.core.mark(tag, mark))
    }

    /// Sets the accepted values of a concern, as a JSON array of strings. An empty array accepts all.
    pub fn set_concern(&mut self, concern: &str, values: &str) -> Result<bool, JsValue> {
        let values = Raw::parse(values).ok().and_then(Raw::elements).unwrap_or_default();
        let values: Vec<String> = values.into_iter().filter_map(Raw::text).map(Into::into).collect();
        js_result(self.core.set_concern(concern, &values))
    }

    /// Selects the primitives that match words. Empty words select all.
    pub fn set_query(&mut self, words: &str) -> Result<bool, JsValue> {
        js_result(self.core.set_query(words))
    }

    /// Disables a primitive, or enables it again.
    pub fn disable(&mut self, kind: usize, name: &str, off: bool) -> Result<bool, JsValue> {
        js_result(self.core.disable(kind_at(kind), name, off))
    }

    /// Enables a primitive and pins it.
    pub fn pin(&mut self, kind: usize, name: &str) -> Result<bool, JsValue> {
        js_result(self.core.pin(kind_at(kind), name))
    }

    /// Adds a primitive to the favorites, or removes it.
    pub fn set_favorite(&mut self, kind: usize, name: &str, on: bool) -> Result<bool, JsValue> {
        js_result(self.core.set_favorite(kind_at(kind), name, on))
    }

    /// Sets whether only favorites are selected.
    pub fn set_only_favorites(&mut self, on: bool) -> Result<bool, JsValue> {
        js_result(self.core.set_only_favorites(on))
    }

    /// Sets the maximum number of primitives and of tokens.
    pub fn limit(&mut self, count: Option<u32>, tokens: Option<u32>) -> Result<bool, JsValue> {
        js_result(self.core.set_limit(Limit { count, tokens }))
    }

    /// Sets the choice to a filter. Disabled primitives and favorites stay.
    pub fn set(&mut self, filter: &str) -> Result<bool, JsValue> {
        js_result(filter.parse().and_then(|filter: Filter| self.core.set(&filter)))
    }

    /// Sets the choice to a filter from a program, which cannot be undone.
    pub fn begin(&mut self, filter: &str) -> Result<bool, JsValue> {
        js_result(filter.parse().and_then(|filter: Filter| self.core.begin(&filter)))
    }

    /// Sets the choice to stored preferences, which cannot be undone.
    pub fn prefer(&mut self, preferences: &str) -> Result<bool, JsValue> {
        js_result(preferences.parse().and_then(|preferences: Preferences| self.core.prefer(&preferences)))
    }

    /// Undoes the last change.
    pub fn undo(&mut self) -> bool {
        self.core.undo()
    }

    /// Redoes the change that was undone last.
    pub fn redo(&mut self) -> bool {
        self.core.redo()
    }

    /// Sets the kind of the rows.
    pub fn show_kind(&mut self, kind: usize) {
        self.core.show_kind(kind_at(kind));
    }

    /// Sets the rows to show: the selected (0), the hidden (1), all (2), or those that the limit drops (3).
    pub fn show(&mut self, showing: u32) {
        self.core.show(match showing {
            1 => Showing::Hidden,
            2 => Showing::All,
            3 => Showing::Dropped,
            _ => Showing::Matching,
        });
    }

    /// Shows only the rows that match words. The choice does not change.
    pub fn find(&mut self, words: &str) {
        self.core.find(words);
    }

    /// Builds the search index, which the first search would otherwise do.
    pub fn prepare(&self) {
        self.core.prepare();
    }

    /// Returns the groups, tags and concerns, in the order of [`Picker::counts`].
    pub fn facets(&self) -> JsValue {
        plain(answer::facets(&self.core))
    }

    /// Writes numbers at [`Picker::address`], and returns how many.
    ///
    /// There are three for each group, then for each tag, then for each listed value of each concern: its state, the
    /// number of its primitives, and how many of these match the rest of the choice.
    pub fn counts(&mut self) -> usize {
        fn push<T>(numbers: &mut Vec<u32>, counts: Vec<Counts<T>>, state: impl Fn(T) -> u32) {
            for Counts { state: now, members, left, .. } in counts {
                numbers.extend([state(now), members as u32, left as u32]);
            }
        }
        self.numbers.clear();
        push(&mut self.numbers, self.core.group_counts(), |state| match state {
            Checked::Off => 0,
            Checked::On => 1,
            Checked::Mixed => 2,
            Checked::Excluded => 3,
        });
        push(&mut self.numbers, self.core.tag_counts(), |mark| match mark {
            Mark::Indifferent => 0,
            Mark::Must => 1,
            Mark::MustNot => 2,
        });
        push(&mut self.numbers, self.core.value_counts(), u32::from);
        self.numbers.len()
    }

    /// Writes the rows at [`Picker::address`], as indices among the visible primitives, and returns their number.
    pub fn order(&mut self) -> usize {
        self.numbers.clear();
        let visible = self.core.view().bits(self.core.kind());
        let places = self.core.order().iter().map(|index| visible.count_below(*index as usize) as u32);
        self.numbers.extend(places);
        self.numbers.len()
    }

    /// Returns the address of the numbers that were written last.
    pub fn address(&self) -> usize {
        self.numbers.as_ptr() as usize
    }

    /// Returns the rows from `from` up to `to`, `to` excluded, at most `MAX_WINDOW`.
    pub fn rows(&self, from: usize, to: usize) -> JsValue {
        let to = to.min(from.saturating_add(MAX_WINDOW));
        plain(answer::rows((from..to).map_while(|at| self.core.row(at))))
    }

    /// Returns the choice as numbers and flags, and the number of rows.
    pub fn summary(&self) -> JsValue {
        plain(answer::summary(&self.core))
    }

    /// Returns the tools and tokens that each disclosure mode would list of the selected tools; an empty array while
    /// another kind is shown.
    pub fn disclosure(&self) -> JsValue {
        match self.core.kind() {
            Kind::Tool => plain(answer::disclosure(&self.core, self.always.as_ref())),
            _ => plain(b"[]".to_vec()),
        }
    }

    /// Returns the filter of the choice, as canonical JSON; for another catalog without the names that its limit keeps.
    pub fn filter(&self, plain: bool) -> Result<String, JsValue> {
        let filter = if plain { self.core.plain_filter() } else { self.core.filter() };
        js_result(filter.map(|filter| filter.to_string()))
    }
}

/// Maximum number of rows that one call returns.
const MAX_WINDOW: usize = 1000;

fn kind_at(place: usize) -> Kind {
    Kind::ALL.get(place).copied().unwrap_or(Kind::Tool)
}

fn js_result<T>(outcome: Result<T, Error>) -> Result<T, JsValue> {
    outcome.map_err(|error| refusal(&error))
}
