//! Lints for concern defaults and values that leave no primitive of some kind.

use mcp_sieve::{
    Filter, Kind,
    catalog::{Catalog, Scope},
    concern::{Configuration, OnInvalid, Values},
    filter::{Narrowing, Selection},
};

use super::{Finding, Flaw};
use crate::config::Config;

/// Finds defaults that leave no primitive of some kind to a host which preselects them. Tries each default alone, then
/// all of them together.
pub(super) fn lint(config: &Config, catalog: &Catalog, findings: &mut Vec<Finding>) {
    values(config, catalog, findings);
    let mut all = Configuration::default();
    let before = findings.len();
    for (at, concern) in config.engine.concerns.iter().enumerate() {
        let Some(default) = &concern.default else { continue };
        let mut one = Configuration::default();
        let value = Some(vec![default.to_string()]);
        one.set(&concern.name, value.clone());
        all.set(&concern.name, value);
        if let Some(lost) = lost(config, catalog, one) {
            let message = format!("a caller with the default `{default}` of `{}` sees {lost}", concern.name);
            findings.push(Finding::new(Flaw::DefaultHides, place(config, at, "default"), message));
        }
    }
    if findings.len() == before
        && let Some(lost) = lost(config, catalog, all)
    {
        let message = format!("a caller with the defaults of all concerns sees {lost}");
        findings.push(Finding::new(Flaw::DefaultHides, "concerns", message));
    }
}

/// Returns the place of a concern's member: in the file, or `catalog` for a concern that servers declare.
fn place(config: &Config, at: usize, member: &str) -> String {
    match at < config.own_concerns() {
        true => format!("concerns[{at}].{member}"),
        false => "catalog".to_owned(),
    }
}

/// Finds the values, except defaults, that leave no primitive of some kind to a caller that chooses them.
fn values(config: &Config, catalog: &Catalog, findings: &mut Vec<Finding>) {
    for (at, concern) in config.engine.concerns.iter().enumerate() {
        let default = concern.default.as_ref().map(ToString::to_string);
        let Values::Listed(values) = &concern.values else { continue };
        for (number, value) in values.iter().enumerate().filter(|(_, value)| Some(*value) != default.as_ref())
        {
            let mut one = Configuration::default();
            one.set(&concern.name, Some(vec![value.clone()]));
            if let Some(lost) = lost(config, catalog, one) {
                let message =
                    format!("a caller that chooses `{value}` of `{}` is shown {lost}", concern.name);
                let place = place(config, at, &format!("values[{number}]"));
                findings.push(Finding::new(Flaw::ValueHides, place, message));
            }
        }
    }
}

/// Describes the kinds of which a configuration leaves no primitive.
fn lost(config: &Config, catalog: &Catalog, concerns: Configuration) -> Option<String> {
    let filter = Filter { concerns, ..Filter::default() };
    let everything = Scope::everything(catalog);
    let narrowing =
        filter.settle(everything, &config.engine.concerns, OnInvalid::Ignore, Vec::new()).ok()?.narrowing;
    let lost: Vec<String> = Kind::ALL
        .into_iter()
        .filter(|kind| loses(catalog, &narrowing, *kind))
        .map(|kind| describe_loss(catalog, kind))
        .collect();
    (!lost.is_empty()).then(|| lost.join(", and "))
}

fn loses(catalog: &Catalog, narrowing: &Narrowing, kind: Kind) -> bool {
    let mut selection = Selection::default();
    narrowing.select(Scope::everything(catalog), kind, &mut selection);
    !catalog.kind_index(kind).is_empty() && selection.bits().count() == 0
}

fn describe_loss(catalog: &Catalog, kind: Kind) -> String {
    match catalog.kind_index(kind).len() {
        1 => format!("no {kind}, though there is one"),
        many => format!("none of the {many} {kind}s"),
    }
}
