//! The declared groups, tags and concerns of all servers, merged with the operator's.

use std::borrow::Cow;

use mcp_sieve::{
    Digest, Kind,
    catalog::{Assignments, Scope},
    concern::{Concern, Concerns},
    policy::View,
};

use super::{
    merge::merge,
    problems::{Problem, Problems},
};
use crate::{
    backend::declarations::Declarations,
    config::{ConcernUse, Config, renamed_lists},
};

/// The declarations of all upstream servers.
#[derive(Debug, Clone, Default)]
pub struct ServerDeclarations {
    /// The declarations as the servers sent them, with the name of each server.
    sources: Vec<(String, Declarations)>,
    /// The merged declarations; `None` if no server declares anything.
    merged: Option<MergedDeclarations>,
    /// The hash of the sources.
    hash: u128,
    problems: Vec<Problem>,
}

/// The declarations of the operator and of the servers.
#[derive(Debug, Clone)]
pub(super) struct MergedDeclarations {
    pub(super) assignments: Assignments,
    /// The concerns that each server declares.
    pub(super) concerns: Vec<ServerConcerns>,
}

/// The concerns that one server declares. If the operator declares the same concern, the operator's members take
/// precedence.
#[derive(Debug, Clone)]
pub(super) struct ServerConcerns {
    pub(super) server: String,
    pub(super) concerns: Vec<Concern>,
}

impl MergedDeclarations {
    /// Returns the operator's concerns, and those of the servers for which `includes` returns true for a name. The
    /// first such server describes a concern. Concerns of servers follow those of the operator, in the order of the
    /// servers.
    fn merge_concerns(&self, config: &Config, includes: &dyn Fn(&str, &str) -> bool) -> Concerns {
        let mut merged: Vec<Concern> = config.engine.concerns.iter().cloned().collect();
        let mut filled = vec![false; merged.len()];
        for ServerConcerns { server, concerns } in &self.concerns {
            for concern in concerns.iter().filter(|concern| includes(server, &concern.name)) {
                match merged.iter().position(|known| known.name == concern.name) {
                    None => merged.push(concern.clone()),
                    Some(at) => {
                        let first = filled.get_mut(at).filter(|filled| !**filled);
                        if let (Some(filled), Some(known)) = (first, merged.get_mut(at)) {
                            (*filled, *known) = (true, concern.clone());
                        }
                    }
                }
            }
        }
        config.engine.concerns.with_checked(merged)
    }
}

impl ServerDeclarations {
    /// Merges the declarations of each server, in the order of the servers, with those of the operator.
    pub fn new(sources: Vec<(String, Declarations)>, config: &Config) -> Self {
        let sources: Vec<_> = sources.into_iter().filter(|(_, declared)| !declared.is_empty()).collect();
        if sources.is_empty() {
            return Self::default();
        }
        let mut problems = Problems::default();
        let merged = merge(&sources, config, &mut problems);
        Self { hash: hash(&sources), sources, merged: Some(merged), problems: problems.list }
    }

    /// Returns the declared groups and tags, and the rules.
    pub(crate) fn assignments<'a>(&'a self, config: &'a Config) -> &'a Assignments {
        self.merged.as_ref().map_or(&config.engine.assignments, |merged| &merged.assignments)
    }

    /// Returns the concerns that a caller may know of: those of the operator, and those of servers with a visible
    /// primitive that has a value of the concern. A concern without values filters nothing. If concerns are forwarded to a
    /// server, any visible primitive of the server suffices.
    pub fn concerns<'a>(&'a self, config: &'a Config, view: &View) -> Cow<'a, Concerns> {
        let Some(merged) = &self.merged else { return Cow::Borrowed(&config.engine.concerns) };
        let scope = Scope::from(view);
        Cow::Owned(merged.merge_concerns(config, &|server, name| {
            let is_forwarded = config.server_settings(server).concerns == ConcernUse::Forward;
            scope.maps_concern_of(server, name) || is_forwarded && shows_any_of(view, server)
        }))
    }

    /// Returns the operator's concerns, and those of the servers for which `includes` returns true for a name.
    pub(super) fn concerns_where(&self, config: &Config, includes: &dyn Fn(&str, &str) -> bool) -> Concerns {
        match &self.merged {
            Some(merged) => merged.merge_concerns(config, includes),
            None => config.engine.concerns.clone(),
        }
    }

    /// Returns the concerns that each server declares.
    pub(super) fn server_concerns(&self) -> &[ServerConcerns] {
        self.merged.as_ref().map_or(&[], |merged| &merged.concerns)
    }

    /// Returns the concerns that the operator or any server declares.
    pub fn all_concerns<'a>(&self, config: &'a Config) -> Cow<'a, Concerns> {
        match &self.merged {
            Some(merged) => Cow::Owned(merged.merge_concerns(config, &|_, _| true)),
            None => Cow::Borrowed(&config.engine.concerns),
        }
    }

    /// Returns the lists of a server with the operator's renames of its groups, tags and concerns.
    pub(crate) fn rename<'a>(&self, config: &Config, server: &str, lists: &'a str) -> Cow<'a, str> {
        renamed_lists(lists, config.renames(server))
    }

    /// Returns the declarations of each server as it sent them.
    pub(crate) fn sources(&self) -> &[(String, Declarations)] {
        &self.sources
    }

    /// Moves the declared groups and tags into a configuration. The concerns stay here, because each view has its own.
    pub fn move_into(&mut self, config: &mut Config) {
        if let Some(merged) = &mut self.merged {
            config.engine.assignments = std::mem::take(&mut merged.assignments);
        }
    }

    /// Adds the declarations to a configuration. Returns the declarations that were left out or changed.
    pub fn add_to(self, config: &mut Config) -> Vec<Problem> {
        if let Some(merged) = self.merged {
            config.engine.concerns = merged.merge_concerns(config, &|_, _| true);
            config.engine.assignments = merged.assignments;
        }
        self.problems
    }

    /// Returns the declarations that were left out or changed.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the hash of a catalog together with the servers' declarations.
    pub(crate) fn hash(&self, catalog: u128) -> u128 {
        if self.sources.is_empty() {
            return catalog;
        }
        let mut digest = Digest::new();
        [catalog, self.hash].iter().for_each(|hash| digest.part(&hash.to_le_bytes()));
        digest.end()
    }
}

/// Returns whether some primitive of a server is visible.
pub(super) fn shows_any_of(view: &View, server: &str) -> bool {
    let (scope, catalog) = (Scope::from(view), view.catalog());
    Kind::ALL.into_iter().any(|kind| {
        let kind_index = catalog.kind_index(kind);
        scope.bits(kind).iter().any(|index| kind_index.server(index) == Some(server))
    })
}

fn hash(sources: &[(String, Declarations)]) -> u128 {
    let mut digest = Digest::new();
    for (server, declared) in sources {
        digest.part(server.as_bytes());
        for facet in
            [&declared.groups, &declared.tags, &declared.concerns, &declared.toolbox, &declared.learned]
        {
            facet.items.iter().for_each(|item| digest.part(item.as_bytes()));
            digest.part(facet.problem.as_deref().unwrap_or_default().as_bytes());
            digest.part(&[]);
        }
    }
    digest.end()
}
