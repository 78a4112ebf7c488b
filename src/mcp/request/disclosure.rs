//! Which primitives stand at the top level of lists and which are disclosed by groups, for one caller.
//!
//! A group is offered if the caller sees one of its tools, prompts or resources. A primitive that is in an offered group
//! is scoped: lists leave it out, and the innermost offered groups that it is in carry it. An offered group that
//! another one contains is nested: the nearest of these list it.

use std::borrow::Cow;

use crate::{
    catalog::{Bitset, ByKind, Group, GroupTree, Kind},
    config::Config,
    mcp::{
        gateway::declared::ServerDeclarations,
        protocol::{disclosure::EXTENSION, error::RpcError, method::Method},
        request::{caller::Caller, visibility::look},
    },
    policy::{Guarded, View},
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
    /// The disclosed groups that contain it, nearest first.
    above: Vec<&'a str>,
    /// The visible members, those of nested groups among them, by kind.
    members: ByKind<Bitset>,
}

/// Whether the groups of the draft exist for a caller: the operator discloses some, and the request declares the
/// extension. The draft knows no declaration that outlives its request, so sessions have none.
pub(crate) fn is_on(config: &Config, caller: &Caller<'_>) -> bool {
    let declared = || caller.capabilities.get("extensions").and_then(|all| all.get(EXTENSION));
    !config.drafts.disclosed_groups.is_empty()
        && caller.protocol.is_stateless()
        && declared().is_some_and(serde_json::Value::is_object)
}

impl<'a> Disclosure<'a> {
    /// Returns what is offered to a caller. Each kind is looked at as its list is, for policies that read the method.
    ///
    /// # Errors
    /// A query or header that cannot be read.
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
        let declared = &config.assignments.groups;
        let tree = GroupTree::of(declared);
        let disclosed = |name: &str| config.drafts.disclosed_groups.iter().any(|known| known == name);
        let groups = declared.iter().filter(|group| disclosed(&group.name)).map(|group| {
            let mut members: ByKind<Bitset> = Default::default();
            for (kind, view) in &views {
                if let Some(slot) = members.get_mut(*kind as usize) {
                    *slot = view.members(*kind, &group.name);
                }
            }
            let above = tree.above(&group.name).into_iter().filter(|name| disclosed(name)).collect();
            Offered { group, above, members }
        });
        let seen = |group: &Offered<'_>| group.members.iter().any(|members| members.count() > 0);
        Ok(Self { groups: groups.filter(seen).collect() })
    }

    /// The groups that no other contains, in the order of the configuration.
    pub fn top(&self) -> impl Iterator<Item = &'a Group> {
        self.groups.iter().filter(|offered| offered.above.is_empty()).map(|offered| offered.group)
    }

    /// The groups right below one: those that it contains and that no other group in it contains.
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

    /// The members of an offered group that no group below it carries; none for any other name.
    pub fn contents(&self, name: &str) -> Option<ByKind<Bitset>> {
        let mut contents = self.groups.iter().find(|offered| offered.group.name == name)?.members.clone();
        for nested in self.groups.iter().filter(|offered| offered.above.contains(&name)) {
            contents.iter_mut().zip(&nested.members).for_each(|(left, members)| left.subtract(members));
        }
        Some(contents)
    }

    /// Returns a view without what groups disclose.
    pub fn top_level(&self, guarded: &Guarded, view: &View) -> View {
        let mut visible = Kind::ALL.map(|kind| view.bits(kind).clone());
        for offered in &self.groups {
            visible.iter_mut().zip(&offered.members).for_each(|(left, members)| left.subtract(members));
        }
        guarded.part(visible)
    }
}

/// Whether a method lists primitives that groups can disclose.
pub(crate) fn narrows(method: Option<Method>) -> bool {
    matches!(method, Some(Method::ListTools | Method::ListPrompts | Method::ListResources))
}
