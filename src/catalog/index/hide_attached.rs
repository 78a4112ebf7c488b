//! Hides resources and skills whose owners are all hidden, such as the UI page of a hidden tool.

use super::{
    attached::{directories, skill_directory},
    bitset::Bitset,
};
use crate::catalog::{
    Catalog,
    model::{
        kind::{ByKind, Kind},
        resource_uri::fold_listed,
        vocabulary::Names,
    },
};

impl Catalog {
    /// Removes from `visible` the resources and skills whose owners are all hidden. `visible` has the visible
    /// primitives by kind.
    pub fn hide_attached(&self, visible: &mut ByKind<Bitset>) {
        // Without resources, reading every tool would be useless.
        if !self.kind_index(Kind::Resource).is_empty() {
            self.hide_interfaces(visible);
        }
        self.hide_skills(visible);
        let [_, resources, ..] = visible;
        self.hide_skill_files(resources);
    }

    /// Removes the pages that only hidden tools link to.
    fn hide_interfaces(&self, visible: &mut ByKind<Bitset>) {
        let [tools, resources, ..] = visible;
        let kind_index = self.kind_index(Kind::Resource);
        // A tool may link to its page in another spelling than the list has.
        let links: Vec<(String, usize)> =
            self.attached().links().map(|(uri, tool)| (fold_listed(uri), tool)).collect();
        let (mut used, mut unused) = (Names::default(), Names::default());
        links.iter().filter(|(_, tool)| tools.contains(*tool)).for_each(|(uri, _)| _ = used.intern(uri));
        let hidden = links.iter().filter(|(uri, _)| used.find(uri).is_none());
        hidden.for_each(|(uri, _)| _ = unused.intern(uri));
        if unused.len() > 0 {
            for (index, id) in kind_index.ids().enumerate() {
                if unused.find(&fold_listed(id)).is_some() {
                    resources.set(index, false);
                }
            }
        }
    }

    /// Removes the files in a directory whose `SKILL.md` is hidden, whether or not its server lists skills.
    fn hide_skill_files(&self, resources: &mut Bitset) {
        let kind_index = self.kind_index(Kind::Resource);
        let listed = kind_index.ids().enumerate().filter(|(index, _)| !resources.contains(*index));
        let hidden = listed.map(|(_, id)| id).chain(kind_index.hidden()).map(str::to_ascii_lowercase);
        let mut skills = Names::default();
        hidden.for_each(|id| {
            skill_directory(&id).into_iter().for_each(|directory| _ = skills.intern(directory))
        });
        if skills.len() == 0 {
            return;
        }
        for (index, id) in kind_index.ids().enumerate() {
            let id = id.to_ascii_lowercase();
            if directories(&id).any(|directory| skills.find(directory).is_some()) {
                resources.set(index, false);
            }
        }
    }
}
