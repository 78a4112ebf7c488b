//! The class `Engine`: a compiled catalog with filters, lists and searches, for JavaScript.

use std::{collections::HashMap, rc::Rc, sync::Arc};

use mcp_sieve::{
    Error, ErrorKind, Filter, Hashing, Ignored, Kind,
    catalog::{Bitset, Catalog, Lists, Report, Source, SourceText},
    concern::{Concerns, OnInvalid},
    expr::{Expr, NoCaller},
    filter::{Fields, Narrowing, Selection, SettledFilter},
    lock::Lock,
    picker::Picker,
    policy::{CallerContext, View},
    rank::Scratch,
};
use mcp_sieve_bindings_value::{plain, refusal};
use wasm_bindgen::prelude::*;

use super::{
    Judges, answer,
    caller::admitted,
    compiled::{Compiled, settings},
};

/// Maximum number of filters in the cache of compiled filters. Before one more is added, the cache is cleared.
const MAX_RECENT: usize = 64;
/// Maximum length, in bytes, of a filter's text in the cache. A longer filter is compiled each time.
const MAX_RECENT_LENGTH: usize = 4096;

/// The error for a configuration with several servers. Lists do not name their server, so they cannot be assigned.
const SEVERAL: &str = "several servers, but the lists are of one; \
    name the server of each: `Sieve.compile([{ server, lists }, …], config)`";

/// A compiled catalog and the filters compiled against it.
///
/// A slot identifies a filter: slot `0` selects everything, `pin` returns a slot that is valid until `release`, and
/// `find` returns one for immediate use. A kind is passed as its index in [`Kind::ALL`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    compiled: Rc<Compiled>,
    view: View,
    /// The reports about primitives that policies and predicates could not judge.
    undecided: Vec<Report>,
    /// The concerns of the view.
    concerns: Concerns,
    filters: Vec<Option<Filtering>>,
    recent: HashMap<Arc<str>, usize, Hashing>,
    /// The slot of the last filter that was too long to remember.
    passing: usize,
    selection: Selection,
    scratch: Scratch,
    bytes: Vec<u8>,
    indices: Vec<u32>,
}

/// A buffer for lists that JavaScript writes in parts, so that the whole text is not in memory on both sides.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Inbox(SourceText);

#[wasm_bindgen]
impl Inbox {
    /// Creates a buffer for a text of `length` bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Self {
        Self(SourceText::with_room(length))
    }

    /// Returns the address to which to write the next `length` bytes of the text.
    pub fn room(&mut self, length: usize) -> usize {
        self.0.room(length).as_ptr() as usize
    }
}

impl Inbox {
    /// Returns the text, once it is complete.
    pub(super) fn into_text(self) -> SourceText {
        self.0
    }
}

/// A filter, compiled against the view.
#[derive(Debug)]
struct Filtering {
    narrowing: Narrowing,
    filter: Filter,
}

#[wasm_bindgen]
impl Engine {
    /// Compiles list results (UTF-8 JSON), which the engine keeps, with an optional configuration (JSONC) and
    /// predicates.
    #[wasm_bindgen(constructor)]
    pub fn new(lists: Inbox, config: Option<String>, predicates: Option<Judges>) -> Result<Engine, JsValue> {
        Self::compile(lists, config, predicates).map_err(|error| refusal(&error))
    }

    /// Returns the text of a configuration with the text of the lock that it is under.
    pub fn locked(config: &str, lock: &str) -> Result<String, JsValue> {
        Lock::write_into(config, lock).map_err(|error| refusal(&error))
    }

    /// Restores an engine from a snapshot. Snapshots have no predicates, so they are passed again.
    pub fn restore(snapshot: Vec<u8>, predicates: Option<Judges>) -> Result<Engine, JsValue> {
        let restored = Compiled::restore(snapshot).map_err(|error| refusal(&error))?;
        Ok(Self::over(restored, predicates))
    }

    /// Returns the engine of what a caller sees, whose description is JSON. Its predicates are called again.
    pub fn seen_by(&self, caller: &str, predicates: Option<Judges>) -> Result<Engine, JsValue> {
        let caller = admitted(caller, &self.compiled.settings)?;
        let bound = caller.bind(&self.compiled.settings.engine.presets);
        Ok(Self::seen(Rc::clone(&self.compiled), &bound, predicates))
    }

    /// Writes the catalog and its configuration at [`Engine::list_address`], and returns the length in bytes.
    pub fn snapshot(&mut self) -> usize {
        self.bytes = self.compiled.snapshot();
        self.bytes.len()
    }

    /// Compiles a filter, and returns a slot that is valid until [`Engine::release`].
    pub fn pin(&mut self, filter: &str) -> Result<usize, JsValue> {
        Filter::parse_with(filter, self.compiled.settings.engine.on_unknown_member)
            .and_then(|parsed| self.add(parsed.filter, parsed.ignored))
            .map_err(|error| refusal(&error))
    }

