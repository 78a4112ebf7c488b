//! Removes bound parameters from the schema of a tool's arguments.

use std::cell::{Cell, RefCell};

use crate::json::{Members, Object, Raw};

/// Maximum number of schemas that are visited for one parameter. References may form cycles and multiply.
const MAX_STEPS: usize = 4096;
/// Maximum size of all definitions that are copied for one parameter, in bytes.
const MAX_COPIED: usize = 256 * 1024;
/// Maximum nesting depth of visited schemas.
const MAX_NESTING: usize = 64;
/// Keywords whose value is an array of schemas for the same value.
const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords whose value is a schema for the same value.
const CONDITIONS: [&str; 4] = ["if", "then", "else", "not"];
/// Members of a schema that do not restrict values, beside which a copied definition can be written in place.
const REMARKS: [&str; 7] = ["$schema", "$defs", "definitions", "title", "description", "$comment", "type"];

/// The schema refers to itself without end, or to more than is copied.
struct TooLarge;

/// The schema of a tool's arguments, in which references are resolved.
struct Root<'a> {
    schema: Raw<'a>,
    steps: Cell<usize>,
    copied_bytes: Cell<usize>,
    /// The references whose targets were copied.
    copied: RefCell<Vec<String>>,
}

/// The result for one member of a schema.
enum Edit {
    Keep,
    Drop,
    Replace(String),
}

impl Edit {
    fn of(text: Option<String>) -> Self {
        text.map_or(Self::Keep, Self::Replace)
    }
}

/// Returns the keys of a parameter, and the schema without it.
///
/// # Errors
/// A description of the problem: the schema lacks the parameter, or it cannot be removed.
pub(crate) fn remove(schema: &str, parameter: &str) -> Result<(Vec<String>, String), String> {
    let too_large =
        |_: TooLarge| format!("its schema refers too often to definitions to remove `{parameter}`");
    let root = Root::new(Raw::known(schema));
    let path = root.resolve(&[root.schema], parameter).map_err(too_large)?;
    let path = path.ok_or_else(|| format!("its schema lacks `{parameter}`, which a rule binds"))?;
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let text = root.without(root.schema, &keys, 0).map_err(too_large)?;
    let text = text.map(|text| root.drop_unused(&text).unwrap_or(text)).unwrap_or_default();
    let left = Root::new(Raw::known(&text));
    // A path of several keys could be read in another way, so the keys are followed as they are.
    let mut at = vec![left.schema];
    for key in keys {
        at = left.named(&at, key).map_err(too_large)?;
    }
    match at.is_empty() && !text.is_empty() {
        true => Ok((path, text)),
        false => Err(format!("`{parameter}` cannot be removed from its schema")),
    }
}

impl<'a> Root<'a> {
    fn new(schema: Raw<'a>) -> Self {
        Self { schema, steps: Cell::default(), copied_bytes: Cell::default(), copied: RefCell::default() }
    }

