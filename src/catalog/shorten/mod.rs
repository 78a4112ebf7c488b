//! Shortens the definition of a tool to a number of tokens, by steps in a fixed order.
//!
//! A shortened definition has the same name, the same arguments in the same order, and a schema that accepts everything
//! that the full one accepts. Steps remove what a schema says in words, and lists of values that are longer than a model
//! needs to see.

mod choices;
mod hazards;
mod plan;
mod schema;
mod sentences;
mod tool;

pub(crate) use tool::shorten;
