use std::borrow::Cow;

use super::listed::{Listed, join};
use crate::catalog::model::{
    concern_mapping::ConcernMapping,
    rules::{Assignments, Rule},
};

/// Applies the mapping of concerns, then the rules in order; false when one of them hides the primitive.
pub(crate) fn apply_rules<'a>(assignments: &'a Assignments, listed: &mut Listed<'a>) -> bool {
    assignments.concern_mapping.apply(listed);
    let kept = assignments.rules.iter().all(|rule| !rule.matches.holds(listed) || rule.apply(listed));
    listed.inherit();
    kept
}

impl ConcernMapping {
    /// Gives a primitive the values that are mapped to it.
    pub(crate) fn apply<'a>(&'a self, listed: &mut Listed<'a>) {
        listed.set_concerns(self.find(&listed.id));
    }
}

impl Rule {
    /// Gives a primitive that it matches what it has to give; false where it hides it.
    pub(crate) fn apply<'a>(&'a self, listed: &mut Listed<'a>) -> bool {
        if self.hide {
            return false;
        }
        self.groups.iter().for_each(|name| join(&mut listed.groups, Cow::Borrowed(name)));
        self.tags.iter().for_each(|name| join(&mut listed.tags, Cow::Borrowed(name)));
        listed.pinned |= self.pin;
        listed.examples.extend(self.examples.iter().map(String::as_str));
        let shown = &self.shown;
        listed.name = shown.name.as_deref().or(listed.name);
        listed.title = shown.title.as_deref().or(listed.title);
        listed.description = shown.description.as_deref().or(listed.description);
        listed.set_concerns(&self.concerns);
        true
    }
}
