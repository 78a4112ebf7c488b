//! Builds the tree of servers and groups.

use super::{Node, tree::Tree};
use crate::{
    catalog::{Bitset, Group, GroupTree, Kind, Scope},
    policy::View,
};

/// A group before it is added to the tree. Parents and children are indices among the groups.
#[derive(Default)]
struct Draft {
    /// Whether the group is in the part of the tree that is being built.
    present: bool,
    id: Option<usize>,
    parents: Vec<usize>,
    children: Vec<usize>,
    covered: bool,
    first: Option<usize>,
}

impl Draft {
    /// Returns whether the group is on the first level of its part of the tree.
    fn is_root(&self) -> bool {
        self.present && self.parents.is_empty()
    }
}

/// The primitives that the groups below a node may cover: those of a group, of a group within a server, or of a server.
#[derive(Clone, Copy)]
enum Whole<'a> {
    Group(Option<usize>),
    GroupOf(Option<usize>, &'a str),
    Server(&'a str),
}

/// Returns the groups below a server, or without one.
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
        let covered =
            !children.is_empty() && Kind::ALL.into_iter().all(|kind| covers(view, kind, whole, &below));
        drafts.get_mut(at).into_iter().for_each(|draft| draft.covered = covered);
    }
    drafts
}

impl Tree {
    /// Builds the tree of the groups, below the `servers` that have primitives in them. Without servers, the groups are
    /// on the first level.
    pub fn new(view: &View, servers: &[String]) -> Self {
        let groups: Vec<&Group> = view.groups();
        let mut tree = Self { nodes: Vec::with_capacity(groups.len() + servers.len()) };
        let mut placed = vec![false; groups.len()];
        for server in servers {
            let drafts = drafts(view, &groups, Some(server));
            let at = tree.nodes.len();
            let roots: Vec<usize> =
                drafts.iter().filter(|draft| draft.is_root()).filter_map(|d| d.id).collect();
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

    /// Adds the groups of `drafts` below a server, or on the first level.
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

    /// Adds a node for a group, and the nodes below it. The parents may be unchecked and form a cycle or an unbounded
    /// tree, so the number of levels and nodes is limited.
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
        if level > GroupTree::MAX_DEPTH + usize::from(server.is_some())
            || at >= GroupTree::MAX_PLACES
            || !draft.present
        {
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
}

/// Returns whether all visible primitives of `whole` are in one of the groups below it.
fn covers(view: &View, kind: Kind, whole: Whole<'_>, below: &[usize]) -> bool {
    let kind_index = view.catalog().kind_index(kind);
    let mut rest = visible(view, kind, whole);
    below.iter().filter_map(|id| kind_index.group(*id)).for_each(|members| rest.subtract(members));
    rest.count() == 0
}

/// Returns the visible primitives of `whole`.
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
