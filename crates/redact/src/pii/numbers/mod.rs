//! Numbers that identify people, their money and their documents: their forms, checksums and context words.

pub(crate) mod answer;
pub(crate) mod automaton;
pub(crate) mod birth_date;
pub(crate) mod candidates;
pub(crate) mod checksums;
pub(crate) mod columns;
pub(crate) mod context_words;
pub(crate) mod lookalikes;
pub(crate) mod near_words;
pub(crate) mod phone_groups;
pub(crate) mod phone_words;
pub(crate) mod spelled_day;
pub(crate) mod table;
