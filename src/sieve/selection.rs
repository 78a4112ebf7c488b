//! The primitives that a filter selects: names, JSON, tokens, explanations and search.

use std::fmt;

use crate::{
    catalog::{Bitset, Kind, Primitive, Tokens},
    error::{Ignored, UnknownName},
    filter::{self, Explanation, Fields, Filter, SettledFilter},
    json::Object,
    policy,
    rank::{Hit, Ranker, Scratch},
};

/// The primitives of one kind that a filter keeps of a [`View`](crate::View), in the order of the server's list.
///
/// ```
/// use mcp_sieve::{Caller, Config, Filter, Sieve};
///
/// let lists = r#"{"prompts":[{"name":"create_issue"},{"name":"send_mail"}]}"#;
/// let sieve = Sieve::compile(lists, &Config::default())?;
/// let filter: Filter = r#"{"namePatterns":["create_*"]}"#.parse()?;
/// let prompts = sieve.view(&Caller::anonymous()).prompts(&filter)?;
///
/// assert_eq!(prompts.names().collect::<Vec<_>>(), ["create_issue"]);
/// assert_eq!(prompts.json(), r#"{"prompts":[{"name":"create_issue"}]}"#);
/// assert_eq!(prompts.explain("send_mail").reason.map(|reason| reason.rule), Some("namePatterns"));
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Clone)]
pub struct Selection {
    pub(super) view: policy::View,
    pub(super) kind: Kind,
    settled: SettledFilter,
    pub(super) bits: Bitset,
    /// How many primitives match, before the limit of the filter.
    matched: usize,
}

/// Writes the number of selected primitives.
impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection")
            .field("kind", &self.kind)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl Selection {
    pub(super) fn new(view: policy::View, kind: Kind, settled: SettledFilter) -> Self {
        let mut selection = filter::Selection::default();
        let bits = view.select(&settled.narrowing, kind, &mut selection).clone();
        Self { view, kind, settled, bits, matched: selection.matched() }
    }

    /// Returns the filter as it is applied: concerns have their declared spelling, and the defaults that apply.
    pub fn filter(&self) -> &Filter {
        &self.settled.filter
    }

    /// Returns the kind of the primitives.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns how many primitives are selected.
    pub fn len(&self) -> usize {
        self.bits.count()
    }

    /// Returns whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the names. Resources go by their `uri`, templates by their `uriTemplate`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let index = self.view.catalog().kind_index(self.kind);
        self.bits.iter().filter_map(|at| index.id(at))
    }

    /// Iterates over the primitives.
    pub fn iter(&self) -> impl Iterator<Item = Primitive<'_>> {
        self.bits.iter().filter_map(|at| self.view.catalog().primitive(self.kind, at))
    }

    /// Writes the list result that holds the selected primitives, `{"tools":[…]}`, each as its server wrote it, with
    /// the groups, tags and concerns that the configuration adds. `fields` of the filter leave out other members.
    pub fn json(&self) -> String {
        let mut out = format!("{{\"{}\":[", self.kind.list_key()).into_bytes();
        let index = self.view.catalog().kind_index(self.kind);
        Fields::write_page(index, &self.bits, self.settled.narrowing.fields(), 0, usize::MAX, &mut out);
        out.extend_from_slice(b"]}");
        // Lists are text, and are cut between primitives.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns how many tokens of a model's context the selected primitives take, with all of their fields.
    pub fn tokens(&self) -> Tokens {
        self.view.catalog().tokens(self.kind, &self.bits)
    }

    /// Returns the parts of the filter that had no effect, such as a concern that nothing declares.
    pub fn ignored(&self) -> &[Ignored] {
        self.settled.narrowing.ignored()
    }

    /// Writes the report on the filter, a JSON object for `_meta["dev.mcpsieve/filter"]` of the list result: the filter as
    /// it is `applied`, the parts that are `ignored`, how many primitives the caller sees in `total`, how many are
    /// `matched`, and how many of these a limit leaves in `limited`. `None` for a list without a filter.
    pub fn report(&self) -> Option<String> {
        if self.filter().is_empty() && self.ignored().is_empty() && self.unknown().is_empty() {
            return None;
        }
        let mut out = Vec::new();
        let mut report = Object::open(&mut out);
        report.raw("applied", &self.filter().canonical());
        report.filter_report(self.ignored(), self.unknown());
        report.raw("total", self.view.count(self.kind).to_string().as_bytes());
        report.raw("matched", self.matched.to_string().as_bytes());
        if self.len() < self.matched {
            report.raw("limited", self.len().to_string().as_bytes());
        }
        report.close();
        String::from_utf8(out).ok()
    }

    /// Returns the names in the filter that no primitive of the view has.
    pub fn unknown(&self) -> &[UnknownName] {
        self.settled.narrowing.unknown()
    }

    /// Returns whether the primitive of that name, `uri` or `uriTemplate` is selected, and if not, why.
    pub fn explain(&self, name: &str) -> Explanation {
        self.view.explain(&self.settled.narrowing, self.kind, name)
    }

    /// Returns the selected primitives that match words of a person, best matches first, at most `limit`.
    pub fn search(&self, words: &str, limit: usize) -> Vec<Match> {
        let mut scratch = Scratch::default();
        let hits = self.view.index(self.kind).search_within(words, &self.bits, limit, &mut scratch);
        self.matches(hits)
    }

    /// Returns the selected primitives that fit words of a person best, at most `limit`: what [`Selection::search`]
    /// finds and the order of `ranker`, by reciprocal rank fusion. The ranker receives the names of the selected
    /// primitives, and no others.
    ///
    /// A primitive counts `1 / (60 + position)` in each of both orders. Scores compare the matches of one search only.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Filter, Sieve};
    ///
    /// let lists = r#"{"tools":[
    ///     {"name":"find_hotels","inputSchema":{"type":"object"}},
    ///     {"name":"rent_car","inputSchema":{"type":"object"}}]}"#;
    /// let sieve = Sieve::compile(lists, &Config::default())?;
    /// let tools = sieve.view(&Caller::anonymous()).tools(&Filter::default())?;
    /// // In place of the similarities that a model would compute.
    /// let model = |_: &str, names: &[&str]| -> Vec<f32> {
    ///     names.iter().map(|name| if *name == "rent_car" { 0.9 } else { 0.2 }).collect()
    /// };
    ///
    /// let matches = tools.search_with("a vehicle for the weekend", 1, &model);
    /// assert_eq!(matches[0].name(), "rent_car");
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    pub fn search_with(&self, words: &str, limit: usize, ranker: &dyn Ranker) -> Vec<Match> {
        let names: Vec<&str> = self.names().collect();
        let ranked = ranker.rank(words, &names);
        let mut scratch = Scratch::default();
        let index = self.view.index(self.kind);
        self.matches(&index.search_ranked(words, &self.bits, &ranked, limit, &mut scratch))
    }

    fn matches(&self, hits: &[Hit]) -> Vec<Match> {
        let index = self.view.catalog().kind_index(self.kind);
        let named = hits.iter().filter_map(|hit| Some((index.id(hit.index)?, hit.score)));
        named.map(|(name, score)| Match { name: name.to_owned(), score }).collect()
    }
}

/// A primitive that matches the words of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    name: String,
    score: u32,
}

impl Match {
    /// Returns the name, `uri` or `uriTemplate` of the primitive.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns how well the primitive matches, from 0 to 1000.
    pub fn score(&self) -> u32 {
        self.score
    }
}
