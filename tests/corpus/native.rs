//! The Rust interface of the engine.

use std::collections::BTreeMap;

use mcp_sieve::{
    Error, Filter, Ignored, Kind,
    catalog::{Catalog, Lists, Source},
    expr::{Expr, Field, Subject},
    filter::{Fields, OnUnknownMember, ParsedFilter, Selection, SettledFilter},
    json::Raw,
    policy::{CallerContext, View},
    seal::Key,
};
use mcp_sieve_gateway::config::{Config, Finding, lint, lint_filter, locate};
use mcp_sieve_gateway::server::Cursor;
use serde_json::{Value, json};

use super::{
    checks::refused,
    face::{Answer, Caller, Face, Linter, Refused},
    rows::{FilterInput, Row, run, same},
};

/// The engine through its Rust interface.
pub struct Native {
    config: Config,
    view: View,
}

/// A caller from a row as a subject of expressions.
struct Terms<'a>(&'a Caller);

impl CallerContext for Terms<'_> {}

impl Subject for Terms<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        self.0.get(&field.to_string()).into_iter().flatten().for_each(|value| visit(value));
    }
}

impl Native {
    fn compiled(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Error> {
        let config = config.map(Config::parse).transpose()?.unwrap_or_default();
        let server = &config.upstream.name;
        let catalog = Catalog::keep(
            Source { server, lists: Lists::take(lists.to_owned())? },
            &config.engine.assignments,
        );
        // The compiled catalog is the same for borrowed lists as for owned ones, and for one source as for several.
        let lent = [Source { server, lists: Lists::read(lists)? }];
        assert_eq!(Catalog::compile(&lent, &config.engine.assignments).hash(), catalog.hash());
        let view = config.guard(catalog).view(&Terms(caller));
        Ok(Self { config, view })
    }

    /// Parses the filter of a row and resolves it against the catalog.
    fn settle(&self, input: &FilterInput) -> Result<SettledFilter, Error> {
        let ParsedFilter { filter, ignored, .. } = match input {
            FilterInput::Nothing => ParsedFilter::default(),
            FilterInput::Filter(source) => Filter::parse_with(source, self.config.engine.on_unknown_member)?,
            FilterInput::Query(query) => Filter::from_query(query)?,
        };
        let filter = filter.with_server_defaults(&Filter::default());
        filter.settle(
            &self.view,
            &self.config.engine.concerns,
            self.config.engine.on_invalid_concern,
            ignored,
        )
    }
}

/// The engine with a catalog that was restored from a snapshot.
pub struct Restored(Native);

impl Face for Restored {
    const NAME: &str = "the engine, restored";
    const HAS_CALLERS: bool = true;

    fn compile(lists: &str, config: Option<&str>) -> Result<Self, Refused> {
        Self::compile_for(lists, config, &Caller::new())
    }

    fn compile_for(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Refused> {
        let Native { view, .. } = Native::compiled(lists, config, caller)?;
        let snapshot = view.catalog().snapshot_under(config.unwrap_or_default());
        drop(view);
        let (catalog, config) = Catalog::restore_under(snapshot)?;
        let config = if config.is_empty() { Config::default() } else { Config::parse(&config)? };
        let view = config.guard(catalog).view(&Terms(caller));
        Ok(Self(Native { config, view }))
    }

    fn ask(&mut self, kind: Kind, input: &FilterInput) -> Result<Answer, Refused> {
        self.0.ask(kind, input)
    }

    fn explain(&mut self, kind: Kind, input: &FilterInput, of: &str) -> Value {
        self.0.explain(kind, input, of)
    }

    fn about(&self) -> Value {
        self.0.about()
    }
}

impl Linter for Restored {
    /// Linting does not use a restored catalog.
    fn lint(config: &str, lists: Option<&str>, filter: &FilterInput) -> Result<Value, Refused> {
        Native::lint(config, lists, filter)
    }
}

impl Face for Native {
    const NAME: &str = "the engine";
    const HAS_CALLERS: bool = true;

    fn compile(lists: &str, config: Option<&str>) -> Result<Self, Refused> {
        Ok(Self::compiled(lists, config, &Caller::new())?)
    }

