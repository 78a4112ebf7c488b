//! The merge of the operator's declarations with those of the servers.

use std::collections::{HashMap, HashSet};

use mcp_sieve::{
    catalog::{Assignments, Group, GroupTree, ServerWords, Tag},
    concern::{Concern, Order},
};

use super::{learned, problems::Problems, read::Reader, reviewed::reviewed, toolbox, tree};
use crate::backend::declared::server_declarations::{MergedDeclarations, ServerConcerns};
use crate::{
    backend::declarations::{Declarations, Facet},
    config::Config,
};

/// Merges the servers' declarations with the operator's. Not inlined: most servers declare nothing, and a starting
/// process compiles only the functions that it calls.
#[inline(never)]
pub(super) fn merge(
    sources: &[(String, Declarations)],
    config: &Config,
    problems: &mut Problems,
) -> MergedDeclarations {
    let own = &config.engine.assignments;
    let own_concerns: Vec<Concern> = config.engine.concerns.iter().cloned().collect();
    let mut groups = Merge::new(&own.groups, "group", "groups");
    let mut tags = Merge::new(&own.tags, "tag", "tags");
    let mut concerns = Merge::new(&own_concerns, "concern", "concerns");
    let (mut words, mut server_concerns) = (Vec::new(), Vec::new());
    let sources: Vec<_> = sources
        .iter()
        .map(|(server, declared)| {
            (
                server,
                reviewed(own.lock.as_deref(), server, declared, &mut |problem| {
                    problems.add(server, problem);
                }),
            )
        })
        .collect();
    for (server, declared) in &sources {
        let mut listed =
            groups.add(server, &declared.groups, config, problems, &|reader, item| reader.group(item));
        tree::settle(&own.groups, &mut listed, &mut |name, problem| {
            problems.add(server, format!("the group `{name}`: {problem}"));
        });
        for problem in learned::problems(&declared.learned, config.renames(server)) {
            problems.add(server, problem);
        }
        words.push(ServerWords {
            server: (*server).clone(),
            groups: listed,
            tags: tags.add(server, &declared.tags, config, problems, &|reader, item| reader.tag(item)),
            concerns: learned::values(&declared.learned, config.renames(server)),
            ..ServerWords::default()
        });
        let listed =
            concerns.add(server, &declared.concerns, config, problems, &|reader, item| reader.concern(item));
        server_concerns.push(ServerConcerns { server: (*server).clone(), concerns: listed });
    }
    // After all groups that servers declare, so that these lose no room.
    for ((server, declared), words) in sources.iter().zip(&mut words) {
        let read: Read<'_, Group> = &|reader, item| reader.group(item);
        for group in groups.add(server, &declared.toolbox, config, problems, read) {
            if words.groups.iter().all(|known| known.name != group.name) {
                words.groups.push(group);
            }
        }
        words.members = toolbox::members(&declared.toolbox, config.renames(server));
        words.lacks_members = declared.toolbox.problem.is_some() && declared.toolbox.items.is_empty();
        let is_trusted = |named: &Vec<String>| named.iter().any(|source| source == Assignments::TOOLBOX);
        if words.lacks_members && own.groups_from.as_ref().is_some_and(is_trusted) {
            let problem = "hidden until its groups can be listed, because `groupsFrom` names them";
            problems.add(server, problem.to_owned());
        }
    }
    let named = |name: &String| Group { name: name.clone(), ..Group::default() };
    let tagged = |name: &String| Tag { name: name.clone(), ..Tag::default() };
    let served = [groups.served.len(), tags.served.len(), concerns.served.len()];
    let assignments = Assignments {
        groups: own.groups.iter().cloned().chain(groups.served.iter().map(named)).collect(),
        tags: own.tags.iter().cloned().chain(tags.served.iter().map(tagged)).collect(),
        served,
        declared: words,
        ..own.clone()
    };
    MergedDeclarations { assignments, concerns: server_concerns }
}

/// A kind of declaration that both servers and the operator can make.
trait Declared: Clone + PartialEq {
    fn name(&self) -> &str;

    /// Fills members that the operator leaves open from a server's declaration of the same name.
    fn fill(&mut self, server: Self);
}

/// The declarations of one kind.
struct Merge<'a, T> {
    /// The operator's declarations, by name.
    own: HashMap<&'a str, &'a T>,
    /// The names that only servers declare, in order of first occurrence.
    served: Vec<String>,
    /// The first declaration of each such name, with its server.
    first: HashMap<String, (String, T)>,
    noun: &'static str,
    plural: &'static str,
}

type Read<'a, T> = &'a dyn Fn(&mut Reader<'_>, &str) -> Option<T>;

impl<'a, T: Declared> Merge<'a, T> {
    fn new(own: &'a [T], noun: &'static str, plural: &'static str) -> Self {
        let own = own.iter().map(|item| (item.name(), item)).collect();
        Self { own, served: Vec::new(), first: HashMap::new(), noun, plural }
    }

    /// Parses the declarations of a server, each name once. If the operator declares a name too, the operator's members
    /// take precedence.
    fn add(
        &mut self,
        server: &str,
        declared: &Facet,
        config: &Config,
        problems: &mut Problems,
        read: Read<'_, T>,
    ) -> Vec<T> {
        let Self { noun, plural, .. } = *self;
        if let Some(problem) = &declared.problem {
            problems.add(server, format!("{plural}: {problem}"));
        }
        let (mut names, mut listed) = (HashSet::new(), Vec::new());
        for item in &declared.items {
            let mut reader = Reader {
                renames: config.renames(server),
                report: &mut |problem| problems.add(server, problem),
            };
            let Some(item) = read(&mut reader, item) else { continue };
            let name = item.name().to_owned();
            match (self.own.get(name.as_str()), self.first.get(&name)) {
                (Some(own), _) => {
                    if names.insert(name) {
                        let mut filled = (*own).clone();
                        filled.fill(item);
                        listed.push(filled);
                    }
                    continue;
                }
                (None, None) if self.own.len() + self.served.len() >= GroupTree::MAX_PLACES => {
                    let most = GroupTree::MAX_PLACES;
                    problems.add(
                        server,
                        format!("{plural}: more than {most} are declared, the others are left out"),
                    );
                    break;
                }
                (None, None) => {
                    self.served.push(name.clone());
                    self.first.insert(name.clone(), (server.to_owned(), item.clone()));
                }
                (None, Some((kept, first))) if *first != item => problems.add(
                    server,
                    format!("the {noun} `{name}` is declared otherwise by `{kept}`, which counts"),
                ),
                _ => {}
            }
            if names.insert(name) {
                listed.push(item);
            }
        }
        listed
    }
}

impl Declared for Group {
    fn name(&self) -> &str {
        &self.name
    }

    /// Adds the members that are missing here, except for the parents, which only the operator sets.
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

    /// Adds the members that are missing here. The order and the default refer to the values, so they are added only if
    /// the values are equal.
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
