use super::choice::{holds, set};
use crate::{
    catalog::{Bitset, Group, Kind, Scope},
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

/// A group where it stands in the tree.
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
}

/// The groups of a view, depth first.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub fn new(view: &View) -> Self {
        let groups: Vec<&Group> = view.groups();
        let mut tree = Self { nodes: Vec::with_capacity(groups.len()) };
        let known = |name: &str| groups.iter().any(|group| group.name == name);
        let mut roots: Vec<&Group> = groups.clone();
        roots.retain(|group| !group.parent.as_deref().is_some_and(known));
        for root in roots {
            tree.grow(view, &groups, root, None);
        }
        tree
    }

    /// Adds a group and what is below it; declared parents make a tree, of no more levels than are read.
    fn grow(&mut self, view: &View, groups: &[&Group], group: &Group, parent: Option<usize>) {
        let at = self.nodes.len();
        let level = parent.and_then(|parent| self.nodes.get(parent)).map_or(0, |node| node.level + 1);
        let id = Scope::from(view).group(&group.name);
        self.nodes.push(Node { group: group.clone(), level, parent, covered: false, id });
        for below in groups.iter().filter(|below| below.parent.as_ref() == Some(&group.name)) {
            self.grow(view, groups, below, Some(at));
        }
        let mut children = self.nodes.iter().filter(|node| node.parent == Some(at)).peekable();
        let covered = children.peek().is_some() && {
            let below: Vec<usize> = children.filter_map(|node| node.id).collect();
            Kind::ALL.into_iter().all(|kind| covers(view, kind, id, &below))
        };
        if let Some(node) = self.nodes.get_mut(at) {
            node.covered = covered;
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
                self.nodes.push(Node { group, level: 0, parent: None, covered: false, id: None });
            }
        }
    }

    /// The box of each group, in order.
    pub fn boxes(&self, filter: &Filter) -> Vec<Checked> {
        let mut boxes: Vec<Checked> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // Groups above come first, so that theirs are known.
            let above = node.parent.and_then(|parent| boxes.get(parent)).copied();
            boxes.push(own(filter, &node.group.name).or(above).unwrap_or(Checked::Off));
        }
        // And groups below come after: from the last to the first.
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
            self.line(at).for_each(|node| set(&mut filter.not.groups, &node.group.name, false));
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

    /// What the nearest group above says that says anything.
    fn above(&self, filter: &Filter, at: usize) -> Option<Checked> {
        self.line(at).find_map(|node| own(filter, &node.group.name))
    }

    /// The groups above, nearest first.
    fn line(&self, at: usize) -> impl Iterator<Item = &Node> {
        let parent = |node: &&Node| node.parent.and_then(|parent| self.nodes.get(parent));
        std::iter::successors(self.nodes.get(at).as_ref().and_then(parent), move |node| parent(node))
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
