//! The resource that a URI names for one caller, for reads, subscriptions and change notifications.

use mcp_sieve::{
    Kind,
    catalog::{Lists, ResourceUri, Source},
    policy::{Reach, View},
};
use serde_json::json;

use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    config::Config,
    host::Host,
    protocol::error::RpcError,
    request::{context::Context, visibility},
};

/// A caller that names a resource, and the catalog in which it is resolved.
pub(crate) struct Resolver<'a> {
    pub config: &'a Config,
    pub backend: &'a Backend,
    pub view: &'a View,
    pub caller: &'a Caller<'a>,
    /// The query of the requested URL.
    pub query: &'a str,
}

impl<H: Host> Context<'_, H> {
    /// Returns the resolver for the caller's resources.
    pub fn resources(&self) -> Resolver<'_> {
        Resolver {
            config: self.exchange.config,
            backend: &self.backend,
            view: &self.view,
            caller: &self.caller,
            query: self.exchange.request.uri().query().unwrap_or_default(),
        }
    }
}

/// The result of resolving a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResourceMatch {
    /// A visible resource, a resource of a visible template, or a file of a visible skill. `index` is its index, that
    /// of the template or of the skill; `uri` is the upstream server's URI.
    Listed { kind: Kind, index: usize, uri: String },
    /// The page that a visible tool opens. `number` is its [number](mcp_sieve::catalog::Catalog::page).
    Page { number: usize },
    /// A resource that no list mentions; it may be requested from these servers.
    Unlisted { servers: Vec<String> },
    /// A resource that is hidden with a skill although a visible template matches it. `index` is the index of the
    /// template, whose server would be called.
    Concealed { index: usize },
    /// A resource that is hidden from the caller, and the servers that would be called if it did not exist.
    Hidden { servers: Vec<String> },
}

impl ResourceMatch {
    /// Returns whether the caller can see the resource, or what it belongs to.
    pub fn is_visible(&self) -> bool {
        matches!(self, Self::Listed { .. } | Self::Page { .. })
    }
}

/// Parses the URI of a resource.
///
/// # Errors
/// `uri` for text that is not a URI, or that would name another resource once it is parsed.
pub(crate) fn read(text: &str) -> Result<ResourceUri<'_>, RpcError> {
    ResourceUri::parse(text).map_err(|problem| RpcError::handle("uri", format!("`uri`: {problem}")))
}

impl Resolver<'_> {
    /// Resolves `uri` for the caller.
    pub fn find(&self, uri: &ResourceUri<'_>) -> ResourceMatch {
        match self.view.resource(uri) {
            Reach::Resource(index) => self.listed(Kind::Resource, index, uri),
            Reach::Template(index) => self.listed(Kind::Template, index, uri),
            Reach::Skill(index) => self.listed(Kind::Skill, index, uri),
            Reach::Page(number) => ResourceMatch::Page { number },
            Reach::Hidden => match self.view.template_around(uri) {
                Some(index) => ResourceMatch::Concealed { index },
                None => ResourceMatch::Hidden { servers: self.servers(uri) },
            },
            Reach::Unlisted => ResourceMatch::Unlisted { servers: self.servers(uri) },
        }
    }

    /// Returns whether the caller may know of `uri` and have its changes: it is visible and needs no review, a visible
    /// template matches it, or a server may be called for it.
    pub fn reaches(&self, uri: &str) -> bool {
        ResourceUri::parse(uri).is_ok_and(|uri| match self.find(&uri) {
            ResourceMatch::Listed { kind, index, .. } => !self.backend.guarded.awaits_review(kind, index),
            ResourceMatch::Page { .. } => true,
            ResourceMatch::Unlisted { servers } => !servers.is_empty(),
            ResourceMatch::Hidden { .. } | ResourceMatch::Concealed { .. } => false,
        })
    }

    /// Returns the match of a listed resource, template or skill. A resource gets the URI that its server listed. A URI
    /// that matches a template is kept as written.
    fn listed(&self, kind: Kind, index: usize, uri: &ResourceUri<'_>) -> ResourceMatch {
        let kind_index = self.view.catalog().kind_index(kind);
        let id = kind_index.id(index).unwrap_or_default();
        let own = kind_index.own_id(index).unwrap_or(id);
        let uri = match kind {
            Kind::Resource => own,
            Kind::Skill => &ResourceUri::moved(uri.text(), id, own),
            _ => uri.text(),
        };
        ResourceMatch::Listed { kind, index, uri: uri.to_owned() }
    }

    /// Returns the servers that may be called for a resource that no list mentions. The operator must allow it for the
    /// server, and rules, policies and presets must show the caller a resource that has only this URI, in each of its
    /// readings.
    fn servers(&self, uri: &ResourceUri<'_>) -> Vec<String> {
        if uri.normal().is_none() {
            return Vec::new();
        }
        let readings: Vec<_> = uri.readings().map(|uri| json!({"uri": uri})).collect();
        let count = readings.len();
        let listed = json!({"resources": readings}).to_string();
        let admits = |server: &&String| self.backend.open || self.admitted(server, &listed) == Some(count);
        self.backend.unlisted.iter().filter(admits).cloned().collect()
    }

    /// Returns how many of these resources of a server rules, policies and presets show the caller.
    fn admitted(&self, server: &str, listed: &str) -> Option<usize> {
        let lists = Lists::bare(listed).ok()?;
        // Only the resources themselves are compiled. Policies and presets are those of the catalog.
        let alone = self.backend.guarded.over({
            let assignments = self.backend.declared.assignments(self.config);
            self.config.compile_under(assignments, &[Source { server, lists }], None)
        });
        let (view, ..) =
            visibility::look(self.config, &alone, &self.backend.declared, self.caller, self.query).ok()?;
        Some(view.count(Kind::Resource))
    }
}

/// Returns a URI of the same form as `uri` that names no known resource; `None` if the attempt fails. It is sent
/// upstream instead of a hidden URI, so that both take as long as a request for a resource that does not exist.
pub(crate) fn decoy(resolver: &Resolver<'_>, uri: &str, random: [u8; 16]) -> Option<String> {
    let scheme = uri.find(':')?;
    let (head, tail) = uri.split_at_checked(scheme + 1)?;
    let mut letters = random.iter().cycle().map(|byte| char::from(b'a' + byte % 26));
    let name = |character: char| match character.is_ascii_alphanumeric() {
        true => letters.next().unwrap_or(character),
        false => character,
    };
    let decoy: String = head.chars().chain(tail.chars().map(name)).collect();
    let reach = resolver.view.resource(&ResourceUri::parse(&decoy).ok()?);
    let unknown = matches!(reach, Reach::Unlisted | Reach::Template(_));
    (unknown && decoy != uri).then_some(decoy)
}