    /// Compiles the filter in the query of a URL, and returns a slot that is valid until [`Engine::release`].
    pub fn pin_query(&mut self, query: &str) -> Result<usize, JsValue> {
        Filter::from_query_with(query, &self.compiled.settings.engine.toolsets)
            .and_then(|parsed| self.add(parsed.filter, parsed.ignored))
            .map_err(|error| refusal(&error))
    }

    /// Releases a slot of `pin`.
    pub fn release(&mut self, slot: usize) {
        if let Some(filter) = self.filters.get_mut(slot).filter(|_| slot > 0) {
            *filter = None;
        }
    }

    /// Returns the slot of a filter for immediate use, compiled or from the cache. A later call may release the slot.
    pub fn find(&mut self, filter: &str) -> Result<usize, JsValue> {
        if let Some(slot) = self.recent.get(filter) {
            return Ok(*slot);
        }
        if filter.len() > MAX_RECENT_LENGTH {
            self.release(self.passing);
            self.passing = 0;
            self.passing = self.pin(filter)?;
            return Ok(self.passing);
        }
        if self.recent.len() >= MAX_RECENT {
            let stale: Vec<usize> = self.recent.drain().map(|(_, slot)| slot).collect();
            stale.into_iter().for_each(|slot| self.release(slot));
        }
        let slot = self.pin(filter)?;
        self.recent.insert(filter.into(), slot);
        Ok(slot)
    }

    /// Returns whether a filter searches by words. The host may have to load the code for searches first.
    pub fn searches(&self, slot: usize) -> bool {
        matches!(self.filters.get(slot), Some(Some(compiled)) if compiled.narrowing.searches())
    }

    /// Returns the number of primitives of a kind that match.
    pub fn count(&mut self, slot: usize, kind: usize) -> usize {
        self.select(slot, kind);
        self.selection.bits().count()
    }

    /// Writes the indices of the matches at [`Engine::indices_address`], and returns their number. An index counts
    /// visible primitives only, so that hidden ones leave no gap.
    pub fn indices(&mut self, slot: usize, kind: usize) -> usize {
        let kind = self.select(slot, kind);
        let (visible, selected) = (self.view.bits(kind), self.selection.bits());
        self.indices.clear();
        if visible == self.view.catalog().kind_index(kind).all() {
            selected.write_indices(&mut self.indices);
        } else {
            let places = (0u32..).zip(visible.iter());
            self.indices
                .extend(places.filter(|(_, index)| selected.contains(*index)).map(|(place, _)| place));
        }
        self.indices.len()
    }

    /// Returns the address of the indices that were written last.
    pub fn indices_address(&self) -> usize {
        self.indices.as_ptr() as usize
    }

    /// Writes the list result at [`Engine::list_address`], and returns its length in bytes.
    pub fn list(&mut self, slot: usize, kind: usize) -> usize {
        let kind = self.select(slot, kind);
        let out = &mut self.bytes;
        out.clear();
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(kind.list_key().as_bytes());
        out.extend_from_slice(b"\":[");
        let whole = Fields::default();
        let fields = match self.filters.get(slot) {
            Some(Some(compiled)) => compiled.narrowing.fields(),
            _ => &whole,
        };
        Fields::write_page(
            self.view.catalog().kind_index(kind),
            self.selection.bits(),
            fields,
            0,
            usize::MAX,
            out,
        );
        out.extend_from_slice(b"]}");
        out.len()
    }

    /// Returns the number of tokens that the matches take in a model's context: `{count, exact}`.
    pub fn tokens(&mut self, slot: usize, kind: usize) -> JsValue {
        let kind = self.select(slot, kind);
        plain(answer::tokens(self.view.catalog().tokens(kind, self.selection.bits())))
    }

    /// Returns the address of the list result or snapshot that was written last.
    pub fn list_address(&self) -> usize {
        self.bytes.as_ptr() as usize
    }

    /// Returns the names, `uri`s or `uriTemplate`s of the matches.
    pub fn names(&mut self, slot: usize, kind: usize) -> JsValue {
        let kind = self.select(slot, kind);
        plain(answer::names(self.view.catalog().kind_index(kind), self.selection.bits()))
    }

    /// Returns whether a primitive matches, and the first reason if it does not.
    pub fn explain(&self, name: &str, slot: usize, kind: usize) -> JsValue {
        let (Some(kind), Some(Some(compiled))) = (Kind::ALL.get(kind), self.filters.get(slot)) else {
            return JsValue::UNDEFINED;
        };
        let explanation = self.view.explain(&compiled.narrowing, *kind, name);
        let mut out = Vec::new();
        explanation.write(&mut out);
        plain(out)
    }

    /// Searches the matches of a filter by words. Returns at most `limit` hits, the best first, each with its index
    /// among the visible primitives, its name and its score.
    pub fn search(&mut self, text: &str, slot: usize, kind: usize, limit: usize) -> JsValue {
        let kind = self.select(slot, kind);
        let (index, kind_index) = (self.view.index(kind), self.view.catalog().kind_index(kind));
        let hits = index.search_within(text, self.selection.bits(), limit, &mut self.scratch);
        plain(answer::hits(kind_index, self.view.bits(kind), hits))
    }

