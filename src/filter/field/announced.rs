//! The fields and limits of filters, as capabilities announce them to clients.

use super::table::{Capability, FilterField};
use crate::{
    catalog::{Catalog, Kind},
    concern::Configuration,
    expr::Expr,
    json::Object,
    rank::Index,
};

impl FilterField {
    /// Returns the fields that clients may use, in the order in which capabilities list them. Those of concerns need
    /// `concerns`: whether any concern is declared.
    pub fn announced(concerns: bool) -> impl Iterator<Item = &'static Self> {
        let parts = Capability::ALL.into_iter().filter(move |part| *part != Capability::Concerns || concerns);
        parts.flat_map(|part| Self::ALL.iter().filter(move |field| field.capability == Some(part)))
    }

    /// Returns the names of the fields by which lists of a kind can be filtered (SEP-2564). Fields of the proposal have
    /// their own names, others a prefix.
    pub fn supported(kind: Kind, concerns: bool) -> Vec<String> {
        let (of_the_proposal, ours): (Vec<_>, Vec<_>) =
            Self::announced(concerns).partition(|field| field.capability == Some(Capability::Patterns));
        let of_the_kind = of_the_proposal.into_iter().filter(|field| field.kinds().contains(&kind));
        let ours = ours.into_iter().map(|field| [Catalog::PREFIX, "/", field.name()].concat());
        of_the_kind.map(|field| field.name().to_owned()).chain(ours).collect()
    }

    /// Writes the limits of filters as a JSON object.
    pub fn write_limits(out: &mut Vec<u8>) {
        let mut limits = Object::open(out);
        let number = |object: &mut Object<'_>, key: &str, limit: usize| {
            object.raw(key, limit.to_string().as_bytes());
        };
        number(&mut limits, "values", Configuration::MAX_VALUES);
        number(&mut limits, "valueLength", Configuration::MAX_VALUE_LENGTH);
        number(&mut limits, "query", Index::MAX_QUERY);
        let mut expression = Object::open(limits.value("where"));
        number(&mut expression, "length", Expr::MAX_SOURCE);
        number(&mut expression, "depth", Expr::MAX_DEPTH);
        number(&mut expression, "terms", Expr::MAX_TERMS);
        number(&mut expression, "patterns", Expr::MAX_PATTERNS);
        number(&mut expression, "valueLength", Expr::MAX_VALUE);
        expression.close();
        limits.close();
    }
}
