use std::fmt;

use super::{Filter, Not};
use crate::{concern::insert, digest::digest, json::Object};

impl Filter {
    /// Equal for filters that ask the same, whatever their order and repetition; of `where`, as it is
    /// written, in either form, and of `query`, as it is written.
    pub fn hash(&self) -> u128 {
        digest(&self.canonical())
    }

    /// The canonical JSON: sorted, without repetition, without what is absent.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut filter = Object::open(&mut out);
        if self.apply_defaults {
            filter.raw("applyDefaults", b"true");
        }
        if !self.concerns.is_empty() {
            self.concerns.write(filter.value("concerns"));
        }
        if let Some(handle) = &self.concerns_ref {
            filter.text("concernsRef", handle);
        }
        names(&mut filter, "fields", &self.fields.names());
        names(&mut filter, "groups", &self.groups);
        if !self.limit.is_none() {
            self.limit.write(filter.value("limit"));
        }
        names(&mut filter, "namePatterns", &self.name_patterns);
        if self.not != Not::default() {
            let mut not = Object::open(filter.value("not"));
            names(&mut not, "groups", &self.not.groups);
            names(&mut not, "tags", &self.not.tags);
            not.close();
        }
        if let Some(query) = &self.query {
            filter.text("query", query);
        }
        names(&mut filter, "tags", &self.tags);
        names(&mut filter, "uriPatterns", &self.uri_patterns);
        if let Some(expr) = &self.r#where {
            filter.text("where", &expr.to_string());
        }
        filter.close();
        out
    }
}

fn names(object: &mut Object<'_>, key: &str, names: &[String]) {
    if !names.is_empty() {
        object.texts(key, &sorted(names));
    }
}

fn sorted(values: &[String]) -> Vec<&str> {
    let mut sorted = Vec::with_capacity(values.len());
    values.iter().for_each(|value| insert(&mut sorted, value.as_str()));
    sorted
}

impl fmt::Display for Filter {
    /// The canonical JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.canonical()))
    }
}
