//! The tree of servers and groups, with the check box state of each node.

use super::{
    Choice,
    choice::{holds, set},
    servers::Servers,
};
use crate::catalog::Group;

/// The state of a group's box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// Not chosen. While nothing is chosen, no group restricts anything.
    Off,
    /// Selected as a whole.
    On,
    /// Some groups below it are selected or excluded.
    Mixed,
    /// Excluded.
    Excluded,
}

/// A node of the tree: a server, or a group at one of its positions. A group has one node below each node of each of
/// its parents.
#[non_exhaustive]
#[derive(Debug, Clone)]
pub struct Node {
    /// The group as it is declared.
    pub group: Group,
    /// The server that the node is or belongs to.
    pub server: Option<String>,
    /// Whether the node is a server. The group then has the server's name.
    pub is_server: bool,
    /// The number of nodes above it.
    pub level: usize,
    /// The index of its parent node.
    pub parent: Option<usize>,
    /// Whether the groups below contain all its members. Always `false` without groups below.
    pub(super) covered: bool,
    /// The number of the group in the catalog. `None` if only a filter names it.
    pub(super) id: Option<usize>,
    /// The first node of each of its parents.
    pub(super) parents: Vec<usize>,
}

/// The servers and groups of a view, depth first.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

impl Tree {
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Adds the groups that the tree lacks, at the end.
    pub fn add_unknown_groups<'a>(&mut self, names: impl Iterator<Item = &'a String>) {
        for name in names {
            if !self.nodes.iter().any(|node| !node.is_server && node.group.name == *name) {
                let group = Group { name: name.clone(), ..Group::default() };
                let (server, parents) = (None, Vec::new());
                let (level, parent, id) = (0, None, None);
                self.nodes.push(Node {
                    group,
                    server,
                    is_server: false,
                    level,
                    parent,
                    covered: false,
                    id,
                    parents,
                });
            }
        }
    }

    /// Returns the box of each node, in order.
    pub fn boxes(&self, choice: &Choice) -> Vec<Checked> {
        let mut boxes: Vec<Checked> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let above = || self.above(choice, at);
            boxes.push(own(choice, node).or_else(above).unwrap_or(Checked::Off));
        }
        // Groups below come after those above, so this goes from the last to the first.
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

    /// Selects a group, or deselects it if its box is on.
    pub fn toggle(&self, choice: &mut Choice, at: usize) {
        let (Some(now), Some(node)) = (self.boxes(choice).get(at).copied(), self.nodes.get(at)) else {
            return;
        };
        self.clear_below(choice, at);
        let above = self.above(choice, at);
        if now == Checked::On {
            node.exclude(choice, above == Some(Checked::On));
            return;
        }
        if above == Some(Checked::Excluded) {
            for node in self.levels_above(at).iter().flatten() {
                node.exclude(choice, false);
            }
        }
        if self.above(choice, at) != Some(Checked::On) {
            node.include(choice, true);
        }
    }

    /// Excludes a group, or ends its exclusion.
    pub fn exclude(&self, choice: &mut Choice, at: usize) {
        let Some(node) = self.nodes.get(at) else { return };
        let excluded = own(choice, node) == Some(Checked::Excluded);
        self.clear_below(choice, at);
        node.exclude(choice, !excluded && self.above(choice, at) != Some(Checked::Excluded));
    }

    /// Removes a node and all nodes below it from the choice.
    fn clear_below(&self, choice: &mut Choice, at: usize) {
        let level = self.nodes.get(at).map_or(0, |node| node.level);
        let below = self.nodes.iter().skip(at + 1).take_while(|node| node.level > level);
        for node in self.nodes.get(at).into_iter().chain(below) {
            node.include(choice, false);
            node.exclude(choice, false);
        }
    }

    /// Returns the state of the nearest groups above that are selected or excluded. On the same level, an exclusion
    /// takes precedence.
    fn above(&self, choice: &Choice, at: usize) -> Option<Checked> {
        self.levels_above(at).iter().find_map(|level| {
            let states = || level.iter().filter_map(|node| own(choice, node));
            states().find(|state| *state == Checked::Excluded).or_else(|| states().next())
        })
    }

    /// Returns the groups above, each once, nearest first: the parents, their parents, and so on.
    fn levels_above(&self, at: usize) -> Vec<Vec<&Node>> {
        let parents = |at: usize| self.nodes.get(at).map_or(&[][..], |node| &node.parents);
        let (mut levels, mut level) = (Vec::new(), parents(at).to_vec());
        let mut known = level.clone();
        while !level.is_empty() {
            let mut next = Vec::new();
            for above in &level {
                for parent in parents(*above) {
                    if !known.contains(parent) {
                        known.push(*parent);
                        next.push(*parent);
                    }
                }
            }
            levels.push(level.iter().filter_map(|at| self.nodes.get(*at)).collect());
            level = next;
        }
        levels
    }
}

impl Node {
    /// Adds the node to the selected names, or removes it.
    fn include(&self, choice: &mut Choice, on: bool) {
        match self.is_server {
            true => Servers::set(&mut choice.servers.wanted, &self.group.name, on),
            false => set(&mut choice.filter.groups, &self.group.name, on),
        }
    }

    /// Adds the node to the excluded names, or removes it.
    fn exclude(&self, choice: &mut Choice, on: bool) {
        match self.is_server {
            true => Servers::set(&mut choice.servers.excluded, &self.group.name, on),
            false => set(&mut choice.filter.not.groups, &self.group.name, on),
        }
    }
}

/// Returns the choice for a group or a server itself.
fn own(choice: &Choice, node: &Node) -> Option<Checked> {
    let (wanted, excluded) = match node.is_server {
        true => (&choice.servers.wanted, &choice.servers.excluded),
        false => (&choice.filter.groups, &choice.filter.not.groups),
    };
    match (holds(wanted, &node.group.name), holds(excluded, &node.group.name)) {
        (_, true) => Some(Checked::Excluded),
        (true, false) => Some(Checked::On),
        (false, false) => None,
    }
}
