//! The parts of a schema that forbid a step of shortening.

use crate::json::{Members, Raw};

/// Keywords under which a schema that accepts more makes the whole accept less.
const NARROWING: [&str; 5] = ["not", "if", "oneOf", "contains", "$dynamicRef"];
/// Members that steps remove. A reference into one would break.
const REMOVED: [&str; 6] = ["examples", "example", "default", "$comment", "enum", "description"];

/// The parts of a schema that forbid steps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hazards {
    /// A keyword under which a schema that accepts more makes the whole accept less: no list of values is cut.
    pub narrows: bool,
    /// A reference into a part that steps remove: the schema is kept whole.
    pub refers: bool,
}

impl Hazards {
    /// Finds the hazards in a schema. A property that is called like a keyword counts as the keyword.
    pub fn find(schema: Raw<'_>) -> Self {
        let mut found = Self::default();
        found.read(schema);
        found
    }

    fn read(&mut self, value: Raw<'_>) {
        match value.get().as_bytes().first() {
            Some(b'{') => {
                for (key, value) in Members::read(value).unwrap_or_default().0 {
                    self.narrows |= NARROWING.contains(&key.as_ref());
                    self.refers |= key == "$ref" && value.text().is_none_or(|place| is_removed(&place));
                    self.read(value);
                }
            }
            Some(b'[') => value.elements().unwrap_or_default().into_iter().for_each(|value| self.read(value)),
            _ => {}
        }
    }
}

/// Returns whether a reference leads into a member that steps remove, in any spelling.
fn is_removed(place: &str) -> bool {
    place.contains('%') || place.split(['/', '#']).any(|part| REMOVED.contains(&part))
}
