//! Lints for checks and presets: their conditions, and pinned primitives that a preset excludes.

use mcp_sieve::{
    Filter, Kind,
    catalog::{Catalog, Scope},
    expr::Field,
    filter::{FilterField, Narrowing, Vocabulary},
    policy::Preset,
};

use super::{
    Finding, Flaw,
    contradiction::contradiction,
    lint_filter,
    survey::Survey,
    terms::{only_published, unmet_patterns, unmet_terms},
};
use crate::config::Config;

/// Checks the conditions of checks, and the conditions and filters of presets.
pub(super) fn lint(config: &Config, survey: Option<&Survey<'_>>, findings: &mut Vec<Finding>) {
    for (at, check) in config.engine.checks.iter().enumerate() {
        if let Some((reason, meant)) = contradiction(&check.require) {
            let message = format!("refuses every caller: {reason}");
            findings.push(
                Finding::new(Flaw::Contradiction, format!("checks[{at}].require"), message).meant(meant),
            );
        }
    }
    let shipped = Preset::shipped();
    let mut conditions = survey.iter().flat_map(|survey| &survey.presets);
    for (at, preset) in config.engine.presets.iter().enumerate() {
        let Preset { filter, when, .. } = preset;
        let tried = filter.r#where.as_ref().and_then(|expr| Some((expr, conditions.next()?)));
        if shipped.contains(preset) {
            continue;
        }
        let place = format!("presets[{at}]");
        if let Some((reason, meant)) = when.as_ref().and_then(contradiction) {
            let message = format!("applies to no caller: {reason}");
            findings.push(Finding::new(Flaw::Contradiction, format!("{place}.when"), message).meant(meant));
        }
        if *filter == Filter::default() {
            let message = "restricts nothing: its callers see everything";
            findings.push(Finding::new(Flaw::EmptyPreset, format!("{place}.filter"), message));
        }
        let Some(survey) = survey else { continue };
        let (catalog, rules) = (survey.catalog, &config.engine.assignments.rules);
        if let Some((expr, tried)) = tried {
            let place = format!("{place}.filter.where");
            findings.extend(unmet_terms(expr, &tried.terms, &place, None, rules, survey));
        }
        for (member, patterns, field) in [
            ("namePatterns", &filter.name_patterns, Field::Name),
            ("uriPatterns", &filter.uri_patterns, Field::Uri),
        ] {
            findings.extend(unmet_patterns(patterns, &field, &format!("{place}.filter.{member}"), survey));
        }
        for (path, vocabulary, names) in FilterField::named_facets(filter) {
            let (is_group, setting) = match vocabulary {
                Vocabulary::Groups => (true, "groupsFrom"),
                Vocabulary::Tags => (false, "tagsFrom"),
            };
            for (at, name) in names.iter().enumerate() {
                if survey.only_published(is_group, &|known| known == name) {
                    let place = format!("{place}.filter.{path}[{at}]");
                    findings.push(Finding::new(Flaw::UnknownName, place, only_published(name, setting)));
                }
            }
        }
        // A filter that cannot be settled was already rejected by the parser.
        for finding in lint_filter(config, catalog, filter.clone(), Vec::new()).unwrap_or_default() {
            findings.push(Finding { place: format!("{place}.{}", finding.place), ..finding });
        }
        pinned(catalog, filter, &place, findings);
    }
}

/// Finds pinned primitives that a preset excludes. Pinning does not override a preset.
fn pinned(catalog: &Catalog, filter: &Filter, place: &str, findings: &mut Vec<Finding>) {
    let narrowing = Narrowing::restriction(Scope::everything(catalog), filter);
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        let Some(pinned) = kind_index.pinned() else { continue };
        let left = narrowing.bound(catalog, kind, kind_index.all());
        for id in pinned.iter().filter(|at| !left.contains(*at)).filter_map(|at| kind_index.id(at)) {
            let message =
                format!("leaves out the {kind} `{id}`, which is pinned: pinning is no way around it");
            findings.push(Finding::new(Flaw::PinnedHidden, format!("{place}.filter"), message));
        }
    }
}
