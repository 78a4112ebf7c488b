//! Which resource a URI is, for one caller: what reads, subscriptions and notices of changes ask.

use serde_json::json;

use crate::{
    catalog::{Kind, Lists, ResourceUri, Source, skill_root},
    config::Config,
    mcp::{
        gateway::backend::Backend,
        host::Host,
        protocol::error::RpcError,
        request::{caller::Caller, context::Context, visibility},
    },
    policy::{Reach, View},
};

/// The caller who asks for a resource, and where it looks.
pub(crate) struct Resolver<'a> {
    pub config: &'a Config,
    pub backend: &'a Backend,
    pub view: &'a View,
    pub caller: &'a Caller<'a>,
    /// The query of the URL that it called.
    pub query: &'a str,
}

impl<H: Host> Context<'_, H> {
    /// Where resources are looked for.
    pub fn resources(&self) -> Resolver<'_> {
        Resolver {
            config: self.asked.config,
            backend: &self.backend,
            view: &self.view,
            caller: &self.caller,
            query: self.asked.request.uri().query().unwrap_or_default(),
        }
    }
}

/// What a URI reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResourceMatch {
    /// What the visible resource, template or skill at this place is, makes or holds, under the URI for its server.
    Listed { kind: Kind, index: usize, uri: String },
    /// What no list mentions: these servers may be asked for it.
    Unlisted { servers: Vec<String> },
    /// What is hidden with a skill, although the visible template at this place makes it: its server would be asked.
    Concealed { index: usize },
    /// What is hidden from the caller; the servers that would be asked if it were not there.
    Hidden { servers: Vec<String> },
}

/// Reads the URI of a resource.
///
/// # Errors
/// `uri`, for text that is no URI or would name another resource once it is parsed.
pub(crate) fn read(text: &str) -> Result<ResourceUri<'_>, RpcError> {
    ResourceUri::parse(text).map_err(|problem| RpcError::handle("uri", format!("`uri`: {problem}")))
}

impl Resolver<'_> {
    /// What the caller reaches by `uri`.
    pub fn find(&self, uri: &ResourceUri<'_>) -> ResourceMatch {
        match self.view.resource(uri) {
            Reach::Resource(index) => self.listed(Kind::Resource, index, uri),
            Reach::Template(index) => self.listed(Kind::Template, index, uri),
            Reach::Skill(index) => self.listed(Kind::Skill, index, uri),
            Reach::Hidden => match self.view.template_around(uri) {
                Some(index) => ResourceMatch::Concealed { index },
                None => ResourceMatch::Hidden { servers: self.servers(uri) },
            },
            Reach::Unlisted => ResourceMatch::Unlisted { servers: self.servers(uri) },
        }
    }

    /// Whether the caller may know of `uri`: it is visible, made by a visible template, or a server may be asked for it.
    pub fn reaches(&self, uri: &str) -> bool {
        ResourceUri::parse(uri).is_ok_and(|uri| match self.find(&uri) {
            ResourceMatch::Listed { .. } => true,
            ResourceMatch::Unlisted { servers } => !servers.is_empty(),
            ResourceMatch::Hidden { .. } | ResourceMatch::Concealed { .. } => false,
        })
    }

    /// A listed resource goes on under its listed spelling. What a template makes goes on as it was written, unless
    /// only its normal form comes from the template.
    fn listed(&self, kind: Kind, index: usize, uri: &ResourceUri<'_>) -> ResourceMatch {
        let kind_index = self.view.catalog().kind_index(kind);
        let id = kind_index.id(index).unwrap_or_default();
        let own = kind_index.own_id(index).unwrap_or(id);
        let uri = match kind {
            Kind::Resource => own,
            Kind::Skill => &server_uri(own, id, uri.text()),
            _ if crate::catalog::template_matches(id, uri.text()) => uri.text(),
            _ => uri.normal().unwrap_or(uri.text()),
        };
        ResourceMatch::Listed { kind, index, uri: uri.to_owned() }
    }

    /// The servers that may be asked for a resource that no list mentions: those whose operator allows it, where
    /// rules, policies and presets let the caller see a resource that has nothing but this URI.
    fn servers(&self, uri: &ResourceUri<'_>) -> Vec<String> {
        let Some(normal) = uri.normal() else { return Vec::new() };
        let other = Some(normal).filter(|normal| *normal != uri.text());
        let admits = |server: &&String| {
            self.admits(server, uri.text()) && other.is_none_or(|other| self.admits(server, other))
        };
        self.backend.unlisted.iter().filter(admits).cloned().collect()
    }

    fn admits(&self, server: &str, uri: &str) -> bool {
        if self.backend.open {
            return true;
        }
        let listed = json!({"resources": [{"uri": uri}]}).to_string();
        let Ok(lists) = Lists::bare(&listed) else { return false };
        // Only the resource itself is compiled; policies and presets are those of the catalog.
        let alone = self.backend.guarded.over({
            let assignments = self.backend.declared.assignments(self.config);
            self.config.compile_under(assignments, &[Source { server, lists }])
        });
        let seen = visibility::look(self.config, &alone, &self.backend.declared, self.caller, self.query);
        seen.is_ok_and(|(view, ..)| view.count(Kind::Resource) > 0)
    }
}

/// What a server calls the file of a skill that callers call `uri`, given what either calls the skill.
pub(crate) fn server_uri(own: &str, id: &str, uri: &str) -> String {
    let path = skill_root(id).and_then(|root| uri.strip_prefix(root)).unwrap_or_default();
    [skill_root(own).unwrap_or_default(), path].concat()
}

/// A URI like `uri` that names nothing known: what a server is asked for in place of what is hidden, so that the
/// answer takes as long as for what does not exist. `None` where none is found.
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
