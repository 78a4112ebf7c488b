//! Relevance: the primitives that fit a person's words, best first, by words alone.
//!
//! An [`Index`] is made once from a catalog and asked many times. It knows no model and learns from no
//! user: what it knows is the catalog's own text, how often each word stands there, and a page of
//! everyday English (`english.txt`).
//!
//! # How a primitive is scored
//!
//! Texts are split into words (`createIssue`, `create-issue` and `create_issue` are two words each; Chinese and Japanese
//! give each pair of neighbouring characters; of `l'été` the article is left out) and words cut to stems. Articles,
//! pronouns and prepositions of English, German, French, Spanish and Portuguese are passed over. A primitive's score for a query is the sum, over the stems `t` of the query and those
//! related to it, of
//!
//! ```text
//! relation(t) · √count(t) · rarity(t) · strength(t)
//! ```
//!
//! - `rarity` is the binary logarithm of how many times more primitives there are than hold `t`; words that
//!   are everyday English have an upper bound, because a small catalog cannot know how common they are.
//! - `strength` is `f / (f + 1/4 + 3/4 · l)`, where `f` counts `t` in the primitive, a name being worth more
//!   than a description and the words of a short name more than those of a long one (see `field.rs`), and `l` is the primitive's length over the average (BM25 with
//!   `k1` = 1 and `b` = 3/4). The name of its server and the operator's example requests are read and make it no longer.
//! - `relation` is 1 for the query's own stems, less for stems with the same beginning, for equivalents
//!   (*photo* and *picture*) and for words of one topic (*hotel* and *trip*). What a thing is (*note* and *document*)
//!   counts as an equivalent, where it is found (*meeting* and *calendar*) as a topic; a quarter of that if the word
//!   describes the next: *meeting notes* are notes. What a name is a name of (*Paris* and *city*) counts as a topic, and so does what
//!   tools for a word speak of (*ferry* and *travel*); if no primitive holds the word, that stands for nearly two thirds of it.
//!   A word that the catalog does not hold is looked for as misspelt and as several words joined; neighbours, as one word split. Two words that
//!   stand together in the query and in a name or title count a fifth beside what each counts.
//!
//! A related stem is at most as rare as the word of the query, so that it never counts for more than the word. All
//! relatives of a word together add at most half of what the word weighs, or all of it if no primitive holds the word.
//! Everyday English counts for less in names: a tool is not what every request is about because it is called `now`.
//!
//! A primitive's *share* is its score as a part of what the query's own words weigh together. A word that the catalog does
//! not hold weighs as much as one that a single primitive holds, and so lowers every share.
//!
//! The score that a hit shows is `share² / (share² + rival²)`, in thousandths. `rival` is the greatest share of any other
//! primitive, and at least a fifth of the query's weight. So a hit scores high if it holds much of the query and no other
//! primitive holds as much. Scores of different queries can be compared: of the hits at 700 and above, more than nine in ten
//! are right, on the half of the sets that was used to choose these numbers and on the other
//! (`benches/relevance/README.md`).
//!
//! Whatever shares a common word with the query has a score. Found is what has at least a fifth of the best
//! one: on the sets measured, that leaves out two thirds to nine tenths of what has a score, and at most 6 % of
//! what was wanted.
//!
//! The best 32 are then put in an order of variety: what one says, those behind it say a tenth less. So a
//! request for two things is not answered with many tools for the first of them.
//!
//! Everything is integers, so every face of the engine ranks alike. Equal scores are in the order of
//! names: neither they nor anything else depends on the order of the catalog.
//!
//! # What a search cannot tell
//!
//! How common a word is, whether it is misspelt and what fits best depend on the whole index. So an index is
//! made of what a caller may see ([`Index::within`]), and no search tells what else there is.

mod build;
mod draft;
mod field;
mod fold;
mod fusion;
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

pub use fusion::Ranker;
pub use index::Index;
pub use indexes::Indexes;
pub(crate) use indexes::SharedWords;
pub use query::{MAX_QUERY, MAX_TERMS};
pub(crate) use search::certainty;
pub use search::{FLOOR, Hit, MAX_POSTINGS, SURE, Scratch};
pub(crate) use words::each_stem;
