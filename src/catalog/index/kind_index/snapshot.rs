//! Reads and writes an index as part of a catalog snapshot.

use std::sync::Arc;

use super::queries::{ConcernBitsets, KindIndex};
use crate::catalog::{
    index::{bitset::Bitset, id_table::IdTable},
    model::binding::{BoundArgument, BoundValue},
    model::vocabulary::Vocabulary,
    snapshot::codec::{Reader, Writer},
};

impl Writer<'_> {
    fn bound(&mut self, argument: &BoundArgument) {
        self.list(&argument.path, |writer, key| writer.text(key));
        let (source, text) = argument.value.parts();
        self.number(source.into());
        self.text(text);
    }
}

impl Reader<'_> {
    fn bound(&mut self) -> Option<BoundArgument> {
        let path = self.list(|reader| reader.text().map(str::to_owned))?;
        let value = BoundValue::of(self.number()?, self.text()?.to_owned())?;
        (!path.is_empty()).then_some(BoundArgument { path, value })
    }
}

impl KindIndex {
    /// Writes the index without its text, which begins at `begins` in the snapshot.
    pub(crate) fn save(&self, writer: &mut Writer<'_>, begins: usize) {
        let place = |at: usize| at - self.first + begins;
        writer.list(&self.ends, |writer, end| writer.number(place(*end)));
        self.ids.save(writer, place);
        writer.list(&self.servers, |writer, (end, server)| {
            writer.number(*end);
            writer.text(server);
        });
        writer.numbered(&self.own_ids);
        writer.numbered(&self.examples);
        writer.list(&self.bound, |writer, (number, bound)| {
            writer.number(*number);
            writer.list(bound, Writer::bound);
        });
        writer.names(&self.hidden);
        writer.number(self.pinned.len());
        writer.number(self.stateless.len());
        writer.number(self.sessions.len());
        writer.number(self.modern_outputs.len());
        writer.number(self.app_only.len());
        writer.number(usize::from(!self.filter_groups.is_empty()));
        writer.number(usize::from(!self.filter_tags.is_empty()));
        let values = self.concerns.iter().flat_map(|concern| &concern.values);
        self.pinned
            .iter()
            .chain(&self.stateless)
            .chain(&self.sessions)
            .chain(&self.modern_outputs)
            .chain(&self.app_only)
            .chain(&self.groups)
            .chain(&self.tags)
            .chain(&self.filter_groups)
            .chain(&self.filter_tags)
            .chain(&self.requiring)
            .chain(values)
            .for_each(|bits| writer.bits(bits));
    }

    /// Reads an index that [`KindIndex::save`] wrote. Its text must end at or before `limit`.
    pub(crate) fn load(
        reader: &mut Reader<'_>,
        facets: &Vocabulary,
        begins: usize,
        limit: usize,
    ) -> Option<Self> {
        let ends = reader.list(Reader::number)?;
        // All primitives but the first follow a comma, and each has at least its braces.
        let starts = std::iter::once(begins).chain(ends.iter().map(|end| end.saturating_add(1)));
        let mut places = starts.zip(&ends).map(|(start, end)| start..*end);
        if !places.clone().all(|place| !place.is_empty() && place.end <= limit) {
            return None;
        }
        let len = ends.len();
        let ids = IdTable::load(reader, len, &mut places)?;
        let servers = reader.list(|reader| Some((reader.number()?, Arc::from(reader.text()?))))?;
        let runs = std::iter::once(&0).chain(servers.iter().map(|(end, _)| end));
        if !runs.clone().is_sorted_by(|a, b| a < b) || runs.last() != Some(&len) {
            return None;
        }
        let (own_ids, examples) = (reader.numbered(len)?, reader.numbered(len)?);
        let bound = reader.list(|reader| Some((reader.number()?, reader.list(Reader::bound)?.into())))?;
        if !bound.is_sorted_by(|(a, _), (b, _)| a < b) || bound.iter().any(|(number, _)| *number >= len) {
            return None;
        }
        let hidden = reader.names()?;
        let counts =
            [reader.number()?, reader.number()?, reader.number()?, reader.number()?, reader.number()?];
        let [filter_groups, filter_tags] = [reader.number()?, reader.number()?];
        let mut sets = counts.into_iter().map(|sets| (sets < 2).then(|| reader.sets(sets, len))?);
        let (pinned, stateless, sessions, modern_outputs, app_only) =
            (sets.next()??, sets.next()??, sets.next()??, sets.next()??, sets.next()??);
        let all = Bitset::all(len);
        let groups = reader.sets(facets.groups.len(), len)?;
        let tags = reader.sets(facets.tags.len(), len)?;
        let published = |reader: &mut Reader<'_>, present, names: usize| {
            (present < 2).then(|| reader.sets(present * names, len))?
        };
        let filter_groups = published(reader, filter_groups, facets.groups.len())?;
        let filter_tags = published(reader, filter_tags, facets.tags.len())?;
        let requiring = reader.sets(facets.requirements().len(), len)?;
        let concerns = facets.concerns().map(|(_, values)| {
            let values = reader.sets(values.len(), len)?;
            Some(ConcernBitsets { silent: ConcernBitsets::silent(&all, &values), values })
        });
        let concerns = concerns.collect::<Option<_>>()?;
        let text = Arc::default();
        Some(Self {
            text,
            first: begins,
            ends,
            ids,
            servers,
            own_ids,
            examples,
            bound,
            hidden,
            all,
            groups,
            tags,
            filter_groups,
            filter_tags,
            requiring,
            pinned,
            stateless,
            sessions,
            modern_outputs,
            app_only,
            concerns,
        })
    }

    /// Returns the end of the index's text.
    pub(crate) fn text_end(&self) -> usize {
        self.ends.last().copied().unwrap_or(self.first)
    }
}
