//! The accepted definitions, as the file of a lock holds them.

use crate::{
    json::{Members, Raw},
    sort_indices::sort_indices,
};

/// Versions of the file that can be read. Version 1 had no digests of declarations.
const VERSIONS: [&str; 2] = ["2", "3"];
/// The beginnings of lines that a merge leaves in a file.
const CONFLICT: [&str; 3] = ["<<<<<<<", "=======", ">>>>>>>"];
/// The lists of definitions.
const LISTS: [&str; 8] =
    ["tools", "resources", "resourceTemplates", "prompts", "skills", "groups", "tags", "concerns"];
/// Length of a digest as text.
const DIGEST_DIGITS: usize = 64;

/// Why the text of a lock cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockProblem {
    /// The program has the path of the file alone, not its text.
    Missing,
    /// The text has marks of a merge that were not resolved.
    Conflict,
    /// The text is not what the command writes.
    Damaged,
    /// The text has another version of the format.
    Version,
}

impl LockProblem {
    /// Returns the stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "lock_missing",
            Self::Conflict => "lock_conflict",
            Self::Damaged => "lock_damaged",
            Self::Version => "lock_version",
        }
    }

    /// Returns the description of the problem and of what is expected.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Missing => {
                "the text of the lock is missing: expected `content`, which the command and `Sieve.compile` add"
            }
            Self::Conflict => "the lock has conflict marks of a merge: resolve them, or accept it again",
            Self::Damaged => "the lock is damaged: expected a file that `check --lock` wrote",
            Self::Version => "the lock has another version of the format: expected version 2 or 3",
        }
    }
}

/// The digests of accepted definitions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    servers: Vec<String>,
    /// Sorted by key.
    definitions: Vec<Definition>,
}

#[derive(Debug, PartialEq, Eq)]
struct Definition {
    key: Key,
    /// A server may list several definitions under one name, such as one for each revision of the protocol.
    digests: Vec<[u8; 32]>,
}

/// The position of the server and of the list, and the id.
type Key = (usize, usize, String);

impl Accepted {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Self, LockProblem> {
        if text.lines().any(|line| CONFLICT.iter().any(|mark| line.starts_with(mark))) {
            return Err(LockProblem::Conflict);
        }
        let raw = Raw::parse(text).map_err(|_| LockProblem::Damaged)?;
        if raw.repeated_member().is_some() {
            return Err(LockProblem::Damaged);
        }
        let file = Members::read(raw).ok_or(LockProblem::Damaged)?;
        match file.get("version").map(Raw::get) {
            Some(version) if VERSIONS.contains(&version) => {}
            Some(version) if version.bytes().all(|byte| byte.is_ascii_digit()) => {
                return Err(LockProblem::Version);
            }
            _ => return Err(LockProblem::Damaged),
        }
        let servers = file.get("servers").and_then(Members::read).ok_or(LockProblem::Damaged)?;
        let mut read = Vec::new();
        for (at, (_, lists)) in servers.0.iter().enumerate() {
            read_server(at, *lists, &mut read).ok_or(LockProblem::Damaged)?;
        }
        let mut sorted: Vec<Option<Definition>> = read.into_iter().map(Some).collect();
        let key = |at: usize| sorted.get(at).and_then(Option::as_ref).map(|definition| &definition.key);
        let order = sort_indices(sorted.len(), &mut |one, other| key(one).cmp(&key(other)));
        let definitions =
            order.into_iter().filter_map(|at| sorted.get_mut(at as usize).and_then(Option::take)).collect();
        Ok(Self { servers: servers.0.into_iter().map(|(name, _)| name.into_owned()).collect(), definitions })
    }

    pub fn servers(&self) -> impl Iterator<Item = &String> {
        self.servers.iter()
    }

    pub fn has_server(&self, server: &str) -> bool {
        self.servers.iter().any(|known| known == server)
    }

    /// Returns the digests of the accepted definitions of this name.
    pub fn find(&self, server: &str, list: &str, id: &str) -> Option<&[[u8; 32]]> {
        let (server, list) = self.place(server, list)?;
        let order = |known: &Definition| {
            let (of, within, name) = &known.key;
            (*of, *within, name.as_str()).cmp(&(server, list, id))
        };
        let at = self.definitions.binary_search_by(order).ok()?;
        self.definitions.get(at).map(|definition| definition.digests.as_slice())
    }

    /// Returns the names of a list of a server.
    pub fn ids(&self, server: &str, list: &str) -> impl Iterator<Item = &str> {
        let place = self.place(server, list);
        self.definitions
            .iter()
            .filter(move |known| place == Some((known.key.0, known.key.1)))
            .map(|known| known.key.2.as_str())
    }

    fn place(&self, server: &str, list: &str) -> Option<(usize, usize)> {
        let server = self.servers.iter().position(|known| known == server)?;
        Some((server, LISTS.iter().position(|known| *known == list)?))
    }
}

/// Reads the lists of one server. `None` for another form.
fn read_server(server: usize, lists: Raw<'_>, read: &mut Vec<Definition>) -> Option<()> {
    let lists = Members::read(lists)?;
    for (list, definitions) in &lists.0 {
        let Some(list) = LISTS.iter().position(|known| known == list) else { continue };
        for (id, digests) in Members::read(*definitions)?.0 {
            let digests = match digests.elements() {
                Some(several) => several.into_iter().map(digest).collect::<Option<_>>()?,
                None => vec![digest(digests)?],
            };
            read.push(Definition { key: (server, list, id.into_owned()), digests });
        }
    }
    Some(())
}

/// Reads a digest: 64 hexadecimal digits.
fn digest(raw: Raw<'_>) -> Option<[u8; 32]> {
    let text = raw.text()?;
    if text.len() != DIGEST_DIGITS {
        return None;
    }
    let mut digest = [0; 32];
    let mut digits = text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
    for byte in &mut digest {
        *byte = digits.next()?? << 4 | digits.next()??;
    }
    Some(digest)
}
