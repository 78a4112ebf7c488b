use std::collections::HashSet;

use crate::{
    digest::Hashing,
    json::{self, Members, Raw},
};

/// Returns the path of the first repeated member of an object, at any depth.
///
/// JSON parsers silently keep the last value. In a configuration, the first may be the one that hides something.
pub(crate) fn repeated(value: Raw<'_>) -> Option<String> {
    if let Some(members) = Members::read(value) {
        let mut known = HashSet::<_, Hashing>::default();
        return members.0.into_iter().find_map(|(key, inner)| {
            let path = repeated(inner).map(|path| joined(&key, &path));
            path.or_else(|| known.replace(key).map(|key| key.into_owned()))
        });
    }
    let mut elements = json::elements(value)?.into_iter().enumerate();
    elements.find_map(|(at, inner)| Some(joined(&format!("[{at}]"), &repeated(inner)?)))
}

fn joined(outer: &str, inner: &str) -> String {
    let joint = if inner.starts_with('[') { "" } else { "." };
    [outer, joint, inner].concat()
}
