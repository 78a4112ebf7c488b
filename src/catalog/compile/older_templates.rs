//! Resources that a server lists under a template that another server listed before. The URI belongs to the template.

use super::{primitive_draft::PrimitiveDraft, skill_uris::each_kept};
use crate::catalog::{
    ResourceUri,
    model::{kind::Kind, name_record::NameRecord, resource_uri::fold_listed, rules::Assignments},
    parse::lists::Source,
};

/// The recorded templates, each with its server and its position in the record.
pub(crate) struct OlderTemplates<'a> {
    templates: Vec<(String, &'a str, usize)>,
    record: Option<&'a NameRecord>,
}

impl<'a> OlderTemplates<'a> {
    pub fn new(sources: &'a [Source<'_>], assignments: &Assignments, record: Option<&'a NameRecord>) -> Self {
        let mut templates = Vec::new();
        for source in sources.iter().filter(|_| sources.len() > 1) {
            each_kept(Kind::Template, source, assignments, &mut |listed| {
                let rank = record
                    .map_or(usize::MAX, |record| record.rank_of(listed.kind, &listed.id, source.server));
                if rank != usize::MAX {
                    templates.push((listed.id.to_ascii_lowercase(), source.server, rank));
                }
            });
        }
        Self { templates, record }
    }

    /// Returns the server with an older template that matches a resource, under any spelling that clients take for the
    /// same.
    pub fn owner(&self, listed: &PrimitiveDraft<'_>) -> Option<&'a str> {
        let record = self.record.filter(|_| !self.templates.is_empty())?;
        let rank = record.rank_of(listed.kind, &listed.id, listed.server);
        let forms = [listed.id.to_ascii_lowercase(), fold_listed(&listed.id)];
        let is_older = |(template, server, older): &&(String, &str, usize)| {
            *older < rank
                && *server != listed.server
                && forms.iter().any(|form| ResourceUri::matches_template(template, form))
        };
        self.templates.iter().find(is_older).map(|(_, server, _)| *server)
    }
}
