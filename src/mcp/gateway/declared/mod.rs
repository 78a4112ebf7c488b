//! The groups, tags and concerns that servers declare, beside those of the operator.
//!
//! The operator's declarations count first, member by member, and then those of the servers in their order: the first
//! server that declares a name declares it whole. A declaration belongs to its name and not to its server, so that it is
//! visible as one of the operator's would be. What cannot be used is left out and reported.

mod merge;
mod read;
mod tree;

pub use tree::MAX_ABOVE;

use std::{borrow::Cow, fmt};

use crate::{
    catalog::{Assignments, MAX_REPORT_TEXT, MAX_REPORTS, Scope},
    concern::Concerns,
    config::{Config, renamed_lists},
    digest::Digest,
    mcp::upstream::declared::Declarations,
    policy::View,
};

/// What the servers behind declare.
#[derive(Debug, Clone, Default)]
pub struct ServerDeclarations {
    /// As the servers wrote it, with the name of each.
    sources: Vec<(String, Declarations)>,
    /// Nothing where no server declares anything.
    merged: Option<Merged>,
    /// The hash of the sources.
    hash: u128,
    problems: Vec<Problem>,
}

/// The declarations of the operator and of the servers.
#[derive(Debug, Clone)]
struct Merged {
    assignments: Assignments,
    /// The operator's concerns, then those of the servers.
    concerns: Concerns,
}

/// A declaration that was left out or changed, for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The operator's name for the server.
    pub server: String,
    /// What it is about and what was done, in words.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "server `{}`: {}", self.server, self.problem)
    }
}

impl ServerDeclarations {
    /// Merges what each server declares, in the order of the servers, with what the operator declares.
    pub fn new(sources: Vec<(String, Declarations)>, config: &Config) -> Self {
        let sources: Vec<_> = sources.into_iter().filter(|(_, declared)| !declared.is_empty()).collect();
        if sources.is_empty() {
            return Self::default();
        }
        let mut problems = Problems::default();
        let (assignments, concerns) = merge::merge(&sources, config, &mut problems);
        Self {
            hash: hash(&sources),
            sources,
            merged: Some(Merged { assignments, concerns }),
            problems: problems.list,
        }
    }

    /// Returns the declared groups and tags, and the rules.
    pub(crate) fn assignments<'a>(&'a self, config: &'a Config) -> &'a Assignments {
        self.merged.as_ref().map_or(&config.assignments, |merged| &merged.assignments)
    }

    /// Returns the concerns that a caller may know of: those of the operator, and those of servers as far as something
    /// visible has a value of them. A concern without values filters nothing.
    pub fn concerns<'a>(&'a self, config: &'a Config, view: &View) -> Cow<'a, Concerns> {
        let Some(Merged { concerns, .. }) = &self.merged else { return Cow::Borrowed(&config.concerns) };
        let scope = Scope::from(view);
        let own = config.concerns.iter().count();
        let known = concerns.iter().enumerate();
        let known = known.filter(|(at, concern)| *at < own || scope.concern(&concern.name).is_some());
        Cow::Owned(Concerns::checked(known.map(|(_, concern)| concern.clone()).collect()))
    }

    /// Returns what a server lists, with the names that the operator gives to its groups, tags and concerns.
    pub(crate) fn rename<'a>(&self, config: &Config, server: &str, lists: &'a str) -> Cow<'a, str> {
        renamed_lists(lists, config.renames(server))
    }

    /// Returns what each server declares, as it wrote it.
    pub(crate) fn sources(&self) -> &[(String, Declarations)] {
        &self.sources
    }

    /// Adds the declarations to those of a configuration. Returns what was left out or changed.
    #[cfg(feature = "command")]
    pub(crate) fn add_to(self, config: &mut Config) -> Vec<Problem> {
        if let Some(Merged { assignments, concerns }) = self.merged {
            config.assignments = assignments;
            config.concerns = concerns;
        }
        self.problems
    }

    /// Returns what was left out or changed.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the hash of a catalog together with what is declared.
    pub(crate) fn hash(&self, catalog: u128) -> u128 {
        if self.sources.is_empty() {
            return catalog;
        }
        let mut digest = Digest::new();
        [catalog, self.hash].iter().for_each(|hash| digest.part(&hash.to_le_bytes()));
        digest.end()
    }
}

fn hash(sources: &[(String, Declarations)]) -> u128 {
    let mut digest = Digest::new();
    for (server, declared) in sources {
        digest.part(server.as_bytes());
        for facet in [&declared.groups, &declared.tags, &declared.concerns] {
            facet.items.iter().for_each(|item| digest.part(item.as_bytes()));
            digest.part(facet.problem.as_deref().unwrap_or_default().as_bytes());
            digest.part(&[]);
        }
    }
    digest.end()
}

/// What the operator is to be told, at most [`MAX_REPORTS`] of each server.
#[derive(Debug, Default)]
struct Problems {
    list: Vec<Problem>,
    /// How many stand in the list for the last server, and how many do not.
    count: usize,
}

impl Problems {
    fn add(&mut self, server: &str, problem: String) {
        let same = self.list.last().is_some_and(|last| last.server == server);
        self.count = if same { self.count + 1 } else { 1 };
        match self.count {
            count if count <= MAX_REPORTS => {
                let mut problem = problem.replace(char::is_control, " ");
                problem.truncate(problem.floor_char_boundary(MAX_REPORT_TEXT));
                self.list.push(Problem { server: server.to_owned(), problem });
            }
            count => {
                let others = count - MAX_REPORTS;
                let problem = format!("{others} more problems are not shown");
                match self.list.last_mut().filter(|_| others > 1) {
                    Some(last) => last.problem = problem,
                    None => self.list.push(Problem { server: server.to_owned(), problem }),
                }
            }
        }
    }
}
