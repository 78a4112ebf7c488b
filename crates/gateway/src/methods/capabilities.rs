//! The server capabilities that a caller receives.

use mcp_sieve::{
    Kind,
    catalog::Catalog,
    concern::{Concerns, OnInvalid},
    filter::FilterField,
};

use crate::small_collect::small_collect;
use serde_json::{Map, Value, json};

use crate::{
    config::{Config, Filtering},
    drafts::{announced, definitions::DETERMINISTIC_GROUPS},
    host::Host,
    methods::{passed_capabilities, skills},
    protocol::{
        disclosure,
        skills::{DIRECTORY_READ, EXTENSION},
        tasks::EXTENSION as TASKS,
    },
    request::context::Context,
    tasks,
};

/// Returns the server's capabilities for this caller. Kinds without visible primitives are left out.
///
/// Features of proposals are listed twice: under the proposals' own keys, which some client libraries drop, and under
/// `extensions`, which all keep.
pub(crate) fn server_capabilities<H: Host>(context: &Context<'_, H>) -> Value {
    let (config, has_skills) = (context.exchange.config, skills::served(context));
    let mut capabilities = Map::new();
    add_kinds(context, has_skills, &mut capabilities);
    if completes(context) {
        capabilities.insert("completions".to_owned(), json!({}));
    }
    if context.offers(|features| features.logging) {
        capabilities.insert("logging".to_owned(), json!({}));
    }
    let mut extensions = Map::new();
    add_filtering(context, has_skills, &mut capabilities, &mut extensions);
    if has_skills {
        let directories = skills::reads_directories(context);
        let settings = if directories { json!({DIRECTORY_READ: true}) } else { json!({}) };
        extensions.insert(EXTENSION.to_owned(), settings);
    }
    if context.is_stateless() && !config.drafts.disclosed_groups.is_empty() {
        extensions.insert(disclosure::EXTENSION.to_owned(), json!({"listChanged": true}));
    }
    if tasks::methods::served(context) && context.view.count(Kind::Tool) > 0 {
        add_tasks(context, &mut capabilities, &mut extensions);
    }
    if config.drafts.deterministic_groups {
        let experimental = json!({DETERMINISTIC_GROUPS: {"version": 1}});
        capabilities.insert("experimental".to_owned(), experimental);
    }
    let drafts = announced(&config.drafts);
    if !drafts.is_empty() {
        extensions.insert(format!("{prefix}/drafts", prefix = Catalog::PREFIX), Value::Object(drafts));
    }
    capabilities.insert("extensions".to_owned(), Value::Object(extensions));
    passed_capabilities::add(context, &mut capabilities);
    Value::Object(capabilities)
}

/// Adds the capabilities of the kinds that the caller sees.
fn add_kinds<H: Host>(context: &Context<'_, H>, has_skills: bool, capabilities: &mut Map<String, Value>) {
    let concerns = &*context.concerns();
    let shows = |kind: Kind| context.view.count(kind) > 0;
    let mut add = |key: &str, kind| _ = capabilities.insert(key.to_owned(), of_kind(context, kind, concerns));
    if shows(Kind::Tool) {
        add("tools", Kind::Tool);
    }
    if shows(Kind::Resource) || shows(Kind::Template) || has_skills {
        add("resources", Kind::Resource);
    }
    if shows(Kind::Prompt) {
        add("prompts", Kind::Prompt);
    }
}

/// Adds the settings of filters and concerns.
fn add_filtering<H: Host>(
    context: &Context<'_, H>,
    has_skills: bool,
    capabilities: &mut Map<String, Value>,
    extensions: &mut Map<String, Value>,
) {
    let (config, declared_concerns) = (context.exchange.config, &*context.concerns());
    let Filtering { groups, tags, concerns, declare_concerns, proposal_capabilities, .. } = config.filtering;
    if groups || tags {
        let halves = halves(groups, tags);
        extensions.insert(
            format!("{prefix}/filtering", prefix = Catalog::PREFIX),
            filtering(&halves, config, declared_concerns, has_skills),
        );
        if proposal_capabilities {
            capabilities.insert("filtering".to_owned(), Value::Object(halves));
        }
        if proposal_capabilities && groups && config.engine.assignments.expose_sep_2084_groups {
            capabilities.insert("groups".to_owned(), json!({"listChanged": true}));
        }
    }
    if concerns && !declared_concerns.is_empty() {
        extensions.insert(
            format!("{prefix}/concerns", prefix = Catalog::PREFIX),
            declared(context, declared_concerns),
        );
        if proposal_capabilities && declare_concerns {
            capabilities.insert("concerns".to_owned(), json!(declared_concerns));
        }
    }
}

/// Adds the settings of tasks: an extension in the stateless revision, a capability in the one with sessions.
fn add_tasks<H: Host>(
    context: &Context<'_, H>,
    capabilities: &mut Map<String, Value>,
    extensions: &mut Map<String, Value>,
) {
    let config = context.exchange.config;
    let mut filter = Vec::new();
    config.tasks.filter.write(&mut filter);
    let filter: Value = serde_json::from_slice(&filter).unwrap_or_default();
    if context.is_stateless() {
        extensions.insert(TASKS.to_owned(), json!({}));
        let method = format!("{prefix}/tasks/query", prefix = Catalog::PREFIX);
        let settings = json!({"version": 1, "method": method, "filter": filter});
        extensions.insert(format!("{prefix}/tasks", prefix = Catalog::PREFIX), settings);
        return;
    }
    let mut tasks =
        Map::from_iter([("list".to_owned(), json!({"filter": filter})), ("cancel".to_owned(), json!({}))]);
    // Calls that pass through middleware cannot become tasks.
    let middleware = config.middleware.as_ref();
    if middleware.is_none_or(|all| !all.binds("tools/call", &context.caller.presets)) {
        tasks.insert("requests".to_owned(), json!({"tools": {"call": {}}}));
    }
    capabilities.insert("tasks".to_owned(), Value::Object(tasks));
}

