use std::collections::BTreeMap;

use super::Group;
use crate::{
    error::{Error, ErrorKind},
    expr::nearest,
};

/// Most groups that one group stands below.
pub const MAX_GROUP_DEPTH: usize = 16;

/// What stands above each group. Whatever is in a group is in all of these too.
#[derive(Debug, Default)]
pub(super) struct Lineage<'a> {
    parents: BTreeMap<&'a str, &'a str>,
    /// Of the groups that have any, the concern values of their members.
    concerns: BTreeMap<&'a str, &'a [(String, Vec<String>)]>,
}

impl<'a> Lineage<'a> {
    pub fn new(groups: &'a [Group]) -> Self {
        let below = groups.iter().filter_map(|group| Some((group.name.as_str(), group.parent.as_deref()?)));
        let mapped = groups.iter().filter(|group| !group.concerns.is_empty());
        let concerns = mapped.map(|group| (group.name.as_str(), group.concerns.as_slice())).collect();
        Self { parents: below.collect(), concerns }
    }

    /// The concern values that members of `name` have if they have no others.
    pub fn concerns(&self, name: &str) -> &'a [(String, Vec<String>)] {
        self.concerns.get(name).copied().unwrap_or_default()
    }

    /// The groups above `name`, nearest first; no more than [`MAX_GROUP_DEPTH`], whatever circle the parents make.
    pub fn above(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'_, 'a> {
        std::iter::successors(self.parent(name), |name| self.parent(name)).take(MAX_GROUP_DEPTH)
    }

    fn parent(&self, name: &str) -> Option<&'a str> {
        self.parents.get(name).copied()
    }
}

/// Refuses groups that do not make a tree: a parent that nobody declares, a circle, or too many levels.
///
/// # Errors
/// [`ErrorKind::Config`] with the path of the first parent that is wrong.
pub(crate) fn check_parents(groups: &[Group]) -> Result<(), Error> {
    let lineage = Lineage::new(groups);
    for (at, Group { name, parent, .. }) in groups.iter().enumerate() {
        let Some(parent) = parent else { continue };
        let refuse =
            |message| Err(Error::new(ErrorKind::Config, message).field(format!("groups[{at}].parent")));
        let mut names = groups.iter().map(|group| group.name.as_str());
        if !names.clone().any(|known| known == parent) {
            let guess = nearest(parent, &mut names).map(|guess| format!(", did you mean `{guess}`?"));
            return refuse(format!("no group `{parent}` is declared{}", guess.unwrap_or_default()));
        }
        let mut line = vec![name.as_str()];
        for above in lineage.above(name) {
            let known = line.iter().position(|known| *known == above);
            line.push(above);
            if let Some(circle) = known.and_then(|known| line.get(known..)) {
                return refuse(format!("`{above}` stands below itself: {}", circle.join(" < ")));
            }
        }
        if line.last().is_some_and(|last| line.len() > MAX_GROUP_DEPTH && lineage.parent(last).is_some()) {
            return refuse(format!("`{name}` stands below more than {MAX_GROUP_DEPTH} groups"));
        }
    }
    Ok(())
}
