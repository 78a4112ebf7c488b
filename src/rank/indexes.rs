use std::sync::OnceLock;

use super::Index;
use crate::catalog::{Kind, Scope};

/// The indexes of a catalog, or of a view of one: each is made when it is first asked for, and kept.
#[derive(Debug, Default)]
pub struct Indexes {
    kinds: [OnceLock<Index>; 4],
}

impl Indexes {
    /// The index of one kind. These are indexes of one scope: whoever keeps them asks for no other.
    pub fn get(&self, scope: Scope<'_>, kind: Kind) -> &Index {
        let [tools, resources, templates, prompts] = &self.kinds;
        let cell = match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        };
        cell.get_or_init(|| Index::new(scope, kind))
    }
}
