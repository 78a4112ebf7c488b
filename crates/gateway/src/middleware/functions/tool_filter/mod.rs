//! The function `tool_filter`: suggests the tools that fit a request.

mod action;
mod available;
mod function;
mod query;

pub use function::ToolFilter;
pub(crate) use function::format_thousandths;
pub(crate) use query::query_text;
