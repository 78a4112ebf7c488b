//! The binding `explain`: whether a primitive is listed, and why.

use mcp_sieve::{
    Error, Filter, Kind,
    catalog::{Catalog, Scope},
    filter::{Explanation, ParsedFilter},
    json::Object,
    policy::CallerContext,
};
use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::config::{Config, Fate, History, histories};
use wasm_bindgen::prelude::*;

use super::{
    caller,
    deployment::Deployment,
    selected::Selected,
    values::{flag, kind_of, read, text},
};

/// Returns whether a primitive is listed and why, with the effects of rules, policies and presets, as JSON:
///
/// `{shown, refused?, unknown, filter: {shown, reason}, reports: [text], primitives: [{server, id, name?, era?,
/// leftOut?, rules, hiddenBy?, policies: [{name, says}], presets: [{name, when?, says}], groups, tags, concerns,
/// pinned, visible, filter?}]}`
///
/// `era` is `session` or `stateless` if only clients of that era see the primitive. `id` is the name on the server, and
/// `name` the name in the catalog if it differs. `refused` is the reason why the described caller is refused. Without a
/// description, the result is for any caller.
#[wasm_bindgen]
pub fn explain(question: &ExplainQuestion) -> Result<String, JsValue> {
    why(question).map_err(|error| refusal(&error))
}

#[wasm_bindgen]
extern "C" {
    /// The question to answer: `{config, servers, lists, filter, query, kind, name, claims?, preset?}`.
    #[wasm_bindgen(extends = Selected)]
    pub type ExplainQuestion;

    /// Returns the name of the primitive, in the catalog or on its server.
    #[wasm_bindgen(method, getter)]
    fn name(this: &ExplainQuestion) -> String;
    /// Returns the claims of the caller, a JSON object.
    #[wasm_bindgen(method, getter)]
    fn claims(this: &ExplainQuestion) -> Option<String>;
    /// Returns the preset in the path of the caller.
    #[wasm_bindgen(method, getter)]
    fn preset(this: &ExplainQuestion) -> Option<String>;
}

/// Implements [`explain`].
fn why(question: &ExplainQuestion) -> Result<String, Error> {
    let deployment = Deployment::read(&question.config(), &question.servers(), &question.lists())?;
    let kind = kind_of(&question.kind())?;
    let (config, sources) = (&deployment.config, deployment.sources()?);
    let catalog = config.compile_first(&sources);
    let (name, claims, preset) = (&*question.name(), question.claims(), question.preset());
    let described = match (claims.as_deref(), preset.as_deref()) {
        (None, None) => None,
        (claims, preset) => Some(caller::described(config, claims.unwrap_or("{}"), preset)?),
    };
    let (caller, refused) = described.unzip();
    let refused = refused.flatten();
    let asking = caller.as_ref().map(|caller| caller as &dyn CallerContext);
    let histories = histories(config, &sources, &catalog, (kind, name), asking);
    let reports = reports(&catalog, (kind, name), &histories);

    let view = caller::view(&config.guard(catalog), caller.as_ref());
    let settle = |filter: Filter, ignored| {
        filter.settle(&view, &config.engine.concerns, config.engine.on_invalid_concern, ignored)
    };
    let on_unknown = config.engine.on_unknown_member;
    let ParsedFilter { filter, ignored, .. } = read(&question.filter(), config, on_unknown)?;
    let url = settle(read(&question.query(), config, on_unknown)?.filter, Vec::new())?.filter;
    let mut narrowing = settle(filter.with_server_defaults(&url), ignored)?.narrowing;
    narrowing.add(&view, &url);
    let explain = |name: &str| {
        // For any caller, a primitive that only some callers see is explained as for a caller that sees it.
        let seen = asking.is_some() || view.find(kind, name).is_some();
        match seen {
            true => view.explain(&narrowing, kind, name),
            false => narrowing.explain(Scope::everything(view.catalog()), kind, name),
        }
    };
    let explained: Vec<Option<Explanation>> =
        histories.iter().map(|history| Some(explain(listed(history)?))).collect();
    let shows = |(history, explanation): (&History, &Option<Explanation>)| {
        history.visible && explanation.as_ref().is_some_and(|explanation| explanation.shown)
    };
    let shown = refused.is_none() && histories.iter().zip(&explained).any(shows);

    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw("shown", flag(shown));
    refused.iter().for_each(|refused| refused.write(&mut object));
    let unknown = caller.as_ref().map(|_| caller::unknown(config)).unwrap_or_default();
    Object::push_array(object.value("unknown"), unknown.iter().map(String::as_str), Object::push_text);
    match main_explanation(name, &histories, &explained) {
        Some(explanation) => explanation.write(object.value("filter")),
        None => explain(name).write(object.value("filter")),
    }
    Object::push_array(object.value("reports"), reports.iter().map(String::as_str), Object::push_text);
    Object::push_array(
        object.value("primitives"),
        histories.iter().zip(&explained),
        |out, (history, explanation)| {
            write_history(config, (kind, history), explanation.as_ref(), out);
        },
    );
    object.close();
    Ok(text(out))
}

