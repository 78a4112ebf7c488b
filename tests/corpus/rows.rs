//! The rows of the fixture files. A face receives texts exactly as the row spells them.

use std::collections::BTreeMap;

use mcp_sieve::Kind;
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

/// The fixture worlds: named lists and configurations.
const WORLDS: &str = include_str!("../fixtures/worlds.json");

/// The members of a row, with their values as raw JSON.
pub struct Row(BTreeMap<String, &'static RawValue>);

/// The filter of a row, in the form in which a face receives it.
#[derive(Clone)]
pub enum FilterInput {
    Nothing,
    Filter(String),
    Query(String),
}

impl Row {
    pub fn name(&self) -> String {
        self.get("name").expect("a row has a name")
    }

    /// Returns a member as a value of its type, or `None` if the row does not have it.
    pub fn get<T: DeserializeOwned>(&self, member: &str) -> Option<T> {
        let raw = self.0.get(member)?;
        Some(serde_json::from_str(raw.get()).unwrap_or_else(|error| panic!("{member}: {error}")))
    }

    pub fn value(&self, member: &str) -> Option<Value> {
        self.get(member)
    }

    pub fn names(&self, member: &str) -> Vec<String> {
        self.get(member).unwrap_or_default()
    }

    /// Returns a member as compact JSON, or the text of its twin `{member}Text`.
    pub fn text(&self, member: &str) -> Option<String> {
        let given = self.0.get(member).map(|raw| compact(raw.get()));
        given.or_else(|| self.get(&format!("{member}Text")))
    }

    /// Returns whether the row has the member or its twin `{member}Text`.
    pub fn has(&self, member: &str) -> bool {
        self.0.contains_key(member) || self.0.contains_key(&format!("{member}Text"))
    }

    /// Returns the elements of a member as compact JSON texts.
    pub fn texts(&self, member: &str) -> Vec<String> {
        let Some(raw) = self.0.get(member) else { return Vec::new() };
        let raws: Vec<&RawValue> = serde_json::from_str(raw.get()).expect("an array");
        raws.into_iter().map(|raw| compact(raw.get())).collect()
    }

    /// Returns a member that is an object, as a row.
    pub fn inner(&self, member: &str) -> Option<Self> {
        Some(Self(serde_json::from_str(self.0.get(member)?.get()).expect("an object")))
    }

    /// Returns the elements of a member that is an array of objects, as rows.
    pub fn inners(&self, member: &str) -> Vec<Self> {
        let rows: Option<Vec<BTreeMap<String, &'static RawValue>>> =
            self.0.get(member).map(|raw| serde_json::from_str(raw.get()).expect("an array of objects"));
        rows.unwrap_or_default().into_iter().map(Self).collect()
    }

    pub fn kind(&self) -> Kind {
        let kind: Option<String> = self.get("kind");
        kind.map_or(Kind::Tool, |kind| Kind::from_list_key(&kind).expect("a kind"))
    }

    /// Returns the row's filter: its `query`, its `filter`, or neither.
    pub fn filter_input(&self) -> FilterInput {
        let query = self.get("query").map(FilterInput::Query);
        query.or_else(|| self.text("filter").map(FilterInput::Filter)).unwrap_or(FilterInput::Nothing)
    }

    /// Returns the lists and the configuration of the row's world, an entry of `worlds.json`.
    pub fn world(&self) -> (String, Option<String>) {
        let worlds: BTreeMap<String, &'static RawValue> = serde_json::from_str(WORLDS).expect("worlds.json");
        let name: String = self.get("world").unwrap_or_else(|| "empty".to_owned());
        let raw = worlds.get(&name).unwrap_or_else(|| panic!("no world is called {name}"));
        let world = Self(serde_json::from_str(raw.get()).expect("an object"));
        (world.text("lists").expect("a world has lists"), world.text("config"))
    }
}

/// Runs every row of a file and prints their number; fails with the names of the failed rows.
pub fn run(file: &str, source: &'static str, face: &str, check: impl Fn(&Row) -> Result<(), String>) {
    run_where(file, source, face, |_| true, check);
}

/// Runs the rows of a file for which `concern` returns true.
pub fn run_where(
    file: &str,
    source: &'static str,
    face: &str,
    concern: impl Fn(&Row) -> bool,
    check: impl Fn(&Row) -> Result<(), String>,
) {
    let rows: Vec<BTreeMap<String, &'static RawValue>> = serde_json::from_str(source).expect(file);
    let rows: Vec<Row> = rows.into_iter().map(Row).filter(concern).collect();
    let mut failures = Vec::new();
    let count = rows.len();
    for row in rows {
        let guard = Named(row.name());
        if let Err(failure) = check(&row) {
            failures.push(format!("{}: {failure}", guard.0));
        }
    }
    assert!(count > 0, "{file} has no rows");
    // Standard output is not shown in WebAssembly.
    #[cfg(target_arch = "wasm32")]
    wasm_bindgen_test::console_log!("{file}: {count} rows, {face}");
    #[cfg(not(target_arch = "wasm32"))]
    println!("{file}: {count} rows, {face}");
    assert!(
        failures.is_empty(),
        "{} of {count} rows of {file}, {face}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Prints the name of the row if a check panics.
struct Named(String);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in the row: {}", self.0);
        }
    }
}

/// Returns an error that names `what` unless both values are equal.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}\n  found    {found:?}\n  expected {expected:?}"))
}

/// Removes the white space between JSON tokens and changes nothing else.
fn compact(source: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let keep = quoted || !c.is_ascii_whitespace();
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        keep
    };
    source.chars().filter(keep).collect()
}
