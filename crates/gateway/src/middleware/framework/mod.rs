//! The framework of context middleware: the trait that functions implement, the context that they change, and the
//! registry and chains that run them.

pub(crate) mod arguments;
pub(crate) mod chain;
pub(crate) mod content;
pub(crate) mod documents;
pub(crate) mod environment;
pub(crate) mod function;
pub(crate) mod item;
pub(crate) mod middleware;
pub(crate) mod outcome;
pub(crate) mod registry;
pub(crate) mod schema;
pub(crate) mod text_visitor;
