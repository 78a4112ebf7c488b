//! Shortens long tool names to their beginning and a hash.

use crate::{catalog::model::kind::Kind, digest::Digest};

/// Length of the suffix of a shortened name: `_` and eight hexadecimal digits.
const MARK: usize = 9;

/// Returns a tool's name shortened to `most` characters, or `None` if it is not longer. The result has the beginning of
/// the name and a hash of the whole. A name is shortened in the same way in every catalog.
pub(in crate::catalog) fn short_name(kind: Kind, name: &str, most: Option<usize>) -> Option<String> {
    let most = most.filter(|most| kind == Kind::Tool && name.chars().count() > *most)?;
    let (end, _) = name.char_indices().nth(most.saturating_sub(MARK))?;
    let hash = Digest::hex(Digest::of(name.as_bytes()));
    let kept = name.get(..end)?.trim_end_matches('_');
    Some([kept, "_", hash.get(..MARK - 1)?].concat())
}

/// Returns whether a name has the form of a shortened tool name.
pub(in crate::catalog) fn is_shortened(kind: Kind, name: &str) -> bool {
    let mark = name.rsplit_once('_').filter(|_| kind == Kind::Tool).map_or("", |(_, mark)| mark);
    mark.len() == MARK - 1 && mark.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
