//! The split plan: assigns functions and data objects to the first module or to parts.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use crate::{Outcome, link_map::Object, module::Module};

/// Minimum size, in bytes, of an object that moves to a part. Smaller objects are not worth their segment headers.
const LEAST_MOVED: u32 = 128;
/// Maximum distance, in bytes, before an array from which code may compute its elements: `TABLE[letter - b'a']` uses an
/// address before the array.
const BEFORE: u32 = 256;

/// A part, as written on the command line.
#[derive(Debug)]
pub struct Part {
    pub name: String,
    requires: Vec<String>,
    roots: Vec<String>,
}

impl FromStr for Part {
    type Err = Box<dyn std::error::Error>;

    fn from_str(text: &str) -> Outcome<Self> {
        let (names, roots) = text.split_once('=').ok_or("expected `NAME[+REQUIRED…]=ROOT,…`")?;
        let mut names = names.split('+').map(str::to_owned);
        let name = names.next().unwrap_or_default();
        Ok(Self { name, requires: names.collect(), roots: roots.split(',').map(str::to_owned).collect() })
    }
}

/// A bit set of modules: the first module, [`ENGINE`], and then the parts in order.
type Owners = u32;
/// The set that contains only the first module.
const ENGINE: Owners = 1;

/// Returns the set that contains only this part.
fn owner(part: usize) -> Owners {
    2 << part
}

/// The assignment of functions and data objects to modules.
#[derive(Debug)]
pub struct Plan {
    owners: BTreeMap<u32, Owners>,
    /// The objects that each part initializes.
    pub moved: Vec<BTreeSet<Object>>,
    /// The functions of parts that other modules call or export, with their slots, which follow the table's own.
    pub thunks: BTreeMap<u32, u32>,
}

impl Plan {
    pub fn new(module: &Module<'_>, objects: &[Object], parts: &[Part]) -> Outcome<Self> {
        let reader = Reader { module, objects };
        let roots = parts.iter().map(|part| reader.roots(part)).collect::<Outcome<Vec<_>>>()?;
        let of_parts: BTreeSet<u32> = roots.iter().flatten().copied().collect();
        let mut reached = Reached::default();
        let exported = module.exported().map(|(_, function)| function);
        reader.reach(
            exported.filter(|function| !of_parts.contains(function)).collect(),
            ENGINE,
            &of_parts,
            &mut reached,
        );
        for (at, own) in roots.iter().enumerate() {
            let others = of_parts.iter().filter(|root| !own.contains(root)).copied().collect();
            reader.reach(own.iter().copied().collect(), owner(at), &others, &mut reached);
        }
        let settle = |owners: Owners| settle(owners, parts);
        let owners: BTreeMap<u32, Owners> = module
            .indices()
            .map(|function| (function, settle(reached.functions.get(&function).copied().unwrap_or(ENGINE))))
            .collect();
        let mut moved = vec![BTreeSet::new(); parts.len()];
        for (at, owners) in &reached.objects {
            let Some(object) = objects.get(*at).copied() else { continue };
            let owners = settle(*owners);
            if owners & ENGINE != 0 || object.size < LEAST_MOVED || reader.is_near_engine(object, &reached) {
                continue;
            }
            for (_, moved) in moved.iter_mut().enumerate().filter(|(part, _)| owners & owner(*part) != 0) {
                moved.insert(object);
            }
        }
        let thunks = thunks(module, &owners, parts.len());
        Ok(Self { owners, moved, thunks })
    }

    fn is_of(&self, function: u32, owner: Owners) -> bool {
        self.owners.get(&function).is_none_or(|owners| owners & owner != 0)
    }

    /// Returns whether the first module contains a function. It contains all imported ones.
    pub fn in_engine(&self, function: u32) -> bool {
        self.is_of(function, ENGINE)
    }

    /// Returns whether a part contains a function.
    pub fn in_part(&self, function: u32, part: usize) -> bool {
        self.owners.contains_key(&function) && self.is_of(function, owner(part))
    }

    /// Returns the objects that the first module does not initialize.
    pub fn left_out(&self) -> BTreeSet<Object> {
        self.moved.iter().flatten().copied().collect()
    }

    /// Describes the contents of a part, for the log.
    pub fn summary(&self, module: &Module<'_>, part: usize) -> String {
        let functions: Vec<u32> = module.indices().filter(|function| self.in_part(*function, part)).collect();
        let code: usize = functions
            .iter()
            .filter_map(|function| module.function(*function))
            .map(|function| function.body.range().len())
            .sum();
        let data: u32 = self.moved.get(part).into_iter().flatten().map(|object| object.size).sum();
        let entries = self.thunks.keys().filter(|function| self.in_part(**function, part)).count();
        format!("{} functions of {code} bytes, {data} bytes of data, {entries} entries", functions.len())
    }
}

/// Decides who keeps something that several modules reach: the first module if it does, or else the parts of which no
/// required part reaches it too.
fn settle(owners: Owners, parts: &[Part]) -> Owners {
    if owners & ENGINE != 0 {
        return ENGINE;
    }
    let has = |name: &str| {
        parts.iter().position(|part| part.name == name).is_some_and(|at| owners & owner(at) != 0)
    };
    let kept = parts.iter().enumerate().filter(|(_, part)| !part.requires.iter().any(|name| has(name)));
    kept.map(|(at, _)| owner(at)).sum::<Owners>() & owners
}

