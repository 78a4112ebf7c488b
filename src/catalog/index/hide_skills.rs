//! Hides the files of hidden skills, and the skills nested in their directories.

use super::{
    attached::{directories, skill_directory},
    bitset::Bitset,
};
use crate::catalog::{
    Catalog,
    model::{
        kind::{ByKind, Kind},
        resource_uri::fold_listed,
        skill_path::scoped,
        vocabulary::Names,
    },
};

impl Catalog {
    /// Removes from `visible` the skills in the directory of a hidden skill, and the resources that are files of hidden
    /// skills. A skill whose main file is hidden is hidden too.
    ///
    /// The files of a hidden skill stay visible if the skill lies in the directory of a visible one, because the
    /// manifest of the visible skill lists them.
    pub(super) fn hide_skills(&self, visible: &mut ByKind<Bitset>) {
        let [_, resources, _, _, skills] = visible;
        let (listed, kind_index) = (self.kind_index(Kind::Resource), self.kind_index(Kind::Skill));
        if kind_index.is_empty() && kind_index.hidden().next().is_none() {
            return;
        }
        let directory = |server: &str, uri: &str| {
            let uri = uri.to_ascii_lowercase();
            skill_directory(&uri).map(|directory| scoped(server, directory))
        };
        let (mut all, mut hidden) = (Names::default(), Names::default());
        for key in
            kind_index.hidden().map(Catalog::unscoped).filter_map(|(server, uri)| directory(server, uri))
        {
            all.intern(&key);
            hidden.intern(&key);
        }
        for (index, id) in kind_index.ids().enumerate() {
            let (server, own) = origin(kind_index, index);
            let main = listed.find(id).map(|at| resources.contains(at)).unwrap_or(!listed.hides(own));
            let Some(key) = directory(server, own) else { continue };
            all.intern(&key);
            if !main || !skills.contains(index) {
                hidden.intern(&key);
            }
        }
        if hidden.len() == 0 {
            return;
        }
        for index in 0..kind_index.len() {
            let (server, own) = origin(kind_index, index);
            let own = own.to_ascii_lowercase();
            if directories(&own).any(|directory| hidden.find(&scoped(server, directory)).is_some()) {
                skills.set(index, false);
            }
        }
        for index in 0..listed.len() {
            let (server, own) = origin(listed, index);
            let own = [fold_listed(own).as_str(), "/"].concat();
            let mut above = directories(&own).map(|directory| scoped(server, directory));
            if above.find(|key| all.find(key).is_some()).is_some_and(|key| hidden.find(&key).is_some()) {
                resources.set(index, false);
            }
        }
    }
}

/// Returns the server of a primitive, and the server's own name for it.
fn origin(kind_index: &super::kind_index::KindIndex, index: usize) -> (&str, &str) {
    (kind_index.server(index).unwrap_or_default(), kind_index.own_id(index).unwrap_or_default())
}
