//! The built-in policies together with custom ones.

use std::{
    borrow::{Borrow, Cow},
    sync::Arc,
};

use mcp_sieve::{
    Error, ErrorKind,
    json::{Entry, Raw},
};

use super::{
    Severity,
    built_in::{self, HARM_SEEKING, plain, policies, policy},
    flags::{Flag, flags_of},
    own_phrase::{self, phrase, words},
    page::{PAGE, Page, Phrase},
};

/// Maximum number of custom policies.
const MAX_POLICIES: usize = 64;
/// Maximum number of phrases in all custom policies together.
const MAX_PHRASES: usize = 2_000;
/// Maximum length of the name of a policy, in bytes.
const MAX_NAME: usize = 64;
/// Maximum length of the description of a policy, in bytes.
const MAX_DESCRIPTION: usize = 256;

/// The built-in policies, and custom ones. The default has the built-in ones alone. A copy is cheap.
///
/// ```
/// use mcp_sieve_redact::moderation::{Policies, Severity};
///
/// # fn main() -> Result<(), mcp_sieve_redact::Error> {
/// let policies = Policies::parse(r#"{"rivals": {"phrases": ["buy from acme", {"phrase": "acme*", "weight": 1}]}}"#)?;
/// let flags = policies.flags("You should b-u-y from ACME.", &["rivals"]);
/// assert_eq!(flags.iter().map(|flag| &*flag.phrase).collect::<Vec<_>>(), ["buy from acme", "acme*"]);
/// let score = flags.iter().map(|flag| flag.weight).sum();
/// assert_eq!(policies.severity("rivals", score), Severity::Medium);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Policies(Option<Arc<OwnPolicies>>);

#[derive(Debug, Default)]
struct OwnPolicies {
    list: Vec<OwnPolicy>,
    page: Page,
}

#[derive(Debug)]
struct OwnPolicy {
    name: String,
    description: Option<String>,
    severity: Severity,
    /// The names of other policies, normalized by [`resolve`].
    includes: Vec<String>,
}

impl Policies {
    /// The name of the built-in policy for questions about how to hurt a person. `violence` and `harassment` include
    /// it.
    pub const HARM_SEEKING: &str = HARM_SEEKING;
    /// Maximum number of custom policies.
    pub const MAX_POLICIES: usize = MAX_POLICIES;
    /// Maximum number of phrases in all custom policies together.
    pub const MAX_PHRASES: usize = MAX_PHRASES;
    /// Maximum length of a phrase, in bytes.
    pub const MAX_PHRASE: usize = own_phrase::MAX_PHRASE;
    /// Maximum length of a description, in bytes.
    pub const MAX_DESCRIPTION: usize = MAX_DESCRIPTION;
    /// Maximum weight of a phrase.
    pub const MAX_WEIGHT: u32 = own_phrase::MAX_WEIGHT;
    /// The weight of a phrase that sets none. On its own, it has [`Severity::Medium`].
    pub const DEFAULT_WEIGHT: u32 = own_phrase::DEFAULT_WEIGHT;

    /// Parses custom policies from JSON: an object whose keys are the names of the policies.
    ///
    /// Each value is an object with these members, of which `phrases` or `includes` is required:
    ///
    /// | member | meaning |
    /// |---|---|
    /// | `phrases` | Phrases: each a string, or an object with `phrase` and `weight` (1 to 9, by default 4). `*` at the end of a word matches any ending |
    /// | `includes` | Names of other policies, custom or built-in, whose phrases count as well |
    /// | `severity` | The least severity of any score: `low`, `medium` or `high` |
    /// | `description` | A sentence for people who choose a policy |
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of the first invalid member: an invalid or taken name, a phrase that can
    /// never match, an unknown or circular `includes`, or a value beyond a limit.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let entry = Entry::root(Raw::parse(source)?);
        let (mut page, mut phrases, mut place) = (Page::default(), 0, 0);
        let read = entry.members(|entry| {
            place += 1;
            if place > MAX_POLICIES {
                return Err(entry.refuse(format!("expected at most {MAX_POLICIES} policies")));
            }
            OwnPolicy::read(entry, &mut phrases)
        })?;
        let mut list: Vec<OwnPolicy> = Vec::with_capacity(read.len());
        for (name, (mut own, phrases)) in read {
            let refuse = |message: String| Error::new(ErrorKind::Config, message).field(&*name);
            if !is_name(&name) {
                return Err(refuse(format!(
                    "expected a name of 1 to {MAX_NAME} of the characters a-z 0-9 _, the first a letter"
                )));
            }
            if let Some(known) = policy(&name) {
                return Err(refuse(format!(
                    "`{name}` is the built-in policy `{known}`: choose another name, and list `{known}` in `includes` to extend it"
                )));
            }
            for (text, weight) in phrases {
                let words = words(&text).unwrap_or_default();
                page.add(Phrase { policy: Cow::Owned(name.clone()), text: text.into(), weight, words });
            }
            own.name = name;
            list.push(own);
        }
        resolve(&mut list)?;
        Ok(Self((!list.is_empty()).then(|| Arc::new(OwnPolicies { list, page }))))
    }

    /// Iterates over the names and descriptions of the custom policies.
    pub fn own(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.list().iter().map(|own| (own.name.as_str(), own.description.as_deref()))
    }

    fn list(&self) -> &[OwnPolicy] {
        self.0.as_ref().map_or(&[], |own| own.list.as_slice())
    }

    /// Returns the names of all policies, the built-in ones first.
    pub fn names(&self) -> Vec<&str> {
        policies().iter().copied().chain(self.own().map(|(name, _)| name)).collect()
    }

    /// Returns the names of a policy and of the policies that it includes, directly or not; `None` for an unknown name.
    /// Common synonyms of built-in names are known, in any case: `hate_speech` is `hate`.
    pub fn named(&self, name: &str) -> Option<Vec<&str>> {
        let name = match policy(name) {
            Some(built_in) => built_in,
            None => {
                let plain = plain(name);
                &self.list().iter().find(|own| own.name == plain)?.name
            }
        };
        let mut names = vec![name];
        let mut place = 0;
        while let Some(name) = names.get(place).copied() {
            for included in self.included(name) {
                if !names.contains(&included) {
                    names.push(included);
                }
            }
            place += 1;
        }
        Some(names)
    }

    fn included<'p>(&'p self, name: &str) -> impl Iterator<Item = &'p str> + use<'p> {
        let built_in = ["violence", "harassment"].contains(&name).then_some(HARM_SEEKING);
        let own = self.list().iter().find(|own| own.name == name);
        built_in.into_iter().chain(own.into_iter().flat_map(|own| &own.includes).map(String::as_str))
    }

    /// Returns the phrases of the given policies that a text contains, in order. Included policies must be given too,
    /// as [`Policies::named`] returns them.
    pub fn flags(&self, text: &str, policies: &[&str]) -> Vec<Flag> {
        match &self.0 {
            None => built_in::flags(text, policies),
            Some(own) => flags_of(&[&*PAGE, &own.page], text, policies),
        }
    }

    /// Returns the severity of a score under a policy. A custom policy may set a minimum.
    pub fn severity(&self, policy: &str, score: u32) -> Severity {
        let own = self.list().iter().find(|own| own.name == policy);
        own.map_or(Severity::None, |own| own.severity).max(Severity::from_score(score))
    }
}

