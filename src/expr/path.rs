//! Resolves dotted paths in nested objects whose keys may contain dots.

use crate::expr::Field;

impl Field {
    /// Returns the value at `path` in an object. A key may itself contain dots, so the longest existing key is taken,
    /// and the rest of the path is resolved inside its value.
    ///
    /// `find` returns a member of an object, and `open` converts a member to an object.
    pub fn at_path<O, V>(
        root: O,
        path: &str,
        find: impl Fn(&O, &str) -> Option<V>,
        open: impl Fn(V) -> Option<O>,
    ) -> Option<V> {
        let (mut object, mut path) = (root, path);
        loop {
            let mut key = path;
            let value = loop {
                match find(&object, key) {
                    Some(value) => break value,
                    None => key = key.get(..key.bytes().rposition(|byte| byte == b'.')?)?,
                }
            };
            match path.strip_prefix(key).and_then(|rest| rest.strip_prefix('.')) {
                Some(rest) => (object, path) = (open(value)?, rest),
                None => return Some(value),
            }
        }
    }
}
