//! Explains one primitive: the effect of every rule, policy and preset on it.

use std::collections::HashMap;

use mcp_sieve::{
    Kind,
    catalog::{Bitset, Catalog, KindIndex, Primitive, ReportCode, RuleOutcome, RuleTrace, Source},
    expr::{Expr, Field, Subject},
    policy::{CallerContext, Guarded, Policy, Preset, View},
    revision::Era,
};

use super::{Config, Upstream, lint::may_be};

/// The effect of rules, policies and presets on one primitive.
#[derive(Debug)]
pub struct History {
    /// The server that lists the primitive.
    pub server: String,
    /// The name or URI under which that server lists it.
    pub id: String,
    /// The indices of the rules that match it, in order, up to the rule that hides it.
    pub rules: Vec<usize>,
    /// The result of the rules.
    pub outcome: RuleOutcome,
    /// The result in the catalog of all servers.
    pub fate: Fate,
    /// The only era whose clients see the primitive, if its server lists it in one era alone.
    pub era: Option<Era>,
    /// The verdict of each policy, in the order of the file. Empty if the catalog lacks the primitive.
    pub policies: Vec<Verdict>,
    /// The indices of presets in the file, and whether each allows the primitive. These are the presets that apply to
    /// the caller or, without a caller, those that the file declares. Empty if the catalog lacks the primitive.
    pub presets: Vec<(usize, bool)>,
    /// Whether the caller sees the primitive. Without a caller: whether no policy hides it from every caller.
    pub visible: bool,
}

/// The result for a primitive in the catalog of all servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The catalog lists the primitive under this name: its own, one that a rule sets, or one with its server's
    /// prefix.
    Listed(String),
    /// A rule hides it.
    Hidden,
    /// A rule hides the tool or the skill that the primitive belongs to.
    Attached,
    /// The capabilities that it requires of clients cannot be evaluated, and its server hides primitives by them.
    Unevaluated,
    /// Another primitive already has its name.
    Taken {
        /// The name that both would have.
        name: String,
        /// The server of the other primitive.
        by: String,
    },
}

/// The verdict of a policy on a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The policy shows the primitive to every caller, or to the given caller.
    Shows,
    /// The policy hides the primitive from every caller, or from the given caller.
    Hides,
    /// The verdict depends on the caller.
    Depends,
}

impl Verdict {
    /// Returns `shows`, `hides` or `depends`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shows => "shows",
            Self::Hides => "hides",
            Self::Depends => "depends",
        }
    }
}

