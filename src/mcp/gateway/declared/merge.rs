//! What the operator and the servers declare, as one set of declarations.

use std::collections::HashMap;

use super::{Problems, read::Reader, tree};
use crate::{
    catalog::{Assignments, Group, MAX_GROUP_PLACES, Tag},
    concern::{Concern, Concerns, Order},
    config::Config,
    mcp::upstream::declared::{Declarations, Facet},
};

/// Merges what servers declare into what the operator declares.
pub(super) fn merge(
    sources: &[(String, Declarations)],
    config: &Config,
    problems: &mut Problems,
) -> (Assignments, Concerns) {
    let own = &config.assignments;
    let mut groups = Merge::new(own.groups.clone(), "group", "groups");
    let mut tags = Merge::new(own.tags.clone(), "tag", "tags");
    let mut concerns = Merge::new(config.concerns.iter().cloned().collect(), "concern", "concerns");
    for (server, declared) in sources {
        groups.add(server, &declared.groups, config, problems, &|reader, item| reader.group(item));
        tags.add(server, &declared.tags, config, problems, &|reader, item| reader.tag(item));
        concerns.add(server, &declared.concerns, config, problems, &|reader, item| reader.concern(item));
    }
    let mut list = groups.list;
    tree::settle(&mut list, groups.own, &mut |at, name, problem| {
        let server = at.checked_sub(groups.own).and_then(|at| groups.servers.get(at));
        server.iter().for_each(|server| problems.add(server, format!("the group `{name}`: {problem}")));
    });
    let served = [list.len() - groups.own, tags.list.len() - tags.own, concerns.list.len() - concerns.own];
    let assignments = Assignments { groups: list, tags: tags.list, served, ..own.clone() };
    (assignments, Concerns::checked(concerns.list))
}

/// A declaration that the operator's and the servers' are merged of.
trait Declared: Clone + PartialEq {
    fn name(&self) -> &str;

    /// Takes what the operator does not say from a server's declaration of the same name.
    fn fill(&mut self, server: Self);
}

/// Declarations of one sort: the operator's, then those of the servers.
struct Merge<T> {
    list: Vec<T>,
    own: usize,
    names: HashMap<String, usize>,
    /// The server of each that is not the operator's.
    servers: Vec<String>,
    noun: &'static str,
    plural: &'static str,
}

type Read<'a, T> = &'a dyn Fn(&mut Reader<'_>, &str) -> Option<T>;

impl<T: Declared> Merge<T> {
    fn new(list: Vec<T>, noun: &'static str, plural: &'static str) -> Self {
        let names = list.iter().enumerate().map(|(at, item)| (item.name().to_owned(), at)).collect();
        Self { own: list.len(), list, names, servers: Vec::new(), noun, plural }
    }

    /// Adds what a server declares.
    fn add(
        &mut self,
        server: &str,
        declared: &Facet,
        config: &Config,
        problems: &mut Problems,
        read: Read<'_, T>,
    ) {
        let Self { noun, plural, .. } = *self;
        if let Some(problem) = &declared.problem {
            problems.add(server, format!("{plural}: {problem}"));
        }
        // Those of the operator that a server has filled: the first that does counts.
        let mut repeated = Vec::new();
        for item in &declared.items {
            let mut reader = Reader {
                renames: config.renames(server),
                apply_defaults: config.apply_defaults,
                report: &mut |problem| problems.add(server, problem),
            };
            let Some(item) = read(&mut reader, item) else { continue };
            match self.names.get(item.name()).copied() {
                None if self.list.len() >= MAX_GROUP_PLACES => {
                    let most = MAX_GROUP_PLACES;
                    problems.add(
                        server,
                        format!("{plural}: more than {most} are declared, the others are left out"),
                    );
                    return;
                }
                None => {
                    self.names.insert(item.name().to_owned(), self.list.len());
                    self.servers.push(server.to_owned());
                    self.list.push(item);
                }
                Some(at) if at < self.own => repeated.push((at, item)),
                Some(at) => {
                    let kept = self.servers.get(at - self.own);
                    if let (Some(kept), false) = (kept, self.list.get(at) == Some(&item)) {
                        let name = item.name();
                        problems.add(
                            server,
                            format!("the {noun} `{name}` is declared otherwise by `{kept}`, which counts"),
                        );
                    }
                }
            }
        }
        for (at, item) in repeated {
            self.list.get_mut(at).into_iter().for_each(|own| own.fill(item.clone()));
        }
    }
}

impl Declared for Group {
    fn name(&self) -> &str {
        &self.name
    }

    /// The place in the tree is the operator's to say.
    fn fill(&mut self, server: Self) {
        self.title = self.title.take().or(server.title);
        self.description = self.description.take().or(server.description);
        self.meta = self.meta.take().or(server.meta);
    }
}

impl Declared for Tag {
    fn name(&self) -> &str {
        &self.name
    }

    fn fill(&mut self, server: Self) {
        if self.description.is_empty() {
            self.description = server.description;
        }
        self.meta = self.meta.take().or(server.meta);
    }
}

impl Declared for Concern {
    fn name(&self) -> &str {
        &self.name
    }

    /// The order and the default belong to the values, so that they are taken only where these are the same.
    fn fill(&mut self, server: Self) {
        self.description = self.description.take().or(server.description);
        if self.values == server.values {
            self.default = self.default.take().or(server.default);
            if self.ordered == Order::AsListed(false) {
                self.ordered = server.ordered;
            }
        }
    }
}
