//! What rules do to each primitive, step by step: for whoever judges the rules and not the primitives.

use std::{borrow::Cow, cell::RefCell, collections::BTreeSet};

use crate::{
    catalog::{
        compile::{
            listed::Listed,
            own_names::{Declared, OwnNames},
        },
        model::{
            concern_mapping::ConcernMapping,
            group_tree::GroupTree,
            kind::Kind,
            rules::{Assignments, Rule},
            vocabulary::Names,
        },
        parse::{lists::Source, member_offsets::MemberOffsets},
    },
    expr::{Field, Subject},
    json::Members,
};

/// The primitives of all sources as they are listed, each to be sent through the rules.
#[derive(Debug)]
pub struct RuleTrace<'a> {
    rules: &'a [Rule],
    concern_mapping: &'a ConcernMapping,
    group_tree: GroupTree<'a>,
    primitives: Vec<Unruled<'a>>,
    /// By list, complete: a primitive that is read again brings along what it did at first.
    names: RefCell<Vec<OwnNames>>,
}

/// A primitive that no rule has met.
#[derive(Debug)]
struct Unruled<'a> {
    kind: Kind,
    server: &'a str,
    text: &'a str,
    offsets: MemberOffsets,
    id: String,
    /// The number of the list it stands in.
    list: usize,
}

/// A primitive as the rules before left it.
#[allow(missing_debug_implementations, reason = "a subject has nothing to show")]
pub struct Step<'a> {
    /// The rule that meets it; `None` behind the last.
    pub rule: Option<usize>,
    /// The primitive.
    pub primitive: &'a dyn Subject,
    /// The rule that has hidden it by then. It is told to the rest all the same, so that they can say so.
    pub hidden_by: Option<usize>,
}

/// What comes out behind the last rule. Equal where nobody could tell the two apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The rule that takes the primitive out.
    pub hidden_by: Option<usize>,
    groups: BTreeSet<String>,
    /// Those above them, too.
    all_groups: BTreeSet<String>,
    tags: BTreeSet<String>,
    concerns: BTreeSet<(String, Vec<String>)>,
    /// Whether no filter leaves it out.
    pub pinned: bool,
    /// Its name, title and description, where rules write them anew.
    shown: [Option<String>; 3],
    /// Requests that it answers.
    examples: Vec<String>,
}

