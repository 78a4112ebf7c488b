//! Validation of the members of a skill that depend on each other: its name, its directory and its manifest, as
//! required by the extension `io.modelcontextprotocol/skills` (SEP-2640).

use crate::catalog::Lists;
use crate::catalog::ResourceUri;
use crate::{
    catalog::model::vocabulary::Names,
    json::{self, Members, Raw},
};

impl Lists<'_> {
    /// Maximum number of skills of one server. Further ones are left out.
    pub const MAX_SKILLS: usize = 16_384;

    /// Maximum number of files in the manifest of a skill, which is the number that every host must accept. A skill
    /// with more files is left out.
    pub const MAX_SKILL_FILES: usize = 512;
}

impl ResourceUri<'_> {
    /// The name of a skill's main file, with the slash after its directory.
    pub const SKILL_FILE: &'static str = "/SKILL.md";
}
/// The value of `resources` if the files of a skill are generated.
const DYNAMIC: &str = "dynamic";
const DIGEST: &str = "sha256:";
/// Maximum number of digits of a file's size.
const MAX_SIZE_DIGITS: usize = 18;
/// The number of hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// Returns why a skill must be left out, if so. The types of its `uri` and `frontmatter` are already validated.
pub(crate) fn problem(skill: Raw<'_>) -> Option<String> {
    let skill = Members::read(skill)?;
    let uri = skill.get("uri").and_then(json::Raw::text)?;
    let frontmatter = skill.get("frontmatter").and_then(Members::read)?;
    let name = frontmatter.get("name").and_then(json::Raw::text)?;
    let problem = match uri.strip_suffix(ResourceUri::SKILL_FILE) {
        _ if !ResourceUri::is_plain(&uri) => {
            "`uri` has dot segments, a query, a fragment or escaped separators"
        }
        None => "`uri` does not end in `/SKILL.md`",
        Some(directory) if directory.rsplit('/').next() != Some(&*name) => {
            "`frontmatter.name` is not the name of the directory in `uri`"
        }
        Some(directory) => return manifest(&uri, directory, skill.get("resources")),
    };
    Some(problem.to_owned())
}

/// Returns the first problem of the files of a skill in this directory.
fn manifest(uri: &str, directory: &str, resources: Option<Raw<'_>>) -> Option<String> {
    if resources.and_then(json::Raw::text).as_deref() == Some(DYNAMIC) {
        return None;
    }
    let Some(files) = resources.and_then(json::Raw::elements) else {
        return Some("`resources` is neither an array nor `dynamic`".to_owned());
    };
    if files.len() > Lists::MAX_SKILL_FILES {
        return Some(["`resources` has more than ", &Lists::MAX_SKILL_FILES.to_string(), " files"].concat());
    }
    let mut names = Names::default();
    for (index, file) in files.iter().enumerate() {
        let file = Members::read(*file).unwrap_or_default();
        let text = |key| file.get(key).and_then(json::Raw::text).unwrap_or_default();
        let name = text("uri");
        let inside = name.strip_prefix(directory).is_some_and(|path| path.len() > 1 && path.starts_with('/'));
        let known = names.len();
        names.intern(&name);
        let problem = if !inside || !ResourceUri::is_plain(&name) {
            "uri` is no file in the directory of the skill"
        } else if names.len() == known {
            "uri` is listed twice"
        } else if !is_digest(&text("digest")) {
            "digest` is not `sha256:` and 64 lowercase hexadecimal digits"
        } else if !file.get("size").is_some_and(|size| is_size(size.get())) {
            "size` is not a whole number of bytes"
        } else {
            continue;
        };
        return Some(["`resources[", &index.to_string(), "].", problem].concat());
    }
    names.find(uri).is_none().then(|| "`resources` does not list `SKILL.md`".to_owned())
}

impl ResourceUri<'_> {
    /// Returns whether every parser reads the same path from a URI: it has nothing to resolve or decode.
    pub fn is_plain(uri: &str) -> bool {
        let sign = |byte: u8| byte <= b' ' || byte == 0x7f || [b'\\', b'?', b'#'].contains(&byte);
        let escaped = |bytes: &[u8]| {
            let [sign, high, low] = bytes else { return false };
            *sign == b'%' && matches!((high, low | 0x20), (b'2', b'e' | b'f') | (b'5', b'c'))
        };
        !uri.bytes().any(sign)
            && !uri.as_bytes().windows(3).any(escaped)
            && !uri.split('/').any(|segment| segment == "." || segment == "..")
    }
}

/// Returns whether JSON is a whole number that fits into a signed 64-bit integer.
fn is_size(json: &str) -> bool {
    json.len() <= MAX_SIZE_DIGITS && json.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_digest(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix(DIGEST).is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(hex))
}
