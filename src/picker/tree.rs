use super::choice::{holds, set};
use crate::{
    catalog::{Bitset, Group, Kind, MAX_GROUP_DEPTH, MAX_GROUP_PLACES, Scope},
    filter::Filter,
    policy::View,
};

/// What a group's box shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// Not chosen. While nothing is chosen, no group restricts anything.
    Off,
    /// Chosen whole.
    On,
    /// Part of what is below it is chosen, or refused.
    Mixed,
    /// Left out.
    Excluded,
}

/// A group in one of its places in the tree: it has one below each place of each of its parents.
#[derive(Debug, Clone)]
pub struct Node {
    /// The group as it is declared.
    pub group: Group,
    /// How many stand above it.
    pub level: usize,
    /// The place of the group above it.
    pub parent: Option<usize>,
    /// Whether the groups below hold all of its members. So it is if there are some.
    covered: bool,
    /// Its number in the catalog; none where only a filter names it.
    pub(super) id: Option<usize>,
    /// The first place of each of its parents.
    parents: Vec<usize>,
}

/// The groups of a view, depth first.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// What is known of a group before it has a place; parents and children by their numbers among the groups.
#[derive(Default)]
struct Draft {
    id: Option<usize>,
    parents: Vec<usize>,
    children: Vec<usize>,
    covered: bool,
    first: Option<usize>,
}

