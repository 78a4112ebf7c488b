//! Writes a catalog and its configuration as a snapshot.

use super::{
    codec::Writer,
    layout::{CHECKED, HEADER, MAGIC},
};
use crate::catalog::Catalog;
use crate::{
    catalog::{
        compile::collision::Collision,
        index::kind_index::KindIndex,
        model::{
            kind::Kind,
            report::Report,
            rules::{Group, ServerWords, Tag},
            vocabulary::Vocabulary,
        },
        tokens::counts::Costs,
    },
    digest::Digest,
};

pub(crate) fn write(catalog: &Catalog, config: &str) -> Vec<u8> {
    let texts = catalog.indexes.each_ref().map(KindIndex::raw);
    let length = texts.iter().map(|text| text.len()).sum::<usize>();
    let mut out = Vec::with_capacity(HEADER + length + length / 16);
    out.extend_from_slice(MAGIC);
    out.extend(Catalog::SNAPSHOT_VERSION.to_le_bytes());
    // A placeholder for the checksum.
    out.extend([0; 8]);
    out.extend(catalog.hash().to_le_bytes());
    out.extend((length as u64).to_le_bytes());
    texts.into_iter().for_each(|text| out.extend_from_slice(text));

    let mut writer = Writer::new(&mut out);
    writer.text(config);
    writer.facets(&catalog.facets);
    writer.list(&catalog.groups, Writer::group);
    writer.list(&catalog.tags, Writer::tag);
    catalog.declared.into_iter().for_each(|count| writer.number(count));
    writer.number(usize::from(catalog.is_recorded));
    writer.list(&catalog.words, Writer::words);
    writer.list(&catalog.reports, Writer::report);
    writer.list(&catalog.collisions, Writer::collision);
    writer.list(&catalog.renamed_pages, |writer, (page, own)| {
        writer.text(page);
        writer.text(own);
    });
    let mut begins = HEADER;
    for (kind_index, kind) in catalog.indexes.iter().zip(Kind::ALL) {
        kind_index.save(&mut writer, begins);
        writer.costs(kind.of(&catalog.costs).get());
        begins += kind_index.raw().len();
    }
    let sum = Digest::checksum(out.get(CHECKED..).unwrap_or_default());
    if let Some(place) = out.get_mut(CHECKED - 8..CHECKED) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
    out
}

impl Writer<'_> {
    fn facets(&mut self, facets: &Vocabulary) {
        self.names(&facets.groups);
        self.names(&facets.tags);
        self.names(facets.marked_requirements());
        self.number(facets.concerns().len());
        for (name, values) in facets.concerns() {
            self.text(name);
            self.names(values);
        }
    }

    fn words(&mut self, words: &ServerWords) {
        self.text(&words.server);
        self.list(&words.groups, Self::group);
        self.list(&words.tags, Self::tag);
    }

    fn group(&mut self, group: &Group) {
        self.text(&group.name);
        for text in [&group.title, &group.description, &group.meta] {
            self.optional(text.as_deref());
        }
        self.list(&group.parents, |writer, parent| writer.text(parent));
    }

    fn tag(&mut self, tag: &Tag) {
        self.text(&tag.name);
        self.text(&tag.description);
        self.optional(tag.meta.as_deref());
    }

    fn report(&mut self, report: &Report) {
        self.number(report.code as usize);
        self.number(report.kind as usize);
        self.text(&report.name);
        self.text(&report.problem);
    }

    fn collision(&mut self, collision: &Collision) {
        self.number(collision.kind as usize);
        for text in [&collision.id, &collision.kept, &collision.left_out] {
            self.text(text);
        }
    }

    fn costs(&mut self, costs: Option<&Costs>) {
        self.number(usize::from(costs.is_some()));
        if let Some(costs) = costs {
            self.small_numbers(&costs.counts);
            self.bits(&costs.exact);
        }
    }
}