impl OwnPolicy {
    /// Parses a policy, whose name is not yet set, and its phrases with their weights. `count` counts the phrases of
    /// all policies.
    fn read(entry: &Entry<'_>, count: &mut usize) -> Result<(Self, Vec<(String, u32)>), Error> {
        let mut policy =
            Self { name: String::new(), description: None, severity: Severity::None, includes: Vec::new() };
        let mut phrases = Vec::new();
        let mut record = entry.record(&["description", "phrases", "severity", "includes"])?;
        record.fill("description", &mut policy.description, |entry| {
            let text = entry.some_text()?;
            match text.len() {
                ..=MAX_DESCRIPTION => Ok(Some(text)),
                _ => Err(entry.refuse(format!("expected at most {MAX_DESCRIPTION} bytes"))),
            }
        });
        record.fill("phrases", &mut phrases, |entry| {
            entry.list(|entry| {
                *count += 1;
                match *count {
                    ..=MAX_PHRASES => phrase(entry),
                    _ => Err(entry.refuse(format!("expected at most {MAX_PHRASES} phrases in all policies"))),
                }
            })
        });
        record.fill("severity", &mut policy.severity, |entry| {
            let severity = entry.text().ok().and_then(|name| Severity::named(&name));
            let severity = severity.filter(|severity| *severity > Severity::None);
            severity.ok_or_else(|| entry.refuse("expected one of `low`, `medium`, `high`"))
        });
        record.fill("includes", &mut policy.includes, Entry::texts);
        record.end()?;
        if phrases.is_empty() && policy.includes.is_empty() {
            return Err(entry.refuse("expected `phrases` or `includes`"));
        }
        Ok((policy, phrases))
    }
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=MAX_NAME).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(plain)
}

/// Replaces the names in `includes` by those of the policies, and rejects circles.
fn resolve(list: &mut [OwnPolicy]) -> Result<(), Error> {
    let names: Vec<String> = list.iter().map(|own| own.name.clone()).collect();
    for own in &mut *list {
        for (at, included) in own.includes.iter_mut().enumerate() {
            let plain = plain(included);
            let known =
                policy(included).or_else(|| names.iter().find(|name| **name == plain).map(Borrow::borrow));
            let Some(known) = known.map(ToOwned::to_owned) else {
                let message = format!("there is no policy `{included}`");
                let place = format!("{}.includes[{at}]", own.name);
                return Err(Error::new(ErrorKind::Config, message).field(place));
            };
            *included = known;
        }
    }
    // Each round removes the policies that include none of the remaining ones. The policies of a circle are never
    // removed.
    let mut left: Vec<&OwnPolicy> = list.iter().collect();
    loop {
        let before = left.len();
        let names: Vec<&str> = left.iter().map(|own| own.name.as_str()).collect();
        left.retain(|own| own.includes.iter().any(|included| names.contains(&included.as_str())));
        match left.first() {
            None => return Ok(()),
            Some(own) if left.len() == before => {
                let place = format!("{}.includes", own.name);
                let message = format!("`{}` includes itself, or a policy that does", own.name);
                return Err(Error::new(ErrorKind::Config, message).field(place));
            }
            Some(_) => {}
        }
    }
}
