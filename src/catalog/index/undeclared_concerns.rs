//! Reports on concern values that have no effect, because nothing declares the concern.

use crate::catalog::{
    Catalog,
    model::{
        kind::Kind,
        report::{Report, ReportCode, Reports},
    },
};

impl Catalog {
    /// Returns a report for each concern that primitives have values of and that is not declared (#1936): on the first of
    /// these primitives, with the number of the others. Filters ignore such a concern.
    pub fn undeclared_concerns(&self, is_declared: &dyn Fn(&str) -> bool) -> Vec<Report> {
        let mut reports = Reports::default();
        let mut first_kind = Kind::Tool;
        for (id, (name, _)) in self.facets.concerns().enumerate().filter(|(_, (name, _))| !is_declared(name))
        {
            let (mut first, mut count) = (None, 0_usize);
            for kind in Kind::ALL {
                let kind_index = self.kind_index(kind);
                let Some(silent) = kind_index.silent(id) else { continue };
                for index in kind_index.all().iter().filter(|index| !silent.contains(*index)) {
                    first = first.or_else(|| Some((kind, kind_index.id(index)?)));
                    count += 1;
                }
            }
            let Some((kind, primitive)) = first else { continue };
            first_kind = kind;
            let more = if count > 1 { format!(" ({} more)", count - 1) } else { String::new() };
            let problem =
                format!("has a value of the concern `{name}`, which is not declared: it has no effect{more}");
            reports.add(ReportCode::Membership, kind, primitive, &problem);
        }
        let mut all = Vec::new();
        reports.end(first_kind, &mut all);
        all
    }
}
