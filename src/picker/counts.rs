//! The number of primitives for each group, tag and concern value.

use std::borrow::Cow;

use super::{Checked, Choice, Mark, Node, Picker, servers::Servers};
use crate::{
    catalog::Bitset,
    concern::Concern,
    filter::{Limit, Selection},
};

/// The state of an option, with the number of primitives that have it now and that would match.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts<T> {
    /// The state of the option.
    pub state: T,
    /// The number of visible primitives of the kind that have the option.
    pub members: usize,
    /// The number of these that match the rest of the choice.
    pub left: usize,
}

impl Picker {
    /// Returns the counts of each group. `left` ignores the choice of groups and servers.
    pub fn group_counts(&self) -> Vec<Counts<Checked>> {
        let rest = self.without(&|choice| {
            choice.servers = Servers::default();
            choice.filter.groups.clear();
            choice.filter.not.groups.clear();
        });
        let boxes = self.tree.boxes(&self.choice);
        let nodes = self.tree.nodes().iter().zip(boxes);
        nodes.map(|(node, state)| self.counted(state, self.members(node).as_deref(), &rest)).collect()
    }

    /// Returns the primitives below a node of the tree.
    fn members(&self, node: &Node) -> Option<Cow<'_, Bitset>> {
        let kind_index = self.view.catalog().kind_index(self.kind);
        let group = node.id.and_then(|id| kind_index.group(id));
        let Some(server) = &node.server else { return group.map(Cow::Borrowed) };
        let mut members = kind_index.of_server(server);
        if !node.is_server {
            members.intersect(group?);
        }
        Some(Cow::Owned(members))
    }

    /// Returns the counts of each tag. `left` ignores the choice for that tag.
    pub fn tag_counts(&self) -> Vec<Counts<Mark>> {
        let rest = self.without(&|_| {});
        let (kind_index, scope) =
            (self.view.catalog().kind_index(self.kind), crate::catalog::Scope::from(&self.view));
        let counted = self.tags.iter().map(|tag| {
            let members = scope.tag(&tag.name).and_then(|id| kind_index.tag(id));
            match self.choice.mark(&tag.name) {
                Mark::Indifferent => self.counted(Mark::Indifferent, members, &rest),
                mark => {
                    let others = self.without(&|choice| {
                        choice.filter.tags.retain(|name| *name != tag.name);
                        choice.filter.not.tags.retain(|name| *name != tag.name);
                    });
                    self.counted(mark, members, &others)
                }
            }
        });
        counted.collect()
    }

    /// Returns the counts of each listed value of each concern, in order. The state is whether the value is chosen.
    /// `members` counts the primitives that have the value, and `left` the primitives that would match if it were the
    /// only chosen value of its concern.
    pub fn value_counts(&self) -> Vec<Counts<bool>> {
        self.concerns.iter().flat_map(|concern| self.values_of(concern)).collect()
    }

    fn values_of(&self, concern: &Concern) -> Vec<Counts<bool>> {
        let (kind_index, scope) =
            (self.view.catalog().kind_index(self.kind), crate::catalog::Scope::from(&self.view));
        let rest = self.without(&|choice| choice.filter.concerns.set(&concern.name, None));
        let id = scope.concern(&concern.name);
        let silent = id.and_then(|id| kind_index.silent(id));
        let counted = concern.values.listed().iter().map(|value| {
            let members = id.and_then(|id| kind_index.concern_value(id, scope.value(&concern.name, value)?));
            let state = self.choice.concern_values(&concern.name).contains(value);
            let mut counts = self.counted(state, members, &rest);
            // Primitives without a value for a concern match every value.
            counts.left += match (id, silent) {
                (Some(_), Some(silent)) => silent.common(&rest),
                _ => rest.count(),
            };
            counts
        });
        counted.collect()
    }

    fn counted<T>(&self, state: T, members: Option<&Bitset>, rest: &Bitset) -> Counts<T> {
        let common = |bits: &Bitset| members.map_or(0, |members| members.common(bits));
        Counts { state, members: common(self.view.bits(self.kind)), left: common(rest) }
    }

    /// Returns the primitives that would match after a change, ignoring the limit, which would select anew.
    fn without(&self, change: &dyn Fn(&mut Choice)) -> Bitset {
        let mut choice = self.choice.clone();
        change(&mut choice);
        choice.filter.limit = Limit::default();
        let filter = choice.filter(&[]).unwrap_or_default();
        let mut selection = Selection::default();
        let narrowing = self.narrow(filter).unwrap_or_default();
        self.view.select(&narrowing, self.kind, &mut selection).clone()
    }
}
