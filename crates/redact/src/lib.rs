//! Scanners for texts: they find personal data, secrets and harmful requests, and replace and restore the values.
//!
//! The crate finds more than 80 kinds of personal data and 70 kinds of secrets, and phrases of content policies. It
//! replaces each value by a placeholder such as `[EMAIL_1]`, by a mask, or by a hash, and restores placeholders later. A
//! typical use is a program that sends texts to a language model and shows its answers.
//!
//! ```
//! use mcp_sieve_redact::{PlaceholderMap, Redactor, Scan, pii::Scanner};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "I am John Smith, write to jane@example.com";
//! let scanner = Scanner::default();
//! let email = scanner.findings(text).nth(1).ok_or("no second finding")?;
//! assert_eq!(text.get(email.start..email.end), Some("jane@example.com"));
//!
//! let mut redactor = Redactor::new(scanner, PlaceholderMap::new());
//! assert_eq!(redactor.redact(text), "I am [PERSON_1], write to [EMAIL_1]");
//! let restorer = redactor.placeholders().restorer(false);
//! assert_eq!(restorer.restore("I wrote to [EMAIL_1]."), "I wrote to jane@example.com.");
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! | module | content |
//! |---|---|
//! | [`pii`] | The scanner for personal data, and presets of kinds |
//! | [`secrets`] | The scanner for passwords, tokens and private keys |
//! | [`moderation`] | Policies as weighted phrases, and the severity of a text |
//! | [`url`] | URLs in texts |
//!
//! The crate root has what the scanners share:
//!
//! - A scanner implements [`Scan`] and returns [`Finding`]s: a [`Kind`] and a range of bytes. [`Kinds`] is a set of kinds,
//!   and [`Patterns`] adds custom ones.
//! - A [`Redactor`] replaces findings, and a [`RedactionStream`] does so in a text that arrives in pieces. [`Actions`]
//!   selects the [`Action`] for each kind: a placeholder, a mask, a hash, a pseudonym, a coarser value, or none.
//! - A [`PlaceholderMap`] has the placeholders and their values, and a [`Restorer`] replaces placeholders by values.
//! - [`Pseudonyms`] encrypts values into pseudonyms, and [`Pseudonym`] finds these in a text.
//! - [`decode_base64`] decodes text that is to be scanned.
//!
//! # Guarantees
//!
//! - Restoring a redacted text returns the original one, byte for byte, for any text, if every action is
//!   [`Action::Handle`] or [`Action::Keep`] and restoration is not tolerant. For this, a text that already looks like a
//!   placeholder is replaced as well ([`Kind::Placeholder`]).
//! - Redacting a redacted text with the same placeholders changes nothing, so a conversation can be sent again.
//! - A text in pieces has the same findings as the whole text.
//! - The time of a scan is linear in the length of the text, for any text and any custom pattern. Patterns match without
//!   backtracking.
//! - The result depends on the text and the settings only: no scanner reads a clock, a file or the network.
//!
//! # Limits
//!
//! | limit | value |
//! |---|---|
//! | Custom patterns, and the length of each | [`Patterns::MAX_PATTERNS`], [`Patterns::MAX_PATTERN`] |
//! | Length of a match of a custom pattern; with words or a checksum | [`Patterns::MAX_MATCH`], [`Patterns::MAX_CHECKED_MATCH`] |
//! | Custom policies, and their phrases together | [`Policies::MAX_POLICIES`](moderation::Policies::MAX_POLICIES), [`Policies::MAX_PHRASES`](moderation::Policies::MAX_PHRASES) |
//! | Length and weight of a phrase | [`Policies::MAX_PHRASE`](moderation::Policies::MAX_PHRASE), [`Policies::MAX_WEIGHT`](moderation::Policies::MAX_WEIGHT) |
//! | Bytes around a position on which a finding depends, hence held back by a stream | [`Scan::REACH`] |
//!
//! Texts have no maximum length. A [`PlaceholderMap`] grows with the number of different values, and a redactor stays on
//! one thread.
//!
//! # Errors
//!
//! Scanning, redaction and restoration do not fail. Only [`Patterns::parse`] and
//! [`Policies::parse`](moderation::Policies::parse) return an [`Error`]: its [`kind`](Error::kind) is
//! [`ErrorKind::Config`] for an invalid definition, and its text names the member.
//!
//! ```
//! use mcp_sieve_redact::{ErrorKind, Patterns};
//!
//! let error = Patterns::parse(r#"{"EMAIL": {"pattern": "a+"}}"#).err();
//! assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::Config));
//! ```
//!
//! # What the crate does not do
//!
//! - It does not understand a text. It recognizes forms, checksums and words, so it misses names that no word announces
//!   and finds some that are none. `QUALITY.md` beside the sources has precision and recall by kind and language.
//! - It does not read images, audio or documents, and does not join values that are split over several texts.
//! - It does not store or encrypt a [`PlaceholderMap`], which has the values in plain text.
//! - It is no proof of anonymity or of compliance with a law: the rest of a text may identify a person.
//! - Moderation is no judge. It also flags quotations, novels and lessons in history.
//!
//! # Stability
//!
//! The crate follows semantic versioning. Names of kinds, rules and actions, and the form of placeholders, change only
//! with a breaking release. Which texts are findings is no part of that promise: any release may find more, or less of
//! what was found by mistake. [`Kind`] and [`ErrorKind`] may get new variants in any release.

mod scan;

pub mod moderation;
pub mod pii;
pub mod secrets;
pub mod url;

#[doc(no_inline)]
pub use mcp_sieve::{Error, ErrorKind};
pub use scan::{
    action::{Action, Actions},
    base64::decode_base64,
    finding::{Finding, Scan},
    kind::{Kind, Kinds},
    patterns::Patterns,
    placeholder_map::PlaceholderMap,
    pseudonym::{Pseudonym, Pseudonyms},
    redact::Redactor,
    restore::Restorer,
    stream::RedactionStream,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
