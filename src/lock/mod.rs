//! The lock on definitions: which definitions of servers the operator has accepted, and what becomes of all others.
//!
//! A definition is the JSON of one primitive, group, tag or concern as its server lists it, before rules. The lock holds
//! the SHA-256 of its [canonical form](crate::json::Raw::push_canonical). The command writes the file of a lock; this
//! module reads its text, and a lock that cannot be read accepts nothing.

mod accepted;
mod settings;
mod state;

pub use accepted::LockProblem;
pub use settings::{LockWords, Treatment};
pub use state::LockState;

use std::sync::Arc;

use accepted::Accepted;
use sha2::{Digest as _, Sha256};

use crate::{
    error::Error,
    json::{Entry, Members, Object, Raw},
};

/// A lock: the accepted definitions, and the treatment of all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The treatment, unless the settings of a server say otherwise.
    words: LockWords,
    /// The settings of servers.
    servers: Vec<(String, LockWords)>,
    /// Keys of `_meta` that no digest includes.
    ignored: Vec<String>,
    accepted: Result<Arc<Accepted>, LockProblem>,
    /// A server of the lock that the configuration lacks.
    gone: Option<String>,
}

/// The state of a definition under a lock, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// The state.
    pub state: LockState,
    /// What becomes of the definition.
    pub treatment: Treatment,
}

impl Lock {
    /// The members of the setting. A server's own setting has only the first three.
    const MEMBERS: [&'static str; 6] = ["changed", "new", "removed", "file", "content", "ignore"];

    /// Maximum number of keys of `_meta` that a lock leaves out.
    const MAX_IGNORED: usize = 64;

    /// Reads the setting `lock`. Without `content`, the text of the file, nothing is accepted.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) with the path of the member. A text of the file that cannot be
    /// read is no error: it is a [problem](Self::problem), and nothing is accepted.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let (mut file, mut content, mut ignored) = (None, None, Vec::new());
        let mut record = entry.record(&Self::MEMBERS)?;
        let words = LockWords::fill(&mut record);
        record.fill_optional("file", &mut file, Entry::some_text);
        record.fill_optional("content", &mut content, Entry::text);
        record.fill("ignore", &mut ignored, |entry| match entry.list(Entry::some_text)? {
            keys if keys.len() <= Self::MAX_IGNORED => Ok(keys),
            _ => Err(entry.refuse(format!("expected at most {max} keys", max = Self::MAX_IGNORED))),
        });
        record.end()?;
        if file.is_none() && content.is_none() {
            return Err(entry.refuse("expected `file`, the path of the lock that `check --lock` writes"));
        }
        let accepted = match content {
            Some(content) => Accepted::read(&content).map(Arc::new),
            None => Err(LockProblem::Missing),
        };
        Ok(Self { words, servers: Vec::new(), ignored, accepted, gone: None })
    }

