//! Whether a caller may use a primitive, and which server has it under which name.

use std::borrow::Cow;

use super::View;
use crate::{Kind, catalog::ResourceUri, policy::Reach};

/// The server of a primitive, and the primitive's name there.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The name of the server. A server that has no name is `upstream`.
    pub server: &'a str,
    /// The name, `uri` or `uriTemplate` on that server, without a prefix.
    pub name: Cow<'a, str>,
}

impl View {
    /// Returns whether the caller may call the tool, get the prompt or read the resource of this name. It is one look
    /// into an index, whatever the number of primitives.
    ///
    /// A resource is named by its URI, which a list has, a template matches or a skill contains.
    /// Servers read a URI in several ways: one that has a reading under which it names something hidden is not allowed,
    /// unless a visible template matches it. A URI that no list mentions is not allowed either.
    ///
    /// A filter decides about lists only, so a tool that it leaves out is allowed.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Kind, Sieve};
    ///
    /// let lists = r#"{"tools":[{"name":"read","inputSchema":{"type":"object"}},
    ///                          {"name":"purge","inputSchema":{"type":"object"}}],
    ///     "resources":[{"uri":"file:///notes","name":"notes"},{"uri":"file:///key","name":"key"}],
    ///     "resourceTemplates":[{"uriTemplate":"page://{name}","name":"page"}]}"#;
    /// let config = Config::parse(r#"{"policies":[{"name":"guests","show":"-name:purge -uri:file:///key"}]}"#)?;
    /// let view = Sieve::compile(lists, &config)?.view(&Caller::anonymous());
    ///
    /// assert!(view.allows(Kind::Tool, "read") && !view.allows(Kind::Tool, "purge"));
    /// assert!(view.allows(Kind::Resource, "file:///notes") && !view.allows(Kind::Resource, "file:///%6Bey"));
    /// assert!(view.allows(Kind::Resource, "page://home") && !view.allows(Kind::Resource, "file:///other"));
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    pub fn allows(&self, kind: Kind, name: &str) -> bool {
        self.origin(kind, name).is_some()
    }

    /// Returns the server of a primitive and its name there; `None` if [`View::allows`] is false.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Kind, Sieve};
    ///
    /// let lists = r#"{"tools":[{"name":"search","inputSchema":{"type":"object"}}]}"#;
    /// let config = Config::parse(r#"{"upstreams":[{"name":"forge"},{"name":"wiki","prefix":"wiki_"}]}"#)?;
    /// let sieve = Sieve::compile_servers(&[("forge", lists), ("wiki", lists)], &config)?;
    /// let view = sieve.view(&Caller::anonymous());
    ///
    /// let origin = view.origin(Kind::Tool, "wiki_search").unwrap();
    /// assert_eq!((origin.server, &*origin.name), ("wiki", "search"));
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    pub fn origin<'a>(&'a self, kind: Kind, name: &'a str) -> Option<Origin<'a>> {
        let catalog = self.view.catalog();
        let listed = |kind: Kind, index: usize| {
            let kind_index = catalog.kind_index(kind);
            let own = kind_index.own_id(index).or_else(|| kind_index.id(index)).unwrap_or_default();
            Origin { server: kind_index.server(index).unwrap_or_default(), name: Cow::Borrowed(own) }
        };
        if kind != Kind::Resource {
            return self.view.find(kind, name).map(|index| listed(kind, index));
        }
        match self.view.resource(&ResourceUri::parse(name).ok()?) {
            Reach::Resource(index) => Some(listed(kind, index)),
            // A template makes the URI as it is written.
            Reach::Template(index) => {
                Some(Origin { name: Cow::Borrowed(name), ..listed(Kind::Template, index) })
            }
            Reach::Skill(index) => {
                let skill = listed(Kind::Skill, index);
                let id = catalog.kind_index(Kind::Skill).id(index).unwrap_or_default();
                Some(Origin { name: ResourceUri::moved(name, id, &skill.name).into(), ..skill })
            }
            Reach::Page(number) => {
                let (server, _, own) = catalog.page(number)?;
                Some(Origin { server, name: Cow::Borrowed(own) })
            }
            Reach::Hidden | Reach::Unlisted => None,
        }
    }
}
