//! The part of the catalog that a caller may see, and its narrowing by the URL.

use mcp_sieve::{
    Filter, Ignored, Kind,
    expr::{Field, Subject},
    filter::{Narrowing, ParsedFilter, SettledFilter},
    json::Raw,
    policy::{CallerContext, Guarded, View},
};

use crate::{
    backend::{declared::ServerDeclarations, guarded_catalog::Backend},
    caller::identity::Caller,
    config::Config,
    protocol::{error::RpcError, method::Method},
    request::toolset_headers,
};

/// Returns the caller's view at a URL, the filter of the URL's query and of the filtering headers, and the ignored
/// parts of the query.
///
/// # Errors
/// A query or header that cannot be parsed.
pub(crate) fn look(
    config: &Config,
    guarded: &Guarded,
    declared: &ServerDeclarations,
    caller: &Caller<'_>,
    query: &str,
) -> Result<(View, Filter, Vec<Ignored>), RpcError> {
    look_as(config, guarded, declared, caller, &|asking| guarded.view(asking), query)
}

/// Returns the capabilities that a primitive requires, as JSON, if the client does not declare them and nothing else
/// hides the primitive. A primitive that a policy hides takes the same steps as one that does not exist.
pub(crate) fn undeclared(
    config: &Config,
    (guarded, declared, view): (&Guarded, &ServerDeclarations, &View),
    caller: &Caller<'_>,
    query: &str,
    (kind, id): (Kind, &str),
) -> Option<String> {
    let lacking = |view: &View, index: usize| {
        let required = view.catalog().required(kind, index)?;
        (!caller.declares(required)).then(|| required.to_owned())
    };
    if let Some(index) = view.find(kind, id) {
        return lacking(view, index);
    }
    if guarded.catalog().requirements().len() == 0 {
        return None;
    }
    let (view, ..) =
        look_as(config, guarded, declared, caller, &|asking| guarded.view(&Capable(asking)), query).ok()?;
    view.find(kind, id).and_then(|index| lacking(&view, index))
}

/// A caller whose client declares every capability.
struct Capable<'a>(&'a Caller<'a>);

impl Subject for Capable<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        self.0.values(field, visit);
    }
}

impl CallerContext for Capable<'_> {
    fn id(&self) -> Option<&str> {
        CallerContext::id(self.0)
    }

    fn describe(&self) -> Option<String> {
        self.0.describe()
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        CallerContext::meta(self.0, key)
    }
}

/// Returns the scopes whose lack alone hides a primitive from a caller, among those that policies name. `find` returns
/// whether a view has the primitive. A hidden primitive and a missing one take the same steps, so that only a policy that
/// names a scope reveals what it hides.
pub(crate) fn lacking_scopes<'a>(
    config: &'a Config,
    (guarded, declared): (&Guarded, &ServerDeclarations),
    caller: &Caller<'_>,
    query: &str,
    find: &dyn Fn(&View) -> bool,
) -> Vec<&'a str> {
    let mut lacking: Vec<&str> = Vec::new();
    for scope in config.engine.policies.iter().filter_map(|policy| policy.scope.as_deref()) {
        let mut has = lacking.contains(&scope);
        caller.values(&Field::Scope, &mut |own| has |= own == scope);
        if !has {
            lacking.push(scope);
        }
    }
    let is_visible = |scopes: &[&str]| {
        let see = |asking: &Caller<'_>| guarded.view(&Scoped { asking, scopes });
        look_as(config, guarded, declared, caller, &see, query).is_ok_and(|(view, ..)| find(&view))
    };
    if lacking.is_empty() || !is_visible(&lacking) {
        return Vec::new();
    }
    // Only the scopes that this primitive needs are left.
    for scope in lacking.clone() {
        let others: Vec<&str> = lacking.iter().copied().filter(|other| *other != scope).collect();
        if !others.is_empty() && is_visible(&others) {
            lacking = others;
        }
    }
    lacking
}

