//! The resources and templates of a catalog by their identity: servers that parse URIs, or that are lenient with them,
//! treat several spellings as one resource.

use super::{
    attached::{Attached, directories, skill_directory},
    kind_index::KindIndex,
};
use crate::{
    catalog::model::{
        kind::{ByKind, Kind},
        resource_uri::{ResourceUri, listed_keys, normal_template},
        template_beginning::{Beginning, beginnings, template_keys},
        uri_readings::is_unresolved,
    },
    digest::Digest,
};

/// An index of resources and templates by the meaning of URIs. It is built when a resource is first requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resources {
    /// The resources by identity, ascending, with their indices. `None` for one that a rule hides.
    identities: Vec<(u128, Option<usize>)>,
    /// The resources by the digests of their keys, ascending.
    keys: Vec<(u128, Option<usize>)>,
    /// The listed templates.
    templates: Vec<Template>,
    /// The keys of the templates. Those that a rule hides come last.
    template_keys: Vec<(String, Option<usize>)>,
    /// The links of tools, by the digests of their keys, with the index of the tool. Ascending.
    links: Vec<(u128, usize)>,
    /// The pages that tools open by identity, ascending, with their numbers.
    pages: Vec<(u128, usize)>,
    /// The digests of the directories of skills, with the index of the skill's main file. Ascending.
    skills: Vec<(u128, Option<usize>)>,
}

/// A listed template.
#[derive(Debug, Clone)]
struct Template {
    /// The template in the normal form of the URIs that it matches.
    normal: String,
    beginnings: Vec<Beginning>,
}

impl Resources {
    pub fn new([_, resources, templates, ..]: &ByKind<KindIndex>, attached: &Attached) -> Self {
        let (mut identities, mut keys, mut skills) =
            (Vec::with_capacity(resources.len()), Vec::new(), Vec::new());
        for (text, index) in entries(resources) {
            // A URI that cannot be requested needs no identity. Its simpler spellings may still be requested.
            identities.extend(ResourceUri::parse(text).ok().map(|uri| (uri.identity(), index)));
            for key in listed_keys(text) {
                keys.push((Digest::of(key.as_bytes()), index));
                skills
                    .extend(skill_directory(&key).map(|directory| (Digest::of(directory.as_bytes()), index)));
            }
        }
        let keyed = |(uri, tool)| listed_keys(uri).map(move |key| (Digest::of(key.as_bytes()), tool));
        let mut links: Vec<_> = attached.links().flat_map(keyed).collect();
        let identity = |(number, (uri, _)): (usize, (&str, usize))| {
            Some((ResourceUri::parse(uri).ok()?.identity(), number))
        };
        let pages = (0..).map_while(|number| Some((number, attached.page(number)?)));
        let mut pages: Vec<_> = pages.filter_map(identity).collect();
        pages.sort_unstable();
        identities.sort_unstable();
        keys.sort_unstable();
        skills.sort_unstable();
        links.sort_unstable();
        links.dedup();
        let keyed = |(text, index)| template_keys(text).into_iter().map(move |key| (key, index));
        let template = |text| Template { normal: normal_template(text), beginnings: beginnings(text) };
        Self {
            identities,
            keys,
            templates: templates.ids().map(template).collect(),
            template_keys: entries(templates).flat_map(keyed).collect(),
            links,
            pages,
            skills,
        }
    }

    /// Returns the tools that link to a reading with this key.
    pub fn linking(&self, key: &str) -> Vec<usize> {
        equal(&self.links, Digest::of(key.as_bytes())).collect()
    }

    /// Returns the main files of the skills whose directories contain a reading with this key. `None` for each that a
    /// rule hides.
    pub fn skills(&self, key: &str) -> impl Iterator<Item = Option<usize>> {
        directories(key).flat_map(|directory| equal(&self.skills, Digest::of(directory.as_bytes())))
    }

    /// Returns the listed resources with the identity of `uri`. `None` for each that a rule hides.
    pub fn same(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        equal(&self.identities, uri.identity())
    }

    /// Returns the listed resources whose identity is this reading. `None` for each that a rule hides.
    pub fn identified(&self, reading: &str) -> impl Iterator<Item = Option<usize>> {
        equal(&self.identities, Digest::of(reading.as_bytes()))
    }

    /// Returns the numbers of the pages with the identity of `uri`.
    pub fn pages(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = usize> {
        equal(&self.pages, uri.identity())
    }

    /// Returns whether the template at `index` matches a text that is in normal form, or another reading.
    pub fn makes(&self, index: usize, reading: &str) -> bool {
        self.templates
            .get(index)
            .is_some_and(|template| ResourceUri::matches_template(&template.normal, reading))
    }

    /// Returns whether every reading of `uri` stays below the literal beginning of one of these templates.
    pub fn contain(&self, templates: &[usize], uri: &ResourceUri<'_>) -> bool {
        let beginnings: Vec<_> = templates
            .iter()
            .filter_map(|index| self.templates.get(*index))
            .flat_map(|template| &template.beginnings)
            .collect();
        let mut resolved = uri.readings().filter(|reading| !is_unresolved(reading));
        resolved.all(|reading| beginnings.iter().any(|beginning| beginning.covers(reading)))
    }

    /// Returns the resources and templates that a lenient server may match with a reading of this key. `None` for each
    /// that a rule hides.
    pub fn lenient(&self, key: &str) -> impl Iterator<Item = (Kind, Option<usize>)> {
        let resources = equal(&self.keys, Digest::of(key.as_bytes())).map(|index| (Kind::Resource, index));
        resources.chain(self.lenient_templates(key).map(|index| (Kind::Template, index)))
    }

    /// Returns the templates that a lenient server may match with a reading of this key. `None` for each that a rule
    /// hides.
    pub fn lenient_templates(&self, key: &str) -> impl Iterator<Item = Option<usize>> {
        let templates = self
            .template_keys
            .iter()
            .filter(move |(template, _)| ResourceUri::matches_template(template, key));
        templates.map(|(_, index)| *index)
    }
}

/// Returns the ids of an index with their positions, followed by the ids that rules hid, without a position.
fn entries(kind_index: &KindIndex) -> impl Iterator<Item = (&str, Option<usize>)> {
    let listed = kind_index.ids().enumerate().map(|(index, id)| (id, Some(index)));
    listed.chain(kind_index.hidden().map(|id| (id, None)))
}

fn equal<T: Copy>(entries: &[(u128, T)], wanted: u128) -> impl Iterator<Item = T> {
    let from = entries.partition_point(|(known, _)| *known < wanted);
    let found = entries.get(from..).unwrap_or_default().iter();
    found.take_while(move |(known, _)| *known == wanted).map(|(_, index)| *index)
}