    fn compile_for(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Refused> {
        Ok(Self::compiled(lists, config, caller)?)
    }

    fn ask(&mut self, kind: Kind, input: &FilterInput) -> Result<Answer, Refused> {
        let SettledFilter { filter, narrowing } = self.settle(input)?;
        let mut selection = Selection::default();
        let bits = self.view.select(&narrowing, kind, &mut selection);
        let kind_index = self.view.catalog().kind_index(kind);
        let mut indices = Vec::new();
        bits.write_indices(&mut indices);
        let mut list = format!("{{\"{}\":[", kind.list_key()).into_bytes();
        let more = Fields::write_page(kind_index, bits, narrowing.fields(), 0, usize::MAX, &mut list);
        assert_eq!(more, None, "a page without bound is the last");
        list.extend(b"]}");
        // Indices are positions among the visible primitives.
        let visible: Vec<usize> = self.view.bits(kind).iter().collect();
        let place = |index: u32| visible.iter().position(|known| *known == index as usize).unwrap() as u32;
        Ok(Answer {
            names: bits.iter().filter_map(|index| kind_index.id(index)).map(str::to_owned).collect(),
            count: bits.count(),
            indices: indices.into_iter().map(place).collect(),
            list: String::from_utf8(list).unwrap(),
            hash: format!("{:032x}", filter.hash()),
            applied: serde_json::from_str(&filter.to_string()).unwrap(),
            ignored: narrowing.ignored().iter().map(ignored).collect(),
            unknown: narrowing
                .unknown()
                .iter()
                .map(|name| json!({"field": name.field, "reason": name.reason}))
                .collect(),
        })
    }

    fn explain(&mut self, kind: Kind, input: &FilterInput, of: &str) -> Value {
        let narrowing = self.settle(input).unwrap().narrowing;
        let explanation = self.view.explain(&narrowing, kind, of);
        let mut out = Vec::new();
        explanation.write(&mut out);
        serde_json::from_slice(&out).unwrap()
    }

    fn about(&self) -> Value {
        let catalog = self.view.catalog();
        let undeclared = catalog.undeclared_concerns(&|name| self.config.engine.concerns.declares(name));
        let reports = catalog.reports().iter().chain(&undeclared).map(
            |report| json!({"code": report.code.name(), "kind": report.kind.name(), "name": report.name, "problem": report.problem}),
        );
        let groups = self.view.groups().into_iter().map(|group| {
            let parent = match group.parents.as_slice() {
                [] => None,
                [parent] => Some(json!(parent)),
                parents => Some(json!(parents)),
            };
            let members = [
                ("name", Some(json!(group.name))),
                ("title", group.title.as_ref().map(|title| json!(title))),
                ("description", group.description.as_ref().map(|description| json!(description))),
                ("parent", parent),
            ];
            members.into_iter().filter_map(|(key, value)| Some((key, value?))).collect::<BTreeMap<_, _>>()
        });
        json!({
            "hash": format!("{:032x}", catalog.hash()),
            "groups": groups.collect::<Vec<_>>(),
            "tags": self.view.tags().into_iter().map(|tag| json!({"name": tag.name, "description": tag.description})).collect::<Vec<_>>(),
            "concerns": self.config.engine.concerns,
            "reports": reports.collect::<Vec<_>>(),
        })
    }
}

impl Linter for Native {
    fn lint(source: &str, lists: Option<&str>, input: &FilterInput) -> Result<Value, Refused> {
        let config = Config::parse(source)?;
        let read =
            |lists| Ok::<_, Error>(Source { server: &config.upstream.name, lists: Lists::read(lists)? });
        let sources: Option<Vec<_>> = lists.map(read).transpose()?.map(|source| vec![source]);
        let mut findings = lint(&config, sources.as_deref());
        let catalog = Catalog::compile(&sources.unwrap_or_default(), &config.engine.assignments);
        match input {
            FilterInput::Nothing => {}
            FilterInput::Filter(filter) => {
                let ParsedFilter { filter, ignored, .. } =
                    Filter::parse_with(filter, OnUnknownMember::Ignore)?;
                findings.extend(lint_filter(&config, &catalog, filter, ignored)?);
            }
            FilterInput::Query(query) => {
                let ParsedFilter { filter, ignored, .. } = Filter::from_query(query)?;
                findings.extend(lint_filter(&config, &catalog, filter, ignored)?);
            }
        }
        let told = |finding: &Finding| {
            let Finding { flaw, place, message, meant, .. } = finding;
            let mut told = json!({"code": flaw.code(), "place": place, "message": message});
            meant.iter().for_each(|meant| told["meant"] = json!(meant));
            // Positions in lists and requests have no range in the configuration file.
            if !place.starts_with("catalog") && !place.starts_with("filter") {
                let range = locate(source, place).expect("a configuration that was read");
                told["text"] = json!(source.get(range));
            }
            told
        };
        Ok(findings.iter().map(told).collect())
    }
}

/// Checks paginated lists, their cursors, and cursors that are used with another request.
pub fn pages() {
    run("pages.json", include_str!("../fixtures/pages.json"), Native::NAME, |row| {
        let (lists, config) = row.world();
        let native =
            Native::compiled(&lists, config.as_deref(), &Caller::new()).map_err(|e| e.to_string())?;
        let size = row.get("size").ok_or("the row has no size")?;
        let key = Key::new(b"the key of the corpus").ok_or("no key")?;
        let first = native.cursor(row)?;

        let mut cursors = vec![first; 1 + row.texts("alike").len()];
        for (cursor, alike) in cursors.iter_mut().skip(1).zip(row.texts("alike")) {
            cursor.filter =
                native.settle(&FilterInput::Filter(alike)).map_err(|e| e.to_string())?.filter.hash();
        }
        for cursor in cursors {
            let mut pages = Vec::new();
            let mut token = None;
            loop {
                let (names, next) = native.page(row, size, token.as_deref(), &key, &first, &cursor)?;
                pages.push(names);
                token = next;
                if token.is_none() {
                    break;
                }
            }
            same("pages", &Some(pages), &row.get("pages"))?;
        }

        let Some(then) = row.inner("then") else { return Ok(()) };
        let (_, token) = native.page(row, size, None, &key, &first, &first)?;
        let token = then.get("cursor").or(token).ok_or("there is no second page")?;
        let mut other = first;
        if then.has("kind") {
            other.kind = then.kind();
        }
        if then.has("filter") {
            other.filter = native.settle(&then.filter_input()).map_err(|e| e.to_string())?.filter.hash();
        }
        if let Some(principal) = then.get::<String>("principal") {
            other.principal = principal_of(&principal);
        }
        let error = other.open(&key, &token).err().map(Refused::from);
        same("error", &error, &Some(refused(row)?))
    });
}

impl Native {
    /// Returns the cursor of a row: its kind, its filter and its caller.
    fn cursor(&self, row: &Row) -> Result<Cursor, String> {
        let filter = self.settle(&row.filter_input()).map_err(|error| error.to_string())?.filter;
        let principal = principal_of(&row.get::<String>("principal").unwrap_or_default());
        Ok(Cursor { kind: row.kind(), filter: filter.hash(), principal })
    }

