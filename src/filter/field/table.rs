//! The rows of the field table: JSON name, URL parameter, type and advertised capability.

use super::shape::{Shape, access};
use crate::{catalog::Kind, expr::Field, filter::Filter};

/// One field of a filter. To add a field, add a row to [`FilterField::ALL`], a value to [`Filter`] and its meaning to
/// [`Narrowing::add`](crate::filter::Narrowing::add).
#[derive(Debug)]
pub struct FilterField {
    /// Its member in JSON, its URL parameter and its type.
    pub(crate) member: Member,
    /// Whether presets may use the field, because it decides about each primitive independently.
    pub allowed_in_presets: bool,
    /// The part of a capability that lists the field. `None` if none does.
    pub(crate) capability: Option<Capability>,
}

/// A member of a filter, or of one of its objects.
#[derive(Debug)]
pub(crate) struct Member {
    /// The member in JSON.
    pub name: &'static str,
    /// The URL parameter, if there is one. In `concern.NAME`, `NAME` represents any name.
    pub parameter: Option<&'static str>,
    /// The type of its value, and its place in a [`Filter`].
    pub shape: Shape,
}

/// The part of a capability's list of fields to which a field belongs. Parts are listed in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capability {
    /// Membership in groups and tags.
    Facets,
    /// Concerns. They are listed if the configuration declares any.
    Concerns,
    /// Patterns, which SEP-2564 defines: a kind lists them without a prefix.
    Patterns,
    /// All other fields.
    Extensions,
}

impl Capability {
    /// All parts, in order.
    pub const ALL: [Self; 4] = [Self::Facets, Self::Concerns, Self::Patterns, Self::Extensions];
}

/// The placeholder after the prefix of a parameter that accepts any name.
const ANY_NAME: &str = "NAME";

/// All fields, in the order in which messages list them.
static FIELDS: [FilterField; 12] = [
    FilterField {
        member: Member { name: "groups", parameter: Some("groups"), shape: Shape::Groups(access!(groups)) },
        allowed_in_presets: true,
        capability: Some(Capability::Facets),
    },
    FilterField {
        member: Member { name: "tags", parameter: Some("tags"), shape: Shape::Tags(access!(tags)) },
        allowed_in_presets: true,
        capability: Some(Capability::Facets),
    },
    FilterField {
        member: Member {
            name: "concerns",
            parameter: Some("concern.NAME"),
            shape: Shape::Concerns(access!(concerns)),
        },
        allowed_in_presets: true,
        capability: Some(Capability::Concerns),
    },
    FilterField {
        member: Member {
            name: "not",
            parameter: None,
            shape: Shape::Object {
                expected: "an object of `groups` and `tags`",
                members: &[
                    Member {
                        name: "groups",
                        parameter: Some("not.groups"),
                        shape: Shape::Groups(access!(not.groups)),
                    },
                    Member {
                        name: "tags",
                        parameter: Some("not.tags"),
                        shape: Shape::Tags(access!(not.tags)),
                    },
                ],
            },
        },
        allowed_in_presets: true,
        capability: Some(Capability::Facets),
    },
    FilterField {
        member: Member {
            name: "namePatterns",
            parameter: Some("namePatterns"),
            shape: Shape::Patterns {
                patterns: access!(name_patterns),
                subject: Field::Name,
                kinds: &Kind::ALL,
            },
        },
        allowed_in_presets: true,
        capability: Some(Capability::Patterns),
    },
    FilterField {
        member: Member {
            name: "uriPatterns",
            parameter: Some("uriPatterns"),
            shape: Shape::Patterns {
                patterns: access!(uri_patterns),
                subject: Field::Uri,
                kinds: &[Kind::Resource, Kind::Template, Kind::Skill],
            },
        },
        allowed_in_presets: true,
        capability: Some(Capability::Patterns),
    },
    FilterField {
        member: Member { name: "where", parameter: Some("q"), shape: Shape::Condition(access!(r#where)) },
        allowed_in_presets: true,
        capability: Some(Capability::Extensions),
    },
    FilterField {
        member: Member { name: "query", parameter: Some("query"), shape: Shape::Words(access!(query)) },
        allowed_in_presets: false,
        capability: Some(Capability::Extensions),
    },
    FilterField {
        member: Member {
            name: "limit",
            parameter: None,
            shape: Shape::Object {
                expected: "an object of `count` and `tokens`",
                members: &[
                    Member {
                        name: "count",
                        parameter: Some("limit.count"),
                        shape: Shape::Count(access!(limit.count)),
                    },
                    Member {
                        name: "tokens",
                        parameter: Some("limit.tokens"),
                        shape: Shape::Count(access!(limit.tokens)),
                    },
                ],
            },
        },
        allowed_in_presets: false,
        capability: Some(Capability::Extensions),
    },
    FilterField {
        member: Member {
            name: "fields",
            parameter: Some("fields"),
            shape: Shape::Projection(access!(fields)),
        },
        allowed_in_presets: false,
        capability: Some(Capability::Extensions),
    },
    FilterField {
        member: Member {
            name: "applyDefaults",
            parameter: Some("applyDefaults"),
            shape: Shape::Flag(access!(apply_defaults)),
        },
        allowed_in_presets: false,
        capability: Some(Capability::Concerns),
    },
    FilterField {
        member: Member { name: "concernsRef", parameter: None, shape: Shape::Text(access!(concerns_ref)) },
        allowed_in_presets: false,
        capability: None,
    },
];

/// Returns the field with this name in JSON.
pub(in crate::filter) fn find_field(name: &str) -> Option<&'static FilterField> {
    FilterField::ALL.iter().find(|field| field.name() == name)
}

/// Returns the type of the value of a URL parameter, and the name after the prefix if the parameter accepts any name.
pub(in crate::filter) fn find_parameter(name: &str) -> Option<(&'static Shape, &str)> {
    values().into_iter().find_map(|(parameter, shape)| match parameter.strip_suffix(ANY_NAME) {
        Some(prefix) => Some((shape, name.strip_prefix(prefix)?)),
        None => (parameter == name).then_some((shape, "")),
    })
}

/// Returns every URL parameter with a fixed name, in the order of the table.
pub(in crate::filter) fn parameters() -> Vec<&'static str> {
    let mut names = Vec::new();
    for (parameter, _) in values() {
        if !parameter.ends_with(ANY_NAME) {
            names.push(parameter);
        }
    }
    names
}

impl FilterField {
    /// All fields, in the order in which messages list them.
    pub const ALL: &'static [Self; 12] = &FIELDS;

    /// Returns the groups and tags in a filter, with the path of their field.
    pub fn named_facets(filter: &Filter) -> impl Iterator<Item = (&'static str, Vocabulary, &[String])> {
        values().into_iter().filter_map(|(path, shape)| match shape {
            Shape::Groups(names) => Some((path, Vocabulary::Groups, names.get(filter).as_slice())),
            Shape::Tags(names) => Some((path, Vocabulary::Tags, names.get(filter).as_slice())),
            _ => None,
        })
    }
}

/// The vocabulary of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// Groups.
    Groups,
    /// Tags.
    Tags,
}

