//! Suggestions for unknown names in expressions, taken from the names in a catalog.

use crate::{
    catalog::{Catalog, model::kind::Kind},
    expr::{Expr, Field, Op, Term},
};

impl Catalog {
    /// Returns the known name nearest to the one in a term, if the term has an unknown kind, group, tag, concern,
    /// concern value, tool or prompt. Rules may use unknown names, which a lint reports.
    pub fn suggest_name(&self, term: &Term) -> Option<&str> {
        let exact = matches!(term.op(), Op::Matches | Op::Equals | Op::Differs) && !term.is_pattern();
        let facets = &self.facets;
        let (word, known): (&str, Vec<&str>) = match term.field() {
            Field::Concern(name) => match facets.concern(name) {
                None => (name, facets.concerns().map(|(name, _)| name).collect()),
                Some((_, values)) if exact => (term.value(), values.iter().collect()),
                Some(_) => return None,
            },
            _ if !exact => return None,
            Field::Kind => (term.value(), Kind::ALL.map(Kind::name).into()),
            Field::Group => (term.value(), facets.groups.iter().collect()),
            Field::Tag => (term.value(), facets.tags.iter().collect()),
            Field::Name => {
                let named =
                    [Kind::Tool, Kind::Prompt].into_iter().flat_map(|kind| self.kind_index(kind).ids());
                (term.value(), named.collect())
            }
            _ => return None,
        };
        if known.contains(&word) { None } else { Expr::nearest(word, &mut known.into_iter()) }
    }
}
