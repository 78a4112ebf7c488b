//! A caller together with the presets that apply to it.

use super::{CallerContext, Preset};
use crate::{
    expr::{Field, Subject},
    json::Raw,
};

/// A caller with the names of all presets that apply to it. Policies and predicates are evaluated for such a caller
/// only, so that a caller that was built without its presets gets the same view as one that was built with them.
pub(super) struct Bound<'a> {
    asking: &'a dyn CallerContext,
    /// Absent if there are no presets. Then only the presets that the caller names can be read.
    names: Option<Vec<String>>,
}

impl<'a> Bound<'a> {
    /// Adds to the presets that a caller names those of `presets` that are for it.
    pub fn new(presets: &[Preset], asking: &'a dyn CallerContext) -> Self {
        if presets.is_empty() {
            return Self { asking, names: None };
        }
        let mut names = Vec::new();
        asking.values(&Field::Preset, &mut |name| names.push(name.to_owned()));
        for name in Preset::find_applicable(presets, None, asking).into_iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self { asking, names: Some(names) }
    }

    /// Returns whether `preset` applies to the caller.
    pub fn by(&self, preset: &Preset) -> bool {
        self.names.as_ref().is_some_and(|names| names.contains(&preset.name))
    }
}

impl Subject for Bound<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match (&self.names, field) {
            (Some(names), Field::Preset) => names.iter().for_each(|name| visit(name)),
            _ => self.asking.values(field, visit),
        }
    }
}

impl CallerContext for Bound<'_> {
    fn id(&self) -> Option<&str> {
        self.asking.id()
    }

    fn describe(&self) -> Option<String> {
        self.asking.describe()
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        self.asking.meta(key)
    }

    fn declares(&self, capabilities: &str) -> bool {
        self.asking.declares(capabilities)
    }
}