/// Returns the values that URL parameters set, with their parameters. For a list, the parameter is also its path.
///
/// The result is a `Vec`, because iterators over nested lists are compiled again for each use.
fn values() -> Vec<(&'static str, &'static Shape)> {
    let mut values = Vec::new();
    for member in FilterField::ALL.iter().flat_map(FilterField::members) {
        if let Some(parameter) = member.parameter {
            values.push((parameter, &member.shape));
        }
    }
    values
}

impl FilterField {
    /// Returns the member in JSON.
    pub fn name(&self) -> &'static str {
        self.member.name
    }

    /// Returns whether `filter` sets the field.
    pub fn is_set(&self, filter: &Filter) -> bool {
        self.member.shape.is_set(filter)
    }

    /// Returns the kinds from which the field selects.
    pub fn kinds(&self) -> &'static [Kind] {
        match self.member.shape {
            Shape::Patterns { kinds, .. } => kinds,
            _ => &Kind::ALL,
        }
    }

    /// Returns the first URL parameter that sets the field or a part of it.
    pub(crate) fn parameter(&'static self) -> Option<&'static str> {
        self.members().iter().find_map(|member| member.parameter)
    }

    /// Returns its own member, or the members of its object.
    fn members(&'static self) -> &'static [Member] {
        match &self.member.shape {
            Shape::Object { members, .. } => members,
            _ => std::slice::from_ref(&self.member),
        }
    }
}

/// Returns other names that users may try as URL parameters, with the correct parameter. These are JSON members with
/// another parameter, and the prefixes of parameters that accept any name.
pub(in crate::filter) fn parameter_aliases() -> Vec<(&'static str, &'static str)> {
    let mut aliases = Vec::new();
    for field in FilterField::ALL {
        if let Some(parameter) = field.parameter().filter(|parameter| *parameter != field.name()) {
            aliases.push((field.name(), parameter));
        }
    }
    for (parameter, _) in values() {
        if let Some(prefix) = parameter.strip_suffix(ANY_NAME).and_then(|prefix| prefix.strip_suffix('.')) {
            aliases.push((prefix, parameter));
        }
    }
    aliases
}
