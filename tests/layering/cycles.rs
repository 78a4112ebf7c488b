//! Finds files that depend on each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{Names, names};

/// The files of a crate by their module paths, `filter::field` for both `filter/field.rs` and `filter/field/mod.rs`.
pub struct Files(BTreeMap<Vec<String>, Names>);

/// Maximum number of `use` items that are followed to resolve a name.
const MAX_STEPS: usize = 16;

impl Files {
    /// Parses the sources. Files that only tests compile are skipped.
    pub fn read<'a>(sources: impl IntoIterator<Item = (Vec<String>, &'a str)>) -> Self {
        let mut files: BTreeMap<_, _> =
            sources.into_iter().map(|(module, source)| (module, names(source))).collect();
        let tests: Vec<Vec<String>> = files
            .iter()
            .flat_map(|(module, names)| names.test_modules.iter().map(|child| below(module, child)))
            .collect();
        files.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        Self(files)
    }

    /// Returns, for each file, the files that declare the names it uses.
    pub fn edges(&self) -> BTreeMap<&[String], BTreeSet<&[String]>> {
        self.0.iter().map(|(module, names)| (module.as_slice(), self.named(module, names))).collect()
    }

    /// Returns the files that declare the names of one file.
    fn named(&self, module: &[String], names: &Names) -> BTreeSet<&[String]> {
        // A re-exported name counts for the files that use it. An imported module counts only for the names that the
        // file takes from it.
        let imported = names.imports.iter().filter(|import| !import.is_public).map(|import| &import.path);
        let imported =
            imported.filter_map(|path| self.resolve(module, path, 0)).filter(|(_, rest)| *rest > 0);
        let imports = |name: &String| names.imports.iter().any(|import| import.name == *name);
        // A single lower-case word is most often a variable.
        let is_type = |name: &String| name.starts_with(char::is_uppercase) && imports(name);
        let mentioned = names.paths.iter().filter(|path| path.len() > 1 || is_type(&path[0]));
        let mentioned =
            mentioned.filter_map(|path| self.resolve(module, path, 0)).filter(|(_, rest)| *rest > 0);
        let found = imported.chain(mentioned).map(|(file, _)| file);
        found.filter(|file| *file != module).collect()
    }

    /// Returns the file that declares the name `path` in `module`, and the number of segments that belong to that file.
    /// Returns `None` for local names and for other crates.
    fn resolve(&self, module: &[String], path: &[String], steps: usize) -> Option<(&[String], usize)> {
        if steps > MAX_STEPS {
            return None;
        }
        let first = path.first()?;
        let ups = path.iter().take_while(|segment| *segment == "super").count();
        let own = self.0.get(module)?;
        match first.as_str() {
            "crate" => self.descend(&[], &path[1..], steps),
            "super" => self.descend(module.get(..module.len().checked_sub(ups)?)?, &path[ups..], steps),
            "self" => self.descend(module, &path[1..], steps),
            _ if self.0.contains_key(&below(module, first))
                || own.imports.iter().any(|import| import.name == *first && import.path != path) =>
            {
                self.descend(module, path, steps)
            }
            _ => None,
        }
    }

    /// Resolves `path` downwards from a module.
    fn descend(&self, module: &[String], path: &[String], steps: usize) -> Option<(&[String], usize)> {
        let (key, own) = self.0.get_key_value(module)?;
        let Some(first) = path.first() else { return Some((key, 0)) };
        let child = below(module, first);
        if self.0.contains_key(&child) {
            return self.descend(&child, &path[1..], steps + 1);
        }
        if own.declared.contains(first) {
            return Some((key, path.len()));
        }
        let import = own.imports.iter().find(|import| import.name == *first && import.path != path);
        if let Some(import) = import {
            let onward: Vec<String> = import.path.iter().chain(&path[1..]).cloned().collect();
            return self.resolve(module, &onward, steps + 1);
        }
        for glob in own.imports.iter().filter(|import| import.name == "*") {
            let from = &glob.path[..glob.path.len() - 1];
            let Some((target, 0)) = self.resolve(module, from, steps + 1) else { continue };
            let has = |names: &Names| {
                names.declared.contains(first) || names.imports.iter().any(|import| import.name == *first)
            };
            if self.0.get(target).is_some_and(has) {
                return self.descend(target, path, steps + 1);
            }
        }
        Some((key, path.len()))
    }

    /// Returns every set of files that depend on each other, directly or through the rest; the largest first.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let edges = self.edges();
        let reached: BTreeMap<_, _> = edges.keys().map(|module| (*module, reached(&edges, module))).collect();
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for (module, targets) in &reached {
            let circle: Vec<_> =
                targets.iter().filter(|target| reached[*target].contains(module)).copied().collect();
            if circle.len() > 1 && circle.iter().all(|member| seen.insert(*member)) {
                circles.push(circle.iter().map(|member| member.join("/")).collect::<Vec<_>>());
            }
        }
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }
}

/// Returns the path of a child module.
fn below(module: &[String], child: &str) -> Vec<String> {
    module.iter().cloned().chain([child.to_owned()]).collect()
}

/// Returns every file that `from` depends on, directly or through others.
fn reached<'a>(
    edges: &BTreeMap<&'a [String], BTreeSet<&'a [String]>>,
    from: &'a [String],
) -> BTreeSet<&'a [String]> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        open.extend(edges[next].iter().filter(|target| found.insert(**target)));
    }
    found
}
