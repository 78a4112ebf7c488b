//! The tree of groups, where servers say what stands above theirs. A parent that cannot be is left out.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::catalog::{Group, MAX_GROUP_PLACES};

/// Maximum number of groups above one that a server declares. Each member is a member of all of them.
pub const MAX_ABOVE: usize = 16;

/// Leaves out the parents of a server's groups that make no tree with the operator's groups, `own`, and calls `report` with
/// the name of each group and why. What the operator declares too stands where the operator says.
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

/// The same for groups of which the first `own` are the operator's.
fn settle_all(groups: &mut [Group], own: usize, report: Report<'_>) {
    let places = groups.iter().enumerate().rev().map(|(at, group)| (group.name.clone(), at)).collect();
    let known = vec![None; groups.len()];
    let mut tree = Tree { groups, own, places, known, line: Vec::new(), total: 0, report };
    for at in 0..tree.groups.len() {
        tree.position(at);
    }
}

/// Called with the name of a group, and what is wrong.
type Report<'a> = &'a mut dyn FnMut(&str, String);

/// Where a group stands.
#[derive(Debug, Clone, Default)]
struct Position {
    /// The groups above it.
    above: BTreeSet<usize>,
    /// How often it stands in the tree.
    places: usize,
}

struct Tree<'a> {
    groups: &'a mut [Group],
    own: usize,
    places: HashMap<String, usize>,
    known: Vec<Option<Position>>,
    /// The groups on the way from the one whose position is looked for.
    line: Vec<usize>,
    /// The places of all groups whose position is known.
    total: usize,
    report: Report<'a>,
}

impl Tree<'_> {
    /// Finds the position of a group, and leaves out those of its parents that it cannot have.
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

    /// What stands above a group once it has this parent too, and the places that the parent adds.
    fn above(&mut self, at: usize, parent: &str, so_far: &Position) -> Result<Position, String> {
        let place = self.places.get(parent).copied().ok_or("no such group is declared")?;
        if self.line.contains(&place) {
            return Err("it would stand below itself".to_owned());
        }
        let is_own = at < self.own;
        let is_known = self.known.get(place).is_some_and(Option::is_some);
        if !is_own && !is_known && self.line.len() > MAX_ABOVE {
            return Err(format!("a group would stand below a line of more than {MAX_ABOVE} others"));
        }
        let Position { mut above, places } = self.position(place);
        above.extend(&so_far.above);
        above.insert(place);
        if !is_own && above.len() > MAX_ABOVE {
            return Err(format!("it would stand below more than {MAX_ABOVE} groups"));
        }
        let total = self.total.saturating_add(so_far.places).saturating_add(places);
        if !is_own && total > MAX_GROUP_PLACES {
            return Err(format!("the tree of groups would have more than {MAX_GROUP_PLACES} places"));
        }
        Ok(Position { above, places })
    }
}
