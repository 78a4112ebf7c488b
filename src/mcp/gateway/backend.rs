use std::sync::Arc;

use crate::{
    catalog::{Kind, Report, ReportCode, Source},
    config::Config,
    json::{self, Members, Raw},
    mcp::{
        call::header_params,
        drafts::definitions::DefinitionDigests,
        gateway::{declared::ServerDeclarations, status::Status},
        upstream::introduction::Introduction,
    },
    policy::Guarded,
};

/// The catalog under its policies, and what its servers can do beyond listing.
#[derive(Debug)]
pub struct Backend {
    /// The catalog, under policies.
    pub guarded: Arc<Guarded>,
    /// The digests of what the catalog lists, which drafts need.
    pub definitions: Arc<DefinitionDigests>,
    /// The servers that answer `completion/complete`.
    pub completions: Vec<String>,
    /// The servers that serve skills, some of which may not be listed.
    pub skills: Vec<String>,
    /// The servers that answer `resources/directory/read`.
    pub directory_read: Vec<String>,
    /// What the servers say about themselves, by name, in their order.
    pub introductions: Vec<(String, Introduction)>,
    /// What was left out or ignored, and why.
    pub reports: Vec<Report>,
    /// The groups, tags and concerns that servers declare.
    pub declared: Arc<ServerDeclarations>,
    /// The servers that may be asked for resources that no list mentions, in their order.
    pub unlisted: Vec<String>,
    /// Whether every caller sees everything that is listed ([`Config::is_open`]), unless a preset binds it.
    pub open: bool,
    /// How the servers behind stand, in their order; none where there are none.
    pub upstreams: Vec<Status>,
}

impl Backend {
    /// Returns the same catalog with its servers in another state.
    pub(crate) fn standing(&self, upstreams: Vec<Status>) -> Self {
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

    /// Returns the hash of all that is served: of the catalog, and of what servers declare.
    pub fn hash(&self) -> u128 {
        self.declared.hash(self.guarded.catalog().hash())
    }

    /// Compiles what servers list under the operator's prefixes, rules and policies. Tools that no client could call
    /// are left out: those that say wrongly which of their arguments go into headers. `completions` are the servers that complete
    /// arguments.
    pub fn compile(sources: Vec<Source<'_>>, config: &Config, completions: Vec<String>) -> Self {
        Self::compile_declared(sources, config, ServerDeclarations::default(), completions)
    }

    /// The same with the groups, tags and concerns that servers declare.
    pub fn compile_declared(
        mut sources: Vec<Source<'_>>,
        config: &Config,
        declared: ServerDeclarations,
        completions: Vec<String>,
    ) -> Self {
        let mut reports = Vec::new();
        for source in &mut sources {
            source.lists.retain(Kind::Tool, |tool| match header_params::read(tool.get().as_bytes()) {
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
        let skilled = sources.iter().filter(|source| !source.lists.of(Kind::Skill).is_empty());
        let skills = skilled.map(|source| source.server.to_owned()).collect();
        let catalog = config.compile_under(declared.assignments(config), &sources);
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
            open: config.is_open(),
            upstreams: Vec::new(),
        }
    }
}

fn name(tool: Raw<'_>) -> String {
    let name = Members::read(tool).and_then(|tool| tool.get("name")).and_then(json::text);
    name.unwrap_or_default().into_owned()
}
