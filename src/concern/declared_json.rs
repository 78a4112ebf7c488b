//! The JSON of a declared concern, as capabilities and `listConcerns` have it.

use super::{
    Concern,
    values::{Order, Range, Scalar, Values},
};
use crate::json::Object;

impl Concern {
    /// Writes the declaration as a JSON object: `name`, `description`, `values`, `ordered` and `default`.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.open(out).close();
    }

    /// Writes the declaration like [`Concern::write`], and returns the open object for further members.
    pub fn open<'a>(&self, out: &'a mut Vec<u8>) -> Object<'a> {
        let mut object = Object::open(out);
        object.text("name", &self.name);
        object.optional_text("description", self.description.as_deref());
        match &self.values {
            Values::Listed(values) => object.texts("values", values),
            Values::Range(Range { min, max, step }) => {
                let mut range = Object::open(object.value("values"));
                for (key, number) in [("min", Some(min)), ("max", Some(max)), ("step", step.as_ref())] {
                    if let Some(number) = number {
                        range.raw(key, number.to_string().as_bytes());
                    }
                }
                range.close();
            }
        }
        match &self.ordered {
            Order::AsListed(false) => {}
            Order::AsListed(true) => object.raw("ordered", b"true"),
            Order::Words(words) => object.texts("ordered", words),
        }
        match &self.default {
            Some(Scalar::Text(text)) => object.text("default", text),
            Some(Scalar::Number(number)) => object.raw("default", number.to_string().as_bytes()),
            None => {}
        }
        object
    }
}
