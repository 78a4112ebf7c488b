//! Declarations that have no effect, because no primitive has the group, the tag or a value of the concern.

use std::collections::HashSet;

use mcp_sieve::{
    catalog::{Catalog, Scope},
    concern::Concerns,
    policy::View,
};

use super::{
    problems::Problem,
    server_declarations::{ServerConcerns, ServerDeclarations, shows_any_of},
};
use crate::config::{ConcernUse, Config};

impl ServerDeclarations {
    /// Returns a note for each concern that no listed primitive has a value of: those that a server declares, and if all
    /// servers are listed, those of the operator. Concerns that are forwarded need no values here.
    pub(crate) fn idle_concerns(&self, config: &Config, catalog: &Catalog, is_complete: bool) -> Vec<String> {
        let scope = Scope::everything(catalog);
        let mut notes = Vec::new();
        for ServerConcerns { server, concerns } in self.server_concerns() {
            if config.server_settings(server).concerns == ConcernUse::Forward {
                continue;
            }
            for concern in concerns.iter().filter(|concern| !scope.maps_concern_of(server, &concern.name)) {
                let name = &concern.name;
                notes.push(format!("server `{server}`: no primitive has a value of the concern `{name}`"));
            }
        }
        let servers: Vec<&str> = match config.upstreams.as_slice() {
            [] => vec![&config.upstream.name],
            several => several.iter().map(|upstream| upstream.name.as_str()).collect(),
        };
        for concern in config.engine.concerns.iter().filter(|_| is_complete) {
            let name = &concern.name;
            if !servers.iter().any(|server| scope.maps_concern_of(server, name)) {
                notes.push(format!("no primitive has a value of the concern `{name}`"));
            }
        }
        notes
    }

    /// Returns the declarations that were left out or changed, those of groups and tags without members, and those of
    /// concerns without values. The groups and tags are those [moved](Self::move_into) into the configuration.
    pub fn problems_in(&self, config: &Config, everything: &View) -> Vec<Problem> {
        let mut problems = self.problems().to_vec();
        let groups: HashSet<&str> = everything.groups().into_iter().map(|group| &*group.name).collect();
        let tags: HashSet<&str> = everything.tags().into_iter().map(|tag| &*tag.name).collect();
        let scope = Scope::everything(everything.catalog());
        let mut add = |server: &str, problem: String| {
            problems.push(Problem { server: server.to_owned(), problem });
        };
        for words in &config.engine.assignments.declared {
            for group in words.groups.iter().filter(|group| !groups.contains(&*group.name)) {
                add(&words.server, format!("the group `{}` is left out: it has no members", group.name));
            }
            for tag in words.tags.iter().filter(|tag| !tags.contains(&*tag.name)) {
                add(&words.server, format!("the tag `{}` is left out: no primitive has it", tag.name));
            }
        }
        for ServerConcerns { server, concerns } in self.server_concerns() {
            for concern in concerns.iter().filter(|concern| !scope.maps_concern_of(server, &concern.name)) {
                add(
                    server,
                    format!("the concern `{}` filters nothing: no primitive has a value", concern.name),
                );
            }
        }
        problems
    }

    /// Returns the concerns that a host may know of a view: those of [`concerns`](Self::concerns), and those of a server
    /// with a visible primitive that the operator does not declare and of which no primitive has a value. They filter
    /// nothing here, but the server may apply them to its own lists.
    pub fn host_concerns(&self, config: &Config, view: &View) -> Concerns {
        let (visible, all) = (Scope::from(view), Scope::everything(view.catalog()));
        self.concerns_where(config, &|server, name| match all.maps_concern_of(server, name) {
            true => visible.maps_concern_of(server, name),
            false => !config.engine.concerns.declares(name) && shows_any_of(view, server),
        })
    }
}
