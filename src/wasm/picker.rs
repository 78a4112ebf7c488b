use wasm_bindgen::prelude::*;

use super::{
    answer,
    engine::Engine,
    value::{plain, refusal},
};
use crate::{
    catalog::Kind,
    error::Error,
    expr::Expr,
    filter::{Filter, Limit},
    json::{Raw, elements, text},
    picker::{Checked, Counts, Mark, Picker as Core, Preferences, Showing},
};

/// What a person chooses from the catalog of an engine. Groups go by their place in what `facets` lists, and a
/// kind by its place in [`Kind::ALL`]; each change says whether it changed anything.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Picker {
    core: Core,
    /// The tools that every disclosure mode lists.
    always: Option<Expr>,
    numbers: Vec<u32>,
}

#[wasm_bindgen]
impl Picker {
    /// Nothing is chosen yet. The picker outlives the engine.
    #[wasm_bindgen(constructor)]
    pub fn new(engine: &Engine) -> Self {
        Self { core: engine.picker(), always: engine.always(), numbers: Vec::new() }
    }

    /// Puts a group in with what is below it, or out.
    pub fn toggle(&mut self, at: usize) -> Result<bool, JsValue> {
        said(self.core.toggle(at))
    }

    /// Leaves a group out, or no longer.
    pub fn refuse(&mut self, at: usize) -> Result<bool, JsValue> {
        said(self.core.refuse(at))
    }

    /// Wants nothing of a tag (0), that it is there (1), or that it is not (2).
    pub fn mark(&mut self, tag: &str, mark: u32) -> Result<bool, JsValue> {
        let mark = match mark {
            1 => Mark::Must,
            2 => Mark::MustNot,
            _ => Mark::Indifferent,
        };
        said(self.core.mark(tag, mark))
    }

    /// Asks values of a concern, a JSON array of texts.
    pub fn wish(&mut self, concern: &str, values: &str) -> Result<bool, JsValue> {
        let values = Raw::parse(values).ok().and_then(elements).unwrap_or_default();
        let values: Vec<String> = values.into_iter().filter_map(text).map(Into::into).collect();
        said(self.core.wish(concern, &values))
    }

    /// Keeps what words are about.
    pub fn about(&mut self, words: &str) -> Result<bool, JsValue> {
        said(self.core.about(words))
    }

    /// Switches a primitive off, or on.
    pub fn disable(&mut self, kind: usize, name: &str, off: bool) -> Result<bool, JsValue> {
        said(self.core.disable(kind_at(kind), name, off))
    }

    /// Keeps a primitive at hand, or no longer.
    pub fn favour(&mut self, kind: usize, name: &str, on: bool) -> Result<bool, JsValue> {
        said(self.core.favour(kind_at(kind), name, on))
    }

    /// Keeps favourites alone.
    pub fn only_favourites(&mut self, on: bool) -> Result<bool, JsValue> {
        said(self.core.only_favourites(on))
    }

    /// Takes at most so many primitives and tokens.
    pub fn limit(&mut self, count: Option<u32>, tokens: Option<u32>) -> Result<bool, JsValue> {
        said(self.core.set_limit(Limit { count, tokens }))
    }

    /// Chooses what a filter asks for.
    pub fn set(&mut self, filter: &str) -> Result<bool, JsValue> {
        said(filter.parse().and_then(|filter: Filter| self.core.set(&filter)))
    }

    /// Begins with a filter.
    pub fn begin(&mut self, filter: &str) -> Result<bool, JsValue> {
        said(filter.parse().and_then(|filter: Filter| self.core.begin(&filter)))
    }

    /// Begins with kept preferences.
    pub fn prefer(&mut self, preferences: &str) -> Result<bool, JsValue> {
        said(Preferences::read(preferences).and_then(|preferences| self.core.prefer(&preferences)))
    }

    /// What of the choice is to be kept, as text.
    pub fn preferences(&self) -> String {
        self.core.preferences().text()
    }

    /// Takes a step back.
    pub fn undo(&mut self) -> bool {
        self.core.undo()
    }

    /// Takes it again.
    pub fn redo(&mut self) -> bool {
        self.core.redo()
    }

    /// Shows a kind.
    pub fn show_kind(&mut self, kind: usize) {
        self.core.show_kind(kind_at(kind));
    }

    /// Shows what is left (0), hidden (1), all (2), or what the limit drops (3).
    pub fn show(&mut self, showing: u32) {
        self.core.show(match showing {
            1 => Showing::Hidden,
            2 => Showing::All,
            3 => Showing::Dropped,
            _ => Showing::Left,
        });
    }

    /// Shows what words find.
    pub fn find(&mut self, words: &str) {
        self.core.find(words);
    }

    /// Makes what words are found by.
    pub fn prepare(&self) {
        self.core.prepare();
    }

    /// Groups, tags and concerns, in the order of the numbers.
    pub fn facets(&self) -> JsValue {
        plain(answer::facets(&self.core))
    }

    /// Writes numbers at [`Picker::address`]: three for each group, then for each tag, then for each listed value of
    /// each concern. They are its state, how many primitives it holds, and how many of them the rest leaves.
    pub fn counts(&mut self) -> usize {
        fn push<T>(numbers: &mut Vec<u32>, counts: Vec<Counts<T>>, state: impl Fn(T) -> u32) {
            for Counts { state: now, members, left } in counts {
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

    /// Writes the rows as places among the visible at [`Picker::address`]; gives how many there are.
    pub fn order(&mut self) -> usize {
        self.numbers.clear();
        let visible = self.core.view().bits(self.core.kind());
        let places = self.core.order().iter().map(|index| visible.count_below(*index as usize) as u32);
        self.numbers.extend(places);
        self.numbers.len()
    }

    /// Where the numbers last written start, in bytes.
    pub fn address(&self) -> usize {
        self.numbers.as_ptr() as usize
    }

    /// The rows from one place to before another, at most [`MAX_WINDOW`].
    pub fn rows(&self, from: usize, to: usize) -> JsValue {
        let to = to.min(from.saturating_add(MAX_WINDOW));
        plain(answer::rows((from..to).map_while(|at| self.core.row(at))))
    }

    /// The choice as numbers and flags, and how many rows there are.
    pub fn summary(&self) -> JsValue {
        plain(answer::summary(&self.core))
    }

    /// What each disclosure mode would list of the tools that are left; nothing while another kind is shown.
    pub fn disclosure(&self) -> JsValue {
        match self.core.kind() {
            Kind::Tool => plain(answer::disclosure(&self.core, self.always.as_ref())),
            _ => plain(b"[]".to_vec()),
        }
    }

    /// The filter, as canonical JSON text.
    pub fn filter(&self) -> Result<String, JsValue> {
        said(self.core.filter().map(|filter| filter.to_string()))
    }
}

/// Most rows that cross at once.
const MAX_WINDOW: usize = 1000;

fn kind_at(place: usize) -> Kind {
    Kind::ALL.get(place).copied().unwrap_or(Kind::Tool)
}

fn said<T>(outcome: Result<T, Error>) -> Result<T, JsValue> {
    outcome.map_err(|error| refusal(&error))
}
