//! The view of one caller: filtered lists, groups, tags, concerns and a picker.

use std::{fmt, sync::Arc};

use super::{Selection, compiled::write_counts};

use crate::{
    catalog::{Group, Kind, Tag},
    concern::Concern,
    config::Config,
    error::Error,
    filter::Filter,
    picker::Picker,
    policy,
};

/// The part of a [`Sieve`](crate::Sieve) that one caller may see.
///
/// Each list returns the visible primitives that a [`Filter`] keeps. What is not visible is treated like what does not
/// exist.
///
/// ```
/// use mcp_sieve::{Caller, Config, Filter, Sieve};
///
/// let lists = r#"{"prompts":[{"name":"greet"}],"resources":[{"name":"Notes","uri":"file:///notes.md"}]}"#;
/// let view = Sieve::compile(lists, &Config::default())?.view(&Caller::anonymous());
///
/// assert_eq!(view.prompts(&Filter::default())?.len(), 1);
/// assert_eq!(view.resources(&Filter::default())?.names().next(), Some("file:///notes.md"));
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Clone)]
pub struct View {
    view: policy::View,
    config: Arc<Config>,
}

/// Writes the number of visible primitives of each kind.
impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_counts(f, "View", |kind| self.view.count(kind))
    }
}

impl View {
    pub(super) fn new(view: policy::View, config: Arc<Config>) -> Self {
        Self { view, config }
    }

    /// Returns the tools that `filter` keeps.
    ///
    /// # Errors
    /// As [`View::list`].
    pub fn tools(&self, filter: &Filter) -> Result<Selection, Error> {
        self.list(Kind::Tool, filter)
    }

    /// Returns the resources that `filter` keeps.
    ///
    /// # Errors
    /// As [`View::list`].
    pub fn resources(&self, filter: &Filter) -> Result<Selection, Error> {
        self.list(Kind::Resource, filter)
    }

    /// Returns the resource templates that `filter` keeps.
    ///
    /// # Errors
    /// As [`View::list`].
    pub fn resource_templates(&self, filter: &Filter) -> Result<Selection, Error> {
        self.list(Kind::Template, filter)
    }

    /// Returns the prompts that `filter` keeps.
    ///
    /// # Errors
    /// As [`View::list`].
    pub fn prompts(&self, filter: &Filter) -> Result<Selection, Error> {
        self.list(Kind::Prompt, filter)
    }

    /// Returns the primitives of one kind that `filter` keeps.
    ///
    /// # Errors
    /// [`ErrorKind::ConcernValue`](crate::error::ErrorKind::ConcernValue) for an undeclared value, if the configuration
    /// asks for errors, and [`ErrorKind::FilterLimit`](crate::error::ErrorKind::FilterLimit) for a filter that takes
    /// too many steps on this catalog.
    pub fn list(&self, kind: Kind, filter: &Filter) -> Result<Selection, Error> {
        let Config { concerns, on_invalid_concern, .. } = &*self.config;
        let settled = filter.clone().with_server_defaults(&Filter::default()).settle(
            &self.view,
            concerns,
            *on_invalid_concern,
            Vec::new(),
        )?;
        Ok(Selection::new(self.view.clone(), kind, settled))
    }

    /// Returns the groups of visible primitives: first those that the configuration declares, in its order.
    pub fn groups(&self) -> Vec<&Group> {
        self.view.groups()
    }

    /// Returns the tags of visible primitives: first those that the configuration declares, in its order.
    pub fn tags(&self) -> Vec<&Tag> {
        self.view.tags()
    }

    /// Returns the concerns that the configuration declares.
    pub fn concerns(&self) -> impl Iterator<Item = &Concern> {
        self.config.concerns.iter()
    }

    /// Returns a picker without any choice, for a user interface. It stays valid after the view is dropped.
    pub fn picker(&self) -> Picker {
        let Config { concerns, on_invalid_concern, .. } = &*self.config;
        Picker::new(&self.view, concerns, *on_invalid_concern)
    }
}
