//! The type of the callback that may replace a text.

/// A function that receives a text, and returns its replacement if there is one.
pub(crate) type TextVisitor<'v> = &'v mut dyn FnMut(&str) -> Option<String>;
