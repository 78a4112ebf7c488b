//! The tree of nested groups: parents, inherited concern values, and limits on its depth and size.

use super::{
    rules::{Assignments, Group},
    vocabulary::Names,
};
use crate::{
    error::{Error, ErrorKind},
    expr::Expr,
};

impl GroupTree<'_> {
    /// Maximum number of levels above a group.
    pub const MAX_DEPTH: usize = 16;

    /// Maximum number of positions of all groups in their tree. A group has one position below each position of each of
    /// its parents.
    pub const MAX_PLACES: usize = 10_000;
}

/// The parents and concern values of groups. Members of a group are also members of all groups above it.
#[derive(Debug, Default)]
pub struct GroupTree<'a> {
    names: Names,
    /// The groups with parents or concern values, by the number of their name.
    groups: Vec<&'a Group>,
    /// The trees of the servers that declare groups. They apply to the primitives of that server.
    servers: Vec<(&'a str, Self)>,
}

impl<'a> GroupTree<'a> {
    /// Builds the tree of the operator's groups, and that of each server.
    pub fn new(assignments: &'a Assignments) -> Self {
        let Assignments { groups, declared, .. } = assignments;
        let servers = declared.iter().map(|words| {
            (
                words.server.as_str(),
                Self::from_groups(
                    groups.iter().filter(|group| !group.parents.is_empty()).chain(&words.groups),
                ),
            )
        });
        Self { servers: servers.collect(), ..Self::from_groups(groups) }
    }

    /// Builds a tree of groups, without trees of servers.
    pub fn from_groups(groups: impl IntoIterator<Item = &'a Group>) -> Self {
        let mut group_tree = Self::default();
        let says = |group: &&Group| !group.parents.is_empty() || !group.concerns.is_empty();
        for group in groups.into_iter().filter(says) {
            // If two groups have the same name, the first counts.
            if group_tree.names.intern(&group.name) == group_tree.groups.len() {
                group_tree.groups.push(group);
            }
        }
        group_tree
    }

    fn group(&self, name: &str) -> Option<&'a Group> {
        self.names.find(name).and_then(|at| self.groups.get(at)).copied()
    }

    /// Returns whether no group has parents or concern values.
    pub fn is_silent(&self) -> bool {
        self.groups.is_empty() && self.servers.is_empty()
    }

    /// Returns the default concern values for members of the group `name`.
    pub fn concerns(&self, name: &str) -> &'a [(String, Vec<String>)] {
        self.group(name).map_or(&[], |group| &group.concerns)
    }

    /// Returns the groups above `name` for the primitives of a server, each once, nearest first.
    pub fn above_of(&self, server: &str, name: &str) -> Vec<&'a str> {
        self.servers.iter().find(|(known, _)| *known == server).map_or(self, |(_, tree)| tree).above(name)
    }

    /// Returns the groups above `name`, each once, nearest first. Cycles are tolerated.
    pub fn above(&self, name: &str) -> Vec<&'a str> {
        let mut above: Vec<&'a str> = Vec::new();
        let mut next = Some(name);
        let mut read = 0;
        while let Some(name) = next {
            for parent in self.parents(name) {
                if !above.contains(&parent.as_str()) {
                    above.push(parent);
                }
            }
            next = above.get(read).copied();
            read += 1;
        }
        above
    }

    fn parents(&self, name: &str) -> &'a [String] {
        self.group(name).map_or(&[], |group| &group.parents)
    }
}

/// Rejects groups that form no tree: with undeclared parents, cycles, too many levels, or too many positions.
///
/// # Errors
/// [`ErrorKind::Config`] with the path of the first invalid parent.
pub fn check_parents(groups: &[Group]) -> Result<(), Error> {
    let tree = GroupTree::from_groups(groups);
    let mut survey = Survey { known: vec![None; tree.groups.len()], line: Vec::new(), tree };
    let mut places = 0usize;
    for (at, Group { name, parents, .. }) in groups.iter().enumerate() {
        let refuse = |parts: &[&str], place: usize| {
            let mut field = ["groups[", &at.to_string(), "].parent"].concat();
            if parents.len() > 1 {
                field.extend(["[", &place.to_string(), "]"]);
            }
            Err(Error::new(ErrorKind::Config, parts.concat()).field(field))
        };
        let mut own = usize::from(parents.is_empty());
        for (place, parent) in parents.iter().enumerate() {
            let mut names = groups.iter().map(|group| group.name.as_str());
            if !names.clone().any(|known| known == parent) {
                return match Expr::nearest(parent, &mut names) {
                    Some(guess) => {
                        refuse(&["no group `", parent, "` is declared, did you mean `", guess, "`?"], place)
                    }
                    None => refuse(&["no group `", parent, "` is declared"], place),
                };
            }
            survey.line = vec![name];
            match survey.position(parent) {
                Ok(position) if position.levels < GroupTree::MAX_DEPTH => {
                    own = own.saturating_add(position.places)
                }
                Err(Some(circle)) => return refuse(&[&circle], place),
                _ => {
                    let most = GroupTree::MAX_DEPTH.to_string();
                    return refuse(&["`", name, "` is below more than ", &most, " levels"], place);
                }
            }
        }
        places = places.saturating_add(own);
    }
    if places > GroupTree::MAX_PLACES {
        let most = GroupTree::MAX_PLACES.to_string();
        let message = [
            "the tree of groups has more than ",
            &most,
            " places: a group has one below each place of its parents",
        ];
        return Err(Error::new(ErrorKind::Config, message.concat()).field("groups"));
    }
    Ok(())
}

/// The position of a group in the tree.
#[derive(Debug, Clone, Copy)]
struct Position {
    /// The number of levels above it.
    levels: usize,
    /// The number of positions that it has.
    places: usize,
}

/// Computes the positions of groups.
struct Survey<'a> {
    tree: GroupTree<'a>,
    /// The positions that are already known, by the number of the group's name.
    known: Vec<Option<Position>>,
    /// The groups on the path from the first requested group to the current one.
    line: Vec<&'a str>,
}

impl<'a> Survey<'a> {
    /// Returns the position of a group. Fails with the description of a cycle, or with `None` if there are too many
    /// levels.
    fn position(&mut self, name: &'a str) -> Result<Position, Option<String>> {
        let before = self.line.iter().position(|known| *known == name);
        self.line.push(name);
        if let Some(circle) = before.and_then(|before| self.line.get(before..)) {
            return Err(Some(["`", name, "` is below itself: ", &circle.join(" < ")].concat()));
        }
        if self.line.len() > GroupTree::MAX_DEPTH + 1 {
            return Err(None);
        }
        let number = self.tree.names.find(name);
        let known = number.and_then(|number| self.known.get(number).copied().flatten());
        let parents = self.tree.parents(name);
        let mut position = Position { levels: 0, places: usize::from(parents.is_empty()) };
        match known {
            Some(known) => position = known,
            None => {
                for parent in parents {
                    let above = self.position(parent)?;
                    position.levels = position.levels.max(above.levels + 1);
                    position.places = position.places.saturating_add(above.places);
                }
            }
        }
        if let Some(slot) = number.and_then(|number| self.known.get_mut(number)) {
            *slot = Some(position);
        }
        self.line.pop();
        Ok(position)
    }
}
