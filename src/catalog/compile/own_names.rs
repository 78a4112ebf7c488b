//! Limits on the number of group names, tag names and concern values that a server's list can add.

use crate::catalog::Catalog;
use std::{borrow::Cow, rc::Rc};

use super::{
    primitive_draft::{PrimitiveDraft, holds, join},
    sources::{Source, Sources},
};
use crate::{
    catalog::model::{
        rules::Assignments,
        vocabulary::{Names, Vocabulary},
    },
    expr::Expr,
    json::{self, Raw},
};

impl Catalog {
    /// Maximum number of distinct group names in one list, that is of all primitives of one kind and server. It also
    /// applies to tag names and to concern values. Each takes one bit for every primitive of the catalog. Names that
    /// the operator declares do not count.
    pub const MAX_LIST_NAMES: usize = 1024;

    /// Maximum number of group names of one primitive, and likewise of tag names and of concern values. Names that the
    /// operator declares do not count.
    pub const MAX_OWN_NAMES: usize = 128;

    /// Maximum length, in characters, of such a name or value. Expressions cannot contain longer ones.
    pub const MAX_NAME: usize = Expr::MAX_VALUE;
}

/// The names that the primitives of one list have themselves.
///
/// Servers choose these names, and a catalog stores a bitset for each. So their number is limited: further names are
/// ignored and reported, and the primitive is listed without them.
#[derive(Debug)]
pub(crate) struct OwnNames {
    declared: Rc<Declared>,
    met: Vocabulary,
    /// The published names. They count by themselves, so that they leave no less room for trusted ones.
    published: Vocabulary,
    /// The number of concern values so far.
    values: usize,
}

/// The groups and tags that the operator declares, and the sources from which those of servers are read.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    groups: Names,
    tags: Names,
    pub sources: Sources,
}

/// The names of one primitive that have been read so far.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    names: &'a mut OwnNames,
    groups: Count,
    tags: Count,
    published_groups: Count,
    published_tags: Count,
    values: Count,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    own: usize,
    /// Whether the primitive has exceeded the limit.
    over: bool,
}

/// The reason why a name was ignored.
#[derive(Clone, Copy)]
pub(crate) enum Problem {
    /// The member is not an array of strings.
    Type,
    /// The member is neither a string nor an array.
    Source,
    /// An element of the array is not a string, or it is empty.
    Element,
    /// It is longer than [`Catalog::MAX_NAME`](crate::catalog::Catalog::MAX_NAME).
    Long,
    /// The primitive already has [`Catalog::MAX_OWN_NAMES`](crate::catalog::Catalog::MAX_OWN_NAMES).
    Primitive,
    /// The list already has [`Catalog::MAX_LIST_NAMES`](crate::catalog::Catalog::MAX_LIST_NAMES).
    List,
}

impl Declared {
    pub fn new(assignments: &Assignments) -> Rc<Self> {
        let mut declared = Self { sources: Sources::new(assignments), ..Self::default() };
        // Names that servers declare count, because servers choose them just like those of their primitives.
        let Assignments { groups, tags, served: [served_groups, served_tags, _], .. } = assignments;
        let own = |all: usize, served: usize| all.saturating_sub(served);
        for group in groups.iter().take(own(groups.len(), *served_groups)) {
            declared.groups.intern(&group.name);
        }
        for tag in tags.iter().take(own(tags.len(), *served_tags)) {
            declared.tags.intern(&tag.name);
        }
        Rc::new(declared)
    }
}

impl OwnNames {
    /// Creates an empty set of names.
    pub fn new(declared: &Rc<Declared>) -> Self {
        Self {
            declared: Rc::clone(declared),
            met: Vocabulary::default(),
            published: Vocabulary::default(),
            values: 0,
        }
    }

    /// Returns a counter for the names of the next primitive.
    pub fn tally(&mut self) -> Tally<'_> {
        let [groups, tags, published_groups, published_tags, values] = Default::default();
        Tally { names: self, groups, tags, published_groups, published_tags, values }
    }
}

