//! The pages that tools open for a caller (MCP Apps). A page is as visible as its tool, whether or not its server lists it.
//! It stays hidden if a condition on its address or kind hides it, or a condition that hides (`-tag:internal`, `!=`) and
//! matches its own definition. For conditions that show, the groups, tags and names of the tool count as well.

use super::{CallerContext, judge::Judge};
use crate::{
    catalog::{Bitset, ByKind, Catalog, Kind, Page, Primitive, ResourceUri, uri_key},
    expr::{Expr, Field, Subject},
    filter::Filter,
};

/// Returns the numbers of the pages that the visible tools open, under judges and the filters of presets.
pub(super) fn open(
    catalog: &Catalog,
    visible: &ByKind<Bitset>,
    under: (&[Judge], &[&Filter]),
    asking: &dyn CallerContext,
) -> Bitset {
    let mut open = Bitset::default();
    let [tools, ..] = visible;
    for number in 0.. {
        let Some((tool, uri)) = catalog.page_tool(number) else { break };
        let shown = || {
            let tool = catalog.primitive(Kind::Tool, tool)?;
            let uri = ResourceUri::parse(uri).ok()?;
            Candidate { catalog, tool, uri }.is_shown(visible, under, asking).then_some(())
        };
        if tools.contains(tool) && shown().is_some() {
            open.add(number);
        }
    }
    open
}

/// A page of a visible tool.
struct Candidate<'a> {
    catalog: &'a Catalog,
    tool: Primitive<'a>,
    uri: ResourceUri<'a>,
}

impl Candidate<'_> {
    fn is_shown(
        &self,
        visible: &ByKind<Bitset>,
        under: (&[Judge], &[&Filter]),
        asking: &dyn CallerContext,
    ) -> bool {
        let listed = self.hidden_definitions(visible);
        self.passes(None, under, asking)
            && listed.iter().all(|listed| self.passes(Some(listed), under, asking))
    }

    /// Returns the hidden resources and templates of the tool's server that the server may take the page for.
    fn hidden_definitions(&self, visible: &ByKind<Bitset>) -> Vec<Primitive<'_>> {
        let resources = self.catalog.resources();
        let mut found: Vec<(Kind, usize)> = Vec::new();
        for key in self.uri.readings().map(uri_key) {
            for (kind, index) in resources.lenient(&key) {
                let Some(index) = index.filter(|index| !kind.of(visible).contains(*index)) else { continue };
                let server = self.catalog.kind_index(kind).server(index);
                if server == Some(self.tool.server()) && !found.contains(&(kind, index)) {
                    found.push((kind, index));
                }
            }
        }
        found.into_iter().filter_map(|(kind, index)| self.catalog.primitive(kind, index)).collect()
    }

    /// Returns whether judges and presets show the page, as one that no list mentions or as a listed primitive.
    fn passes(
        &self,
        listed: Option<&Primitive<'_>>,
        (judges, presets): (&[Judge], &[&Filter]),
        asking: &dyn CallerContext,
    ) -> bool {
        let kind = listed.map_or(Kind::Resource, Primitive::kind);
        let readings: Vec<&str> = match listed {
            Some(listed) if kind == Kind::Template => vec![listed.id()],
            _ => self.uri.readings().collect(),
        };
        let holds = |condition: &Expr| {
            readings.iter().all(|uri| {
                let listed = listed.map(|listed| listed as &dyn Subject);
                let page = Page { tool: &self.tool, listed, kind, uri };
                condition.holds(&Asked { page, asking })
            })
        };
        let excluded = |filter: &Filter| {
            let has = |own: &[&str], names: &[String]| names.iter().any(|name| own.contains(&name.as_str()));
            listed.is_some_and(|listed| {
                has(&listed.groups(), &filter.not.groups) || has(&listed.tags(), &filter.not.tags)
            })
        };
        let kept = |filter: &&Filter| filter.r#where.as_ref().is_none_or(holds) && !excluded(filter);
        presets.iter().all(kept) && judges.iter().all(|judge| judge.shows_page(kind, listed, &holds, asking))
    }
}

/// A page and the caller for whom it is judged.
struct Asked<'a> {
    page: Page<'a>,
    asking: &'a dyn CallerContext,
}

impl Subject for Asked<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field.reads_caller() {
            true => self.asking.values(field, visit),
            false => self.page.values(field, visit),
        }
    }
}
