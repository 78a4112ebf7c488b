//! Filters that a program builds.

use super::{Fields, Filter};
use crate::expr::Expr;

fn owned(names: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}

/// Builds a filter field by field. Each method replaces what the field held.
///
/// ```
/// use mcp_sieve::Filter;
///
/// let built = Filter::default().with_groups(["issues"]).with_concern("cost", ["low"]).with_limit(10);
/// let parsed = r#"{"groups":["issues"],"concerns":{"cost":"low"},"limit":{"count":10}}"#.parse()?;
/// assert_eq!(built, parsed);
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
impl Filter {
    /// Keeps members of any of these groups.
    #[must_use]
    pub fn with_groups(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { groups: owned(names), ..self }
    }

    /// Keeps what carries all of these tags.
    #[must_use]
    pub fn with_tags(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { tags: owned(names), ..self }
    }

    /// Keeps what has any of these values of a concern, or says nothing about it.
    #[must_use]
    pub fn with_concern(mut self, name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.concerns.set(name, Some(owned(values)));
        self
    }

    /// Leaves out members of any of these groups.
    #[must_use]
    pub fn without_groups(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.not.groups = owned(names);
        self
    }

    /// Leaves out what carries any of these tags.
    #[must_use]
    pub fn without_tags(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.not.tags = owned(names);
        self
    }

    /// Keeps what has a name that matches any of these patterns: `*` stands for any text, `?` for one character.
    #[must_use]
    pub fn with_name_patterns(self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { name_patterns: owned(patterns), ..self }
    }

    /// Keeps resources whose URI matches any of these patterns; tools and prompts are not affected.
    #[must_use]
    pub fn with_uri_patterns(self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { uri_patterns: owned(patterns), ..self }
    }

    /// Keeps what meets an expression.
    #[must_use]
    pub fn with_condition(self, condition: Expr) -> Self {
        Self { r#where: Some(condition), ..self }
    }

    /// Keeps what matches these words of a person.
    #[must_use]
    pub fn with_query(self, words: impl Into<String>) -> Self {
        Self { query: Some(words.into()), ..self }
    }

    /// Keeps at most so many primitives, the best.
    #[must_use]
    pub fn with_limit(mut self, count: u32) -> Self {
        self.limit.count = Some(count);
        self
    }

    /// Keeps the best primitives that fit into so many tokens of a model's context.
    #[must_use]
    pub fn with_token_limit(mut self, tokens: u32) -> Self {
        self.limit.tokens = Some(tokens);
        self
    }

    /// Writes only these members of a primitive; with a `-` before each name, all but these.
    #[must_use]
    pub fn with_fields(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { fields: Fields::new(&owned(names)), ..self }
    }
}
