//! Counts false positives in the documentation and source of this project, per megabyte.

use std::{collections::BTreeMap, fs, path::Path};

use mcp_sieve_redact::{Kind, Scan, pii::Scanner};

/// Kinds that names and capitals decide.
const NAMES: [Kind; 2] = [Kind::Person, Kind::Organization];
/// Where the texts are. The crate of the scanners is left out, because it holds examples of what is to be found.
const ROOTS: &[&str] = &[
    "docs",
    "src",
    "crates/gateway",
    "crates/bindings",
    "worker/src",
    "web/page",
    "web/src",
    "pkg",
    "scripts",
    "README.md",
    "DESIGN.md",
    "CHANGELOG.md",
];
const LEFT_OUT: &[&str] = &["node_modules", "dist", "build", "target"];
const EXTENSIONS: &[&str] = &["md", "rs", "js", "mjs", "ts", "html", "css", "json", "jsonc", "txt"];

/// What was found in the texts, a row of examples for each kind.
#[derive(Debug, Default)]
pub struct FalsePositives {
    pub bytes: usize,
    pub found: BTreeMap<&'static str, (Kind, BTreeMap<String, u32>)>,
}

impl FalsePositives {
    fn read(&mut self, path: &Path, scanner: &Scanner) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if LEFT_OUT.contains(&name) || name.starts_with('.') {
            return;
        }
        if path.is_dir() {
            let mut entries: Vec<_> =
                fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
            entries.sort();
            entries.iter().for_each(|entry| self.read(entry, scanner));
            return;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let Some(text) = fs::read_to_string(path).ok().filter(|_| EXTENSIONS.contains(&extension)) else {
            return;
        };
        self.bytes += text.len();
        for found in scanner.findings(&text) {
            let value = text[found.start..found.end].to_owned();
            let examples =
                &mut self.found.entry(found.kind.name()).or_insert((found.kind, BTreeMap::new())).1;
            *examples.entry(value).or_default() += 1;
        }
    }

    /// Findings a megabyte of structured kinds, or of names.
    pub fn per_megabyte(&self, names: bool) -> f64 {
        let counted = |kind: &Kind| NAMES.contains(kind) == names && !UNMISTAKABLE.contains(&kind.name());
        let kinds = self.found.values().filter(|(kind, _)| counted(kind));
        let count: u32 = kinds.flat_map(|(_, examples)| examples.values()).sum();
        f64::from(count) / (self.bytes as f64 / 1e6)
    }

    /// The findings that are there most often, as rows of a table.
    pub fn typical(&self, most: usize) -> String {
        let kinds = self.found.iter().filter(|(kind, _)| !UNMISTAKABLE.contains(kind));
        let mut rows: Vec<_> = kinds
            .flat_map(|(kind, (_, examples))| {
                examples.iter().map(move |(value, count)| (*count, *kind, value))
            })
            .collect();
        rows.sort_by_key(|(count, kind, value)| (u32::MAX - count, *kind, *value));
        rows.iter()
            .take(most)
            .map(|(count, kind, value)| format!("| {kind} | `{value}` | {count} |\n"))
            .collect()
    }
}

/// Reads every text.
pub fn measure() -> FalsePositives {
    let mut all = FalsePositives::default();
    let scanner = Scanner::default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    ROOTS.iter().for_each(|part| all.read(&root.join(part), &scanner));
    all
}

/// Kinds that are no false positives whatever they stand for: an e-mail address is one, and a handle is left as it is.
const UNMISTAKABLE: [&str; 2] = ["EMAIL", "HANDLE"];

#[test]
fn own_texts_have_few_false_positives() {
    let all = measure();
    assert!(all.bytes > 1_000_000, "{} bytes were read", all.bytes);
    let (structured, names) = (all.per_megabyte(false), all.per_megabyte(true));
    assert!(structured <= 1.0 && names <= 3.0, "{structured} and {names} a megabyte: {:?}", all.found);
}
