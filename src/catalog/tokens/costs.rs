//! The token counts of a catalog's primitives: estimated, or read from a file of exact counts.

use super::counts::{Costs, Tokens};
use crate::{
    catalog::{
        Catalog,
        index::bitset::Bitset,
        model::{kind::Kind, member_values::FRONTMATTER},
    },
    digest::Digest,
    error::{Error, ErrorKind},
    json::{Entry, Members, Raw},
};

impl Catalog {
    /// Returns the total tokens of the primitives in `bits`. For a skill, only its frontmatter counts. A tool that only
    /// applications may call counts nothing.
    ///
    /// Without given counts, tokens are estimated at their first use, at some 300 MB a second, and then kept.
    pub fn tokens(&self, kind: Kind, bits: &Bitset) -> Tokens {
        let costs = self.costs(kind);
        let counts = bits.iter().filter_map(|index| costs.counts.get(index));
        Tokens { count: counts.map(|count| u64::from(*count)).sum(), exact: !bits.exceeds(&costs.exact) }
    }

    /// Returns the tokens of the primitive at `index`.
    pub fn tokens_of(&self, kind: Kind, index: usize) -> Option<Tokens> {
        let costs = self.costs(kind);
        let count = u64::from(*costs.counts.get(index)?);
        Some(Tokens { count, exact: costs.exact.contains(index) })
    }

    /// Returns the catalog with the given token counts, which were computed with the tokenizer's vocabulary:
    /// `{"catalog": "<hash>", "tokens": {"tool": {"create_issue": 312}, "prompt": {…}}}`. `hash` is [`Catalog::hash`]
    /// in 32 hex digits. Kinds are `tool`, `resource`, `template`, `prompt`, `skill`, and the key of a primitive is its
    /// name, `uri` or `uriTemplate`. Primitives without a count keep their estimate.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for invalid JSON. [`ErrorKind::Tokens`] for JSON of another shape, counts of another
    /// catalog, and an unknown primitive.
    pub fn with_tokens(mut self, counts: &str) -> Result<Self, Error> {
        self.take_tokens(&Entry::root(Raw::parse(counts)?))
            .map_err(|error| error.with_kind(ErrorKind::Tokens))?;
        Ok(self)
    }

    fn take_tokens(&mut self, root: &Entry<'_>) -> Result<(), Error> {
        let mut record = root.record(&["catalog", "tokens"])?;
        record.need(&["catalog", "tokens"]);
        let (mut hash, mut costs) = (String::new(), [const { None }; Kind::COUNT]);
        record.fill("catalog", &mut hash, Entry::text);
        let own = Digest::hex(self.hash());
        // This comes first, because errors about unknown names would be less helpful.
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

    /// Returns the estimates for one kind, replaced by the counts in `entry`.
    fn counted(&self, kind: Kind, entry: &Entry<'_>) -> Result<Costs, Error> {
        let mut costs = self.costs(kind).clone();
        for (id, count) in entry.members(|entry| entry.whole(0, u32::MAX.into()))? {
            let index = self.kind_index(kind).find(&id);
            let place = index.and_then(|index| Some((index, costs.counts.get_mut(index)?)));
            let (index, slot) = place.ok_or_else(|| entry.refuse(format!("no {kind} is called `{id}`")))?;
            // No model reads a tool of applications alone.
            *slot = if self.kind_index(kind).is_for_models(index) { count } else { 0 };
            costs.exact.insert(index);
        }
        Ok(costs)
    }

    pub(crate) fn costs(&self, kind: Kind) -> &Costs {
        kind.of(&self.costs).get_or_init(|| {
            let kind_index = self.kind_index(kind);
            let bytes = (0..kind_index.len()).map(|index| kind_index.listed(index).unwrap_or_default());
            let bytes = bytes.map(|bytes| if kind == Kind::Skill { frontmatter(bytes) } else { bytes });
            let mut counts: Vec<u32> = bytes.map(Tokens::estimate).collect();
            for index in kind_index.app_only().into_iter().flat_map(Bitset::iter) {
                counts.get_mut(index).into_iter().for_each(|count| *count = 0);
            }
            Costs { counts, exact: Bitset::none(kind_index.len()) }
        })
    }
}

/// Returns the part of a skill that a model sees before it loads the skill. The manifest is for hosts.
fn frontmatter(skill: &[u8]) -> &[u8] {
    let text = std::str::from_utf8(skill).unwrap_or_default();
    let frontmatter = Members::parse(text).and_then(|skill| skill.get(FRONTMATTER));
    frontmatter.map_or(skill, |raw| raw.get().as_bytes())
}
