//! The resources and templates of a catalog by their identity: servers that parse URIs, or that are lenient with them,
//! treat several spellings as one resource.

use super::{
    attached::{Attached, directories, skill_directory},
    kind_index::KindIndex,
};
use crate::{
    catalog::model::{
        kind::{ByKind, Kind},
        resource_uri::{ResourceUri, fold, normal_template, open},
        uri_template::template_matches,
    },
    digest::digest,
};

/// An index of resources and templates by the meaning of URIs. It is built when a resource is first requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resources {
    /// The resources by identity, ascending, with their indices. `None` for one that a rule hides.
    identities: Vec<(u128, Option<usize>)>,
    /// The resources by the digest of their folded and opened form, ascending.
    opened: Vec<(u128, Option<usize>)>,
    /// The listed templates, normalized.
    templates: Vec<String>,
    /// The templates in lowercase: as listed and, where that differs, opened. Those that a rule hides come last.
    lenient: Vec<(String, Option<usize>)>,
    /// The links of tools, by the digests of their folded and of their opened form, with the index of the tool.
    /// Ascending.
    links: Vec<(u128, usize)>,
    /// The digests of the opened directories of skills, with the index of the skill's main file. Ascending.
    skills: Vec<(u128, Option<usize>)>,
}

impl Resources {
    pub fn new([_, resources, templates, ..]: &ByKind<KindIndex>, attached: &Attached) -> Self {
        let mut identities = Vec::with_capacity(resources.len());
        let mut opened = Vec::with_capacity(resources.len());
        for (text, index) in entries(resources) {
            // A URI that cannot be requested needs no identity.
            if let Ok(uri) = ResourceUri::parse(text) {
                identities.push((uri.identity(), index));
                opened.push((digest(open(&fold(text)).as_bytes()), index));
            }
        }
        identities.sort_unstable();
        opened.sort_unstable();
        let forms = |uri: &str| [fold(uri), open(&fold(uri))];
        let mut links: Vec<_> = attached
            .links()
            .flat_map(|(uri, tool)| forms(uri).map(|form| (digest(form.as_bytes()), tool)))
            .collect();
        links.sort_unstable();
        links.dedup();
        let skill = |(text, index)| Some((digest(skill_directory(&open(&fold(text)))?.as_bytes()), index));
        let mut skills: Vec<_> = entries(resources).filter_map(skill).collect();
        skills.sort_unstable();
        let mut lenient = Vec::with_capacity(templates.len());
        for (text, index) in entries(templates) {
            let template = normal_template(text).to_ascii_lowercase();
            let opened = open(&template);
            if opened != template {
                lenient.push((opened, index));
            }
            lenient.push((template, index));
        }
        Self {
            identities,
            opened,
            templates: templates.ids().map(normal_template).collect(),
            lenient,
            links,
            skills,
        }
    }

    /// Returns the tools that link to `uri`, for each form in which a server may read it.
    pub fn linking(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Vec<usize>> {
        let forms = uri.folded().chain(uri.opened());
        forms.map(|form| equal(&self.links, digest(form.as_bytes())).collect())
    }

    /// Returns the main files of the skills whose directories contain `uri`. `None` for each that a rule hides.
    pub fn skills(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        uri.opened().flat_map(|form| {
            let above: Vec<u128> = directories(&form).map(|directory| digest(directory.as_bytes())).collect();
            above.into_iter().flat_map(|directory| equal(&self.skills, directory))
        })
    }

    /// Returns the listed resources that a server may identify with `uri`. `None` for each that a rule hides.
    pub fn same(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        equal(&self.identities, uri.identity())
    }

    /// Returns whether the template at `index` matches `uri` in every form to which a server may resolve it.
    pub fn makes(&self, index: usize, uri: &ResourceUri<'_>) -> bool {
        let Some(template) = self.templates.get(index) else { return false };
        let mut forms = uri.resolved().peekable();
        forms.peek().is_some() && forms.all(|form| template_matches(template, form))
    }

    /// Returns the resources and templates that a lenient server may match with `uri`. `None` for each that a rule
    /// hides.
    pub fn lenient(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = (Kind, Option<usize>)> {
        let opened = uri.opened().flat_map(|form| equal(&self.opened, digest(form.as_bytes())));
        let resources: Vec<_> = opened.collect();
        let forms: Vec<String> = uri.folded().chain(uri.opened()).collect();
        let makes = move |template: &str| forms.iter().any(|form| template_matches(template, form));
        let templates = self.lenient.iter().filter(move |(template, _)| makes(template));
        let resources = resources.into_iter().map(|index| (Kind::Resource, index));
        resources.chain(templates.map(|(_, index)| (Kind::Template, *index)))
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