/// Returns the histories of the primitives of a kind whose name is `id`, on their server or in the catalog: one for
/// each server that lists one. `catalog` is the result for all servers. With `caller`, policies and presets are
/// evaluated for that caller. Its values for [`Field::Preset`] name the presets that apply to it.
pub fn histories(
    config: &Config,
    sources: &[Source<'_>],
    catalog: &Catalog,
    (kind, id): (Kind, &str),
    caller: Option<&dyn CallerContext>,
) -> Vec<History> {
    let rules = &config.engine.assignments.rules;
    let trace = RuleTrace::new(sources, &config.engine.assignments);
    let views = SeparateViews::new(config, catalog, caller);
    let kind_index = catalog.kind_index(kind);
    let places = (0..kind_index.len())
        .filter_map(|at| Some(((kind_index.server(at)?, kind_index.own_id(at)?), kind_index.id(at)?)));
    let places: HashMap<(&str, &str), &str> = places.collect();
    // The view `everyone` is that of stateless clients, so primitives of sessions are looked up too.
    let is_listed = |name: &str| {
        views.everyone.find(kind, name).is_some() || era_of(kind_index, name) == Some(Era::Session)
    };
    let mut found = Vec::new();
    for index in 0..trace.len() {
        let Some((_, server)) = trace.origin(index).filter(|origin| origin.0 == kind) else { continue };
        let own = trace.id(index).unwrap_or_default();
        let mut matched = Vec::new();
        let outcome = trace.follow(index, &[], &mut |meeting| {
            let rule = meeting.rule.filter(|_| meeting.hidden_by.is_none());
            let matches = rule.and_then(|number| rules.get(number)).map(|rule| &rule.matches);
            matched.extend(rule.filter(|_| matches.is_some_and(|expr| expr.holds(meeting.primitive))));
        });
        let Some(outcome) = outcome else { continue };
        let given = outcome.name().unwrap_or(own);
        let fate = match places.get(&(server, own)) {
            Some(name) if is_listed(name) => Fate::Listed((*name).to_owned()),
            Some(_) => Fate::Attached,
            None if outcome.hidden_by.is_some() => Fate::Hidden,
            None => left_out(config, catalog, (kind, server), (own, given)),
        };
        let name = match &fate {
            Fate::Listed(name) | Fate::Taken { name, .. } => name.as_str(),
            Fate::Hidden | Fate::Attached | Fate::Unevaluated => given,
        };
        if ![name, given, own].contains(&id) {
            continue;
        }
        let listed = matches!(fate, Fate::Listed(_)).then_some((kind, name));
        let policies = listed.map(|listed| views.policies(catalog, listed)).unwrap_or_default();
        let presets = listed.map(|listed| views.presets(listed)).unwrap_or_default();
        let visible = match &views.caller {
            Some(view) => listed.is_some_and(|(kind, name)| view.find(kind, name).is_some()),
            None => listed.is_some() && !policies.contains(&Verdict::Hides),
        };
        let (server, id) = (server.to_owned(), own.to_owned());
        let era = listed.and_then(|(_, name)| era_of(kind_index, name));
        found.push(History { server, id, rules: matched, outcome, fate, era, policies, presets, visible });
    }
    found
}

/// Returns the era whose clients see a primitive, if clients of the other era do not.
fn era_of(kind_index: &KindIndex, name: &str) -> Option<Era> {
    let index = kind_index.find(name)?;
    let has = |bits: Option<&Bitset>| bits.is_some_and(|bits| bits.contains(index));
    match (has(kind_index.stateless_only()), has(kind_index.session_only())) {
        (true, _) => Some(Era::Stateless),
        (_, true) => Some(Era::Session),
        _ => None,
    }
}

/// Returns why the catalog lacks a primitive that no rule hides.
fn left_out(
    config: &Config,
    catalog: &Catalog,
    (kind, server): (Kind, &str),
    (own, given): (&str, &str),
) -> Fate {
    let prefix = config
        .upstreams
        .iter()
        .find(|upstream| upstream.name == server)
        .and_then(|upstream| upstream.prefix.as_deref());
    let prefixed = [prefix.unwrap_or_default(), given].concat();
    let lost = |name: &str| {
        let mut collisions = catalog.collisions().iter();
        collisions.find(|lost| lost.kind == kind && lost.left_out == server && lost.id == name)
    };
    let hides = config.engine.assignments.hide_incapable.iter().any(|hiding| hiding == server);
    let is_reported = || {
        let mut reports = catalog.reports().iter();
        reports
            .any(|report| report.code == ReportCode::Requirement && report.kind == kind && report.name == own)
    };
    match lost(&prefixed).or_else(|| lost(given)) {
        Some(lost) => Fate::Taken { name: lost.id.clone(), by: lost.kept.clone() },
        None if hides && is_reported() => Fate::Unevaluated,
        None => Fate::Attached,
    }
}

/// The views under each policy and each preset alone.
struct SeparateViews<'a> {
    config: &'a Config,
    /// The view without policies and presets.
    everyone: View,
    /// The view of the caller, under all policies and presets.
    caller: Option<View>,
    /// The view of the caller under each policy. Empty without a caller.
    policies: Vec<View>,
    /// The index of each preset and the view under it.
    presets: Vec<(usize, View)>,
}

impl<'a> SeparateViews<'a> {
    fn new(config: &'a Config, catalog: &Catalog, caller: Option<&dyn CallerContext>) -> Self {
        let alone = |policy: Option<&Policy>, preset: Option<&Preset>, asking: &dyn CallerContext| {
            let policies = policy.cloned().into_iter().collect();
            let presets = preset.map(|preset| Preset { when: None, ..preset.clone() }).into_iter().collect();
            let prefixes = config.upstreams.iter().filter_map(Upstream::prefix);
            Guarded::new(catalog.clone(), policies).bounded(presets).prefixed(prefixes).view(asking)
        };
        let shipped = Preset::shipped();
        let mut names = Vec::new();
        if let Some(caller) = caller {
            caller.values(&Field::Preset, &mut |name| names.push(name.to_owned()));
        }
        let counts = |preset: &Preset| match caller {
            Some(_) => names.contains(&preset.name),
            None => !shipped.contains(preset),
        };
        let presets = config.engine.presets.iter().enumerate().filter(|(_, preset)| counts(preset));
        let policies =
            |caller| config.engine.policies.iter().map(move |policy| alone(Some(policy), None, caller));
        Self {
            config,
            everyone: alone(None, None, &ByPath("")),
            caller: caller.map(|caller| config.guard(catalog.clone()).view(caller)),
            policies: caller.into_iter().flat_map(policies).collect(),
            presets: presets
                .map(|(at, preset)| (at, alone(None, Some(preset), &ByPath(&preset.name))))
                .collect(),
        }
    }

    /// Returns the verdict of each policy on the primitive named `name` in the catalog.
    fn policies(&self, catalog: &Catalog, (kind, name): (Kind, &str)) -> Vec<Verdict> {
        if self.caller.is_some() {
            let verdict = |view: &View| match view.find(kind, name) {
                Some(_) => Verdict::Shows,
                None => Verdict::Hides,
            };
            return self.policies.iter().map(verdict).collect();
        }
        let primitive = catalog.kind_index(kind).find(name).and_then(|index| catalog.primitive(kind, index));
        let primitive = primitive.map(Primitive::trusted);
        let may_be =
            |expr: &Expr, wanted| primitive.as_ref().is_some_and(|found| may_be(expr, wanted, found));
        let verdict = |policy: &Policy| match policy.kinds.contains(&kind) {
            true if !may_be(&policy.show, true) => Verdict::Hides,
            true if may_be(&policy.show, false) => Verdict::Depends,
            _ => Verdict::Shows,
        };
        self.config.engine.policies.iter().map(verdict).collect()
    }

