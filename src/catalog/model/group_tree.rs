use super::{rules::Group, vocabulary::Names};
use crate::{
    error::{Error, ErrorKind},
    expr::nearest,
};

/// Most groups that one group stands below.
pub const MAX_GROUP_DEPTH: usize = 16;

/// What stands above each group, and what it says of its members. Whatever is in a group is in all of these too.
#[derive(Debug, Default)]
pub(crate) struct GroupTree<'a> {
    names: Names,
    /// By the number of its name: the groups that say something of either sort.
    groups: Vec<&'a Group>,
}

impl<'a> GroupTree<'a> {
    pub fn new(groups: &'a [Group]) -> Self {
        let mut group_tree = Self::default();
        for group in groups.iter().filter(|group| group.parent.is_some() || !group.concerns.is_empty()) {
            // Of two with one name the first counts.
            if group_tree.names.intern(&group.name) == group_tree.groups.len() {
                group_tree.groups.push(group);
            }
        }
        group_tree
    }

    fn group(&self, name: &str) -> Option<&'a Group> {
        self.names.find(name).and_then(|at| self.groups.get(at)).copied()
    }

    /// The concern values that members of `name` have if they have no others.
    pub fn concerns(&self, name: &str) -> &'a [(String, Vec<String>)] {
        self.group(name).map_or(&[], |group| &group.concerns)
    }

    /// The groups above `name`, nearest first; no more than [`MAX_GROUP_DEPTH`], whatever circle the parents make.
    pub fn above(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'_, 'a> {
        std::iter::successors(self.parent(name), |name| self.parent(name)).take(MAX_GROUP_DEPTH)
    }

    fn parent(&self, name: &str) -> Option<&'a str> {
        self.group(name)?.parent.as_deref()
    }
}

/// Refuses groups that do not make a tree: a parent that nobody declares, a circle, or too many levels.
///
/// # Errors
/// [`ErrorKind::Config`] with the path of the first parent that is wrong.
pub(crate) fn check_parents(groups: &[Group]) -> Result<(), Error> {
    let group_tree = GroupTree::new(groups);
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
        for above in group_tree.above(name) {
            let known = line.iter().position(|known| *known == above);
            line.push(above);
            if let Some(circle) = known.and_then(|known| line.get(known..)) {
                return refuse(format!("`{above}` stands below itself: {}", circle.join(" < ")));
            }
        }
        if line.last().is_some_and(|last| line.len() > MAX_GROUP_DEPTH && group_tree.parent(last).is_some()) {
            return refuse(format!("`{name}` stands below more than {MAX_GROUP_DEPTH} groups"));
        }
    }
    Ok(())
}
