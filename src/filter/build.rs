//! Filters that a program builds.

use super::{Fields, Filter};
use crate::expr::Expr;

fn owned(names: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}

/// Builds a filter field by field. Each method replaces the previous value of its field.
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
    /// Includes only members of any of these groups.
    #[must_use]
    pub fn with_groups(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { groups: owned(names), ..self }
    }

    /// Includes only primitives with all of these tags.
    #[must_use]
    pub fn with_tags(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { tags: owned(names), ..self }
    }

    /// Includes only primitives with any of these values of a concern, or without a value for it.
    #[must_use]
    pub fn with_concern(mut self, name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.concerns.set(name, Some(owned(values)));
        self
    }

    /// Excludes members of any of these groups.
    #[must_use]
    pub fn without_groups(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.not.groups = owned(names);
        self
    }

    /// Excludes primitives with any of these tags.
    #[must_use]
    pub fn without_tags(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.not.tags = owned(names);
        self
    }

    /// Includes only primitives whose name matches any of these patterns: `*` matches any text, `?` one character.
    #[must_use]
    pub fn with_name_patterns(self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { name_patterns: owned(patterns), ..self }
    }

    /// Includes only resources whose URI matches any of these patterns. Tools and prompts are not affected.
    #[must_use]
    pub fn with_uri_patterns(self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { uri_patterns: owned(patterns), ..self }
    }

    /// Includes only primitives that match an expression.
    #[must_use]
    pub fn with_condition(self, condition: Expr) -> Self {
        Self { r#where: Some(condition), ..self }
    }

    /// Includes only primitives that match a search in plain words.
    #[must_use]
    pub fn with_query(self, words: impl Into<String>) -> Self {
        Self { query: Some(words.into()), ..self }
    }

    /// Includes at most `count` primitives, the best ones.
    #[must_use]
    pub fn with_limit(mut self, count: u32) -> Self {
        self.limit.count = Some(count);
        self
    }

    /// Includes the best primitives that fit into this number of tokens of a model's context.
    #[must_use]
    pub fn with_token_limit(mut self, tokens: u32) -> Self {
        self.limit.tokens = Some(tokens);
        self
    }

    /// Writes only these members of a primitive or, with a `-` before each name, all other members.
    #[must_use]
    pub fn with_fields(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { fields: Fields::new(&owned(names)), ..self }
    }
}
