use super::{
    counts::{Costs, Tokens},
    estimate::estimate,
};
use crate::{
    catalog::{
        Catalog,
        index::bitset::Bitset,
        model::{kind::Kind, member_values::FRONTMATTER},
    },
    digest::hex,
    error::{Error, ErrorKind},
    json::{Entry, Members, Raw},
};

impl Catalog {
    /// What the primitives in `bits` take together; of a skill its frontmatter counts.
    ///
    /// Where no counts were given they are estimated when first asked for, at some 300 MB a second, and kept.
    pub fn tokens(&self, kind: Kind, bits: &Bitset) -> Tokens {
        let costs = self.costs(kind);
        let counts = bits.iter().filter_map(|index| costs.counts.get(index));
        Tokens { count: counts.map(|count| u64::from(*count)).sum(), exact: !bits.exceeds(&costs.exact) }
    }

    /// What the primitive at `index` takes.
    pub fn tokens_of(&self, kind: Kind, index: usize) -> Option<Tokens> {
        let costs = self.costs(kind);
        let count = u64::from(*costs.counts.get(index)?);
        Some(Tokens { count, exact: costs.exact.contains(index) })
    }

    /// The same catalog with counts that were made with the vocabulary at hand:
    /// `{"catalog": "<hash>", "tokens": {"tool": {"create_issue": 312}, "prompt": {…}}}`, where `hash` is
    /// [`Catalog::hash`] in 32 hex digits, kinds are `tool`, `resource`, `template`, `prompt`, `skill`, and a primitive
    /// goes by its name, `uri` or `uriTemplate`. What has no count stays estimated.
    ///
    /// # Errors
    /// [`ErrorKind::Json`]; [`ErrorKind::Tokens`] for another shape, counts of another catalog, and a
    /// primitive that is not here.
    pub fn with_tokens(mut self, counts: &str) -> Result<Self, Error> {
        self.take_tokens(&Entry::root(Raw::parse(counts)?))
            .map_err(|error| error.told_as(ErrorKind::Tokens))?;
        Ok(self)
    }

    fn take_tokens(&mut self, root: &Entry<'_>) -> Result<(), Error> {
        let mut record = root.record(&["catalog", "tokens"])?;
        record.need(&["catalog", "tokens"]);
        let (mut hash, mut costs) = (String::new(), [const { None }; Kind::COUNT]);
        record.fill("catalog", &mut hash, Entry::text);
        let own = hex(self.hash());
        // Names that are not here would be told first, and say less.
        if !hash.is_empty() && hash != own {
            let message = format!("counts of the catalog `{hash}`, expected `{own}`");
            return Err(Error::new(ErrorKind::Tokens, message).field("catalog"));
        }
        record.fill("tokens", &mut costs, |entry| {
            let mut found = [const { None }; Kind::COUNT];
            let mut kinds = entry.record(&Kind::ALL.map(Kind::name))?;
            for (kind, found) in Kind::ALL.into_iter().zip(&mut found) {
                kinds.fill_optional(kind.name(), found, |entry| self.counted(kind, entry));
            }
            kinds.end().map(|()| found)
        });
        record.end()?;
        for (slot, costs) in self.costs.iter_mut().zip(costs) {
            if let Some(costs) = costs {
                *slot = costs.into();
            }
        }
        Ok(())
    }

    /// The estimates of one kind, and in their place the counts that `entry` has.
    fn counted(&self, kind: Kind, entry: &Entry<'_>) -> Result<Costs, Error> {
        let mut costs = self.costs(kind).clone();
        for (id, count) in entry.members(|entry| entry.whole(0, u32::MAX.into()))? {
            let index = self.kind_index(kind).find(&id);
            let place = index.and_then(|index| Some((index, costs.counts.get_mut(index)?)));
            let (index, slot) = place.ok_or_else(|| entry.refuse(format!("no {kind} is called `{id}`")))?;
            *slot = count;
            costs.exact.insert(index);
        }
        Ok(costs)
    }

    pub(crate) fn costs(&self, kind: Kind) -> &Costs {
        kind.of(&self.costs).get_or_init(|| {
            let kind_index = self.kind_index(kind);
            let bytes = (0..kind_index.len()).map(|index| kind_index.bytes(index).unwrap_or_default());
            let bytes = bytes.map(|bytes| if kind == Kind::Skill { frontmatter(bytes) } else { bytes });
            Costs { counts: bytes.map(estimate).collect(), exact: Bitset::none(kind_index.len()) }
        })
    }
}

/// What a model is shown of a skill before it loads the skill. The manifest is for hosts.
fn frontmatter(skill: &[u8]) -> &[u8] {
    let text = std::str::from_utf8(skill).unwrap_or_default();
    let frontmatter = Members::parse(text).and_then(|skill| skill.get(FRONTMATTER));
    frontmatter.map_or(skill, |raw| raw.get().as_bytes())
}
