//! The validated arguments of a function call.

use std::borrow::Cow;

use mcp_sieve::json::{self, Members, Number, Raw};

/// The arguments of a call, validated against the schema, with its defaults filled in.
#[derive(Debug, Clone, Default)]
pub struct Arguments<'a>(pub(crate) Members<'a>);

impl<'a> Arguments<'a> {
    /// Returns all arguments as a JSON object.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut object = json::Object::open(&mut out);
        object.keep(&self.0, &[]);
        object.close();
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns the value of an argument.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0.get(key)
    }

    /// Returns an argument that is a string.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(json::Raw::text)
    }

    /// Returns whether an argument is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|raw| raw.get() == "true")
    }

    /// Returns an argument that is a whole number.
    pub fn whole(&self, key: &str) -> Option<i64> {
        self.get(key)?.get().parse::<Number>().ok()?.whole()
    }

    /// Returns the strings of an argument that is an array.
    pub fn texts(&self, key: &str) -> Option<Vec<Cow<'a, str>>> {
        Some(self.get(key)?.elements()?.into_iter().filter_map(json::Raw::text).collect())
    }

    /// Returns the elements of an argument that is an array.
    pub fn elements(&self, key: &str) -> Option<Vec<Raw<'a>>> {
        self.get(key)?.elements()
    }

    /// Returns the members of an argument that is an object.
    pub fn members(&self, key: &str) -> Option<Members<'a>> {
        self.get(key).and_then(Members::read)
    }
}
