//! The binding `lint`: the findings of a review of a configuration.

use mcp_sieve::{
    Error, Kind,
    filter::{OnUnknownMember, ParsedFilter},
    json::Object,
};
use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::{
    config::{self, Config, Finding, Flaw, deciding_claim},
    upstream::Problem,
};
use wasm_bindgen::prelude::*;

use super::{
    deployment::Deployment,
    servers::check_references,
    values::{read, text},
};

/// Reviews a configuration, with or without lists, and a filter, as JSON or the query of a URL. Returns
/// `{"rules": 3, "policies": 1, "primitives": 43, "unlisted": "open", "claim": {name, values}?, "findings": [{code,
/// place, message, meant?, at?}]}` as JSON.
///
/// `at` is a byte offset in the configuration. `claim` is the only claim that distinguishes callers, with the values
/// that the configuration names. `unlisted` is `open` if any server gets requests for resources that no list mentions,
/// otherwise `closed`, or `default` if it is closed because the configuration hides something. Each list belongs to the
/// server at the same index in `servers`. An empty name stands for the only server.
#[wasm_bindgen]
pub fn lint(
    config: &str,
    servers: Vec<String>,
    lists: Vec<String>,
    filter: Option<String>,
) -> Result<String, JsValue> {
    review(config, &servers, &lists, filter.as_deref()).map_err(|error| refusal(&error))
}

/// Implements [`lint`].
fn review(source: &str, servers: &[String], lists: &[String], filter: Option<&str>) -> Result<String, Error> {
    let deployment = Deployment::read(source, servers, lists)?;
    let (config, sources) = (&deployment.config, deployment.sources()?);
    check_references(config)?;
    let tried = Some(sources.as_slice()).filter(|sources| !sources.is_empty());
    let mut findings = config::lint(config, tried);
    if let Some(filter) = filter {
        let ParsedFilter { filter, ignored, .. } = read(filter, config, OnUnknownMember::Ignore)?;
        findings.extend(config::lint_filter(config, &config.compile_first(&sources), filter, ignored)?);
    }
    findings.extend(deployment.problems.iter().map(|Problem { server, problem }| {
        Finding::new(Flaw::Declaration, "catalog", format!("server `{server}`: {problem}"))
    }));
    let primitives =
        sources.iter().flat_map(|source| Kind::ALL.map(|kind| source.lists.primitives(kind).len()));
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (key, count) in [
        ("rules", config.engine.assignments.rules.len()),
        ("policies", config.engine.policies.len()),
        ("primitives", primitives.sum()),
    ] {
        object.raw(key, count.to_string().as_bytes());
    }
    object.text("unlisted", unlisted(config));
    if let Some((name, values)) = deciding_claim(config) {
        let mut claim = Object::open(object.value("claim"));
        claim.text("name", name);
        Object::push_array(claim.value("values"), values, Object::push_text);
        claim.close();
    }
    Object::push_array(object.value("findings"), &findings, |out, finding| write(source, finding, out));
    object.close();
    Ok(text(out))
}

/// Returns whether a server gets requests for unlisted resources: `open`, `closed` or `default`.
fn unlisted(config: &Config) -> &'static str {
    let only = [config.upstream.clone()];
    let servers = if config.upstreams.is_empty() { &only[..] } else { &config.upstreams };
    let searched = config.unlisted(servers.iter().map(|server| (server.name.as_str(), server.unlisted)));
    match servers {
        _ if !searched.is_empty() => "open",
        // With several servers, unlisted resources were never open by default.
        [server] if server.unlisted.is_none() => "default",
        _ => "closed",
    }
}

fn write(source: &str, finding: &Finding, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.text("code", finding.flaw.code());
    object.text("place", &finding.place);
    object.text("message", &finding.message);
    if let Some(meant) = &finding.meant {
        object.text("meant", meant);
    }
    // Findings about lists and filters have no position in the configuration.
    let elsewhere = ["catalog", "filter."].iter().any(|root| finding.place.starts_with(root))
        || finding.place == "filter";
    if let Some(range) = config::locate(source, &finding.place).filter(|_| !elsewhere) {
        object.raw("at", range.start.to_string().as_bytes());
    }
    object.close();
}