/// Returns whether the caller may subscribe to resources.
pub(crate) fn subscribes<H: Host>(context: &Context<'_, H>) -> bool {
    context.offers(|features| features.subscribe)
}

/// Returns whether the caller is notified of changes of its list of this kind: a server reports them, or the caller
/// changes its lists itself by other values of concerns in its session.
fn changes<H: Host>(context: &Context<'_, H>, kind: Kind, concerns: &Concerns) -> bool {
    let updates_concerns = context.exchange.config.filtering.concerns && !context.is_stateless();
    (updates_concerns && !concerns.is_empty()) || context.offers(|features| features.reports_changes(kind))
}

/// Returns whether a server that declares completions lists a prompt or template that the caller sees.
fn completes<H: Host>(context: &Context<'_, H>) -> bool {
    let completing = |server: &str| context.backend.offers(server, |features| features.completions);
    sees_completable_of(context, completing)
}

/// Returns whether completion requests are forwarded for this caller. Upstream servers may answer them without
/// declaring it.
pub(crate) fn may_complete<H: Host>(context: &Context<'_, H>) -> bool {
    let behind = |server: &str| context.backend.upstreams.iter().any(|status| status.name == server);
    completes(context) || sees_completable_of(context, behind)
}

/// Returns whether the caller sees a prompt or template of a server for which `server` returns true.
fn sees_completable_of<H: Host>(context: &Context<'_, H>, server: impl Fn(&str) -> bool) -> bool {
    [Kind::Prompt, Kind::Template].into_iter().any(|kind| {
        let kind_index = context.view.catalog().kind_index(kind);
        context.view.bits(kind).iter().any(|index| kind_index.server(index).is_some_and(&server))
    })
}

/// Returns the capability of a kind, with the fields by which its list can be filtered (SEP-2564). Fields of the
/// proposal have their own names, others a prefix.
fn of_kind<H: Host>(context: &Context<'_, H>, kind: Kind, concerns: &Concerns) -> Value {
    let config = context.exchange.config;
    let mut capability = Map::new();
    if changes(context, kind, concerns) {
        capability.insert("listChanged".to_owned(), true.into());
    }
    if kind == Kind::Resource && subscribes(context) {
        capability.insert("subscribe".to_owned(), true.into());
    }
    if kind == Kind::Tool && config.drafts.manifest {
        capability.insert("manifest".to_owned(), true.into());
    }
    if config.filtering.proposal_capabilities {
        let supported = FilterField::supported(kind, filters_concerns(config, concerns));
        capability.insert("filtering".to_owned(), json!({"supported": supported}));
    }
    capability.into()
}

/// Returns SEP-1300's `capabilities.filtering`, with those of its two parts whose lists are served.
fn halves(groups: bool, tags: bool) -> Map<String, Value> {
    let half = |name: &str, on: bool| on.then(|| (name.to_owned(), json!({"listChanged": true})));
    small_collect([half("groups", groups), half("tags", tags)].into_iter().flatten())
}

fn filtering(halves: &Map<String, Value>, config: &Config, concerns: &Concerns, has_skills: bool) -> Value {
    let kinds = Kind::ALL.into_iter().filter(|kind| has_skills || *kind != Kind::Skill);
    let lists = kinds.map(|kind| kind.list_method().to_owned());
    let facets = halves.keys().map(|half| format!("{half}/list"));
    let explain = config.filtering.explain.then(|| format!("{prefix}/explain", prefix = Catalog::PREFIX));
    let fields = FilterField::announced(filters_concerns(config, concerns)).map(FilterField::name);
    let mut limits = Vec::new();
    FilterField::write_limits(&mut limits);
    let limits: Value = serde_json::from_slice(&limits).unwrap_or_default();
    let mut settings = json!({
        "version": 1,
        "methods": lists.chain(facets).chain(explain).collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(),
        "limits": limits,
    });
    if let Some(settings) = settings.as_object_mut() {
        settings.extend(halves.clone());
    }
    settings
}

/// Returns whether filters can name concerns.
fn filters_concerns(config: &Config, concerns: &Concerns) -> bool {
    config.filtering.concerns && !concerns.is_empty()
}

/// Returns the settings of concerns for clients, with the channels of their revision. The declarations are left out if
/// only `listConcerns` may return them.
fn declared<H: Host>(context: &Context<'_, H>, concerns: &Concerns) -> Value {
    let config = context.exchange.config;
    let channels: &[_] = match context.is_stateless() {
        true => &["param", "meta", "handle"],
        false => &["param", "meta", "initialize", "initialized", "update"],
    };
    let mut settings = json!({
        "version": 1,
        "concerns": concerns,
        "listChanged": true,
        "channels": channels,
        "defaults": concerns.applied_defaults().name(),
        "onUnknown": "ignore",
        "onInvalid": match config.engine.on_invalid_concern {
            OnInvalid::Ignore => "ignore",
            OnInvalid::Clamp => "clamp",
            OnInvalid::Error => "error",
        },
    });
    if let (Some(settings), false) = (settings.as_object_mut(), config.filtering.declare_concerns) {
        settings.remove("concerns");
    }
    settings
}
