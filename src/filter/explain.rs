use super::{
    Narrowing,
    narrow::{Asks, Clause},
};
use crate::catalog::{Bits, Catalog, Kind};

/// Whether a primitive is shown, and if not the first thing that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Whether a list with this filter holds it.
    pub shown: bool,
    /// Why it does not.
    pub reason: Option<Reason>,
}

/// The first clause that a primitive does not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// No primitive of that name is visible to the caller.
    Unknown,
    /// It is in none of the wanted groups.
    Groups {
        /// The groups asked for.
        wanted: Vec<String>,
        /// The groups it is in.
        found: Vec<String>,
    },
    /// It lacks a wanted tag.
    Tags {
        /// The tag asked for.
        wanted: Vec<String>,
        /// The tags it carries.
        found: Vec<String>,
    },
    /// It is mapped to another value of a concern.
    Concern {
        /// The concern.
        concern: String,
        /// The values asked for.
        wanted: Vec<String>,
        /// The values it has.
        found: Vec<String>,
    },
    /// It does not meet the expression.
    Where {
        /// The part that decided, as alternatives of which one was wanted.
        wanted: Vec<String>,
        /// What it has for the field that was asked about, where that is one.
        found: Vec<String>,
    },
}

impl Narrowing {
    /// Why the primitive called `id` is in the selection or not. One outside `visible` is unknown.
    pub fn explain(&self, catalog: &Catalog, kind: Kind, visible: Option<&Bits>, id: &str) -> Explanation {
        let shelf = catalog.shelf(kind);
        let hidden = |reason| Explanation { shown: false, reason: Some(reason) };
        let index = shelf.find(id).filter(|index| visible.is_none_or(|bits| bits.contains(*index)));
        let Some((index, primitive)) = index.and_then(|index| Some((index, catalog.primitive(kind, index)?)))
        else {
            return hidden(Reason::Unknown);
        };
        let Some(clause) = self.clauses.iter().find(|clause| !clause.admits(shelf, index, &primitive)) else {
            return Explanation { shown: true, reason: None };
        };
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let facet = match clause {
            Clause::Facet(facet) => facet,
            Clause::Where(condition) => {
                let (wanted, found) = condition.decided(&primitive);
                return hidden(Reason::Where { wanted, found });
            }
        };
        let wanted = facet.wanted.clone();
        hidden(match &facet.asks {
            Asks::Groups => Reason::Groups { wanted, found: owned(primitive.groups()) },
            Asks::Tags => Reason::Tags { wanted, found: owned(primitive.tags()) },
            Asks::Concern(name) => {
                Reason::Concern { concern: name.clone(), wanted, found: owned(primitive.concern(name)) }
            }
        })
    }
}