impl Tree {
    pub fn new(view: &View) -> Self {
        let groups: Vec<&Group> = view.groups();
        let place = |name: &String| groups.iter().position(|group| group.name == *name);
        let draft = |group: &&'_ Group| Draft {
            id: Scope::from(view).group(&group.name),
            parents: group.parents.iter().filter_map(place).collect(),
            ..Draft::default()
        };
        let mut drafts: Vec<Draft> = groups.iter().map(draft).collect();
        for at in 0..drafts.len() {
            let parents = drafts.get(at).map(|draft| draft.parents.clone()).unwrap_or_default();
            for parent in parents {
                drafts.get_mut(parent).into_iter().for_each(|parent| parent.children.push(at));
            }
        }
        for at in 0..drafts.len() {
            let Some(Draft { id, children, .. }) = drafts.get(at) else { continue };
            let below: Vec<usize> =
                children.iter().filter_map(|child| drafts.get(*child)).filter_map(|child| child.id).collect();
            let covered =
                !children.is_empty() && Kind::ALL.into_iter().all(|kind| covers(view, kind, *id, &below));
            drafts.get_mut(at).into_iter().for_each(|draft| draft.covered = covered);
        }
        let mut tree = Self { nodes: Vec::with_capacity(groups.len()) };
        for at in 0..drafts.len() {
            if drafts.get(at).is_some_and(|draft| draft.parents.is_empty()) {
                tree.grow(&groups, &mut drafts, at, None);
            }
        }
        for node in &mut tree.nodes {
            let first = |parent: &usize| drafts.get(*parent).and_then(|draft| draft.first);
            node.parents = node.parents.iter().filter_map(first).collect();
        }
        tree
    }

    /// Adds a place of a group, and what is below it. Parents that were not checked may make a circle or a tree without
    /// bound, so it has no more levels and places than are read.
    fn grow(&mut self, groups: &[&Group], drafts: &mut [Draft], number: usize, parent: Option<usize>) {
        let at = self.nodes.len();
        let level = parent.and_then(|parent| self.nodes.get(parent)).map_or(0, |node| node.level + 1);
        let (Some(draft), Some(group)) = (drafts.get_mut(number), groups.get(number)) else { return };
        if level > MAX_GROUP_DEPTH || at >= MAX_GROUP_PLACES {
            return;
        }
        draft.first = draft.first.or(Some(at));
        let Draft { id, covered, .. } = *draft;
        let (parents, children) = (draft.parents.clone(), draft.children.clone());
        self.nodes.push(Node { group: (*group).clone(), level, parent, covered, id, parents });
        for child in children {
            self.grow(groups, drafts, child, Some(at));
        }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Adds names that are in no catalog, at the end.
    pub fn meet<'a>(&mut self, names: impl Iterator<Item = &'a String>) {
        for name in names {
            if !self.nodes.iter().any(|node| node.group.name == *name) {
                let group = Group { name: name.clone(), ..Group::default() };
                let parents = Vec::new();
                self.nodes.push(Node { group, level: 0, parent: None, covered: false, id: None, parents });
            }
        }
    }

    /// The box of each group, in order.
    pub fn boxes(&self, filter: &Filter) -> Vec<Checked> {
        let mut boxes: Vec<Checked> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let above = || self.above(filter, at);
            boxes.push(own(filter, &node.group.name).or_else(above).unwrap_or(Checked::Off));
        }
        // Groups below come after those above: from the last to the first.
        for at in (0..self.nodes.len()).rev() {
            let children =
                || self.nodes.iter().enumerate().skip(at + 1).filter(|(_, node)| node.parent == Some(at));
            let below = |wanted: &[Checked]| {
                children().any(|(child, _)| boxes.get(child).is_some_and(|found| wanted.contains(found)))
            };
            let (now, covered) = match (boxes.get(at), self.nodes.get(at)) {
                (Some(now), Some(node)) => (*now, node.covered),
                _ => continue,
            };
            let shown = match now {
                Checked::On if below(&[Checked::Mixed, Checked::Excluded]) => Checked::Mixed,
                Checked::Off if covered && !below(&[Checked::Off, Checked::Mixed, Checked::Excluded]) => {
                    Checked::On
                }
                Checked::Off if below(&[Checked::On, Checked::Mixed]) => Checked::Mixed,
                same => same,
            };
            boxes.get_mut(at).into_iter().for_each(|slot| *slot = shown);
        }
        boxes
    }

    /// Puts a group in, or takes it out if its box is on.
    pub fn toggle(&self, filter: &mut Filter, at: usize) {
        let (Some(now), Some(node)) = (self.boxes(filter).get(at).copied(), self.nodes.get(at)) else {
            return;
        };
        self.clear_below(filter, at);
        let above = self.above(filter, at);
        if now == Checked::On {
            set(&mut filter.not.groups, &node.group.name, above == Some(Checked::On));
            return;
        }
        if above == Some(Checked::Excluded) {
            for node in self.levels_above(at).iter().flatten() {
                set(&mut filter.not.groups, &node.group.name, false);
            }
        }
        if self.above(filter, at) != Some(Checked::On) {
            set(&mut filter.groups, &node.group.name, true);
        }
    }

    /// Leaves a group out, or no longer.
    pub fn refuse(&self, filter: &mut Filter, at: usize) {
        let Some(Node { group, .. }) = self.nodes.get(at) else { return };
        let refused = holds(&filter.not.groups, &group.name);
        self.clear_below(filter, at);
        let wanted = !refused && self.above(filter, at) != Some(Checked::Excluded);
        set(&mut filter.not.groups, &group.name, wanted);
    }

    /// Takes what is said of a group and of those below it out of the filter.
    fn clear_below(&self, filter: &mut Filter, at: usize) {
        let level = self.nodes.get(at).map_or(0, |node| node.level);
        let below = self.nodes.iter().skip(at + 1).take_while(|node| node.level > level);
        for node in self.nodes.get(at).into_iter().chain(below) {
            set(&mut filter.groups, &node.group.name, false);
            set(&mut filter.not.groups, &node.group.name, false);
        }
    }

    /// What the nearest groups above say that say anything. A group that is left out takes its members along, whatever
    /// another one says.
    fn above(&self, filter: &Filter, at: usize) -> Option<Checked> {
        self.levels_above(at).iter().find_map(|level| {
            let said = || level.iter().filter_map(|node| own(filter, &node.group.name));
            said().find(|said| *said == Checked::Excluded).or_else(|| said().next())
        })
    }

    /// The groups above, each once, nearest first: its parents, theirs, and so on.
    fn levels_above(&self, at: usize) -> Vec<Vec<&Node>> {
        let parents = |at: usize| self.nodes.get(at).map_or(&[][..], |node| &node.parents);
        let mut levels: Vec<Vec<usize>> = Vec::new();
        let mut level = parents(at).to_vec();
        while !level.is_empty() {
            let mut next: Vec<usize> = Vec::new();
            for parent in level.iter().flat_map(|above| parents(*above)) {
                let known = levels.iter().flatten().chain(&level).chain(&next).any(|known| known == parent);
                if !known {
                    next.push(*parent);
                }
            }
            levels.push(std::mem::replace(&mut level, next));
        }
        let nodes = |level: &Vec<usize>| level.iter().filter_map(|at| self.nodes.get(*at)).collect();
        levels.iter().map(nodes).collect()
    }
}

/// What a filter says of a group by its name.
fn own(filter: &Filter, name: &str) -> Option<Checked> {
    match (holds(&filter.groups, name), holds(&filter.not.groups, name)) {
        (_, true) => Some(Checked::Excluded),
        (true, false) => Some(Checked::On),
        (false, false) => None,
    }
}

/// Whether what is visible in a group is in one of those below it.
fn covers(view: &View, kind: Kind, id: Option<usize>, below: &[usize]) -> bool {
    let kind_index = view.catalog().kind_index(kind);
    let Some(members) = id.and_then(|id| kind_index.group(id)) else { return true };
    let mut rest: Bitset = view.bits(kind).clone();
    rest.intersect(members);
    below.iter().filter_map(|id| kind_index.group(*id)).for_each(|members| rest.subtract(members));
    rest.count() == 0
}
