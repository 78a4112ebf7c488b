//! The replacement of a finding: a numbered placeholder, which can be restored, or a value such as a mask or a hash.

use std::{fmt, rc::Rc};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::scan::{
    kind::{KINDS, Kind},
    pseudonym::{self, Pseudonyms},
};

/// The number of letters and digits at the end of a value that a mask shows.
const SHOWN: usize = 4;
/// The number of letters and digits of the shortest value whose end a mask shows.
const LONG: usize = 8;
/// The number of bytes of a hash that are written. Collisions are rare among fewer than a billion values of a kind.
const HASH_BYTES: usize = 8;

/// The treatment of a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Action {
    /// A numbered placeholder, which restoration replaces by the value: `[EMAIL_1]`.
    #[default]
    Handle,
    /// The value with `*` for letters and digits, except for the last four: `**** **** **** 1111`.
    Mask,
    /// A keyed hash. Equal values of a kind have equal hashes: `[EMAIL_jpigaibbiiemhngf]`. Without a key, the value is
    /// masked.
    Hash,
    /// The value, encrypted by the application, which can decrypt it later: `[EMAIL~bhKfVxaU...]`. Without
    /// [`Pseudonyms`], the value is masked.
    Pseudonym,
    /// A coarser value: the year of a date of birth, the domain of an e-mail address. Other kinds are masked.
    Generalise,
    /// The value itself.
    Keep,
}

impl Action {
    /// Every action with its name.
    pub(crate) const ALL: [(&'static str, Self); 6] = [
        ("handle", Self::Handle),
        ("mask", Self::Mask),
        ("hash", Self::Hash),
        ("pseudonym", Self::Pseudonym),
        ("generalise", Self::Generalise),
        ("keep", Self::Keep),
    ];

    /// The kinds for which [`Action::Generalise`] has a coarser value.
    pub const GENERALISED: [Kind; 2] = [Kind::DateOfBirth, Kind::Email];

    /// Returns the action with a name: `handle`, `mask`, `hash`, `pseudonym`, `generalise` or `keep`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, action)| action)
    }
}

/// The actions of all kinds, the key for hashes and the source of pseudonyms.
///
/// ```
/// use mcp_sieve_redact::{Action, Actions, Kind, PlaceholderMap, Redactor, pii::Scanner};
///
/// let mut actions = Actions::all(Action::Handle);
/// actions.set(Kind::Card, Action::Mask);
/// let mut redactor = Redactor::new(Scanner::default(), PlaceholderMap::new()).with_actions(actions);
/// let text = "jane@example.com paid with 4111 1111 1111 1111";
/// assert_eq!(redactor.redact(text), "[EMAIL_1] paid with **** **** **** 1111");
/// ```
#[derive(Clone, Default)]
pub struct Actions {
    /// The actions, by the number of the kind. Kinds beyond the end have the default action.
    by_kind: Vec<Action>,
    default: Action,
    key: Option<Hmac<Sha256>>,
    pseudonyms: Option<Rc<dyn Pseudonyms>>,
}

impl fmt::Debug for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actions").field("by_kind", &self.by_kind).finish_non_exhaustive()
    }
}

impl Actions {
    /// Minimum length of a key for hashes, in bytes, that applications should accept. [`Actions::set_key`] does not
    /// check it.
    pub const MIN_KEY: usize = 16;
    /// Maximum length of a key for hashes, in bytes, that applications should accept.
    pub const MAX_KEY: usize = 256;

    /// Returns the same action for every kind.
    pub fn all(default: Action) -> Self {
        Self { default, ..Self::default() }
    }

    /// Sets the action of a kind.
    pub fn set(&mut self, kind: Kind, action: Action) {
        self.by_kind.resize(KINDS, self.default);
        self.by_kind.iter_mut().skip(kind.number()).take(1).for_each(|slot| *slot = action);
    }

    /// Returns the action of a kind.
    pub fn get(&self, kind: Kind) -> Action {
        self.by_kind.get(kind.number()).copied().unwrap_or(self.default)
    }

    /// Returns whether any kind has this action.
    pub fn has(&self, action: Action) -> bool {
        self.default == action || self.by_kind.contains(&action)
    }

    /// Sets the source of pseudonyms.
    pub fn set_pseudonyms(&mut self, pseudonyms: Rc<dyn Pseudonyms>) {
        self.pseudonyms = Some(pseudonyms);
    }

    /// Sets the key for hashes.
    pub fn set_key(&mut self, key: &[u8]) {
        self.key = Hmac::new_from_slice(key).ok();
    }

    /// Appends the replacement of a value. `name` is the name of the kind in hashes and pseudonyms. The caller itself
    /// handles [`Action::Handle`] and [`Action::Keep`].
    pub(crate) fn write(&self, action: Action, kind: Kind, name: &str, value: &str, out: &mut String) {
        match (action, kind) {
            (Action::Hash, _) => self.push_hash(name, value, out),
            (Action::Pseudonym, _) => match &self.pseudonyms {
                Some(pseudonyms) => pseudonym::push(name, &pseudonyms.seal(name, value), out),
                None => mask(value, out),
            },
            (Action::Generalise, Kind::Email) => match value.rsplit_once('@') {
                Some((_, domain)) => out.push_str(domain),
                None => mask(value, out),
            },
            (Action::Generalise, Kind::DateOfBirth) => match year(value) {
                Some(year) => out.push_str(year),
                None => mask(value, out),
            },
            _ => mask(value, out),
        }
    }

    fn push_hash(&self, name: &str, value: &str, out: &mut String) {
        // Should the key be missing, a mask reveals less than an unkeyed hash.
        let Some(mut hash) = self.key.clone() else { return mask(value, out) };
        hash.update(name.as_bytes());
        hash.update(&[0]);
        hash.update(value.as_bytes());
        let hash = hash.finalize().into_bytes();
        out.push('[');
        out.push_str(name);
        out.push('_');
        // Only letters are written, because scanners look for digits after a word such as `SSN`.
        for byte in hash.iter().take(HASH_BYTES) {
            out.extend([byte >> 4, byte & 0xf].map(|half| char::from(b'a' + half)));
        }
        out.push(']');
    }
}

/// Appends a value with `*` for its letters and digits. The last four are shown if they are adjacent and at least as
/// many are hidden. They must be adjacent because the end of an IP address, such as `4::39`, can be an address again.
fn mask(value: &str, out: &mut String) {
    let count = value.chars().filter(|character| character.is_alphanumeric()).count();
    let end = value.chars().rev().take_while(|character| character.is_alphanumeric()).count();
    let mut hidden = if count < LONG || end < SHOWN { count } else { count - SHOWN };
    for character in value.chars() {
        match character.is_alphanumeric() && hidden > 0 {
            true => {
                hidden -= 1;
                out.push('*');
            }
            false => out.push(character),
        }
    }
}

/// Returns the year of a date: its first run of exactly four digits that begins with 1 or 2.
fn year(date: &str) -> Option<&str> {
    let runs = date.split(|character: char| !character.is_ascii_digit());
    runs.filter(|run| run.len() == 4).find(|run| run.starts_with(['1', '2']))
}
