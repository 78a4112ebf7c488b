//! The tree of groups, with the parents that servers declare. Invalid parents are left out.

use std::collections::{BTreeSet, HashMap, HashSet};

use mcp_sieve::catalog::{Group, GroupTree};

/// Maximum number of ancestors of a group that a server declares. Each member of the group is a member of all of them.
pub const MAX_ABOVE: usize = 16;

/// Leaves out the parents of a server's groups that do not form a tree with the operator's groups, `own`. Calls
/// `report` with the name of each such group and the problem. Groups that the operator declares too keep the operator's
/// parents.
pub(super) fn settle(own: &[Group], groups: &mut [Group], report: Report<'_>) {
    let names: HashSet<&str> = own.iter().map(|group| group.name.as_str()).collect();
    let declared = |group: &Group| names.contains(group.name.as_str());
    let served = groups.iter().filter(|group| !declared(group)).cloned();
    let mut all: Vec<Group> = own.iter().cloned().chain(served).collect();
    settle_all(&mut all, own.len(), report);
    let mut settled = all.into_iter().skip(own.len());
    for group in groups.iter_mut().filter(|group| !declared(group)) {
        settled.next().into_iter().for_each(|settled| *group = settled);
    }
}

/// Implements [`settle`]. The first `own` groups are the operator's.
fn settle_all(groups: &mut [Group], own: usize, report: Report<'_>) {
    let places = groups.iter().enumerate().rev().map(|(at, group)| (group.name.clone(), at)).collect();
    let known = vec![None; groups.len()];
    let mut tree = Tree { groups, own, places, known, line: Vec::new(), total: 0, report };
    for at in 0..tree.groups.len() {
        tree.position(at);
    }
}

/// A function that is called with the name of a group and its problem.
type Report<'a> = &'a mut dyn FnMut(&str, String);

/// The position of a group in the tree.
#[derive(Debug, Clone, Default)]
struct Position {
    /// The ancestors of the group, by index.
    above: BTreeSet<usize>,
    /// The number of times that the group occurs in the tree.
    places: usize,
}

struct Tree<'a> {
    groups: &'a mut [Group],
    own: usize,
    places: HashMap<String, usize>,
    known: Vec<Option<Position>>,
    /// The path from the group whose position is computed to the current one.
    line: Vec<usize>,
    /// The number of places of all groups whose position is known.
    total: usize,
    report: Report<'a>,
}

impl Tree<'_> {
    /// Returns the position of a group, and leaves out the parents that it cannot have.
    fn position(&mut self, at: usize) -> Position {
        if let Some(Some(known)) = self.known.get(at) {
            return known.clone();
        }
        let parents = self.groups.get_mut(at).map(|group| std::mem::take(&mut group.parents));
        self.line.push(at);
        let (mut position, mut kept) = (Position::default(), Vec::new());
        for parent in parents.into_iter().flatten() {
            match self.above(at, &parent, &position) {
                Ok(Position { above, places }) => {
                    position.above = above;
                    position.places = position.places.saturating_add(places);
                    kept.push(parent);
                }
                Err(problem) => {
                    let name = self.groups.get(at).map_or("", |group| &group.name);
                    (self.report)(name, format!("`{parent}` is not its parent: {problem}"));
                }
            }
        }
        self.line.pop();
        position.places = position.places.max(1);
        self.total = self.total.saturating_add(position.places);
        if let (Some(group), Some(slot)) = (self.groups.get_mut(at), self.known.get_mut(at)) {
            group.parents = kept;
            *slot = Some(position.clone());
        }
        position
    }

    /// Returns the ancestors of a group with this parent added, and the number of places that the parent adds.
    fn above(&mut self, at: usize, parent: &str, so_far: &Position) -> Result<Position, String> {
        let place = self.places.get(parent).copied().ok_or("no such group is declared")?;
        if self.line.contains(&place) {
            return Err("it would be below itself".to_owned());
        }
        let is_own = at < self.own;
        let is_known = self.known.get(place).is_some_and(Option::is_some);
        if !is_own && !is_known && self.line.len() > MAX_ABOVE {
            return Err(format!("a group would be below a line of more than {MAX_ABOVE} others"));
        }
        let Position { mut above, places } = self.position(place);
        above.extend(&so_far.above);
        above.insert(place);
        if !is_own && above.len() > MAX_ABOVE {
            return Err(format!("it would be below more than {MAX_ABOVE} groups"));
        }
        let total = self.total.saturating_add(so_far.places).saturating_add(places);
        if !is_own && total > GroupTree::MAX_PLACES {
            return Err(format!(
                "the tree of groups would have more than {max} places",
                max = GroupTree::MAX_PLACES
            ));
        }
        Ok(Position { above, places })
    }
}