impl Tally<'_> {
    /// Returns what the operator declares.
    pub fn declared(&self) -> &Rc<Declared> {
        &self.names.declared
    }

    /// Returns the sources of groups and tags beside the members of SEP-1300.
    pub fn sources(&self) -> &Sources {
        &self.names.declared.sources
    }

    /// Adds the groups of an array to a primitive.
    pub fn join_groups<'a>(&mut self, listed: &mut PrimitiveDraft<'a>, raw: Raw<'a>) {
        let OwnNames { declared, met, .. } = &mut *self.names;
        let problem = join_all(&mut listed.groups, raw, &declared.groups, &mut met.groups, &mut self.groups);
        listed.note(problem, "groups", "group name");
    }

    /// Adds the groups of a source.
    pub fn join_groups_from<'a>(&mut self, listed: &mut PrimitiveDraft<'a>, raw: Raw<'a>, source: &Source) {
        let OwnNames { declared, met, published, .. } = &mut *self.names;
        let (names, met, count) = match source.trusted {
            true => (&mut listed.groups, &mut met.groups, &mut self.groups),
            false => (&mut listed.published_groups, &mut published.groups, &mut self.published_groups),
        };
        let problem = join_source(names, raw, &declared.groups, met, count);
        listed.note(problem, &source.member, "group name");
    }

    /// Adds the tags of an array to a primitive.
    pub fn join_tags<'a>(&mut self, listed: &mut PrimitiveDraft<'a>, raw: Raw<'a>) {
        let OwnNames { declared, met, .. } = &mut *self.names;
        let problem = join_all(&mut listed.tags, raw, &declared.tags, &mut met.tags, &mut self.tags);
        listed.note(problem, "tags", "tag name");
    }

    /// Adds the tags of a source.
    pub fn join_tags_from<'a>(&mut self, listed: &mut PrimitiveDraft<'a>, raw: Raw<'a>, source: &Source) {
        let OwnNames { declared, met, published, .. } = &mut *self.names;
        let (names, met, count) = match source.trusted {
            true => (&mut listed.tags, &mut met.tags, &mut self.tags),
            false => (&mut listed.published_tags, &mut published.tags, &mut self.published_tags),
        };
        let problem = join_source(names, raw, &declared.tags, met, count);
        listed.note(problem, &source.member, "tag name");
    }

    /// Sets the values of a concern of a primitive, within the limits.
    pub fn set_concern<'a>(
        &mut self,
        listed: &mut PrimitiveDraft<'a>,
        name: Cow<'a, str>,
        mut values: Vec<Cow<'a, str>>,
    ) {
        let (mut excess, none) = (None, values.is_empty());
        let mut fit = |value: &Cow<'_, str>| match self.value(&name, value) {
            Ok(()) => true,
            Err(problem) => {
                excess = excess.or(Some(problem));
                false
            }
        };
        match values.as_slice() {
            [only] if fit(only) => {}
            _ => values.retain(fit),
        }
        // An empty mapping counts too.
        let named = if none { self.values.room() } else { Ok(()) };
        excess = excess.or(named.err());
        listed.note(excess, "_meta.concerns", "concern value");
        if none && named.is_ok() || !values.is_empty() {
            listed.set_concern(name, values);
        }
    }

    fn value(&mut self, concern: &str, value: &str) -> Result<(), Problem> {
        [concern, value].into_iter().try_for_each(fits)?;
        let OwnNames { met, values, .. } = &mut *self.names;
        let known = met.knows_value(concern, value);
        if !known && *values >= Catalog::MAX_LIST_NAMES {
            return Err(Problem::List);
        }
        self.values.room()?;
        if !known {
            met.intern_value(concern, value);
            *values += 1;
        }
        Ok(())
    }
}

impl Count {
    /// Counts one more name.
    fn room(&mut self) -> Result<(), Problem> {
        self.over |= self.own == Catalog::MAX_OWN_NAMES;
        self.own += usize::from(!self.over);
        if self.over { Err(Problem::Primitive) } else { Ok(()) }
    }
}

/// Adds the names of an array that the list lacks. Adds none if the array contains anything but strings.
fn join_all<'a>(
    names: &mut Vec<Cow<'a, str>>,
    raw: Raw<'a>,
    declared: &Names,
    met: &mut Names,
    count: &mut Count,
) -> Option<Problem> {
    let (before, counted, mut excess) = (names.len(), *count, None);
    let good = json::each_text(raw, |name| {
        excess = excess.or(join_name(names, name, declared, met, count));
    });
    if !good {
        names.truncate(before);
        *count = counted;
        return Some(Problem::Type);
    }
    excess
}

/// Adds the names of a string or an array that the list lacks. Other software writes it, perhaps with another meaning,
/// so elements that cannot be names are left out alone.
fn join_source<'a>(
    names: &mut Vec<Cow<'a, str>>,
    raw: Raw<'a>,
    declared: &Names,
    met: &mut Names,
    count: &mut Count,
) -> Option<Problem> {
    let mut problem = None;
    let mut join = |name: Cow<'a, str>| {
        problem = problem.or(match name.is_empty() {
            true => Some(Problem::Element),
            false => join_name(names, name, declared, met, count),
        });
    };
    match raw.text() {
        Some(name) => join(name),
        None if raw.is_null() => {}
        None if raw.get().starts_with('[') => {
            if !json::each_text(raw, join) {
                return problem.or(Some(Problem::Element));
            }
        }
        None => return Some(Problem::Source),
    }
    problem
}

/// Adds a name, within the limits.
fn join_name<'a>(
    names: &mut Vec<Cow<'a, str>>,
    name: Cow<'a, str>,
    declared: &Names,
    met: &mut Names,
    count: &mut Count,
) -> Option<Problem> {
    if declared.find(&name).is_some() {
        join(names, name);
        return None;
    }
    // Once the limit is exceeded, comparing further names is unnecessary.
    if count.over || holds(names, &name) {
        return None;
    }
    let known = met.recall(&name).is_some();
    let taken = fits(&name).and_then(|()| {
        if !known && met.len() >= Catalog::MAX_LIST_NAMES {
            return Err(Problem::List);
        }
        count.room()
    });
    match taken {
        Ok(()) => {
            if !known {
                met.intern(&name);
            }
            names.push(name);
            None
        }
        Err(problem) => Some(problem),
    }
}

fn fits(name: &str) -> Result<(), Problem> {
    let long = name.len() > Catalog::MAX_NAME && name.chars().count() > Catalog::MAX_NAME;
    if long { Err(Problem::Long) } else { Ok(()) }
}

impl Problem {
    /// Returns the text of a report on the member `key`, each of whose elements is a `noun`.
    pub fn text(self, key: &str, noun: &str) -> String {
        match self {
            Self::Type => format!("`{key}` is not an array of strings, ignored"),
            Self::Source => format!("`{key}` is neither a string nor an array of strings, ignored"),
            Self::Element => format!("an element of `{key}` is not a {noun}, ignored"),
            Self::Long => {
                format!("a {noun} has more than {max_name} characters, ignored", max_name = Catalog::MAX_NAME)
            }
            Self::Primitive => {
                format!(
                    "more than {max_own_names} {noun}s on one primitive, the others are ignored",
                    max_own_names = Catalog::MAX_OWN_NAMES
                )
            }
            Self::List => {
                format!(
                    "more than {max} {noun}s in one list, the others are ignored",
                    max = Catalog::MAX_LIST_NAMES
                )
            }
        }
    }
}
