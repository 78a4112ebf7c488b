use super::{
    rules::{Assignments, Group},
    vocabulary::Names,
};
use crate::{
    error::{Error, ErrorKind},
    expr::nearest,
};

/// Maximum number of levels above one group.
pub const MAX_GROUP_DEPTH: usize = 16;
/// Maximum number of places of all groups in their tree: a group has one below each place of each of its parents.
pub const MAX_GROUP_PLACES: usize = 10_000;

/// What stands above each group, and what it says of its members. Whatever is in a group is in all of these too.
#[derive(Debug, Default)]
pub(crate) struct GroupTree<'a> {
    names: Names,
    /// By the number of its name: the groups that say something of either sort.
    groups: Vec<&'a Group>,
    /// By server, the trees of those that declare groups: what stands above their own primitives.
    servers: Vec<(&'a str, Self)>,
}

impl<'a> GroupTree<'a> {
    /// The tree of the operator's groups, and that of each server.
    pub fn new(assignments: &'a Assignments) -> Self {
        let Assignments { groups, declared, .. } = assignments;
        let servers = declared.iter().map(|words| {
            (
                words.server.as_str(),
                Self::of(groups.iter().filter(|group| !group.parents.is_empty()).chain(&words.groups)),
            )
        });
        Self { servers: servers.collect(), ..Self::of(groups) }
    }

    /// The tree of groups alone.
    pub fn of(groups: impl IntoIterator<Item = &'a Group>) -> Self {
        let mut group_tree = Self::default();
        let says = |group: &&Group| !group.parents.is_empty() || !group.concerns.is_empty();
        for group in groups.into_iter().filter(says) {
            // Of two with one name the first counts.
            if group_tree.names.intern(&group.name) == group_tree.groups.len() {
                group_tree.groups.push(group);
            }
        }
        group_tree
    }

    fn group(&self, name: &str) -> Option<&'a Group> {
        self.names.find(name).and_then(|at| self.groups.get(at)).copied()
    }

    /// Whether no group is below another, and none has concern values.
    pub fn is_silent(&self) -> bool {
        self.groups.is_empty() && self.servers.is_empty()
    }

    /// The concern values that members of `name` have if they have no others.
    pub fn concerns(&self, name: &str) -> &'a [(String, Vec<String>)] {
        self.group(name).map_or(&[], |group| &group.concerns)
    }

    /// The groups above `name` for the primitives of a server, each once, nearest first.
    pub fn above_of(&self, server: &str, name: &str) -> Vec<&'a str> {
        self.servers.iter().find(|(known, _)| *known == server).map_or(self, |(_, tree)| tree).above(name)
    }

    /// The groups above `name`, each once, nearest first, whatever circle the parents make.
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

/// Refuses groups that make no tree: a parent that nobody declares, a circle, too many levels, or too many places.
///
/// # Errors
/// [`ErrorKind::Config`] with the path of the first parent that is wrong.
pub(crate) fn check_parents(groups: &[Group]) -> Result<(), Error> {
    let tree = GroupTree::of(groups);
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
                return match nearest(parent, &mut names) {
                    Some(guess) => {
                        refuse(&["no group `", parent, "` is declared, did you mean `", guess, "`?"], place)
                    }
                    None => refuse(&["no group `", parent, "` is declared"], place),
                };
            }
            survey.line = vec![name];
            match survey.position(parent) {
                Ok(position) if position.levels < MAX_GROUP_DEPTH => {
                    own = own.saturating_add(position.places)
                }
                Err(Some(circle)) => return refuse(&[&circle], place),
                _ => {
                    let most = MAX_GROUP_DEPTH.to_string();
                    return refuse(&["`", name, "` is below more than ", &most, " levels"], place);
                }
            }
        }
        places = places.saturating_add(own);
    }
    if places > MAX_GROUP_PLACES {
        let most = MAX_GROUP_PLACES.to_string();
        let message = [
            "the tree of groups has more than ",
            &most,
            " places: a group has one below each place of its parents",
        ];
        return Err(Error::new(ErrorKind::Config, message.concat()).field("groups"));
    }
    Ok(())
}

/// Where a group stands.
#[derive(Debug, Clone, Copy)]
struct Position {
    /// How many levels are above it.
    levels: usize,
    /// How often it stands in the tree.
    places: usize,
}

/// Looks for the position of groups.
struct Survey<'a> {
    tree: GroupTree<'a>,
    /// By the number of its name.
    known: Vec<Option<Position>>,
    /// The groups on the way from the first that was asked about.
    line: Vec<&'a str>,
}

impl<'a> Survey<'a> {
    /// The position of a group; an error with the circle that it stands in, or without one below too many levels.
    fn position(&mut self, name: &'a str) -> Result<Position, Option<String>> {
        let before = self.line.iter().position(|known| *known == name);
        self.line.push(name);
        if let Some(circle) = before.and_then(|before| self.line.get(before..)) {
            return Err(Some(["`", name, "` is below itself: ", &circle.join(" < ")].concat()));
        }
        if self.line.len() > MAX_GROUP_DEPTH + 1 {
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
