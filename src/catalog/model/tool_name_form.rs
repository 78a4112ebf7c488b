//! The form of tool names that hosts accept: names that are too long, or that have other characters, become readable
//! parts of them and a hash.

use super::{kind::Kind, rules::Assignments};
use crate::digest::Digest;

/// Length of the suffix of a rewritten name: `_` and eight hexadecimal digits.
const MARK: usize = 9;
/// The beginning of a rewritten name that has no letter and no digit that hosts accept.
const NAMELESS: &str = "tool";

impl Assignments {
    /// Maximum length of portable names of tools, in characters.
    pub const MAX_PORTABLE_NAME: usize = 64;

    /// Returns whether all characters of a tool's name are those that every known host accepts: ASCII letters, digits,
    /// `_` and `-`.
    pub fn is_portable_text(name: &str) -> bool {
        name.chars().all(is_portable)
    }
}

/// The form to which the names of tools are rewritten.
#[derive(Debug, Clone, Copy)]
pub(in crate::catalog) struct ToolNameForm {
    /// Maximum length, in characters.
    most: Option<usize>,
    /// Whether only portable characters are kept.
    portable: bool,
}

impl ToolNameForm {
    pub fn new(assignments: &Assignments) -> Self {
        let Assignments { max_tool_name: most, portable_tool_names: portable, .. } = *assignments;
        let portable_most = portable.then_some(Assignments::MAX_PORTABLE_NAME);
        Self { most: most.into_iter().chain(portable_most).min(), portable }
    }

    /// Returns the rewritten name of a tool, or `None` if the name has the form already. The result is a part of the
    /// name and a hash of the whole, so a name is rewritten in the same way in every catalog.
    pub fn rewrite(self, kind: Kind, name: &str) -> Option<String> {
        let long = self.most.is_some_and(|most| name.chars().count() > most);
        let odd = self.portable && !Assignments::is_portable_text(name);
        if kind != Kind::Tool || !long && !odd {
            return None;
        }
        let room = self.most.map_or(usize::MAX, |most| most.saturating_sub(MARK));
        let mut kept = String::with_capacity(name.len());
        for character in name.chars().take(if odd { usize::MAX } else { room }) {
            match !odd || is_portable(character) {
                true => kept.push(character),
                // Several characters in a row become one.
                false if !kept.ends_with('_') => kept.push('_'),
                false => {}
            }
        }
        if odd {
            // All characters are ASCII now.
            kept.truncate(room);
        }
        let mut kept = kept.trim_end_matches('_');
        if odd && kept.is_empty() {
            kept = NAMELESS;
        }
        let hash = Digest::hex(Digest::of(name.as_bytes()));
        Some([kept, "_", hash.get(..MARK - 1)?].concat())
    }
}

/// Returns whether every known host accepts a character in the name of a tool.
fn is_portable(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns whether a name has the form of a rewritten tool name.
pub(in crate::catalog) fn is_rewritten(kind: Kind, name: &str) -> bool {
    let mark = name.rsplit_once('_').filter(|_| kind == Kind::Tool).map_or("", |(_, mark)| mark);
    mark.len() == MARK - 1 && mark.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{Assignments, ToolNameForm, is_rewritten};
    use crate::catalog::Kind;

    fn rewritten(name: &str, max_tool_name: Option<usize>) -> Option<String> {
        let assignments = Assignments { max_tool_name, portable_tool_names: true, ..Assignments::default() };
        ToolNameForm::new(&assignments).rewrite(Kind::Tool, name)
    }

    #[test]
    fn portable_names_are_readable_short_and_distinct() {
        let long = ["a", &"b".repeat(80)].concat();
        let full = [&"天".repeat(40), "x.", &"y".repeat(80)].concat();
        let names = [
            ("immich.albums.assets.add", "immich_albums_assets_add_"),
            ("immich_albums_assets.add", "immich_albums_assets_add_"),
            ("Create CIFS Share", "Create_CIFS_Share_"),
            ("github/git_commit", "github_git_commit_"),
            ("天気", "tool_"),
            ("天気予報", "tool_"),
            ("天気 tokyo", "_tokyo_"),
            ("größe", "gr_e_"),
            ("GET:/pets/{id}", "GET_pets_id_"),
            ("a\tb", "a_b_"),
            (&long, &["a", &"b".repeat(54), "_"].concat()),
            (&full, &["_x_", &"y".repeat(52), "_"].concat()),
        ];
        let mut known = Vec::new();
        for (name, beginning) in names {
            let portable = rewritten(name, None).unwrap_or_default();
            assert_eq!(portable.strip_prefix(beginning).map(str::len), Some(8), "{name} became {portable}");
            assert!(portable.len() <= 64 && Assignments::is_portable_text(&portable), "{portable}");
            assert!(is_rewritten(Kind::Tool, &portable), "{portable}");
            assert_eq!(rewritten(&portable, None), None, "{portable}");
            assert!(!known.contains(&portable), "{portable}");
            known.push(portable);
        }
        for name in ["a", "create_issue", "read-file", "A1", &"x".repeat(64)] {
            assert_eq!(rewritten(name, None), None, "{name}");
        }
        assert_eq!(rewritten("immich.albums.assets.add", Some(16)).map(|name| name.len()), Some(15));
        assert_eq!(rewritten(&long, Some(128)).map(|name| name.len()), Some(64));
    }
}
