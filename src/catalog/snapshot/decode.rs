//! Reads a snapshot: checks its version and checksum, and restores the catalog from its tables.

use std::sync::{Arc, OnceLock};

use super::{
    codec::Reader,
    layout::{CHECKED, HEADER, MAGIC},
};
use crate::catalog::Catalog;
use crate::{
    catalog::{
        compile::collision::Collision,
        index::kind_index::KindIndex,
        model::{
            kind::{ByKind, Kind},
            report::{Report, ReportCode},
            rules::{Group, ServerWords, Tag},
            vocabulary::Vocabulary,
        },
        tokens::counts::Costs,
    },
    digest::Digest,
    error::{Error, ErrorKind},
};

pub(crate) fn read(mut bytes: Vec<u8>) -> Result<(Catalog, String), Error> {
    let head = Head::read(&bytes)?;
    let mut reader = Reader::new(bytes.get(head.text_end..).unwrap_or_default());
    let read = |reader: &mut Reader<'_>| {
        let config = reader.text()?.to_owned();
        Some((reader.catalog(head.hash, head.text_end)?, config))
    };
    let (mut catalog, config) = read(&mut reader).ok_or_else(|| {
        let at = bytes.len() - reader.left();
        refuse("damaged: its tables contradict themselves").at_byte(at)
    })?;
    // The tables are no longer needed. The text stays in place.
    bytes.truncate(head.text_end);
    bytes.shrink_to_fit();
    let text = Arc::new(bytes);
    catalog.indexes.iter_mut().for_each(|kind_index| kind_index.set_text(&text));
    Ok((catalog, config))
}

struct Head {
    hash: u128,
    text_end: usize,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Self, Error> {
        let body = bytes.strip_prefix(MAGIC).ok_or_else(|| refuse("not a snapshot of a catalog"))?;
        let cut_off = || refuse("cut off").at_byte(bytes.len());
        let mut reader = Reader::new(body);
        let version = reader.wide().ok_or_else(cut_off)?;
        if version != Catalog::SNAPSHOT_VERSION {
            let message = format!(
                "of format {version}, expected {snapshot_version}: make it anew",
                snapshot_version = Catalog::SNAPSHOT_VERSION
            );
            return Err(refuse(&message));
        }
        let sum = reader.wide().ok_or_else(cut_off)?;
        let (low, high) = reader.wide().zip(reader.wide()).ok_or_else(cut_off)?;
        let length = reader.wide().ok_or_else(cut_off)?;
        if sum != Digest::checksum(bytes.get(CHECKED..).unwrap_or_default()) {
            return Err(refuse("damaged: its checksum is that of other bytes"));
        }
        let end = usize::try_from(length).ok().and_then(|length| length.checked_add(HEADER));
        let text_end = end.filter(|end| *end <= bytes.len()).ok_or_else(cut_off)?;
        Ok(Self { hash: u128::from(high) << 64 | u128::from(low), text_end })
    }
}

fn refuse(what: &str) -> Error {
    Error::new(ErrorKind::Snapshot, format!("the snapshot is {what}"))
}

impl Reader<'_> {
    fn kind(&mut self) -> Option<Kind> {
        Kind::ALL.get(self.number()?).copied()
    }

    fn catalog(&mut self, hash: u128, text_end: usize) -> Option<Catalog> {
        let facets = self.facets()?;
        let groups = self.list(Self::group)?;
        let tags = self.list(Self::tag)?;
        let declared = [self.number()?, self.number()?];
        let is_recorded = self.number()? == 1;
        let words = self.list(|reader| {
            let server = reader.text()?.to_owned();
            let (groups, tags) = (reader.list(Self::group)?, reader.list(Self::tag)?);
            // The members are in the bitsets.
            Some(ServerWords { server, groups, tags, ..ServerWords::default() })
        })?;
        let reports = self.list(|reader| {
            let code = *ReportCode::ALL.get(reader.number()?)?;
            let (kind, name) = (reader.kind()?, reader.text()?.to_owned());
            Some(Report { code, kind, name, problem: reader.text()?.to_owned() })
        })?;
        let collisions = self.list(|reader| {
            let (kind, id) = (reader.kind()?, reader.text()?.to_owned());
            let (kept, left_out) = (reader.text()?.to_owned(), reader.text()?.to_owned());
            Some(Collision { kind, id, kept, left_out })
        })?;
        let renamed_pages =
            self.list(|reader| Some((reader.text()?.to_owned(), reader.text()?.to_owned())))?;
        let mut indexes: ByKind<KindIndex> = Default::default();
        let mut costs: ByKind<_> = Default::default();
        let mut begins = HEADER;
        for (kind_index, costs) in indexes.iter_mut().zip(&mut costs) {
            *kind_index = KindIndex::load(self, &facets, begins, text_end)?;
            begins = kind_index.text_end();
            *costs = self.costs(kind_index.len())?;
        }
        let all = begins == text_end && self.left() == 0;
        let hash = hash.into();
        let (hashes, spans, resources, attached, skills) = Default::default();
        all.then_some(Catalog {
            indexes,
            facets,
            groups,
            tags,
            declared,
            words,
            hash,
            hashes,
            costs,
            spans,
            resources,
            attached,
            skills,
            reports,
            collisions,
            renamed_pages,
            changes: Vec::new(),
            is_recorded,
            is_for_sessions: false,
        })
    }

    fn group(&mut self) -> Option<Group> {
        let name = self.text()?.to_owned();
        let (title, description, meta) = (self.optional()?, self.optional()?, self.optional()?);
        let parents = self.list(|reader| reader.text().map(str::to_owned))?;
        Some(Group { name, title, description, parents, meta, concerns: vec![] })
    }

    fn tag(&mut self) -> Option<Tag> {
        let (name, description) = (self.text()?.to_owned(), self.text()?.to_owned());
        Some(Tag { name, description, meta: self.optional()? })
    }

    fn facets(&mut self) -> Option<Vocabulary> {
        let (groups, tags, requirements) = (self.names()?, self.names()?, self.names()?);
        let concerns = self.list(|reader| Some((reader.text()?, reader.names()?)))?;
        Vocabulary::new(groups, tags, requirements, concerns)
    }

    /// Reads the token counts of a kind, which may be unknown.
    fn costs(&mut self, len: usize) -> Option<OnceLock<Costs>> {
        match self.number()? {
            0 => Some(OnceLock::new()),
            1 => {
                let counts = self.small_numbers().filter(|counts| counts.len() == len)?;
                Some(Costs { counts, exact: self.bits(len)? }.into())
            }
            _ => None,
        }
    }
}
