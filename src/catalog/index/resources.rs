//! The resources and templates of a catalog by their identity: what a server that parses URIs, or is lenient with
//! them, takes for one of these.

use super::{
    attached::{Attached, directories, skill_directory},
    kind_index::KindIndex,
};
use crate::{
    catalog::model::{
        kind::{ByKind, Kind},
        resource_uri::{ResourceUri, fold, normal_template},
        uri_template::template_matches,
    },
    digest::digest,
};

/// Finds resources and templates by what a URI means. Built when a resource is first asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resources {
    /// Listed resources by identity, ascending; `None` for one that a rule took out.
    identities: Vec<(u128, Option<usize>)>,
    /// The same by folded form.
    folded: Vec<(u128, Option<usize>)>,
    /// Listed templates, normalized.
    templates: Vec<String>,
    /// The same in lower case, and behind them those that a rule took out.
    lenient: Vec<(String, Option<usize>)>,
    /// What tools refer to, by folded form, with the tool's index; ascending.
    links: Vec<(u128, usize)>,
    /// Folded directories of skills, with the index of the skill's main file; ascending.
    skills: Vec<(u128, Option<usize>)>,
}

impl Resources {
    pub fn new([_, resources, templates, ..]: &ByKind<KindIndex>, attached: &Attached) -> Self {
        let mut identities = Vec::with_capacity(resources.len());
        let mut folded = Vec::with_capacity(resources.len());
        for (text, index) in entries(resources) {
            // What cannot be asked for needs no identity.
            if let Ok(uri) = ResourceUri::parse(text) {
                identities.push((uri.identity(), index));
                folded.push((digest(fold(text).as_bytes()), index));
            }
        }
        identities.sort_unstable();
        folded.sort_unstable();
        let mut links: Vec<_> =
            attached.links().map(|(uri, tool)| (digest(fold(uri).as_bytes()), tool)).collect();
        links.sort_unstable();
        let skill = |(text, index)| Some((digest(skill_directory(&fold(text))?.as_bytes()), index));
        let mut skills: Vec<_> = entries(resources).filter_map(skill).collect();
        skills.sort_unstable();
        let lenient =
            entries(templates).map(|(text, index)| (normal_template(text).to_ascii_lowercase(), index));
        Self {
            identities,
            folded,
            templates: templates.ids().map(normal_template).collect(),
            lenient: lenient.collect(),
            links,
            skills,
        }
    }

    /// The tools that refer to `uri`.
    pub fn linking(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = usize> {
        uri.folded().flat_map(|form| equal(&self.links, digest(form.as_bytes())))
    }

    /// The main files of the skills whose directory `uri` is in, `None` for each that a rule took out.
    pub fn skills(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        uri.folded().flat_map(|form| {
            let above: Vec<u128> = directories(&form).map(|directory| digest(directory.as_bytes())).collect();
            above.into_iter().flat_map(|directory| equal(&self.skills, directory))
        })
    }

    /// The listed resources that a server may take `uri` for, and `None` for each that a rule took out.
    pub fn same(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = Option<usize>> {
        equal(&self.identities, uri.identity())
    }

    /// Whether the template at `index` makes `uri`, in every form in which a server may resolve it.
    pub fn makes(&self, index: usize, uri: &ResourceUri<'_>) -> bool {
        let Some(template) = self.templates.get(index) else { return false };
        let mut forms = uri.resolved().peekable();
        forms.peek().is_some() && forms.all(|form| template_matches(template, form))
    }

    /// The primitives that a lenient server may take `uri` for or make it from, `None` for each that a rule took out.
    pub fn lenient(&self, uri: &ResourceUri<'_>) -> impl Iterator<Item = (Kind, Option<usize>)> {
        let forms: Vec<String> = uri.folded().collect();
        let resources: Vec<_> =
            forms.iter().flat_map(|form| equal(&self.folded, digest(form.as_bytes()))).collect();
        let makes = move |template: &str| forms.iter().any(|form| template_matches(template, form));
        let templates = self.lenient.iter().filter(move |(template, _)| makes(template));
        let resources = resources.into_iter().map(|index| (Kind::Resource, index));
        resources.chain(templates.map(|(_, index)| (Kind::Template, *index)))
    }
}

/// Returns the ids of an index with their positions, followed by the ids that rules hid, without one.
fn entries(kind_index: &KindIndex) -> impl Iterator<Item = (&str, Option<usize>)> {
    let listed = kind_index.ids().enumerate().map(|(index, id)| (id, Some(index)));
    listed.chain(kind_index.hidden().map(|id| (id, None)))
}

fn equal<T: Copy>(entries: &[(u128, T)], wanted: u128) -> impl Iterator<Item = T> {
    let from = entries.partition_point(|(known, _)| *known < wanted);
    let found = entries.get(from..).unwrap_or_default().iter();
    found.take_while(move |(known, _)| *known == wanted).map(|(_, index)| *index)
}