    fn step(&self, depth: usize) -> Result<(), TooLarge> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > MAX_STEPS || depth > MAX_NESTING { Err(TooLarge) } else { Ok(()) }
    }

    /// Returns the keys of a parameter. The longest key that a schema has comes first.
    fn resolve(&self, at: &[Raw<'a>], path: &str) -> Result<Option<Vec<String>>, TooLarge> {
        let mut key = path;
        loop {
            let found = self.named(at, key)?;
            let rest = path.get(key.len()..).unwrap_or_default();
            match rest.strip_prefix('.') {
                _ if found.is_empty() => {}
                None => return Ok(Some(vec![key.to_owned()])),
                Some(rest) => {
                    if let Some(mut below) = self.resolve(&found, rest)? {
                        below.insert(0, key.to_owned());
                        return Ok(Some(below));
                    }
                }
            }
            let Some(shorter) = key.rfind('.').and_then(|dot| key.get(..dot)) else { return Ok(None) };
            key = shorter;
        }
    }

    /// Returns the schemas of the property `key` in any of `schemas`.
    fn named(&self, schemas: &[Raw<'a>], key: &str) -> Result<Vec<Raw<'a>>, TooLarge> {
        let mut found = Vec::new();
        schemas.iter().try_for_each(|schema| self.find(*schema, key, 0, &mut found))?;
        Ok(found)
    }

    fn find(
        &self,
        schema: Raw<'a>,
        key: &str,
        depth: usize,
        found: &mut Vec<Raw<'a>>,
    ) -> Result<(), TooLarge> {
        self.step(depth)?;
        for (keyword, value) in Members::read(schema).unwrap_or_default().0 {
            match keyword.as_ref() {
                "properties" => found.extend(Members::read(value).and_then(|members| members.get(key))),
                "$ref" => {
                    if let Some(target) = self.target(value) {
                        self.find(target, key, depth + 1, found)?;
                    }
                }
                "dependentSchemas" => {
                    for (_, schema) in Members::read(value).unwrap_or_default().0 {
                        self.find(schema, key, depth + 1, found)?;
                    }
                }
                branches if BRANCHES.contains(&branches) => {
                    for branch in value.elements().unwrap_or_default() {
                        self.find(branch, key, depth + 1, found)?;
                    }
                }
                condition if CONDITIONS.contains(&condition) => self.find(value, key, depth + 1, found)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the schema that a reference within the document names.
    fn target(&self, reference: Raw<'_>) -> Option<Raw<'a>> {
        let reference = reference.text()?;
        let pointer = reference.strip_prefix('#')?;
        let mut at = self.schema;
        for token in pointer.split('/').skip(1) {
            let key = token.replace("~1", "/").replace("~0", "~");
            at = match at.elements() {
                Some(elements) => elements.get(key.parse::<usize>().ok()?).copied()?,
                None => Members::read(at)?.get(&key)?,
            };
        }
        (pointer.is_empty() || pointer.starts_with('/')).then_some(at)
    }

    /// Returns a schema without the property at `path`, or `None` if it does not name it.
    fn without(&self, schema: Raw<'a>, path: &[&str], depth: usize) -> Result<Option<String>, TooLarge> {
        self.step(depth)?;
        let Some(members) = Members::read(schema) else { return Ok(None) };
        let (mut out, mut changed, mut copied) = (Vec::new(), false, None);
        let mut object = Object::open(&mut out);
        for (key, value) in &members.0 {
            let edit = match key.as_ref() {
                "$ref" => {
                    copied = self.copy(*value, path, depth)?;
                    if copied.is_some() { Edit::Drop } else { Edit::Keep }
                }
                key => self.member(key, *value, path, depth)?,
            };
            changed |= !matches!(edit, Edit::Keep);
            match edit {
                Edit::Keep => object.raw(key, value.get().as_bytes()),
                Edit::Replace(text) => object.raw(key, text.as_bytes()),
                Edit::Drop => {}
            }
        }
        object.close();
        if !changed {
            return Ok(None);
        }
        let text = String::from_utf8(out).unwrap_or_default();
        Ok(Some(match copied {
            Some(copied) => merged(&text, &copied),
            None => text,
        }))
    }

    /// Returns the target of a reference without the property, or `None` if it does not name it.
    fn copy(&self, reference: Raw<'_>, path: &[&str], depth: usize) -> Result<Option<String>, TooLarge> {
        let Some(target) = self.target(reference) else { return Ok(None) };
        let copied = self.without(target, path, depth + 1)?;
        if let Some(text) = &copied {
            let bytes = self.copied_bytes.get() + text.len();
            self.copied_bytes.set(bytes);
            if bytes > MAX_COPIED {
                return Err(TooLarge);
            }
            self.copied.borrow_mut().push(reference.get().to_owned());
        }
        Ok(copied)
    }

    fn member(&self, key: &str, value: Raw<'a>, path: &[&str], depth: usize) -> Result<Edit, TooLarge> {
        let only = match path {
            [only] => Some(*only),
            _ => None,
        };
        Ok(match key {
            "properties" => Edit::of(self.properties(value, path, depth)?),
            "required" => only.map_or(Edit::Keep, |name| without_name(value, name)),
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                Edit::of(self.dependent(value, path, depth)?)
            }
            "default" | "const" => Edit::of(data_without(value, path)),
            "examples" | "enum" => Edit::of(elements(value, |value| Ok(data_without(value, path)))?),
            key if BRANCHES.contains(&key) => {
                Edit::of(elements(value, |branch| self.without(branch, path, depth + 1))?)
            }
            key if CONDITIONS.contains(&key) => Edit::of(self.without(value, path, depth + 1)?),
            _ => Edit::Keep,
        })
    }

    fn properties(
        &self,
        properties: Raw<'a>,
        path: &[&str],
        depth: usize,
    ) -> Result<Option<String>, TooLarge> {
        members(properties, |key, schema| match path {
            [only] if *only == key => Ok(Edit::Drop),
            [first, rest @ ..] if *first == key && !rest.is_empty() => {
                Ok(Edit::of(self.without(schema, rest, depth + 1)?))
            }
            _ => Ok(Edit::Keep),
        })
    }

    /// Edits what a schema requires if it has certain properties: names, or a schema.
    fn dependent(&self, value: Raw<'a>, path: &[&str], depth: usize) -> Result<Option<String>, TooLarge> {
        members(value, |key, needed| match (path, needed.has_type("array")) {
            ([only], _) if *only == key => Ok(Edit::Drop),
            ([only], Some(true)) => Ok(without_name(needed, only)),
            (_, Some(true)) => Ok(Edit::Keep),
            _ => Ok(Edit::of(self.without(needed, path, depth + 1)?)),
        })
    }

    /// Returns the schema without the definitions that were copied and that nothing refers to any longer.
    fn drop_unused(&self, text: &str) -> Option<String> {
        let unused = |place: &str, name: &str| {
            let name = name.replace('~', "~0").replace('/', "~1");
            let reference = ["\"#/", place, "/", &name, "\""].concat();
            let begins = ["#/", place, "/", &name, "/"].concat();
            self.copied.borrow().contains(&reference) && !text.contains(&reference) && !text.contains(&begins)
        };
        let edited = members(Raw::known(text), |key, value| match key {
            "$defs" | "definitions" => {
                let edit =
                    |name: &str, _: Raw<'_>| Ok(if unused(key, name) { Edit::Drop } else { Edit::Keep });
                Ok(match members(value, edit)? {
                    Some(left) if left == "{}" => Edit::Drop,
                    left => Edit::of(left),
                })
            }
            _ => Ok(Edit::Keep),
        });
        edited.unwrap_or_default()
    }
}

/// Returns a schema with the members of a copied definition, or with the definition in `allOf` if both restrict values.
fn merged(schema: &str, copied: &str) -> String {
    let (own, more) =
        (Members::parse(schema).unwrap_or_default(), Members::parse(copied).unwrap_or_default());
    let in_place = own.0.iter().all(|(key, _)| REMARKS.contains(&key.as_ref()));
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    if in_place {
        object.keep(&own, &[]);
        let known: Vec<&str> = own.0.iter().map(|(key, _)| key.as_ref()).collect();
        object.keep(&more, &known);
    } else {
        object.keep(&own, &["allOf"]);
        let all = own.get("allOf").and_then(Raw::elements).unwrap_or_default();
        let all = all.into_iter().chain([Raw::known(copied)]);
        Object::push_array(object.value("allOf"), all, |out, schema| {
            out.extend_from_slice(schema.get().as_bytes());
        });
    }
    object.close();
    String::from_utf8(out).unwrap_or_default()
}

/// Returns an object with its members edited, or `None` if all are kept.
fn members<'a>(
    raw: Raw<'a>,
    mut edit: impl FnMut(&str, Raw<'a>) -> Result<Edit, TooLarge>,
) -> Result<Option<String>, TooLarge> {
    let (mut out, mut changed) = (Vec::new(), false);
    let mut object = Object::open(&mut out);
    for (key, value) in Members::read(raw).unwrap_or_default().0 {
        let edit = edit(&key, value)?;
        changed |= !matches!(edit, Edit::Keep);
        match edit {
            Edit::Keep => object.raw(&key, value.get().as_bytes()),
            Edit::Replace(text) => object.raw(&key, text.as_bytes()),
            Edit::Drop => {}
        }
    }
    object.close();
    Ok(changed.then(|| String::from_utf8(out).unwrap_or_default()))
}

/// Returns an array with its elements edited, or `None` if all are kept.
fn elements<'a>(
    raw: Raw<'a>,
    mut edit: impl FnMut(Raw<'a>) -> Result<Option<String>, TooLarge>,
) -> Result<Option<String>, TooLarge> {
    let (mut out, mut changed) = (Vec::new(), false);
    let mut failure = None;
    Object::push_array(&mut out, raw.elements().unwrap_or_default(), |out, element| {
        let edited = edit(element).unwrap_or_else(|error| {
            failure = Some(error);
            None
        });
        changed |= edited.is_some();
        out.extend_from_slice(edited.as_deref().unwrap_or(element.get()).as_bytes());
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(changed.then(|| String::from_utf8(out).unwrap_or_default())),
    }
}

/// Removes a name from an array. An array without other names is dropped, because older drafts require one.
fn without_name(names: Raw<'_>, name: &str) -> Edit {
    let Some(all) = names.elements() else { return Edit::Keep };
    let kept: Vec<&Raw<'_>> = all.iter().filter(|raw| raw.text().as_deref() != Some(name)).collect();
    if kept.len() == all.len() {
        return Edit::Keep;
    }
    if kept.is_empty() {
        return Edit::Drop;
    }
    let mut out = Vec::new();
    Object::push_array(&mut out, kept, |out, raw| out.extend_from_slice(raw.get().as_bytes()));
    Edit::of(String::from_utf8(out).ok())
}

/// Returns an example value without the member at `path`, or `None` if it lacks that.
fn data_without(value: Raw<'_>, path: &[&str]) -> Option<String> {
    let (first, rest) = path.split_first()?;
    let edited = members(value, |key, value| {
        Ok(match key == *first {
            true if rest.is_empty() => Edit::Drop,
            true => Edit::of(data_without(value, rest)),
            false => Edit::Keep,
        })
    });
    edited.ok().flatten()
}
