//! The disclosure modes: all tools, or discovery tools by which a model finds the others.

use crate::{error::Error, json::Entry};

/// The disclosure mode of a list: all tools, or a few tools by which a model finds the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DisclosureMode {
    /// Every tool is listed.
    #[default]
    Flat,
    /// Tools are found by words.
    Search,
    /// Tools are found by their groups.
    Groups,
    /// Every tool is listed by its name and one line, without its schema.
    Outline,
    /// [`Flat`](Self::Flat) up to a number of tokens, [`Search`](Self::Search) beyond it.
    Auto,
}

impl DisclosureMode {
    /// The default for the number of tokens up to which `auto` lists every tool.
    pub const DEFAULT_BUDGET: u32 = 8_000;

    /// The names in configurations and URLs.
    pub const NAMES: &'static [&'static str] = &["flat", "search", "groups", "outline", "auto"];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Search => "search",
            Self::Groups => "groups",
            Self::Outline => "outline",
            Self::Auto => "auto",
        }
    }

    /// Returns the mode of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Flat, Self::Search, Self::Groups, Self::Outline, Self::Auto]
            .into_iter()
            .zip(Self::NAMES)
            .find_map(|(mode, known)| (*known == name).then_some(mode))
    }

    /// Reads a mode.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Config`](crate::error::ErrorKind::Config) for anything else.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let named = entry.text().ok().and_then(|name| Self::named(&name));
        named.ok_or_else(|| entry.refuse(["expected ", &crate::error::Error::one_of(Self::NAMES)].concat()))
    }
}
