//! The primitives that stay in lists and those that groups disclose, for one caller.
//!
//! A group is offered if the caller sees one of its tools, prompts or resources. Lists leave out the primitives of
//! offered groups; the innermost offered groups that contain a primitive return it instead. An offered group within
//! another is nested: lists leave it out too, and the nearest groups around it return it.

use std::borrow::Cow;

use mcp_sieve::{
    Kind,
    catalog::{Bitset, Group, GroupTree},
    policy::{Guarded, View},
};

use crate::{
    backend::declared::ServerDeclarations,
    caller::identity::Caller,
    config::Config,
    protocol::{disclosure::EXTENSION, error::RpcError, method::Method},
    request::visibility::look,
};

/// The kinds that a group can disclose. Templates and skills stay in their lists.
pub(crate) const KINDS: [Kind; 3] = [Kind::Tool, Kind::Prompt, Kind::Resource];

/// The groups that are offered to a caller.
#[derive(Debug)]
pub(crate) struct Disclosure<'a> {
    groups: Vec<Offered<'a>>,
}

#[derive(Debug)]
struct Offered<'a> {
    group: &'a Group,
    /// The disclosed groups that contain this group, nearest first.
    above: Vec<&'a str>,
    /// The visible members by kind, including those of nested groups.
    members: [Bitset; Kind::COUNT],
}

/// Returns whether the groups of the draft are in use for a caller: the operator discloses groups, and the request
/// declares the extension. In the draft a declaration covers one request only, so sessions have no groups.
pub(crate) fn is_on(config: &Config, caller: &Caller<'_>) -> bool {
    let declared = || caller.capabilities.get("extensions").and_then(|all| all.get(EXTENSION));
    !config.drafts.disclosed_groups.is_empty()
        && caller.protocol.is_stateless()
        && declared().is_some_and(serde_json::Value::is_object)
}

impl<'a> Disclosure<'a> {
    /// Returns the groups that are offered to a caller. Each kind is viewed with the method of its list, because
    /// policies may read the method.
    ///
    /// # Errors
    /// A query or header that cannot be parsed.
    pub fn new(
        config: &'a Config,
        (guarded, declarations): (&Guarded, &ServerDeclarations),
        caller: &Caller<'_>,
        query: &str,
    ) -> Result<Self, RpcError> {
        let mut views = Vec::new();
        for kind in KINDS {
            let caller = Caller { method: Cow::Borrowed(kind.list_method()), ..caller.clone() };
            views.push((kind, look(config, guarded, declarations, &caller, query)?.0));
        }
        let declared = &config.engine.assignments.groups;
        let tree = GroupTree::from_groups(declared);
        let disclosed = |name: &str| config.drafts.disclosed_groups.iter().any(|known| known == name);
        let groups = declared.iter().filter(|group| disclosed(&group.name)).map(|group| {
            let mut members: [Bitset; Kind::COUNT] = Default::default();
            for (kind, view) in &views {
                if let Some(slot) = members.get_mut(*kind as usize) {
                    *slot = view.trusted_members(*kind, &group.name);
                }
            }
            let above = tree.above(&group.name).into_iter().filter(|name| disclosed(name)).collect();
            Offered { group, above, members }
        });
        let seen = |group: &Offered<'_>| group.members.iter().any(|members| members.count() > 0);
        Ok(Self { groups: groups.filter(seen).collect() })
    }

    /// Returns the groups that no other group contains, in the order of the configuration.
    pub fn top(&self) -> impl Iterator<Item = &'a Group> {
        self.groups.iter().filter(|offered| offered.above.is_empty()).map(|offered| offered.group)
    }

    /// Returns the groups directly in a group, without those that are in a group in between.
    pub fn below(&self, name: &str) -> impl Iterator<Item = &'a Group> {
        let between = move |offered: &Offered<'_>| {
            offered.above.iter().any(|between| {
                let mut groups = self.groups.iter().filter(|known| known.group.name == **between);
                groups.any(|known| known.above.contains(&name))
            })
        };
        let right_below = move |offered: &&Offered<'_>| offered.above.contains(&name) && !between(offered);
        self.groups.iter().filter(right_below).map(|offered| offered.group)
    }

    /// Returns the members of an offered group that no nested group has; `None` for any other name.
    pub fn contents(&self, name: &str) -> Option<[Bitset; Kind::COUNT]> {
        let mut contents = self.groups.iter().find(|offered| offered.group.name == name)?.members.clone();
        for nested in self.groups.iter().filter(|offered| offered.above.contains(&name)) {
            contents.iter_mut().zip(&nested.members).for_each(|(left, members)| left.subtract(members));
        }
        Some(contents)
    }

    /// Returns a view without the primitives that groups disclose.
    pub fn top_level(&self, guarded: &Guarded, view: &View) -> View {
        let mut visible = Kind::ALL.map(|kind| view.bits(kind).clone());
        for offered in &self.groups {
            visible.iter_mut().zip(&offered.members).for_each(|(left, members)| left.subtract(members));
        }
        guarded.part(view, visible)
    }
}

/// Returns whether a method lists primitives that groups can disclose.
pub(crate) fn narrows(method: Option<Method>) -> bool {
    matches!(method, Some(Method::ListTools | Method::ListPrompts | Method::ListResources))
}
