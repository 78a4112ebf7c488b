//! The settings under `drafts`: protocol drafts that the operator enables, and the server card.

use mcp_sieve::{Error, ErrorKind, expr::Expr, json::Entry};

use super::Config;

/// Maximum length of the description on a server card, in characters (SEP-2127).
const MAX_DESCRIPTION: usize = 100;
/// Maximum length of the name on a server card, in bytes (SEP-2127).
const MAX_NAME: usize = 200;

/// The drafts of the protocol that the operator enables. All are off by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drafts {
    /// Whether lists and `server/discover` carry a definition tag.
    pub definition_tags: bool,
    /// Whether each listed primitive carries a digest of its definition.
    pub primitive_digests: bool,
    /// Whether `tools/manifest` and `tools/describe` are served.
    pub manifest: bool,
    /// Whether `experimental/groups/list` and `experimental/groups/expand` are served, and manifests with them.
    pub deterministic_groups: bool,
    /// The contents of the server card, if one is served.
    pub server_card: Option<ServerCard>,
    /// The names of the groups whose members are disclosed on demand. Empty while the draft is off.
    pub disclosed_groups: Vec<String>,
}

/// The contents of a server card besides the server's own name and version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerCard {
    /// The name in reverse-DNS form, such as `com.example/tracker`. The default is derived from the host of the
    /// request.
    pub name: Option<String>,
    /// The description of the server. The default is its title or, without one, its name.
    pub description: Option<String>,
    /// The URL of the server's home page.
    pub website_url: Option<String>,
    /// The public URL of the endpoint. The default is derived from the URL of the request.
    pub url: Option<String>,
    /// The presets whose endpoints have their own card.
    pub presets: Vec<String>,
}

impl Drafts {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut drafts = Self::default();
        let mut record = entry.record(&[
            "definitionTags",
            "primitiveDigests",
            "manifest",
            "deterministicGroups",
            "serverCard",
            "groups",
        ])?;
        record.fill("definitionTags", &mut drafts.definition_tags, Entry::flag);
        record.fill("primitiveDigests", &mut drafts.primitive_digests, Entry::flag);
        record.fill("manifest", &mut drafts.manifest, Entry::flag);
        record.fill("deterministicGroups", &mut drafts.deterministic_groups, Entry::flag);
        record.fill("serverCard", &mut drafts.server_card, ServerCard::read);
        record.fill("groups", &mut drafts.disclosed_groups, disclosed);
        record.end()?;
        // This draft extends the entries of manifests, so it needs them.
        drafts.manifest |= drafts.deterministic_groups;
        Ok(drafts)
    }
}

impl ServerCard {
    fn read(entry: &Entry<'_>) -> Result<Option<Self>, Error> {
        match entry.raw().get() {
            "true" => return Ok(Some(Self::default())),
            "false" => return Ok(None),
            _ => {}
        }
        let mut card = Self::default();
        let mut record = entry.record(&["name", "description", "websiteUrl", "url", "presets"])?;
        record.fill_optional("name", &mut card.name, name);
        record.fill_optional("description", &mut card.description, description);
        record.fill_optional("websiteUrl", &mut card.website_url, url);
        record.fill_optional("url", &mut card.url, url);
        record.fill("presets", &mut card.presets, Entry::texts);
        record.end().map(|()| Some(card))
    }
}

impl Config {
    /// Checks that every preset with a card exists, and that no preset has the path of a card.
    pub(super) fn check_server_card(&self) -> Result<(), Error> {
        let Some(card) = &self.drafts.server_card else { return Ok(()) };
        let names = || self.engine.presets.iter().map(|preset| preset.name.as_str());
        let refuse =
            |field: String, message: String| Err(Error::new(ErrorKind::Config, message).field(field));
        for (at, name) in card.presets.iter().enumerate() {
            if names().all(|known| known != name) {
                let meant =
                    Expr::nearest(name, &mut names()).map(|meant| format!(" (did you mean `{meant}`?)"));
                let message = format!("there is no preset `{name}`{}", meant.unwrap_or_default());
                return refuse(format!("drafts.serverCard.presets[{at}]"), message);
            }
        }
        match names().position(|name| name == CARD_NAME) {
            Some(at) => {
                let message = format!("`{CARD_NAME}` is the path of the server card, expected another name");
                refuse(format!("presets[{at}].name"), message)
            }
            None => Ok(()),
        }
    }
}

/// The last segment of a server card's path. No preset may have this name.
pub const CARD_NAME: &str = "server-card";

fn name(entry: &Entry<'_>) -> Result<String, Error> {
    let plain = |part: &str, more: &[u8]| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    let good = |name: &String| {
        let parts = name.split_once('/');
        name.len() <= MAX_NAME
            && parts.is_some_and(|(space, name)| plain(space, b"-.") && plain(name, b"-._"))
    };
    let expected =
        || entry.refuse(format!("expected a name such as `com.example/tracker`, at most {MAX_NAME} bytes"));
    entry.text().ok().filter(good).ok_or_else(expected)
}

fn description(entry: &Entry<'_>) -> Result<String, Error> {
    let good = |text: &String| (1..=MAX_DESCRIPTION).contains(&text.chars().count());
    entry
        .text()
        .ok()
        .filter(good)
        .ok_or_else(|| entry.refuse(format!("expected text of 1 to {MAX_DESCRIPTION} characters")))
}

fn url(entry: &Entry<'_>) -> Result<String, Error> {
    let web = |text: &String| {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        rest.is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
                && rest.bytes().all(|byte| byte.is_ascii_graphic())
        })
    };
    entry.text().ok().filter(web).ok_or_else(|| entry.refuse("expected a URL of `https:` or `http:`"))
}

fn disclosed(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut record = entry.record(&["disclose"])?;
    record.fill("disclose", &mut names, Entry::texts);
    record.end().map(|()| names)
}