impl<'a> RuleTrace<'a> {
    /// Reads the primitives that [`Catalog::compile`](crate::catalog::Catalog::compile) would keep or hide.
    pub fn new(sources: &'a [Source<'a>], assignments: &'a Assignments) -> Self {
        let group_tree = GroupTree::new(assignments);
        let (mut primitives, mut lists) = (Vec::new(), Vec::new());
        let own = Declared::new(assignments);
        for kind in Kind::ALL {
            for source in sources {
                let (server, mut known) = (source.server, Names::default());
                let (list, mut names) = (lists.len(), OwnNames::new(&own));
                for item in source.lists.items(kind) {
                    let text = source.lists.text().get(item.start..item.end).unwrap_or_default();
                    let offsets = item.offsets;
                    let listed = Listed::read(kind, server, &group_tree, text, offsets, &mut names);
                    let Some(listed) = listed else { continue };
                    let id = listed.id.into_owned();
                    if known.find(&id).is_none() {
                        known.intern(&id);
                        primitives.push(Unruled { kind, server, text, offsets, id, list });
                    }
                }
                lists.push(names);
            }
        }
        Self {
            rules: &assignments.rules,
            concern_mapping: &assignments.concern_mapping,
            group_tree,
            primitives,
            names: RefCell::new(lists),
        }
    }

    /// How many primitives there are.
    pub fn len(&self) -> usize {
        self.primitives.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// The name, `uri` or `uriTemplate` of the primitive at `index`.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.primitives.get(index).map(|primitive| primitive.id.as_str())
    }

    /// The kind of the primitive at `index`, and the server that lists it.
    pub fn origin(&self, index: usize) -> Option<(Kind, &str)> {
        self.primitives.get(index).map(|primitive| (primitive.kind, primitive.server))
    }

    /// Sends the primitive at `index` through the rules, but those in `without`, and tells of each meeting.
    pub fn follow(
        &self,
        index: usize,
        without: &[usize],
        told: &mut dyn FnMut(Step<'_>),
    ) -> Option<RuleOutcome> {
        let Unruled { kind, server, text, offsets, list, .. } = self.primitives.get(index)?;
        let mut lists = self.names.borrow_mut();
        let mut listed =
            Listed::read(*kind, server, &self.group_tree, text, *offsets, lists.get_mut(*list)?)?;
        drop(lists);
        self.concern_mapping.apply(&mut listed);
        let mut hidden_by = None;
        for (number, rule) in self.rules.iter().enumerate().filter(|(number, _)| !without.contains(number)) {
            told(Step { rule: Some(number), primitive: &listed, hidden_by });
            if hidden_by.is_none() && rule.matches.holds(&listed) && !rule.apply(&mut listed) {
                hidden_by = Some(number);
            }
        }
        listed.inherit();
        told(Step { rule: None, primitive: &listed, hidden_by });
        Some(RuleOutcome::of(&listed, hidden_by))
    }

    /// What comes out for the primitive at `index` without the rules in `without`.
    pub fn outcome(&self, index: usize, without: &[usize]) -> Option<RuleOutcome> {
        self.follow(index, without, &mut |_| ())
    }

    /// The names that stand behind `annotation.` and `meta.` somewhere; of other fields none.
    pub fn names_of(&self, field: &Field) -> BTreeSet<String> {
        let key = match field {
            Field::Annotation(_) => "annotations",
            Field::Meta(_) => "_meta",
            _ => return BTreeSet::new(),
        };
        let members = self.primitives.iter().filter_map(|primitive| Members::parse(primitive.text));
        let objects = members.filter_map(|members| Members::read(members.get(key)?));
        objects.flat_map(|members| members.0).map(|(name, _)| name.into_owned()).collect()
    }
}

impl RuleOutcome {
    fn of(listed: &Listed<'_>, hidden_by: Option<usize>) -> Self {
        if hidden_by.is_some() {
            // Whatever it was given before, nobody sees it.
            return Self { hidden_by, ..Self::default() };
        }
        let owned = |names: &[Cow<'_, str>]| names.iter().map(|name| name.clone().into_owned()).collect();
        let concern = |(name, values): &(Cow<'_, str>, Vec<Cow<'_, str>>)| {
            let mut values: Vec<String> = values.iter().map(|value| value.clone().into_owned()).collect();
            values.sort();
            (name.clone().into_owned(), values)
        };
        Self {
            hidden_by,
            groups: owned(&listed.groups),
            all_groups: listed.all_groups().map(str::to_owned).collect(),
            tags: owned(&listed.tags),
            concerns: listed.concerns.iter().map(concern).collect(),
            pinned: listed.pinned,
            shown: [listed.name, listed.title, listed.description].map(|text| text.map(str::to_owned)),
            examples: listed.examples.iter().map(|example| (*example).to_owned()).collect(),
        }
    }

    /// What it is called, where a rule says so.
    pub fn name(&self) -> Option<&str> {
        let [name, ..] = &self.shown;
        name.as_deref()
    }

    /// The groups it is in, with those above them.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.all_groups.iter().map(String::as_str)
    }

    /// The tags it carries.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str)
    }

    /// Its values of each concern that it is mapped to.
    pub fn concerns(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.concerns.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// Whether both are shown alike, whichever rule it is that hides.
    pub fn is_as(&self, other: &Self) -> bool {
        let of = |outcome: &Self| {
            let Self { hidden_by, groups, tags, concerns, pinned, shown, examples, .. } = outcome.clone();
            (hidden_by.is_some(), groups, tags, concerns, pinned, shown, examples)
        };
        of(self) == of(other)
    }
}
