//! The compiled catalog of all servers, with policies and the servers' declarations.

use std::sync::Arc;

use mcp_sieve::{
    Kind,
    catalog::{Catalog, NameRecord, Report, ReportCode, Source},
    json::{self, Members, Raw},
    policy::Guarded,
};

use crate::{
    backend::{
        declared::ServerDeclarations, features::Features, header_param, introduction::Introduction,
        status::Status,
    },
    config::Config,
    drafts::definitions::DefinitionDigests,
};

/// The catalog with its policies, and the further capabilities of its servers.
#[derive(Debug)]
pub struct Backend {
    /// The catalog with its policies.
    pub guarded: Arc<Guarded>,
    /// The digests of listed definitions, used by drafts.
    pub definitions: Arc<DefinitionDigests>,
    /// What each server offers beside its primitives, in their order.
    pub features: Vec<(String, Features)>,
    /// The descriptions that the servers give of themselves, with the name of each server, in their order.
    pub introductions: Vec<(String, Introduction)>,
    /// The reports on items that were left out or ignored.
    pub reports: Vec<Report>,
    /// The groups, tags and concerns that servers declare.
    pub declared: Arc<ServerDeclarations>,
    /// The servers that may be asked for resources that are not listed, in their order.
    pub unlisted: Vec<String>,
    /// Whether every caller sees everything in the catalog ([`Config::is_open`](mcp_sieve::Config::is_open)), unless a
    /// preset applies.
    pub open: bool,
    /// The status of each upstream server, in their order; empty without upstream servers.
    pub upstreams: Vec<Status>,
    /// Whether servers list to each caller on its own, so that another caller gets another catalog.
    pub is_of_caller: bool,
}

impl Backend {
    /// Returns the same catalog with a new status of its servers.
    pub(crate) fn with_status(&self, upstreams: Vec<Status>) -> Self {
        Self {
            guarded: Arc::clone(&self.guarded),
            definitions: Arc::clone(&self.definitions),
            features: self.features.clone(),
            introductions: self.introductions.clone(),
            reports: self.reports.clone(),
            declared: Arc::clone(&self.declared),
            unlisted: self.unlisted.clone(),
            open: self.open,
            upstreams,
            is_of_caller: self.is_of_caller,
        }
    }

    /// Returns whether another caller may see another part of it, or has lists of its own.
    pub(crate) fn depends_on_caller(&self) -> bool {
        self.is_of_caller || self.guarded.reads_caller()
    }

    /// Returns the hash of the catalog together with the servers' declarations.
    pub fn hash(&self) -> u128 {
        self.declared.hash(self.guarded.catalog().hash())
    }

    /// Returns whether the server with this name offers `feature`.
    pub(crate) fn offers(&self, server: &str, feature: impl Fn(&Features) -> bool) -> bool {
        self.features.iter().any(|(name, features)| name == server && feature(features))
    }

    /// Compiles the lists of servers under the operator's prefixes, rules and policies. Tools that no client could call
    /// are left out: those with invalid marks of arguments for headers. Each server offers `features`. A name of several
    /// servers belongs to the first.
    pub fn compile(sources: Vec<Source<'_>>, config: &Config, features: Features) -> Self {
        Self::compile_declared(sources, config, ServerDeclarations::default(), features)
    }

    /// Like [`compile`](Self::compile), with the groups, tags and concerns that servers declare.
    pub fn compile_declared(
        sources: Vec<Source<'_>>,
        config: &Config,
        declared: ServerDeclarations,
        features: Features,
    ) -> Self {
        let record = NameRecord::default();
        let features = sources.iter().map(|source| (source.server.to_owned(), features)).collect();
        Self::compile_recorded(sources, config, (declared, Some(&record)), features)
    }

    /// Like [`compile_declared`](Self::compile_declared), with the record of the servers that had each name first.
    pub(crate) fn compile_recorded(
        mut sources: Vec<Source<'_>>,
        config: &Config,
        (declared, record): (ServerDeclarations, Option<&NameRecord>),
        mut features: Vec<(String, Features)>,
    ) -> Self {
        let mut reports = Vec::new();
        for source in &mut sources {
            source.lists.retain(Kind::Tool, |tool| match header_param::read(tool.get()) {
                Ok(_) => true,
                Err(problem) => {
                    reports.push(Report::new(
                        ReportCode::HeaderMark,
                        Kind::Tool,
                        &name(tool),
                        &problem.to_string(),
                    ));
                    false
                }
            });
        }
        let unlisted =
            config.unlisted(sources.iter().map(|source| (source.server, config.upstream.unlisted)));
        for source in sources.iter().filter(|source| !source.lists.primitives(Kind::Skill).is_empty()) {
            let own = features.iter_mut().filter(|(name, _)| name == source.server);
            own.for_each(|(_, features)| features.skills = true);
        }
        let catalog = config.compile_under(declared.assignments(config), &sources, record);
        reports.append(&mut catalog_reports(&catalog, &declared, config));
        let guarded = Arc::new(config.guard(catalog).opening_pages());
        Self {
            guarded,
            definitions: Arc::new(DefinitionDigests::new(&config.drafts)),
            features,
            introductions: Vec::new(),
            reports,
            declared: Arc::new(declared),
            unlisted,
            open: config.engine.is_open(),
            upstreams: Vec::new(),
            is_of_caller: false,
        }
    }
}

/// Returns the reports on a catalog and on concerns that neither the operator nor a server declares.
pub(crate) fn catalog_reports(
    catalog: &Catalog,
    declared: &ServerDeclarations,
    config: &Config,
) -> Vec<Report> {
    let mut reports = catalog.reports().to_vec();
    let concerns = declared.all_concerns(config);
    reports.append(&mut catalog.undeclared_concerns(&|name| concerns.declares(name)));
    reports
}

fn name(tool: Raw<'_>) -> String {
    let name = Members::read(tool).and_then(|tool| tool.get("name")).and_then(json::Raw::text);
    name.unwrap_or_default().into_owned()
}
