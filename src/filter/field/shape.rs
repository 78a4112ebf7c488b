//! The value types of filter fields, with access to their place in a filter.

use super::table::Member;
use crate::{
    catalog::Kind,
    concern::Configuration,
    expr::{Expr, Field},
    filter::{Fields, Filter},
};

/// The type of a field's value, with its place in a [`Filter`]. Parsers and the writer have one match arm for each.
#[derive(Debug)]
pub enum Shape {
    /// The names of groups.
    Groups(Access<Vec<String>>),
    /// The names of tags.
    Tags(Access<Vec<String>>),
    /// Patterns, of which at least one must match.
    Patterns {
        /// The patterns.
        patterns: Access<Vec<String>>,
        /// The field that the patterns are matched against.
        subject: Field,
        /// The kinds that have such a field. Other kinds are not affected.
        kinds: &'static [Kind],
    },
    /// The members of a primitive that are written.
    Projection(Access<Fields>),
    /// Values of concerns, by name.
    Concerns(Access<Configuration>),
    /// An expression that does not read the caller.
    Condition(Access<Option<Expr>>),
    /// Words to search for.
    Words(Access<Option<String>>),
    /// Opaque text.
    Text(Access<Option<String>>),
    /// A positive integer.
    Count(Access<Option<u32>>),
    /// `true` or `false`.
    Flag(Access<bool>),
    /// An object with these members.
    Object {
        /// The expected value, for error messages.
        expected: &'static str,
        /// Its members, sorted by name.
        members: &'static [Member],
    },
}

/// Reads and changes one value of a filter `F`.
#[derive(Debug)]
pub struct Access<T, F = Filter> {
    pub get: fn(&F) -> &T,
    pub get_mut: fn(&mut F) -> &mut T,
}

/// Gives access to a value of a filter by its path.
macro_rules! access {
    ($($path:ident).+) => {
        crate::filter::field::Access {
            get: |filter| &filter.$($path).+,
            get_mut: |filter| &mut filter.$($path).+,
        }
    };
}
pub(crate) use access;

impl<T: Default + PartialEq, F> Access<T, F> {
    /// Returns the value.
    pub fn get<'a>(&self, filter: &'a F) -> &'a T {
        (self.get)(filter)
    }

    /// Returns a mutable reference to the value.
    pub fn get_mut<'a>(&self, filter: &'a mut F) -> &'a mut T {
        (self.get_mut)(filter)
    }

    /// Replaces the value.
    pub fn set(&self, filter: &mut F, value: T) {
        *self.get_mut(filter) = value;
    }

    /// Returns whether the value differs from that of the empty filter.
    fn is_set(&self, filter: &F) -> bool {
        *self.get(filter) != T::default()
    }
}

impl Shape {
    /// Returns whether `filter` has a value.
    pub fn is_set(&self, filter: &Filter) -> bool {
        match self {
            Self::Groups(names) | Self::Tags(names) | Self::Patterns { patterns: names, .. } => {
                names.is_set(filter)
            }
            Self::Projection(fields) => fields.is_set(filter),
            Self::Concerns(concerns) => concerns.is_set(filter),
            Self::Condition(condition) => condition.is_set(filter),
            Self::Words(text) | Self::Text(text) => text.is_set(filter),
            Self::Count(count) => count.is_set(filter),
            Self::Flag(flag) => flag.is_set(filter),
            Self::Object { members, .. } => members.iter().any(|member| member.shape.is_set(filter)),
        }
    }

    /// Removes the value from `filter`.
    pub fn clear(&self, filter: &mut Filter) {
        match self {
            Self::Groups(names) | Self::Tags(names) | Self::Patterns { patterns: names, .. } => {
                names.set(filter, Vec::new());
            }
            Self::Projection(fields) => fields.set(filter, Fields::default()),
            Self::Concerns(concerns) => concerns.set(filter, Configuration::default()),
            Self::Condition(condition) => condition.set(filter, None),
            Self::Words(text) | Self::Text(text) => text.set(filter, None),
            Self::Count(count) => count.set(filter, None),
            Self::Flag(flag) => flag.set(filter, false),
            Self::Object { members, .. } => members.iter().for_each(|member| member.shape.clear(filter)),
        }
    }
}