    /// Searches as [`Engine::search`] does, combined with the scores of a ranker, one for each match.
    pub fn search_ranked(
        &mut self,
        text: &str,
        slot: usize,
        kind: usize,
        limit: usize,
        scores: &[f32],
    ) -> JsValue {
        let kind = self.select(slot, kind);
        let (index, kind_index) = (self.view.index(kind), self.view.catalog().kind_index(kind));
        let hits = index.search_ranked(text, self.selection.bits(), scores, limit, &mut self.scratch);
        plain(answer::hits(kind_index, self.view.bits(kind), &hits))
    }

    /// Returns the canonical form of a filter, its hash, and its parts that had no effect.
    pub fn describe(&self, slot: usize) -> JsValue {
        let Some(Some(Filtering { narrowing, filter })) = self.filters.get(slot) else {
            return JsValue::UNDEFINED;
        };
        plain(answer::filter(filter, narrowing))
    }

    /// Returns the hash, groups, tags, concerns and reports of the catalog, and what differs from the lock.
    pub fn about(&self) -> JsValue {
        let reports = [self.compiled.undeclared_concerns(), self.undecided.clone()].concat();
        plain(answer::catalog(&self.view, &self.concerns, &reports, &self.compiled.problems()))
    }
}

impl Engine {
    fn compile(
        Inbox(lists): Inbox,
        config: Option<String>,
        predicates: Option<Judges>,
    ) -> Result<Self, Error> {
        let settings = settings(config.as_deref())?;
        let server = match settings.upstreams.as_slice() {
            [] => settings.upstream.name.clone(),
            [only] => only.name.clone(),
            [..] => return Err(Error::new(ErrorKind::Config, SEVERAL).field("upstreams")),
        };
        let source = Source { server: &server, lists: Lists::take(lists)? };
        let compiled = Compiled::new([source], settings, config, |[source], settings| {
            Catalog::keep(source, &settings.engine.assignments)
        });
        Ok(Self::over(compiled, predicates))
    }

    /// Returns the engine of a catalog for a caller of whom nothing is known.
    pub(super) fn over(compiled: Compiled, predicates: Option<Judges>) -> Self {
        Self::seen(Rc::new(compiled), &NoCaller, predicates)
    }

    /// Returns the engine of what a caller sees of a catalog.
    fn seen(compiled: Rc<Compiled>, caller: &dyn CallerContext, predicates: Option<Judges>) -> Self {
        let (view, undecided) = compiled.view(caller, predicates);
        let everything = Filtering { narrowing: Narrowing::default(), filter: Filter::default() };
        Self {
            concerns: compiled.concerns(&view),
            view,
            undecided,
            compiled,
            filters: vec![Some(everything)],
            recent: HashMap::default(),
            passing: 0,
            selection: Selection::default(),
            scratch: Scratch::default(),
            bytes: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// Returns the view of the catalog that policies and predicates allow.
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    /// Returns the tools that the filter of a slot selects.
    pub(super) fn selected(&mut self, slot: usize) -> Bitset {
        self.select(slot, Kind::Tool as usize);
        self.selection.bits().clone()
    }

    /// Returns a picker for the visible primitives.
    pub(super) fn picker(&self) -> Picker {
        Picker::new(&self.view, &self.concerns, self.on_invalid())
    }

    /// Returns the expression for the tools that every disclosure mode lists, if the configuration has one.
    pub(super) fn always(&self) -> Option<Expr> {
        self.compiled.settings.disclosure.always.clone()
    }

    fn on_invalid(&self) -> OnInvalid {
        self.compiled.settings.engine.on_invalid_concern
    }

    fn add(&mut self, filter: Filter, ignored: Vec<Ignored>) -> Result<usize, Error> {
        let SettledFilter { filter, narrowing } = filter.with_server_defaults(&Filter::default()).settle(
            &self.view,
            &self.concerns,
            self.on_invalid(),
            ignored,
        )?;
        let compiled = Some(Filtering { narrowing, filter });
        match self.filters.iter().position(Option::is_none) {
            Some(free) => {
                if let Some(slot) = self.filters.get_mut(free) {
                    *slot = compiled;
                }
                Ok(free)
            }
            None => {
                self.filters.push(compiled);
                Ok(self.filters.len() - 1)
            }
        }
    }

    /// Writes the matches to `self.selection`, and returns the kind. A released slot matches nothing.
    fn select(&mut self, slot: usize, kind: usize) -> Kind {
        let kind = Kind::ALL.get(kind).copied().unwrap_or(Kind::Tool);
        match self.filters.get(slot) {
            Some(Some(compiled)) => {
                self.view.select(&compiled.narrowing, kind, &mut self.selection);
            }
            _ => self.selection.clear(),
        }
        kind
    }
}
