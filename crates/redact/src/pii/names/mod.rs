//! Names of people and organizations, and the lexicon of words in and around names.

pub(crate) mod introduction;
pub(crate) mod lexicon;
pub(crate) mod name;
pub(crate) mod small_letters;
