//! The compiled catalog of all servers, with policies and the servers' declarations.

use std::sync::Arc;

use mcp_sieve::{
    Kind,
    catalog::{NameRecord, Report, ReportCode, Source},
    json::{self, Members, Raw},
    policy::Guarded,
};

use crate::{
    backend::{declared::ServerDeclarations, header_param, introduction::Introduction, status::Status},
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
    /// The servers that answer `completion/complete`.
    pub completions: Vec<String>,
    /// The servers that serve skills, some of which may be unlisted.
    pub skills: Vec<String>,
    /// The servers that answer `resources/directory/read`.
    pub directory_read: Vec<String>,
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
}

impl Backend {
    /// Returns the same catalog with a new status of its servers.
    pub(crate) fn with_status(&self, upstreams: Vec<Status>) -> Self {
        Self {
            guarded: Arc::clone(&self.guarded),
            definitions: Arc::clone(&self.definitions),
            completions: self.completions.clone(),
            skills: self.skills.clone(),
            directory_read: self.directory_read.clone(),
            introductions: self.introductions.clone(),
            reports: self.reports.clone(),
            declared: Arc::clone(&self.declared),
            unlisted: self.unlisted.clone(),
            open: self.open,
            upstreams,
        }
    }

    /// Returns the hash of the catalog together with the servers' declarations.
    pub fn hash(&self) -> u128 {
        self.declared.hash(self.guarded.catalog().hash())
    }

    /// Compiles the lists of servers under the operator's prefixes, rules and policies. Tools that no client could call
    /// are left out: those with invalid marks of arguments for headers. `completions` are the servers that complete
    /// arguments. A name of several servers belongs to the first.
    pub fn compile(sources: Vec<Source<'_>>, config: &Config, completions: Vec<String>) -> Self {
        Self::compile_declared(sources, config, ServerDeclarations::default(), completions)
    }

    /// Like [`compile`](Self::compile), with the groups, tags and concerns that servers declare.
    pub fn compile_declared(
        sources: Vec<Source<'_>>,
        config: &Config,
        declared: ServerDeclarations,
        completions: Vec<String>,
    ) -> Self {
        let record = NameRecord::default();
        Self::compile_recorded(sources, config, (declared, Some(&record)), completions)
    }

    /// Like [`compile_declared`](Self::compile_declared), with the record of the servers that had each name first.
    pub(crate) fn compile_recorded(
        mut sources: Vec<Source<'_>>,
        config: &Config,
        (declared, record): (ServerDeclarations, Option<&NameRecord>),
        completions: Vec<String>,
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
        let skilled = sources.iter().filter(|source| !source.lists.primitives(Kind::Skill).is_empty());
        let skills = skilled.map(|source| source.server.to_owned()).collect();
        let catalog = config.compile_under(declared.assignments(config), &sources, record);
        reports.extend_from_slice(catalog.reports());
        let guarded = Arc::new(config.guard(catalog));
        Self {
            guarded,
            definitions: Arc::new(DefinitionDigests::new(&config.drafts)),
            completions,
            skills,
            directory_read: Vec::new(),
            introductions: Vec::new(),
            reports,
            declared: Arc::new(declared),
            unlisted,
            open: config.engine.is_open(),
            upstreams: Vec::new(),
        }
    }
}

fn name(tool: Raw<'_>) -> String {
    let name = Members::read(tool).and_then(|tool| tool.get("name")).and_then(json::Raw::text);
    name.unwrap_or_default().into_owned()
}
