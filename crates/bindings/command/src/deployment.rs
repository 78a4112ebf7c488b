//! A configuration with the lists and declarations of its servers, combined as in the gateway.

use mcp_sieve::{
    Error, ErrorKind,
    catalog::{Lists, Source},
    json::{self, Members, Raw},
};
use mcp_sieve_gateway::{
    config::{Config, renamed_lists},
    upstream::{Declarations, Facet, Problem, ServerDeclarations},
};

/// A configuration, and the lists of its servers.
pub(super) struct Deployment {
    /// The configuration, including the groups, tags and concerns that servers declare.
    pub config: Config,
    /// The declarations of servers that were omitted or changed.
    pub problems: Vec<Problem>,
    /// The name and the lists of each server, in the order of the configuration.
    lists: Vec<(String, String)>,
}

impl Deployment {
    /// Parses a configuration and lists. Each list belongs to the server at the same index in `servers`. An empty name
    /// stands for the only server.
    ///
    /// # Errors
    /// The errors of the configuration; [`ErrorKind::Catalog`] for the lists of a server that it does not name.
    pub fn read(config: &str, servers: &[String], lists: &[String]) -> Result<Self, Error> {
        let mut config = Config::parse(config)?;
        let place = |name: &str| config.upstreams.iter().position(|upstream| upstream.name == name);
        let mut named = Vec::with_capacity(lists.len());
        for (server, lists) in servers.iter().zip(lists) {
            let server = if server.is_empty() { &config.upstream.name } else { server };
            if !config.upstreams.is_empty() && place(server).is_none() {
                let known: Vec<&str> =
                    config.upstreams.iter().map(|upstream| upstream.name.as_str()).collect();
                let message = format!("no server is called `{server}`, expected {}", Error::one_of(&known));
                return Err(Error::new(ErrorKind::Catalog, message));
            }
            named.push((server.clone(), lists.as_str()));
        }
        named.sort_by_key(|(server, _)| place(server));
        let declared = named.iter().map(|(server, lists)| (server.clone(), declarations(lists))).collect();
        let declared = ServerDeclarations::new(declared, &config);
        let renamed = |(server, lists): (String, &str)| {
            let lists = renamed_lists(lists, config.renames(&server)).into_owned();
            (server, lists)
        };
        let lists = named.into_iter().map(renamed).collect();
        let problems = declared.add_to(&mut config);
        Ok(Self { config, problems, lists })
    }

    /// Returns the lists of the servers, in the order of the configuration.
    ///
    /// # Errors
    /// The errors of the lists.
    pub fn sources(&self) -> Result<Vec<Source<'_>>, Error> {
        self.lists.iter().map(|(server, lists)| Ok(Source { server, lists: Lists::read(lists)? })).collect()
    }
}

/// Returns the declarations of a server, which the command stores in its list results.
fn declarations(lists: &str) -> Declarations {
    let mut all = Declarations::default();
    let results = Raw::parse_deep(lists).ok().and_then(json::Raw::elements).unwrap_or_default();
    let declared = results.into_iter().filter_map(|result| Members::read(result)?.get(Lists::DECLARED_KEY));
    for declared in declared.filter_map(Members::read) {
        let Declarations { groups, tags, concerns, toolbox, learned, .. } = &mut all;
        let facets = [
            ("groups", groups),
            ("tags", tags),
            ("concerns", concerns),
            ("toolbox", toolbox),
            ("learned", learned),
        ];
        for (key, facet) in facets {
            read_facet(&declared, key, facet);
        }
    }
    all
}

/// Adds the declarations of groups, tags or concerns: `{items: […], problem?}`.
fn read_facet(declared: &Members<'_>, key: &str, facet: &mut Facet) {
    let Some(read) = declared.get(key).and_then(Members::read) else { return };
    let items = read.get("items").and_then(json::Raw::elements).unwrap_or_default();
    if !facet.add(items.into_iter().map(|item: Raw<'_>| item.get().to_owned())) {
        return;
    }
    if let Some(problem) = read.get("problem").and_then(json::Raw::text) {
        facet.failed(&problem);
    }
}