/// Returns the explanation of the primitive with the name in the catalog, or else of the first that has it on its
/// server.
fn main_explanation<'a>(
    name: &str,
    histories: &[History],
    explained: &'a [Option<Explanation>],
) -> Option<&'a Explanation> {
    let known = || histories.iter().zip(explained).filter(|(_, explanation)| explanation.is_some());
    let named = known().find(|(history, _)| listed(history) == Some(name));
    named.or_else(|| known().next())?.1.as_ref()
}

/// Returns the name in the catalog, if the primitive is in it.
fn listed(history: &History) -> Option<&str> {
    match &history.fate {
        Fate::Listed(name) => Some(name),
        _ => None,
    }
}

/// Returns the reports about primitives of that name, except for names that another primitive took: the histories
/// contain these.
fn reports(catalog: &Catalog, (kind, name): (Kind, &str), histories: &[History]) -> Vec<String> {
    let is_meant =
        |known: &str| known == name || histories.iter().any(|history| listed(history) == Some(known));
    let collides =
        |known: &str| catalog.collisions().iter().any(|lost| lost.kind == kind && lost.id == known);
    let reports = catalog.reports().iter().filter(|report| report.kind == kind && is_meant(&report.name));
    reports.filter(|report| !collides(&report.name)).map(|report| report.problem.clone()).collect()
}

fn write_history(
    config: &Config,
    (kind, history): (Kind, &History),
    explanation: Option<&Explanation>,
    out: &mut Vec<u8>,
) {
    let History { server, id, rules, outcome, era, policies, presets, visible, .. } = history;
    let mut object = Object::open(out);
    object.text("server", server);
    object.text("id", id);
    if let Some(name) = listed(history).filter(|name| name != id) {
        object.text("name", name);
    }
    if let Some(era) = era {
        object.text("era", era.name());
    }
    if let Some(why) = left_out(config, kind, history) {
        object.text("leftOut", &why);
    }
    let number = |out: &mut Vec<u8>, number: &usize| out.extend_from_slice(number.to_string().as_bytes());
    Object::push_array(object.value("rules"), rules, number);
    if let Some(hider) = outcome.hidden_by {
        object.raw("hiddenBy", hider.to_string().as_bytes());
    }
    Object::push_array(
        object.value("policies"),
        config.engine.policies.iter().zip(policies),
        |out, (policy, verdict)| {
            let mut object = Object::open(out);
            object.text("name", &policy.name);
            object.text("says", verdict.name());
            object.close();
        },
    );
    let presets = presets.iter().filter_map(|(at, keeps)| Some((config.engine.presets.get(*at)?, keeps)));
    Object::push_array(object.value("presets"), presets, |out, (preset, keeps)| {
        let mut object = Object::open(out);
        object.text("name", &preset.name);
        if let Some(when) = &preset.when {
            object.text("when", &when.to_string());
        }
        object.text("says", if *keeps { "shows" } else { "hides" });
        object.close();
    });
    Object::push_array(object.value("groups"), outcome.groups(), Object::push_text);
    Object::push_array(object.value("tags"), outcome.tags(), Object::push_text);
    let mut concerns = Object::open(object.value("concerns"));
    for (name, values) in outcome.concerns() {
        Object::push_array(concerns.value(name), values.iter().map(String::as_str), Object::push_text);
    }
    concerns.close();
    object.raw("pinned", flag(outcome.pinned));
    object.raw("visible", flag(*visible));
    if let Some(explanation) = explanation {
        explanation.write(object.value("filter"));
    }
    object.close();
}

/// Returns the reason why the catalog lacks a primitive that no rule hides, and a remedy.
fn left_out(config: &Config, kind: Kind, History { server, fate, .. }: &History) -> Option<String> {
    let (name, by) = match fate {
        Fate::Listed(_) | Fate::Hidden => return None,
        Fate::Attached => return Some("a rule hides the tool or the skill that it belongs to".to_owned()),
        Fate::Unevaluated => return Some("the capabilities that it requires cannot be evaluated".to_owned()),
        Fate::Taken { name, by } => (name, by),
    };
    let prefixed =
        config.upstreams.iter().any(|upstream| upstream.name == *server && upstream.prefix.is_some());
    let remedy = match kind.id_key() {
        "name" if by == server || prefixed => "rename one of them by a rule".to_owned(),
        "name" => format!("give `{server}` a prefix"),
        _ => "hide one of them by a rule".to_owned(),
    };
    Some(format!("`{by}` lists `{name}` first; {remedy}"))
}
