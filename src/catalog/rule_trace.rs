//! A trace of the rules for each primitive, for lints and explanations.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    catalog::{
        compile::{
            own_names::{Declared, OwnNames},
            primitive_draft::PrimitiveDraft,
        },
        model::{
            binding::Binding,
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

/// The primitives of all sources, which can be traced through the rules.
#[derive(Debug)]
pub struct RuleTrace<'a> {
    rules: &'a [Rule],
    assignments: &'a Assignments,
    group_tree: GroupTree<'a>,
    primitives: Vec<Unruled<'a>>,
    /// The names of each list. They are complete, so that reading a primitive again has the same result as the first
    /// time.
    names: RefCell<Vec<OwnNames>>,
}

/// A primitive before any rule.
#[derive(Debug)]
struct Unruled<'a> {
    kind: Kind,
    server: &'a str,
    text: &'a str,
    offsets: MemberOffsets,
    id: String,
    /// The number of the list that contains it.
    list: usize,
}

/// A primitive between two rules.
#[allow(missing_debug_implementations, reason = "a subject has nothing to show")]
pub struct Step<'a> {
    /// The next rule, or `None` after the last one.
    pub rule: Option<usize>,
    /// The primitive.
    pub primitive: &'a dyn Subject,
    /// The rule that has already hidden the primitive. Later rules are visited all the same.
    pub hidden_by: Option<usize>,
}

/// The result of all rules. Two outcomes are equal if clients cannot distinguish them and the same rule hides the
/// primitive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The rule that hides the primitive.
    pub hidden_by: Option<usize>,
    groups: BTreeSet<String>,
    /// The groups, and those above them.
    all_groups: BTreeSet<String>,
    tags: BTreeSet<String>,
    /// The groups, with those above them, and the tags that count in filters only.
    published: [BTreeSet<String>; 2],
    concerns: BTreeSet<(String, Vec<String>)>,
    /// Whether every filter includes the primitive.
    pub pinned: bool,
    /// The name, title and description, if rules replace them.
    shown: [Option<String>; 3],
    /// The example requests.
    examples: Vec<String>,
    /// The members that rules replace, and the parameters that they bind.
    members: BTreeMap<&'static str, Option<String>>,
    bindings: Vec<Binding>,
}

impl<'a> RuleTrace<'a> {
    /// Reads the primitives that [`Catalog::compile`](crate::catalog::Catalog::compile) would list or hide.
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
                    let listed =
                        PrimitiveDraft::read(kind, server, &group_tree, text.as_bytes(), offsets, &mut names);
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
        Self { rules: &assignments.rules, assignments, group_tree, primitives, names: RefCell::new(lists) }
    }

    /// Returns the number of primitives.
    pub fn len(&self) -> usize {
        self.primitives.len()
    }

    /// Returns whether there are no primitives.
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// Returns the name, `uri` or `uriTemplate` of the primitive at `index`.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.primitives.get(index).map(|primitive| primitive.id.as_str())
    }

    /// Returns the kind of the primitive at `index`, and the server that lists it.
    pub fn origin(&self, index: usize) -> Option<(Kind, &str)> {
        self.primitives.get(index).map(|primitive| (primitive.kind, primitive.server))
    }

    /// Applies the rules, except those in `without`, to the primitive at `index`. Calls `visit` before each rule and
    /// after the last.
    pub fn follow(
        &self,
        index: usize,
        without: &[usize],
        visit: &mut dyn FnMut(Step<'_>),
    ) -> Option<RuleOutcome> {
        let Unruled { kind, server, text, offsets, list, .. } = self.primitives.get(index)?;
        let mut lists = self.names.borrow_mut();
        let mut listed = PrimitiveDraft::read(
            *kind,
            server,
            &self.group_tree,
            text.as_bytes(),
            *offsets,
            lists.get_mut(*list)?,
        )?;
        drop(lists);
        self.assignments.apply_mappings(&mut listed);
        let mut hidden_by = None;
        for (number, rule) in self.rules.iter().enumerate().filter(|(number, _)| !without.contains(number)) {
            visit(Step { rule: Some(number), primitive: &listed, hidden_by });
            if hidden_by.is_none() && rule.matches.holds(&listed) && !rule.apply(&mut listed) {
                hidden_by = Some(number);
            }
        }
        listed.inherit();
        visit(Step { rule: None, primitive: &listed, hidden_by });
        Some(RuleOutcome::new(&listed, hidden_by))
    }

    /// Returns the outcome for the primitive at `index` without the rules in `without`.
    pub fn outcome(&self, index: usize, without: &[usize]) -> Option<RuleOutcome> {
        self.follow(index, without, &mut |_| ())
    }

    /// Returns the names that occur after `annotation.` or `meta.` in any primitive. Empty for other fields.
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
    fn new(listed: &PrimitiveDraft<'_>, hidden_by: Option<usize>) -> Self {
        if hidden_by.is_some() {
            // A hidden primitive has no visible memberships, whatever earlier rules assigned.
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
            published: [
                listed.all_published_groups().map(str::to_owned).collect(),
                owned(&listed.published_tags),
            ],
            concerns: listed.concerns.iter().map(concern).collect(),
            pinned: listed.pinned,
            shown: [listed.name, listed.title, listed.description].map(|text| text.map(str::to_owned)),
            examples: listed.examples.iter().map(|example| (*example).to_owned()).collect(),
            members: listed.replaced().iter().cloned().collect(),
            bindings: listed.bindings.iter().map(|binding| (*binding).clone()).collect(),
        }
    }

    /// Returns the name of the primitive, if a rule replaces it.
    pub fn name(&self) -> Option<&str> {
        let [name, ..] = &self.shown;
        name.as_deref()
    }

    /// Returns the groups of the primitive, and those above them.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.all_groups.iter().map(String::as_str)
    }

    /// Returns the tags of the primitive.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str)
    }

    /// Returns the groups and the tags that the server publishes without the operator's trust. They count in filters
    /// only.
    pub fn published(&self) -> [impl Iterator<Item = &str>; 2] {
        self.published.each_ref().map(|names| names.iter().map(String::as_str))
    }

    /// Returns the values of the primitive for each concern.
    pub fn concerns(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.concerns.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// Returns whether both outcomes look the same to clients, even if different rules hide the primitive.
    pub fn is_as(&self, other: &Self) -> bool {
        let of = |outcome: &Self| {
            let Self { hidden_by, groups, tags, published, concerns, pinned, shown, examples, .. } =
                outcome.clone();
            let replaced = (outcome.members.clone(), outcome.bindings.clone());
            (hidden_by.is_some(), groups, tags, published, concerns, pinned, shown, examples, replaced)
        };
        of(self) == of(other)
    }
}
