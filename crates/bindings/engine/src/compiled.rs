//! A compiled catalog with its configuration, from which each caller has a view.

use std::sync::Arc;

use mcp_sieve::{
    Error,
    catalog::{Catalog, Lists, Report, Source},
    concern::Concerns,
    json::{Members, Object, Raw},
    policy::{CallerContext, View},
};
use mcp_sieve_gateway::{
    config::Config,
    upstream::{Declarations, Facet, Problem, ServerDeclarations},
};

use super::Judges;

/// A compiled catalog with its configuration, and the groups, tags and concerns that servers declare in its lists.
#[derive(Debug)]
pub(super) struct Compiled {
    pub catalog: Arc<Catalog>,
    pub settings: Config,
    declared: ServerDeclarations,
    /// The text of the configuration, for snapshots.
    config: Option<String>,
}

impl Compiled {
    /// Compiles lists under a configuration whose text is `config`. What servers declare is added to it as in the
    /// gateway: the configuration takes precedence, member by member. `compile` gets the groups and tags of both.
    pub fn new<'a, Sources: AsRef<[Source<'a>]>>(
        sources: Sources,
        mut settings: Config,
        config: Option<String>,
        compile: impl FnOnce(Sources, &Config) -> Catalog,
    ) -> Self {
        let declarations =
            sources.as_ref().iter().map(|source| (source.server.to_owned(), read(&source.lists)));
        let mut declared = ServerDeclarations::new(declarations.collect(), &settings);
        declared.move_into(&mut settings);
        let catalog = Arc::new(compile(sources, &settings));
        Self { catalog, settings, declared, config }
    }

    /// Restores the catalog of a snapshot.
    pub fn restore(snapshot: Vec<u8>) -> Result<Self, Error> {
        let (catalog, config) = Catalog::restore_under(snapshot)?;
        // An empty text stands for no configuration; `Config::parse` would reject it.
        let config = Some(config).filter(|config| !config.is_empty());
        let settings = settings(config.as_deref())?;
        Ok(Self { catalog: catalog.into(), settings, declared: ServerDeclarations::default(), config })
    }

    /// Returns the bytes of a snapshot.
    pub fn snapshot(&self) -> Vec<u8> {
        let concerns = self.concerns(&self.whole_view());
        let config = self.config.as_deref().unwrap_or_default();
        match concerns == self.settings.engine.concerns {
            true => self.catalog.snapshot_under(config),
            false => self.catalog.snapshot_under(&with_concerns(config, &concerns)),
        }
    }

    /// Returns the view of a caller under the policies of the configuration and these predicates, and the reports about
    /// primitives that they could not judge.
    pub fn view(&self, caller: &dyn CallerContext, predicates: Option<Judges>) -> (View, Vec<Report>) {
        predicates.unwrap_or_default().during(|predicates| {
            let guarded = self.settings.guard(Arc::clone(&self.catalog)).asking(predicates);
            (guarded.view(caller), guarded.reports())
        })
    }

    /// Returns the concerns of a view: those of the configuration, and those that servers declare for what it shows.
    pub fn concerns(&self, view: &View) -> Concerns {
        self.declared.host_concerns(&self.settings, view)
    }

    /// Returns reports about concerns that nothing declares.
    pub fn undeclared_concerns(&self) -> Vec<Report> {
        let declared = self.declared.all_concerns(&self.settings);
        self.catalog.undeclared_concerns(&|name| declared.declares(name))
    }

    /// Returns the declarations of servers that were left out or changed, or that have no effect.
    pub fn problems(&self) -> Vec<Problem> {
        self.declared.problems_in(&self.settings, &self.whole_view())
    }

    fn whole_view(&self) -> View {
        View::everything(Arc::clone(&self.catalog))
    }
}

/// Returns the declarations in the lists of a server.
fn read(lists: &Lists<'_>) -> Declarations {
    let [groups, tags, concerns] = lists.declared().map(|values| {
        let mut facet = Facet::default();
        for value in values.into_iter().filter(|value| !value.is_null()) {
            match value.elements() {
                Some(items) => _ = facet.add(items.into_iter().map(|item| item.get().to_owned())),
                None => facet.failed("expected an array, left out"),
            }
        }
        facet
    });
    Declarations { groups, tags, concerns, ..Declarations::default() }
}

/// Returns the text of a configuration with other concerns. A snapshot contains groups and tags in another form.
fn with_concerns(config: &str, concerns: &Concerns) -> String {
    let config = Raw::strip_comments(config).unwrap_or_default();
    let members = Members::parse(&config).unwrap_or_default();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(&members, &["concerns"]);
    Object::push_array(object.value("concerns"), concerns.iter(), |out, concern| {
        let mut object = concern.open(out);
        if concern.apply_default {
            object.raw("applyDefault", b"true");
        }
        object.close();
    });
    object.close();
    String::from_utf8(out).unwrap_or_default()
}

/// Parses a configuration.
pub(super) fn settings(config: Option<&str>) -> Result<Config, Error> {
    config.map_or_else(|| Ok(Config::default()), Config::parse)
}
