//! Dependencies point downwards only: the test reads the sources and fails if a module depends on one above it. Between
//! crates, Cargo enforces the same.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cycles;
mod imports;
mod paths;
mod visibility;

use std::{fs, path::Path};

use cycles::Files;
use paths::paths;

/// The layers of each crate, lowest first: the modules directly in its source folder. A module may depend on the
/// modules before it.
const CRATES: [(&str, &[&str]); 3] = [
    (
        "src",
        &[
            "error",
            "sort_indices",
            "edit_distance",
            "digest",
            "revision",
            "json",
            "lock",
            "seal",
            "time",
            "expr",
            "catalog",
            "concern",
            "rank",
            "filter",
            "task",
            "policy",
            "discovery",
            "picker",
            "config",
            "sieve",
        ],
    ),
    ("crates/redact/src", &["scan", "url", "moderation", "pii", "secrets"]),
    (
        "crates/gateway/src",
        &[
            "middleware",
            "config",
            "small_collect",
            "object",
            "sha256_text",
            "sign_in",
            "drafts",
            "task_record",
            "protocol",
            "backend",
            "caller",
            "session",
            "host",
            "request",
            "call",
            "upstream",
            "remote",
            "gateway",
            "http",
            "streams",
            "tasks",
            "methods",
            "mount",
            "server",
        ],
    ),
];
/// Names of the standard library that read a clock. Hosts pass the time as an argument.
const CLOCKS: [&str; 2] = ["SystemTime", "Instant"];
/// Maximum number of files in a dependency cycle.
const LARGEST_CIRCLE: usize = 3;

/// Visits every source file below `folder` with its module path.
fn sources(folder: &Path, module: &[String], visit: &mut impl FnMut(&[String], &str)) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // `mod.rs` is the module of its folder, and `lib.rs` that of the crate.
        let name = (name != "mod" && name != "lib").then_some(name);
        let inner: Vec<String> = module.iter().cloned().chain(name).collect();
        if path.is_dir() {
            sources(&path, &inner, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&inner, &fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns the sources of a crate with their module paths.
fn crate_sources(folder: &str) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    sources(&root, &[], &mut |module, source| found.push((module.to_vec(), source.to_owned())));
    found
}

/// Returns the parsed files of a crate.
fn files(sources: &[(Vec<String>, String)]) -> Files {
    Files::read(sources.iter().map(|(module, source)| (module.clone(), source.as_str())))
}

/// Returns the dependencies of files on modules that are not below their own.
fn upward(files: &Files, layers: &[&str]) -> Vec<String> {
    let layer = |module: &[String]| {
        let name = module.first()?;
        let at = layers.iter().position(|layer| layer == name);
        Some(at.unwrap_or_else(|| panic!("`{name}` has no layer: add it to CRATES")))
    };
    let mut found = Vec::new();
    for (module, targets) in files.edges() {
        // The crate root declares every module.
        let Some(own) = layer(module) else { continue };
        for target in targets.into_iter().filter(|target| layer(target).is_some_and(|above| above > own)) {
            found.push(format!("{} depends on {}", module.join("/"), target.join("/")));
        }
    }
    found
}

#[test]
fn modules_depend_on_lower_layers_only() {
    for (folder, layers) in CRATES {
        let sources = crate_sources(folder);
        assert!(sources.len() > layers.len(), "only {} files were read in {folder}", sources.len());
        assert_eq!(upward(&files(&sources), layers), Vec::<String>::new(), "{folder}");
        for layer in layers {
            assert!(
                sources.iter().any(|(module, _)| module.first().is_some_and(|name| name == layer)),
                "{layer}"
            );
        }
    }
}

#[test]
fn no_file_is_in_a_large_circle() {
    for (folder, _) in CRATES {
        let circles = files(&crate_sources(folder)).circles();
        let large = circles.iter().filter(|circle| circle.len() > LARGEST_CIRCLE);
        let large: Vec<_> =
            large.map(|circle| format!("{} files: {}", circle.len(), circle.join(", "))).collect();
        assert!(large.is_empty(), "files of {folder} depend on each other in circles: {}", large.join("\n"));
    }
}

#[test]
fn no_crate_reads_a_clock() {
    for (folder, _) in CRATES {
        for (module, source) in crate_sources(folder) {
            let clock = paths(&source).into_iter().flatten().find(|name| CLOCKS.contains(&name.as_str()));
            assert_eq!(clock, None, "{folder}: {}", module.join("/"));
        }
    }
}

/// Folders whose files open with a `//!` line that says what is in them.
const FOLDERS: [&str; 8] =
    ["src", "crates", "worker/src", "worker/deploy/src", "web/src", "web/tests", "examples", "tests"];

#[test]
fn every_file_says_what_is_in_it() {
    for folder in FOLDERS {
        let mut count = 0;
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &[], &mut |module, source| {
            count += 1;
            assert!(source.starts_with("//! "), "{folder}: {}", module.join("/"));
        });
        assert!(count > 0, "{folder}");
    }
}

