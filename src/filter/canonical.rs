//! The canonical JSON of a filter, and its hash.

use std::{fmt, sync::OnceLock};

use super::{
    Filter,
    field::{Member, Shape},
};
use crate::filter::field::FilterField;
use crate::{concern::insert, digest::Digest, json::Object};

impl Filter {
    /// Returns a hash that is equal for equivalent filters, regardless of order and repetition. For `where` and
    /// `query`, the text must be equal. For `where`, the text form and the JSON form are equivalent.
    pub fn hash(&self) -> u128 {
        Digest::of(&self.canonical())
    }

    /// Returns the canonical JSON: sorted, without repetition, and without absent members.
    pub fn canonical(&self) -> Vec<u8> {
        static SORTED: OnceLock<Vec<&Member>> = OnceLock::new();
        let sorted = SORTED.get_or_init(|| {
            let mut sorted = Vec::with_capacity(FilterField::ALL.len());
            FilterField::ALL
                .iter()
                .enumerate()
                .for_each(|(at, field)| insert(&mut sorted, (field.name(), at)));
            sorted.into_iter().filter_map(|(_, at)| Some(&FilterField::ALL.get(at)?.member)).collect()
        });
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        sorted.iter().for_each(|member| member.write(self, &mut object));
        object.close();
        out
    }
}

impl Member {
    /// Writes the member, if `filter` sets it.
    fn write(&self, filter: &Filter, object: &mut Object<'_>) {
        if !self.shape.is_set(filter) {
            return;
        }
        let name = self.name;
        match &self.shape {
            Shape::Groups(list) | Shape::Tags(list) | Shape::Patterns { patterns: list, .. } => {
                names(object, name, list.get(filter));
            }
            Shape::Projection(fields) => names(object, name, &fields.get(filter).names()),
            Shape::Concerns(concerns) => concerns.get(filter).write(object.value(name)),
            Shape::Condition(condition) => {
                let text = condition.get(filter).as_ref().map(ToString::to_string);
                object.text(name, &text.unwrap_or_default());
            }
            Shape::Words(text) | Shape::Text(text) => {
                object.text(name, text.get(filter).as_deref().unwrap_or_default());
            }
            Shape::Count(count) => {
                object.raw(name, count.get(filter).unwrap_or_default().to_string().as_bytes());
            }
            Shape::Flag(_) => object.raw(name, b"true"),
            Shape::Object { members, .. } => {
                let mut inner = Object::open(object.value(name));
                members.iter().for_each(|member| member.write(filter, &mut inner));
                inner.close();
            }
        }
    }
}

fn names(object: &mut Object<'_>, key: &str, names: &[String]) {
    let mut sorted = Vec::with_capacity(names.len());
    names.iter().for_each(|name| insert(&mut sorted, name.as_str()));
    object.texts(key, &sorted);
}

impl fmt::Display for Filter {
    /// Writes the canonical JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.canonical()))
    }
}