    /// Returns the text of a configuration (JSONC) in which the setting `lock` has the text of its file. The addition is on
    /// one line, so all other lines stay where they are.
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::ErrorKind::Json) for text that is not JSON.
    pub fn write_into(config: &str, content: &str) -> Result<String, Error> {
        // A text without comments has the same positions.
        let bare = Raw::strip_comments(config)?;
        let root = Raw::parse(&bare)?;
        let lock =
            Members::read(root).and_then(|members| members.get("lock")).filter(|lock| lock.is_object());
        let place = lock.unwrap_or(root).get();
        // Behind the brace that opens the object.
        let at = (place.as_ptr() as usize).saturating_sub(bare.as_ptr() as usize) + 1;
        let (before, after) = config.split_at_checked(at).unwrap_or((config, ""));
        let mut out = before.as_bytes().to_vec();
        out.extend_from_slice(if lock.is_some() { b"\"content\":" } else { b"\"lock\":{\"content\":" });
        Object::push_text(&mut out, content);
        out.extend_from_slice(if lock.is_some() { b"," } else { b"}," });
        out.extend_from_slice(after.as_bytes());
        Ok(String::from_utf8(out).unwrap_or_default())
    }

    /// Sets the settings of servers, and the servers that the configuration names; none are named if it has one without
    /// a name.
    pub fn settle(&mut self, servers: Vec<(String, LockWords)>, named: &[String]) {
        self.servers = servers;
        let accepted = self.accepted.as_ref().ok().filter(|_| !named.is_empty());
        let gone = accepted.and_then(|accepted| accepted.servers().find(|server| !named.contains(server)));
        self.gone = gone.cloned();
    }

    /// Returns why the text of the lock could not be read.
    pub fn problem(&self) -> Option<LockProblem> {
        self.accepted.as_ref().err().copied()
    }

    /// Returns a server of the lock that the configuration lacks.
    pub fn gone(&self) -> Option<&str> {
        self.gone.as_deref()
    }

    /// Returns whether any definition may be listed by its name alone.
    pub(crate) fn refuses(&self) -> bool {
        let words = self.servers.iter().map(|(_, words)| words).chain([&self.words]);
        words.flat_map(|words| [words.changed, words.new]).any(|word| word == Some(Treatment::Refuse))
    }

    /// Returns whether any definition may be hidden or refused.
    pub(crate) fn hides(&self) -> bool {
        self.problem().is_some() || self.gone.is_some() || {
            let of =
                |words: LockWords| [words.treatment(LockState::Changed), words.treatment(LockState::New)];
            let words = self.servers.iter().map(|(_, words)| words.or(self.words));
            words.chain([self.words]).flat_map(of).any(|treatment| treatment != Treatment::Serve)
        }
    }

    /// Returns the state of a definition in a list of a server, such as `tools` or `groups`, and what becomes of it.
    pub fn judge(&self, server: &str, list: &str, id: &str, definition: Raw<'_>) -> Judgement {
        let Ok(accepted) = &self.accepted else {
            return Judgement { state: LockState::Unreadable, treatment: Treatment::Hide };
        };
        let state = match accepted.find(server, list, id) {
            Some(digests) if digests.contains(&self.digest(definition)) => LockState::Accepted,
            Some(_) => LockState::Changed,
            None => LockState::New,
        };
        let own = self.servers.iter().find(|(name, _)| name == server).map(|(_, words)| *words);
        let treatment = own.unwrap_or_default().or(self.words).treatment(state);
        // It may be the server that is gone, under another name.
        let renamed = state == LockState::New && self.gone.is_some() && !accepted.has_server(server);
        match treatment {
            Treatment::Serve if renamed => Judgement { state, treatment: Treatment::Hide },
            treatment => Judgement { state, treatment },
        }
    }

    /// Returns the accepted definitions of a server that are missing among `listed`, which is called with each, unless
    /// the operator ignores these.
    pub(crate) fn removed(&self, server: &str, list: &str, listed: &dyn Fn(&str) -> bool) -> Vec<String> {
        let own = self.servers.iter().find(|(name, _)| name == server).map(|(_, words)| *words);
        let Some(accepted) = self.accepted.as_ref().ok() else { return Vec::new() };
        if own.unwrap_or_default().or(self.words).ignores_removed() {
            return Vec::new();
        }
        accepted.ids(server, list).filter(|id| !listed(id)).map(ToOwned::to_owned).collect()
    }

    /// Returns the digest of a definition, without the ignored keys of its `_meta`.
    fn digest(&self, definition: Raw<'_>) -> [u8; 32] {
        Sha256::digest(Self::canonical(definition, &self.ignored)).into()
    }

    /// Returns the canonical form of a definition without some keys of its `_meta`. A `_meta` that is empty without
    /// them is left out too.
    pub fn canonical(definition: Raw<'_>, ignored: &[String]) -> Vec<u8> {
        let mut out = Vec::with_capacity(definition.get().len());
        let members = Members::read(definition).filter(|_| !ignored.is_empty());
        let meta = members.as_ref().and_then(|members| Members::read(members.get("_meta")?));
        let Some((mut members, mut meta)) = members.zip(meta) else {
            definition.push_canonical(&mut out);
            return out;
        };
        let is_ignored = |key: &str| ignored.iter().any(|known| known == key);
        let before = meta.0.len();
        meta.0.retain(|(key, _)| !is_ignored(key));
        if meta.0.len() == before {
            definition.push_canonical(&mut out);
            return out;
        }
        let mut kept = Vec::new();
        let mut object = Object::open(&mut kept);
        meta.0.iter().for_each(|(key, value)| object.raw(key, value.get().as_bytes()));
        object.close();
        let kept = String::from_utf8(kept).unwrap_or_default();
        members.0.retain(|(key, _)| key != "_meta");
        if !meta.0.is_empty() {
            members.0.push(("_meta".into(), Raw::known(&kept)));
        }
        members.push_canonical(&mut out, None);
        out
    }

    /// Returns the keys of `_meta` that no digest includes.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }
}
