use std::borrow::Cow;

use super::listed::{Listed, join};
use crate::catalog::model::rules::Rule;

/// Applies the rules in order; false when one of them hides the primitive.
pub(crate) fn apply_rules<'a>(rules: &'a [Rule], listed: &mut Listed<'a>) -> bool {
    let kept = rules.iter().all(|rule| !rule.matches.holds(listed) || rule.apply(listed));
    listed.inherit();
    kept
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
        let shown = &self.shown;
        listed.name = shown.name.as_deref().or(listed.name);
        listed.title = shown.title.as_deref().or(listed.title);
        listed.description = shown.description.as_deref().or(listed.description);
        for (name, values) in &self.concerns {
            let values = values.iter().map(|value| Cow::Borrowed(value.as_str())).collect();
            listed.set_concern(Cow::Borrowed(name), values);
        }
        true
    }
}
