//! Policies as lists of phrases, and a search for these phrases in texts that undoes evasive spellings.
//!
//! Each phrase has a weight. The score of a text under a policy is the sum of the weights of the phrases in it, each
//! counted once. A flag has the phrase and its position. The search does not recognize quotation, negation or irony,
//! and the built-in phrases are English.

mod built_in;
mod flags;
mod fold;
mod own;
mod own_phrase;
mod page;
mod severity;

pub use flags::Flag;
pub use own::Policies;
pub use severity::Severity;
