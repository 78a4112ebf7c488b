//! The name prefix of a server's tools and prompts.

use crate::{error::Error, json::Entry};

/// Maximum length, in bytes, of a prefix.
const MAX_PREFIX: usize = 64;
const PREFIX: &str = "expected 1 to 64 of the characters A-Z a-z 0-9 _ - . /";

/// The prefix for the names of a server's tools and prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// The operator's name for the server.
    pub server: String,
    /// The prefix itself.
    pub text: String,
    /// Whether every name gets the prefix, or only names that belong to another server.
    pub always: bool,
}

impl Prefix {
    /// Reads the text of a prefix. It may have only the characters that are valid in the names of tools.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) with the path, for anything else.
    pub fn read(entry: &Entry<'_>) -> Result<String, Error> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        let text = entry.text()?;
        match (1..=MAX_PREFIX).contains(&text.len()) && text.bytes().all(fits) {
            true => Ok(text),
            false => Err(entry.refuse(PREFIX)),
        }
    }
}