/// Assigns a slot to each function of a part that is exported or called by a module that does not contain it.
fn thunks(module: &Module<'_>, owners: &BTreeMap<u32, Owners>, parts: usize) -> BTreeMap<u32, u32> {
    let modules = || std::iter::once(ENGINE).chain((0..parts).map(owner));
    let of = |function: &u32| owners.get(function).copied().unwrap_or(ENGINE);
    let is_elsewhere = |caller: Owners, callee: &u32| {
        let has = of(callee);
        has & ENGINE == 0 && modules().any(|one| caller & one != 0 && has & one == 0)
    };
    let mut called: BTreeSet<u32> = module
        .exported()
        .map(|(_, function)| function)
        .filter(|function| of(function) & ENGINE == 0)
        .collect();
    for (caller, owners) in owners {
        let callees = module.function(*caller).into_iter().flat_map(|function| &function.callees);
        called.extend(callees.filter(|callee| is_elsewhere(*owners, callee)));
    }
    let first = module.slots.keys().next_back().map_or(1, |last| last + 1);
    called.into_iter().zip(first..).collect()
}

/// The modules that reach each function, and each object by its index.
#[derive(Debug, Default)]
struct Reached {
    functions: BTreeMap<u32, Owners>,
    objects: BTreeMap<usize, Owners>,
}

/// Finds out which functions and objects a module reaches.
struct Reader<'a> {
    module: &'a Module<'a>,
    objects: &'a [Object],
}

impl Reader<'_> {
    /// Returns the functions with which a part begins.
    fn roots(&self, part: &Part) -> Outcome<BTreeSet<u32>> {
        let mut roots = BTreeSet::new();
        for root in &part.roots {
            let found = roots.len();
            match root.strip_prefix('@') {
                Some(name) => {
                    let is_meant = |export: &str| match name.strip_suffix('*') {
                        Some(start) => export.starts_with(start),
                        None => export == name,
                    };
                    roots.extend(
                        self.module
                            .exported()
                            .filter(|(export, _)| is_meant(export))
                            .map(|(_, function)| function),
                    );
                }
                None => {
                    let is_meant = |function: &u32| {
                        self.module
                            .function(*function)
                            .is_some_and(|function| function.path.ends_with(root.as_str()))
                    };
                    roots.extend(self.module.indices().filter(is_meant));
                }
            }
            if roots.len() == found {
                return Err(format!(
                    "part `{}` begins with `{root}`, which the module does not have",
                    part.name
                )
                .into());
            }
        }
        Ok(roots)
    }

    /// Marks everything that `todo` reaches as reached by `owner`; stops at the functions in `others`.
    fn reach(&self, mut todo: Vec<u32>, owner: Owners, others: &BTreeSet<u32>, reached: &mut Reached) {
        while let Some(index) = todo.pop() {
            let Some(function) = self.module.function(index) else { continue };
            let owners = reached.functions.entry(index).or_default();
            if *owners & owner != 0 || others.contains(&index) {
                continue;
            }
            *owners |= owner;
            todo.extend(&function.callees);
            todo.extend(function.constants.iter().filter_map(|constant| self.module.slots.get(constant)));
            let mut objects: Vec<usize> = function
                .constants
                .iter()
                .chain(&function.offsets)
                .filter_map(|address| self.object(*address))
                .collect();
            while let Some(at) = objects.pop() {
                let owners = reached.objects.entry(at).or_default();
                if *owners & owner != 0 {
                    continue;
                }
                *owners |= owner;
                for word in self.words(at) {
                    todo.extend(self.module.slots.get(&word));
                    objects.extend(self.object(word));
                }
            }
        }
    }

    /// Returns the index of the object at an address.
    fn object(&self, address: u32) -> Option<usize> {
        let at = self.objects.partition_point(|object| object.start <= address).checked_sub(1)?;
        self.objects.get(at).filter(|object| address < object.end()).map(|_| at)
    }

    /// Returns the aligned words of an object, which may be slots or addresses.
    fn words(&self, at: usize) -> impl Iterator<Item = u32> {
        let object = self.objects.get(at).copied().unwrap_or(Object { start: 0, size: 0 });
        (object.start.next_multiple_of(4)..object.end().saturating_sub(3))
            .step_by(4)
            .map(|address| u32::from_le_bytes([0, 1, 2, 3].map(|byte| self.module.byte(address + byte))))
    }

    /// Returns whether code of the first module uses an address in an object or up to [`BEFORE`] bytes before it, and
    /// that address is not the start of another object.
    fn is_near_engine(&self, object: Object, reached: &Reached) -> bool {
        let near = object.start.saturating_sub(BEFORE)..object.end();
        let is_start = |address: u32| {
            let start = self.object(address).and_then(|at| self.objects.get(at)).map(|object| object.start);
            start == Some(address) && address != object.start
        };
        let in_engine = |index: &u32| reached.functions.get(index).is_none_or(|owners| owners & ENGINE != 0);
        self.module.indices().filter(in_engine).filter_map(|index| self.module.function(index)).any(
            |function| {
                let mut addresses = function.constants.iter().chain(&function.offsets);
                addresses.any(|address| near.contains(address) && !is_start(*address))
            },
        )
    }
}
