//! Lints for a filter that an operator publishes, such as in a team's URL.

use mcp_sieve::{
    Error, Filter, Ignored, Kind, UnknownName,
    catalog::{Catalog, Scope},
    expr::Expr,
    filter::{FilterField, Selection, Vocabulary},
};

use super::{Finding, Flaw};
use crate::config::Config;

/// Checks a filter that an operator publishes, such as the one in a team's URL, against a catalog with its rules
/// applied. `ignored` lists the members that were ignored when the filter was parsed.
///
/// # Errors
/// The same as for [`Filter::settle`].
pub fn lint_filter(
    config: &Config,
    catalog: &Catalog,
    filter: Filter,
    ignored: Vec<Ignored>,
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    find_conflicts("groups", &filter.groups, &filter.not.groups, &mut findings);
    find_conflicts("tags", &filter.tags, &filter.not.tags, &mut findings);
    let (requested, everything) = (filter.clone(), Scope::everything(catalog));
    let narrowing = filter
        .settle(everything, &config.engine.concerns, config.engine.on_invalid_concern, ignored)?
        .narrowing;
    findings.extend(narrowing.ignored().iter().map(ignored_finding));
    findings.extend(narrowing.unknown().iter().map(|name| unknown_finding(catalog, &requested, name)));
    let selects = |kind: Kind| {
        let mut selection = Selection::default();
        narrowing.select(everything, kind, &mut selection);
        selection.bits().count() > 0
    };
    if !Kind::ALL.into_iter().any(selects) {
        findings.push(Finding::new(Flaw::DeadFilter, "filter", "selects nothing of any kind"));
    }
    Ok(findings)
}

/// Finds names that a filter both requires and excludes.
fn find_conflicts(field: &str, wanted: &[String], excluded: &[String], findings: &mut Vec<Finding>) {
    for (at, name) in excluded.iter().enumerate().filter(|(_, name)| wanted.contains(name)) {
        let message = format!("`{name}` is refused here, and wanted in `{field}`");
        findings.push(Finding::new(Flaw::AllowAndDeny, format!("filter.not.{field}[{at}]"), message));
    }
}

fn ignored_finding(ignored: &Ignored) -> Finding {
    Finding::new(Flaw::IgnoredField, format!("filter.{}", ignored.field), ignored.reason).meant(ignored.meant)
}

fn unknown_finding(catalog: &Catalog, requested: &Filter, unknown: &UnknownName) -> Finding {
    let place = format!("filter.{}", unknown.field);
    // The element of a list, such as `groups[1]` or `not.tags[0]`.
    let element = unknown.field.strip_suffix(']').and_then(|field| field.rsplit_once('['));
    let name = element.and_then(|(list, at)| {
        let (_, vocabulary, names) = FilterField::named_facets(requested).find(|(path, ..)| *path == list)?;
        Some((vocabulary, names.get(at.parse::<usize>().ok()?)?))
    });
    let Some((vocabulary, name)) = name else {
        return Finding::new(Flaw::IgnoredField, place, unknown.reason);
    };
    let meant = match vocabulary {
        Vocabulary::Groups => {
            Expr::nearest(name, &mut catalog.groups().iter().map(|group| group.name.as_str()))
        }
        Vocabulary::Tags => Expr::nearest(name, &mut catalog.tags().iter().map(|tag| tag.name.as_str())),
    };
    Finding::new(Flaw::UnknownName, place, format!("{} `{name}`", unknown.reason)).meant(meant)
}
