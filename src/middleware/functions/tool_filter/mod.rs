//! The function `tool_filter`.

mod action;
mod available;
mod function;
mod query;

pub use function::ToolFilter;
pub(crate) use function::format_thousandths;
pub(crate) use query::query_text;
