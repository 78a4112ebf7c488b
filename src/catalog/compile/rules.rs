//! Applies assignment rules and concern mappings to a primitive during compilation.

use std::borrow::Cow;

use super::{
    primitive_draft::{PrimitiveDraft, join},
    sources::Sources,
};
use crate::catalog::model::{
    concern_mapping::ConcernMapping,
    kind::Kind,
    rules::{Assignments, Rule},
};

/// Applies the memberships by the server's lists, the mapping of concerns, the lock, then the rules in order. Returns
/// `false` if the primitive is hidden: by a rule, by the lock, or because trusted lists are missing.
pub(crate) fn apply_rules<'a>(assignments: &'a Assignments, listed: &mut PrimitiveDraft<'a>) -> bool {
    let known = assignments.apply_mappings(listed);
    let passes = listed.pass_lock(assignments.lock.as_deref());
    let kept = known
        && passes
        && assignments.rules.iter().all(|rule| !rule.matches.holds(listed) || rule.apply(listed));
    listed.inherit();
    kept
}

impl Assignments {
    /// Adds what a primitive has by its name: groups and concern values by its server's lists, and mapped concern
    /// values. Returns `false` if the lists of groups are trusted but missing.
    pub(crate) fn apply_mappings<'a>(&'a self, listed: &mut PrimitiveDraft<'a>) -> bool {
        let words = self.declared.iter().find(|words| words.server == listed.server);
        if let Some(words) = words {
            listed.set_concerns(words.concerns_of(listed.kind, &listed.id));
        }
        self.concern_mapping.apply(listed);
        let Some((words, trusted)) = words.zip(Sources::trusts_lists(self)) else { return true };
        let groups = words.groups_of(listed.kind, &listed.id);
        if !groups.is_empty() {
            listed.join_listed(groups, trusted);
        }
        !(trusted && words.lacks_members)
    }
}

impl ConcernMapping {
    /// Sets the concern values that are mapped to a primitive.
    pub(crate) fn apply<'a>(&'a self, listed: &mut PrimitiveDraft<'a>) {
        listed.set_concerns(self.find(&listed.id));
    }
}

impl Rule {
    /// Applies the rule to a primitive that it matches. Returns `false` if it hides the primitive.
    pub(crate) fn apply<'a>(&'a self, listed: &mut PrimitiveDraft<'a>) -> bool {
        if self.hide {
            return false;
        }
        self.groups.iter().for_each(|name| join(&mut listed.groups, Cow::Borrowed(name)));
        self.tags.iter().for_each(|name| join(&mut listed.tags, Cow::Borrowed(name)));
        listed.pinned |= self.pin;
        listed.examples.extend(self.examples.iter().map(String::as_str));
        let overrides = &self.overrides;
        listed.name = overrides.name.as_deref().or(listed.name);
        listed.title = overrides.title.as_deref().or(listed.title);
        listed.description = overrides.description.as_deref().or(listed.description);
        self.members.apply(listed, overrides.title.as_deref());
        if listed.kind == Kind::Tool {
            self.bind.iter().for_each(|binding| listed.bind(binding));
        }
        listed.set_concerns(&self.concerns);
        true
    }
}