    /// Returns whether each preset allows the primitive.
    fn presets(&self, (kind, name): (Kind, &str)) -> Vec<(usize, bool)> {
        self.presets.iter().map(|(at, view)| (*at, view.find(kind, name).is_some())).collect()
    }
}

/// A caller without attributes, except the preset through whose path it connects.
pub(super) struct ByPath<'a>(pub &'a str);

impl Subject for ByPath<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if *field == Field::Preset {
            visit(self.0);
        }
    }
}

impl CallerContext for ByPath<'_> {}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use mcp_sieve::catalog::Lists;

    /// A caller with one claim, to which presets with these names apply.
    struct Role(&'static str, Vec<&'static str>);

    impl Subject for Role {
        fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
            match field {
                Field::Claim(name) if name == "role" => visit(self.0),
                Field::Preset => self.1.iter().for_each(|name| visit(name)),
                _ => {}
            }
        }
    }

    impl CallerContext for Role {}

    #[test]
    fn each_rule_and_policy_is_told() {
        let config = Config::parse(
            r#"{"rules": [{"match": "name:a*", "groups": ["g"]}, {"match": "group:g name:ab", "hide": true},
                          {"match": "name:ab", "tags": ["late"]}, {"match": "name:ac", "name": "other"}],
                "policies": [{"name": "staff", "show": "claim.sub:* or -group:g"}, {"name": "no", "show": "-name:other"},
                             {"name": "prompts", "show": "name:nothing", "kinds": ["prompt"]}]}"#,
        )
        .unwrap();
        let lists = r#"{"tools": [{"name": "ab", "inputSchema": {}}, {"name": "ac", "inputSchema": {}}, {"name": "b", "inputSchema": {}}]}"#;
        let source = || [Source { server: "s", lists: Lists::read(lists).unwrap() }];
        let catalog = config.compile(&source());
        let of = |id| histories(&config, &source(), &catalog, (Kind::Tool, id), None).into_iter().next();

        let hidden = of("ab").unwrap();
        assert_eq!((hidden.rules, hidden.outcome.hidden_by, hidden.policies), (vec![0, 1], Some(1), vec![]));
        assert_eq!((hidden.fate, hidden.visible), (Fate::Hidden, false));
        for id in ["ac", "other"] {
            let renamed = of(id).unwrap();
            assert_eq!((renamed.rules, renamed.fate), (vec![0, 3], Fate::Listed("other".to_owned())));
            assert_eq!(renamed.policies, [Verdict::Depends, Verdict::Hides, Verdict::Shows]);
            assert!(!renamed.visible);
        }
        let shown = of("b").unwrap();
        assert_eq!((shown.policies, shown.visible), (vec![Verdict::Shows; 3], true));
        assert!(of("c").is_none());
    }

    #[test]
    fn a_caller_is_told_what_decides_for_it() {
        let config = Config::parse(
            r#"{"policies": [{"name": "admins", "show": "-name:b or claim.role:admin"}],
                "presets": [{"name": "support", "when": "claim.role:support", "filter": {"namePatterns": ["a"]}},
                            {"name": "path", "filter": {"namePatterns": ["b"]}}]}"#,
        )
        .unwrap();
        let lists = r#"{"tools": [{"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {}}]}"#;
        let source = || [Source { server: "s", lists: Lists::read(lists).unwrap() }];
        let catalog = config.compile(&source());
        let of = |id, caller: Option<&dyn CallerContext>| {
            let found = histories(&config, &source(), &catalog, (Kind::Tool, id), caller);
            let History { policies, presets, visible, .. } = found.into_iter().next().unwrap();
            (policies[0], presets, visible)
        };
        assert_eq!(of("a", None), (Verdict::Shows, vec![(0, true), (1, false)], true));
        assert_eq!(of("b", None), (Verdict::Depends, vec![(0, false), (1, true)], true));
        let admin = Role("admin", vec![]);
        assert_eq!(of("b", Some(&admin)), (Verdict::Shows, vec![], true));
        let support = Role("support", vec!["support"]);
        assert_eq!(of("a", Some(&support)), (Verdict::Shows, vec![(0, true)], true));
        assert_eq!(of("b", Some(&support)), (Verdict::Hides, vec![(0, false)], false));
        let by_path = Role("admin", vec!["path"]);
        assert_eq!(of("a", Some(&by_path)), (Verdict::Shows, vec![(1, false)], false));
    }
}