/// Asserts the upward dependencies of sources, given by module path.
#[track_caller]
fn assert_upward(sources: &[(&str, &str)], layers: &[&str], expected: &[&str]) {
    let sources: Vec<_> = sources
        .iter()
        .map(|(module, source)| {
            (
                module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
                (*source).to_owned(),
            )
        })
        .collect();
    assert_eq!(upward(&files(&sources), layers), expected, "{sources:?}");
}

#[test]
fn an_upward_dependency_is_found_however_it_is_written() {
    let view = ("policy", "mod view; pub use view::{Guarded, View};");
    let found = &["catalog/bits depends on policy/view"];
    for source in [
        "use crate::policy::View; struct B;",
        "use crate::{error::Error, policy::{Guarded, View}};",
        "fn f(view: &crate::policy::View) {}",
        "pub(crate) use crate :: policy\n:: View; fn f() -> View {}",
        "use super::super::policy; fn f(_: policy::View) {}",
        "use crate::policy as p; fn f(_: p::View) {}",
        // Through a re-export of the crate root.
        "use crate::View; fn f(_: View) {}",
    ] {
        let sources = [
            ("", "mod catalog; mod policy; pub use policy::View;"),
            ("catalog", "mod bits;"),
            ("catalog/bits", source),
            view,
            ("policy/view", "pub struct Guarded; pub struct View;"),
        ];
        assert_upward(&sources, &["catalog", "policy"], found);
    }
}

#[test]
fn downward_dependencies_and_text_are_allowed() {
    for source in [
        "use crate::catalog::Bits; fn f(_: Bits) {}",
        "// use crate::policy::View;\n/* crate::policy /* crate::policy */ */ /// [`crate::policy`]",
        r####"let s = "crate::policy"; let r = r##"" crate::policy::View "##; let c = '"'; let l: &'a str;"####,
        r#"let b = b'"'; let e = '\''; let s = "\" crate::policy::View"; let a = b"crate::policy::View";"#,
        "#[cfg(test)] mod tests { use crate::policy::View; }",
    ] {
        let sources = [
            ("", "mod catalog; mod filter; mod policy;"),
            ("catalog", "pub struct Bits;"),
            ("filter", source),
            ("policy", "pub struct View;"),
        ];
        assert_upward(&sources, &["catalog", "filter", "policy"], &[]);
    }
}

/// Asserts the dependency cycles of some sources, given by module path.
#[track_caller]
fn assert_circles(sources: &[(&str, &str)], expected: &[&[&str]]) {
    let files = Files::read(sources.iter().map(|(module, source)| {
        (module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect(), *source)
    }));
    assert_eq!(files.circles(), expected, "{sources:?}");
}

#[test]
fn a_circle_is_found_however_its_files_name_each_other() {
    let ab: &[&[&str]] = &[&["a", "b"]];
    assert_circles(&[("", ""), ("a", "use crate::b::B; struct A;"), ("b", "use crate::a::A; struct B;")], ab);
    assert_circles(
        &[("", ""), ("a", "struct A; fn f() -> super::b::B {}"), ("b", "struct B(crate::a::A);")],
        ab,
    );
    // Also through a re-exported name, and through a module imported under another name.
    assert_circles(
        &[
            ("", ""),
            ("a", "use crate::c::{B as Other}; struct A;"),
            ("b", "use crate::a as x; fn f() { x::A }; struct B;"),
            ("c", "pub use crate::b::*;"),
        ],
        ab,
    );
    let abc: &[&[&str]] = &[&["a", "b", "c"]];
    assert_circles(
        &[
            ("", ""),
            ("a", "use crate::b::B; struct A;"),
            ("b", "use crate::c::C; struct B;"),
            ("c", "use crate::a::A; struct C;"),
        ],
        abc,
    );
    assert_circles(
        &[("", ""), ("a", "mod b; use b::B; struct A;"), ("a/b", "use super::A; struct B;")],
        &[&["a", "a/b"]],
    );
}

#[test]
fn what_is_handed_on_or_only_tested_makes_no_circle() {
    assert_circles(
        &[("", ""), ("a", "mod b; pub use b::B; struct A;"), ("a/b", "use super::A; struct B;")],
        &[],
    );
    assert_circles(
        &[
            ("", ""),
            ("a", "use crate::b::B; struct A;"),
            ("b", "struct B; #[cfg(test)] mod tests { use crate::a::A; }"),
        ],
        &[],
    );
    assert_circles(
        &[
            ("", ""),
            ("a", "struct A; #[cfg(test)] mod b;"),
            ("a/b", "use super::A; struct B;"),
            ("c", "use crate::a::A; // crate::a::b::B"),
        ],
        &[],
    );
}
