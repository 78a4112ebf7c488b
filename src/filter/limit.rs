use std::cmp::Reverse;

use crate::{
    catalog::{Bits, Catalog, Kind},
    expr::{Field, Subject},
    json::{Number, Object},
};

/// How much a caller has room for, of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Limit {
    /// Most primitives.
    pub count: Option<u32>,
}

impl Limit {
    /// Whether there is room for everything.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Both must hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let lower = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self { count: lower(self.count, other.count) }
    }

    /// Appends it as JSON.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let mut limit = Object::open(out);
        if let Some(count) = self.count {
            limit.raw("count", count.to_string().as_bytes());
        }
        limit.close();
    }

    /// In words, for explanations.
    pub(super) fn told(self) -> Vec<String> {
        self.count.map(|count| format!("count<={count}")).into_iter().collect()
    }

    /// The best that fit: by `annotations.priority`, highest first and those without one last, then in the
    /// order of the catalog.
    pub(super) fn pick(self, catalog: &Catalog, kind: Kind, within: &Bits) -> Bits {
        let room = self.count.map_or(usize::MAX, |count| count as usize);
        if within.count() <= room {
            return within.clone();
        }
        let mut ranked: Vec<_> = within.iter().map(|at| (Reverse(priority(catalog, kind, at)), at)).collect();
        ranked.sort_unstable();
        let mut picked = Bits::none(catalog.shelf(kind).len());
        ranked.iter().take(room).for_each(|(_, at)| picked.insert(*at));
        picked
    }
}

fn priority(catalog: &Catalog, kind: Kind, index: usize) -> Option<Number> {
    let mut priority = None;
    let primitive = catalog.primitive(kind, index)?;
    primitive.values(&Field::Priority, &mut |text| priority = text.parse().ok());
    priority
}
