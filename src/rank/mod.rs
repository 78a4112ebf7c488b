//! Relevance search: finds the primitives that fit a query in plain words, best first.
//!
//! An [`Index`] is built once from a catalog and searched many times. It uses no model and learns nothing from its
//! users. Its only data are the catalog's own text, the frequencies of its words, and a lexicon of everyday English
//! (`english.txt`).
//!
//! # Scores of primitives
//!
//! Texts are split into words, and words are reduced to stems. `createIssue`, `create-issue` and `create_issue` are two
//! words each. Chinese and Japanese text yields each pair of adjacent characters. In `l'été`, the article is dropped.
//! Articles, pronouns and prepositions of English, German, French, Spanish and Portuguese are stop words. The score of
//! a primitive for a query is the sum, over the stems `t` of the query and their related stems, of
//!
//! ```text
//! relation(t) · √count(t) · rarity(t) · strength(t)
//! ```
//!
//! - `rarity` is the binary logarithm of the number of primitives over the number that hold `t`. For words of
//!   everyday English it has an upper bound, because a small catalog cannot show how common they are.
//! - `strength` is `f / (f + 1/4 + 3/4 · l)`, where `f` is the count of `t` in the primitive and `l` is the
//!   primitive's length over the average (BM25 with `k1` = 1 and `b` = 3/4). A word in a name counts more than one in a
//!   description, and the words of a short name count more than those of a long one (see `field.rs`). The name of the
//!   server and the operator's example requests count too, but do not add to the length.
//! - `relation` is 1 for the query's own stems. It is lower for stems with the same beginning, for equivalents
//!   (*photo* and *picture*) and for words of one topic (*hotel* and *trip*). The kind of a thing (*note* and
//!   *document*) counts as an equivalent, and its place (*meeting* and *calendar*) as a topic. Both count a quarter if
//!   the word describes the next one: *meeting notes* are notes. The generic term for a name (*Paris* and *city*)
//!   counts as a topic. So does what tools for a word mention (*ferry* and *travel*), or nearly two thirds of the word
//!   if no primitive holds it. A word that is not in the catalog is tried as a typo and as several joined words, and
//!   adjacent words are tried as one split word. Two words that are adjacent both in the query and in a name or title
//!   add a fifth.
//!
//! The rarity of a related stem is at most that of the query's word, so it never counts more than the word. All related
//! stems of a word together add at most half the weight of the word, or its whole weight if no primitive holds the
//! word. Words of everyday English count less in names, so a tool called `now` does not fit every request with that
//! word.
//!
//! A primitive's *share* is its score relative to the total weight of the query's own words. A word that the catalog
//! does not hold weighs as much as one that a single primitive holds, and so lowers every share.
//!
//! The score of a hit is `share² / (share² + rival²)`, in thousandths. `rival` is the greatest share of any other
//! primitive, and at least a fifth of the query's weight. So a hit has a high score if it holds much of the query and
//! no other primitive holds as much. Scores of different queries are comparable: of the hits at 700 and above, more
//! than nine in ten are right, both on the half of the sets that was used to choose these numbers and on the other
//! (`benches/relevance/README.md`).
//!
//! Every primitive that shares a word with the query has a score. A search returns those with at least a fifth of the
//! best score. On the sets measured, that drops two thirds to nine tenths of the scored primitives, and at most 6 % of
//! the relevant ones.
//!
//! The best 32 are then reordered for variety: the parts of a query that one hit covers count a tenth less for the hits
//! after it. So a request for two things does not return many tools for the first of them.
//!
//! All arithmetic uses integers, so the ranking is the same on every platform. Equal scores are in the order of names.
//! Nothing depends on the order of the catalog.
//!
//! # Hidden primitives
//!
//! The rarity of words, the detection of typos and the best score depend on the whole index. So an index holds only the
//! primitives that a caller may see ([`Index::within`]), and no search reveals that others exist.

mod build;
mod draft;
mod field;
mod fold;
pub(crate) mod fusion;
mod index;
mod indexes;
mod lexicon;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]
mod oracle;
mod query;
mod search;
mod spelling;
mod stem;
mod table;
mod variety;
mod vocabulary;
mod words;

pub(crate) use fusion::Ranker;
pub use index::Index;
pub(crate) use indexes::{Indexes, SharedWords};

pub use search::{Hit, Scratch};
