use super::{
    Choice,
    choice::{holds, set},
    servers::Servers,
};
use crate::{
    catalog::{Bitset, Group, Kind, MAX_GROUP_DEPTH, MAX_GROUP_PLACES, Scope},
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

/// A server, or a group in one of its places in the tree: it has one below each place of each of its parents.
#[derive(Debug, Clone)]
pub struct Node {
    /// The group as it is declared.
    pub group: Group,
    /// The server that it is, or that it stands below.
    pub server: Option<String>,
    /// Whether it is a server, whose name the group then has.
    pub is_server: bool,
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

/// The servers and groups of a view, depth first.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// What is known of a group before it has a place; parents and children by their numbers among the groups.
#[derive(Default)]
struct Draft {
    /// Whether it stands in the part of the tree that is made.
    present: bool,
    id: Option<usize>,
    parents: Vec<usize>,
    children: Vec<usize>,
    covered: bool,
    first: Option<usize>,
}

impl Draft {
    /// Whether it stands on the first level of its part.
    fn is_root(&self) -> bool {
        self.present && self.parents.is_empty()
    }
}

/// What the groups below a place may cover.
#[derive(Clone, Copy)]
enum Whole<'a> {
    Group(Option<usize>),
    GroupOf(Option<usize>, &'a str),
    Server(&'a str),
}

/// The groups as they stand below a server, or below none.
fn drafts(view: &View, groups: &[&Group], server: Option<&String>) -> Vec<Draft> {
    let place = |name: &String| groups.iter().position(|group| group.name == *name);
    let draft = |group: &&'_ Group| {
        let id = Scope::from(view).group(&group.name);
        let present = server.is_none_or(|server| {
            Kind::ALL.into_iter().any(|kind| visible(view, kind, Whole::GroupOf(id, server)).count() > 0)
        });
        let parents = group.parents.iter().filter_map(place).collect();
        Draft { present, id, parents, ..Draft::default() }
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
        let whole = match server {
            Some(server) => Whole::GroupOf(*id, server),
            None => Whole::Group(*id),
        };
        let covered = !children.is_empty() && Kind::ALL.into_iter().all(|kind| covers(view, kind, whole, &below));
        drafts.get_mut(at).into_iter().for_each(|draft| draft.covered = covered);
    }
    drafts
}

impl Tree {
    /// The groups below the `servers` that they have something of; below none if there are none.
    pub fn new(view: &View, servers: &[String]) -> Self {
        let groups: Vec<&Group> = view.groups();
        let mut tree = Self { nodes: Vec::with_capacity(groups.len() + servers.len()) };
        let mut placed = vec![false; groups.len()];
        for server in servers {
            let drafts = drafts(view, &groups, Some(server));
            let at = tree.nodes.len();
            let roots: Vec<usize> = drafts.iter().filter(|draft| draft.is_root()).filter_map(|d| d.id).collect();
            let covered = !roots.is_empty()
                && Kind::ALL.into_iter().all(|kind| covers(view, kind, Whole::Server(server), &roots));
            let group = Group { name: server.clone(), ..Group::default() };
            let (id, parents, parent) = (None, Vec::new(), None);
            let server = Some(server.clone());
            tree.nodes.push(Node { group, server, is_server: true, level: 0, parent, covered, id, parents });
            placed.iter_mut().zip(&drafts).for_each(|(placed, draft)| *placed |= draft.present);
            tree.plant(&groups, drafts, Some(at));
        }
        let mut rest = drafts(view, &groups, None);
        rest.iter_mut().zip(placed).for_each(|(draft, placed)| draft.present &= !placed);
        tree.plant(&groups, rest, None);
        tree
    }

    /// Adds the groups of `drafts` below a server, or below nothing.
    fn plant(&mut self, groups: &[&Group], mut drafts: Vec<Draft>, server: Option<usize>) {
        let from = self.nodes.len();
        for at in 0..drafts.len() {
            if drafts.get(at).is_some_and(Draft::is_root) {
                self.grow(groups, &mut drafts, at, server, server);
            }
        }
        for node in self.nodes.iter_mut().skip(from) {
            let first = |parent: &usize| drafts.get(*parent).and_then(|draft| draft.first);
            node.parents = node.parents.iter().filter_map(first).collect();
            if node.parents.is_empty() {
                node.parents.extend(server);
            }
        }
    }

    /// Adds a place of a group, and what is below it. Parents that were not checked may make a circle or a tree without
    /// bound, so it has no more levels and places than are read.
    fn grow(
        &mut self,
        groups: &[&Group],
        drafts: &mut [Draft],
        number: usize,
        parent: Option<usize>,
        server: Option<usize>,
    ) {
        let at = self.nodes.len();
        let level = parent.and_then(|parent| self.nodes.get(parent)).map_or(0, |node| node.level + 1);
        let (Some(draft), Some(group)) = (drafts.get_mut(number), groups.get(number)) else { return };
        if level > MAX_GROUP_DEPTH + usize::from(server.is_some()) || at >= MAX_GROUP_PLACES || !draft.present {
            return;
        }
        draft.first = draft.first.or(Some(at));
        let Draft { id, covered, .. } = *draft;
        let (parents, children) = (draft.parents.clone(), draft.children.clone());
        let name = server.and_then(|server| self.nodes.get(server)).and_then(|node| node.server.clone());
        let group = (*group).clone();
        self.nodes.push(Node { group, server: name, is_server: false, level, parent, covered, id, parents });
        for child in children {
            self.grow(groups, drafts, child, Some(at), server);
        }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Adds names that are in no catalog, at the end.
    pub fn meet<'a>(&mut self, names: impl Iterator<Item = &'a String>) {
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

    /// The box of each group, in order.
    pub fn boxes(&self, choice: &Choice) -> Vec<Checked> {
        let mut boxes: Vec<Checked> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let above = || self.above(choice, at);
            boxes.push(own(choice, node).or_else(above).unwrap_or(Checked::Off));
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

    /// Leaves a group out, or no longer.
    pub fn refuse(&self, choice: &mut Choice, at: usize) {
        let Some(node) = self.nodes.get(at) else { return };
        let refused = own(choice, node) == Some(Checked::Excluded);
        self.clear_below(choice, at);
        node.exclude(choice, !refused && self.above(choice, at) != Some(Checked::Excluded));
    }

    /// Takes what is said of a place and of those below it out of the choice.
    fn clear_below(&self, choice: &mut Choice, at: usize) {
        let level = self.nodes.get(at).map_or(0, |node| node.level);
        let below = self.nodes.iter().skip(at + 1).take_while(|node| node.level > level);
        for node in self.nodes.get(at).into_iter().chain(below) {
            node.include(choice, false);
            node.exclude(choice, false);
        }
    }

    /// What the nearest groups above say that say anything. A group that is left out takes its members along, whatever
    /// another one says.
    fn above(&self, choice: &Choice, at: usize) -> Option<Checked> {
        self.levels_above(at).iter().find_map(|level| {
            let said = || level.iter().filter_map(|node| own(choice, node));
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

impl Node {
    /// Names it among what is wanted, or there no longer.
    fn include(&self, choice: &mut Choice, on: bool) {
        match self.is_server {
            true => Servers::set(&mut choice.servers.wanted, &self.group.name, on),
            false => set(&mut choice.filter.groups, &self.group.name, on),
        }
    }

    /// Names it among what is left out, or there no longer.
    fn exclude(&self, choice: &mut Choice, on: bool) {
        match self.is_server {
            true => Servers::set(&mut choice.servers.excluded, &self.group.name, on),
            false => set(&mut choice.filter.not.groups, &self.group.name, on),
        }
    }
}

/// What a choice says of a group or a server by its name.
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

/// Whether all that is visible of `whole` is in one of the groups below it.
fn covers(view: &View, kind: Kind, whole: Whole<'_>, below: &[usize]) -> bool {
    let kind_index = view.catalog().kind_index(kind);
    let mut rest = visible(view, kind, whole);
    below.iter().filter_map(|id| kind_index.group(*id)).for_each(|members| rest.subtract(members));
    rest.count() == 0
}

/// What is visible of `whole`.
fn visible(view: &View, kind: Kind, whole: Whole<'_>) -> Bitset {
    let kind_index = view.catalog().kind_index(kind);
    let mut members: Bitset = view.bits(kind).clone();
    let (group, server) = match whole {
        Whole::Group(id) => (Some(id), None),
        Whole::GroupOf(id, server) => (Some(id), Some(server)),
        Whole::Server(server) => (None, Some(server)),
    };
    if let Some(id) = group {
        match id.and_then(|id| kind_index.group(id)) {
            Some(group) => members.intersect(group),
            None => members.clear(),
        }
    }
    if let Some(server) = server {
        members.intersect(&kind_index.of_server(server));
    }
    members
}