    /// Returns the names on one page and the cursor token for the next. The token is opened with `opens` and sealed
    /// with `seals`, which may belong to different callers.
    fn page(
        &self,
        row: &Row,
        size: usize,
        token: Option<&str>,
        key: &Key,
        opens: &Cursor,
        seals: &Cursor,
    ) -> Result<(Vec<String>, Option<String>), String> {
        let kind = row.kind();
        let kind_index = self.view.catalog().kind_index(kind);
        let narrowing = self.settle(&row.filter_input()).map_err(|error| error.to_string())?.narrowing;
        let mut selection = Selection::default();
        let bits = self.view.select(&narrowing, kind, &mut selection);
        let from = match token {
            Some(token) => {
                opens.open(key, token).map_err(|error| error.to_string())?.locate(|id| kind_index.find(id))
            }
            None => 0,
        };
        let mut page = b"[".to_vec();
        let next = Fields::write_page(kind_index, bits, narrowing.fields(), from, size, &mut page);
        page.push(b']');
        let items: Vec<Value> = serde_json::from_slice(&page).map_err(|error| error.to_string())?;
        let names = items.iter().filter_map(|item| item[kind.id_key()].as_str()).map(str::to_owned);
        Ok((names.collect(), next.map(|next| seals.seal(key, kind_index.id(next - 1).unwrap(), next))))
    }
}

/// Returns an injective digest; the test only needs callers to have different digests.
fn principal_of(name: &str) -> u128 {
    name.bytes().fold(0, |digest, byte| digest << 8 | u128::from(byte))
}

/// Checks expressions on their own: both canonical forms, the tree that they parse to, and the position of errors.
pub fn syntax() {
    run("expressions.json", include_str!("../fixtures/expressions.json"), Native::NAME, |row| {
        let source = row.text("source").ok_or("the row has no source")?;
        let read = |source: &str| Raw::parse(source).and_then(Expr::from_json);
        if row.has("error") {
            let error = read(&source).err().map(Refused::from);
            return same("error", &error, &Some(refused(row)?));
        }
        let tree = read(&source).map_err(|error| error.to_string())?;
        same("canonical", &Some(tree.to_string()), &row.get("canonical"))?;
        same("tree of the canonical text", &tree.to_string().parse(), &Ok(tree.clone()))?;
        let json = String::from_utf8(tree.json()).map_err(|error| error.to_string())?;
        same("tree of the canonical JSON", &read(&json), &Ok(tree.clone()))?;
        if let Some(expected) = row.text("json") {
            same("canonical JSON", &json, &expected)?;
        }
        let native =
            Native::compiled(&row.world().0, None, &Caller::new()).map_err(|error| error.to_string())?;
        let kind_index = native.view.catalog().kind_index(row.kind());
        let holds = |index: &usize| {
            native
                .view
                .catalog()
                .primitive(row.kind(), *index)
                .is_some_and(|primitive| tree.holds(&primitive))
        };
        let found =
            (0..kind_index.len()).filter(holds).filter_map(|index| kind_index.id(index)).map(str::to_owned);
        same("matches", &found.collect(), &row.names("matches"))
    });
}

fn ignored(ignored: &Ignored) -> Value {
    let mut told = json!({"field": ignored.field, "reason": ignored.reason});
    ignored.meant.iter().for_each(|meant| told["meant"] = json!(meant));
    told
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            path: error.path().map(str::to_owned),
            at: error.at().map(|at| at as u64),
        }
    }
}
