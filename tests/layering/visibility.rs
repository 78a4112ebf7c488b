//! Access without a caller: no public function takes an optional visibility, and views are created in few places.

use super::crate_sources;

/// The sources that views and catalogs pass through.
const FOLDERS: [&str; 3] = ["src", "crates/gateway/src", "crates/bindings"];
/// Files that read a whole catalog on behalf of its operator.
const EVERYTHING: [&str; 8] = [
    "src/catalog/index/visible",
    "src/policy/guarded",
    "src/policy/view",
    "crates/gateway/src/backend/declared/idle_declarations",
    "crates/gateway/src/config/lint/defaults",
    "crates/gateway/src/config/lint/filter",
    "crates/gateway/src/config/lint/presets",
    "crates/bindings/command/src/explain",
];
/// Files outside `policy` that create the view of a caller.
const VIEWS: [&str; 6] = [
    "src/sieve/compiled",
    "crates/gateway/src/config/history",
    "crates/gateway/src/config/lint/checks",
    "crates/gateway/src/request/visibility",
    "crates/bindings/command/src/caller",
    "crates/bindings/engine/src/compiled",
];

/// Returns the signatures of public functions that take an optional set, or optional sets by kind.
fn optional_sets(source: &str) -> Vec<String> {
    let signatures = source.split("pub fn ").skip(1).map(|rest| rest.split(['{', ';']).next().unwrap());
    let optional = |signature: &&str| {
        let arguments: String = signature.split("->").next().unwrap().split_whitespace().collect();
        arguments.split("Option<").skip(1).any(|rest| {
            // The contents of the angle brackets opened here.
            let mut depth = 1;
            let inner: String = rest
                .chars()
                .take_while(|c| {
                    depth += i32::from(*c == '<') - i32::from(*c == '>');
                    depth > 0
                })
                .collect();
            ["Bitset", "View", "Scope"].iter().any(|name| inner.contains(name))
        })
    };
    signatures.filter(optional).map(|found| found.split('(').next().unwrap().to_owned()).collect()
}

/// Returns the source of a file without its tests.
fn program(source: &str) -> &str {
    source.split("#[cfg(test)]").next().unwrap()
}

/// Visits every source file in folders without its tests.
fn each(folders: &[&str], visit: &mut dyn FnMut(&str, &str)) {
    for folder in folders {
        for (module, source) in crate_sources(folder) {
            visit(&format!("{folder}/{}", module.join("/")), program(&source));
        }
    }
}

#[test]
fn no_public_function_takes_an_optional_visibility() {
    let mut found = Vec::new();
    each(&FOLDERS, &mut |module, source| {
        found.extend(optional_sets(source).into_iter().map(|name| format!("{module}: {name}")));
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn an_optional_visibility_is_found() {
    for (source, expected) in [
        ("pub fn select(&self, kind: Kind, visible: Option<&Bitset>) -> Bitset {}", vec!["select"]),
        ("pub fn f<'a>(\n    visible: Option<\n        &'a [Bitset; 4],\n    >,\n) {}", vec!["f<'a>"]),
        ("pub fn f(view: Option<Arc<View>>); pub fn g(scope: Option<Scope<'_>>) {}", vec!["f", "g"]),
        ("pub fn pinned(&self) -> Option<&Bitset> {}", vec![]),
        ("pub fn f(bits: &Bitset, limit: Option<usize>, view: &View) {}", vec![]),
        ("fn f(members: Option<&Bitset>) {}", vec![]),
    ] {
        assert_eq!(optional_sets(source), expected, "{source}");
    }
}

#[test]
fn all_of_a_catalog_is_looked_at_in_few_places() {
    let (mut everything, mut views) = (Vec::new(), Vec::new());
    each(&FOLDERS, &mut |module, source| {
        if source.contains("Scope::everything(") || source.contains("fn everything(") {
            everything.push(module.to_owned());
        }
        let calls = source.matches(".view(").count();
        if calls > 0 && source.contains("uard") && !module.starts_with("src/policy") {
            views.push(module.to_owned());
        }
    });
    assert_eq!(everything, EVERYTHING);
    assert_eq!(views, VIEWS);
    let mut of_worker = Vec::new();
    each(&["worker/src"], &mut |module, source| {
        of_worker.extend(source.matches("guarded.view(").map(|_| module.to_owned()));
    });
    assert_eq!(of_worker, ["worker/src/deployment"]);
}
