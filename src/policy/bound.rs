use super::{Asking, Preset};
use crate::{
    expr::{Field, Subject},
    json::Raw,
};

/// A caller with every preset that binds it. Policies and predicates are asked about nothing else, so that a caller
/// that does not know its presets sees no more than one that does.
pub(super) struct Bound<'a> {
    asking: &'a dyn Asking,
    names: Vec<String>,
}

impl<'a> Bound<'a> {
    /// Binds a caller by the presets that it names, and by those of `presets` that are for it.
    pub fn new(presets: &[Preset], asking: &'a dyn Asking) -> Self {
        let mut names = Vec::new();
        asking.values(&Field::Preset, &mut |name| names.push(name.to_owned()));
        for name in Preset::binding(presets, None, asking).into_iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self { asking, names }
    }

    /// Whether `preset` binds the caller.
    pub fn by(&self, preset: &Preset) -> bool {
        self.names.contains(&preset.name)
    }
}

impl Subject for Bound<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Preset => self.names.iter().for_each(|name| visit(name)),
            _ => self.asking.values(field, visit),
        }
    }
}

impl Asking for Bound<'_> {
    fn id(&self) -> Option<&str> {
        self.asking.id()
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        self.asking.meta(key)
    }
}