/// A caller whose token has these scopes in addition.
struct Scoped<'a> {
    asking: &'a Caller<'a>,
    scopes: &'a [&'a str],
}

impl Subject for Scoped<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        self.asking.values(field, visit);
        if *field == Field::Scope {
            self.scopes.iter().for_each(|scope| visit(scope));
        }
    }
}

impl CallerContext for Scoped<'_> {
    fn id(&self) -> Option<&str> {
        CallerContext::id(self.asking)
    }

    fn describe(&self) -> Option<String> {
        self.asking.describe()
    }

    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        CallerContext::meta(self.asking, key)
    }

    fn declares(&self, capabilities: &str) -> bool {
        self.asking.declares(capabilities)
    }
}

/// Does the same as [`look`]; `see` evaluates the policies for a caller.
fn look_as(
    config: &Config,
    guarded: &Guarded,
    declared: &ServerDeclarations,
    caller: &Caller<'_>,
    see: &dyn Fn(&Caller<'_>) -> View,
    query: &str,
) -> Result<(View, Filter, Vec<Ignored>), RpcError> {
    let method = Method::named(&caller.method).filter(|_| guarded.reads_method());
    let view = match method {
        // What describes the lists has to agree with them, so each kind is viewed with the method of its list.
        Some(method) if method.describes_lists() => {
            let views = Kind::ALL.map(|kind| see(&caller.asking(kind.list_method())));
            let [first, ..] = &views;
            guarded.part(first, Kind::ALL.map(|kind| kind.of::<View>(&views).bits(kind).clone()))
        }
        // A task is of a call. If its caller may make the call, it may follow the task.
        Some(method) if method.is_about_tasks() => {
            let (own, called) = (see(caller), see(&caller.asking(Method::CallTool.name())));
            guarded.part(
                &own,
                Kind::ALL.map(|kind| if kind == Kind::Tool { &called } else { &own }.bits(kind).clone()),
            )
        }
        _ => see(caller),
    };
    let ParsedFilter { filter: mut url, ignored, .. } = match query {
        "" => ParsedFilter::default(),
        query => Filter::from_query_with(query, &config.engine.toolsets)?,
    };
    toolset_headers::narrow(&mut url, &caller.headers, &config.engine.toolsets)?;
    if url.is_empty() {
        return Ok((view, url, ignored));
    }
    let SettledFilter { filter: url, narrowing } =
        url.settle(&view, &declared.concerns(config, &view), config.engine.on_invalid_concern, ignored)?;
    let ignored = narrowing.ignored().to_vec();
    let view = if config.engine.enforce { view.within(&narrowing) } else { view };
    Ok((view, url, ignored))
}

/// Returns whether primitives may be hidden from a caller.
pub(crate) fn restricts(backend: &Backend, caller: &Caller<'_>) -> bool {
    !backend.open || !caller.presets.is_empty()
}

/// Returns whether a caller may know of an upstream server. If nothing is hidden from the caller, it may know every
/// server, otherwise those that list something visible. A server that lists nothing now may be hidden once it lists
/// something.
pub(crate) fn knows(backend: &Backend, caller: &Caller<'_>, view: &View, server: &str) -> bool {
    !restricts(backend, caller)
        || Kind::ALL.into_iter().any(|kind| {
            let kind_index = view.catalog().kind_index(kind);
            view.bits(kind).iter().any(|index| kind_index.server(index) == Some(server))
        })
}

/// Adds the URL's filter, as [`look`] returned it, to a narrowing.
pub(crate) fn add_url(config: &Config, view: &View, url: &Filter, narrowing: &mut Narrowing) {
    if url.is_empty() {
        return;
    }
    if config.engine.enforce {
        // The view already holds the matches of the URL's query. Searched again in these few, its words would get other
        // weights.
        narrowing.add(view, &Filter { query: None, ..url.clone() });
    } else {
        narrowing.add(view, url);
    }
}
