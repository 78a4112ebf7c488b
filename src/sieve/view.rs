//! The view of one caller: filtered lists, groups, tags, concerns and a picker.

use std::{fmt, sync::Arc};

use super::{Selection, compiled::write_counts, request_params::RequestParams};

use crate::{
    catalog::{Group, Kind, Tag},
    concern::Concern,
    config::Config,
    error::{Error, Ignored},
    filter::{Filter, OnUnknownMember, ParsedFilter, SettledFilter},
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
    pub(super) view: policy::View,
    pub(super) config: Arc<Config>,
    /// The filter that narrowed the view. Defaults do not apply to the concerns that it names.
    url: Arc<Filter>,
}

/// Writes the number of visible primitives of each kind.
impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_counts(f, "View", |kind| self.view.count(kind))
    }
}

impl View {
    pub(super) fn new(view: policy::View, config: Arc<Config>) -> Self {
        Self { view, config, url: Arc::default() }
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
        self.select(kind, filter, Vec::new())
    }

    /// Returns the primitives of one kind that a list request selects. `params` is the JSON object of the request's
    /// parameters, of which `filter` is read, or empty. Unknown fields of the filter are ignored and
    /// [reported](Selection::report); a misspelt one is an error, unless the configuration ignores it.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Kind, Sieve};
    ///
    /// let lists = r#"{"prompts":[{"name":"greet"},{"name":"part"}]}"#;
    /// let view = Sieve::compile(lists, &Config::default())?.view(&Caller::anonymous());
    ///
    /// let prompts = view.list_request(Kind::Prompt, r#"{"filter":{"namePatterns":["g*"],"colour":"red"}}"#)?;
    /// assert_eq!(prompts.json(), r#"{"prompts":[{"name":"greet"}]}"#);
    /// assert_eq!(prompts.ignored()[0].field, "colour");
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::list`], and those of [`Filter::parse`].
    pub fn list_request(&self, kind: Kind, params: &str) -> Result<Selection, Error> {
        let params = RequestParams::read(params)?;
        let read = |raw| Filter::read(raw, self.config.on_unknown_member);
        let ParsedFilter { filter, ignored, .. } =
            params.get("filter").map(read).transpose()?.unwrap_or_default();
        self.select(kind, &filter, ignored)
    }

    fn select(&self, kind: Kind, filter: &Filter, ignored: Vec<Ignored>) -> Result<Selection, Error> {
        let filter = filter.clone().with_server_defaults(&self.url);
        Ok(Selection::new(self.view.clone(), kind, self.settle(filter, ignored)?))
    }

    fn settle(&self, filter: Filter, ignored: Vec<Ignored>) -> Result<SettledFilter, Error> {
        let Config { concerns, on_invalid_concern, .. } = &*self.config;
        filter.settle(&self.view, concerns, *on_invalid_concern, ignored)
    }

    /// Returns the view without what `filter` leaves out, for a server whose operators narrow it for good, such as by the
    /// query of its URL. What is left out can then neither be listed nor [allowed](Self::allows).
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Filter, Kind, Sieve};
    ///
    /// let lists = r#"{"prompts":[{"name":"greet"},{"name":"part"}]}"#;
    /// let view = Sieve::compile(lists, &Config::default())?.view(&Caller::anonymous());
    /// let url = Filter::from_query("namePatterns=g*")?.filter;
    ///
    /// assert_eq!(view.within(&url)?.prompts(&Filter::default())?.names().collect::<Vec<_>>(), ["greet"]);
    /// assert!(!view.within(&url)?.allows(Kind::Prompt, "part"));
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::list`].
    pub fn within(&self, filter: &Filter) -> Result<Self, Error> {
        let settled = self.settle(filter.clone(), Vec::new())?;
        let view = self.view.within(&settled.narrowing);
        Ok(Self { view, config: Arc::clone(&self.config), url: Arc::new(settled.filter) })
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

    /// Returns the setting of the configuration for filters with a misspelt member, for
    /// [`Filter::parse_with`](crate::Filter::parse_with).
    pub fn on_unknown_member(&self) -> OnUnknownMember {
        self.config.on_unknown_member
    }

    /// Returns a picker without any choice, for a user interface. It stays valid after the view is dropped.
    pub fn picker(&self) -> Picker {
        let Config { concerns, on_invalid_concern, .. } = &*self.config;
        Picker::new(&self.view, concerns, *on_invalid_concern)
    }
}
