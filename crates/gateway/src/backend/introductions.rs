//! The `instructions` of upstream servers, joined to one text.

use crate::{
    backend::introduction::{Introduction, MAX_INSTRUCTIONS},
    config::Config,
};

/// Maximum length, in bytes, of the `instructions` of all servers together that one caller receives. Headings and the
/// marks of cuts are not counted.
pub const MAX_ALL_INSTRUCTIONS: usize = 32 * 1024;

/// Returns the gateway's `own` instructions, followed by those of the servers for which `knows` returns true, in the
/// order of the configuration. Each server's text has a heading, unless it is the only text. A heading within it that
/// is the name of another server of these is moved two levels down, so that no server speaks for another.
pub(crate) fn instructions(
    config: &Config,
    own: Option<String>,
    introductions: &[(String, Introduction)],
    knows: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let passed = passed(config, introductions, knows)
        .filter_map(|(server, text, fits)| fits.then_some((server, text)));
    let passed: Vec<_> = passed.collect();
    if let (None, [(_, text)]) = (&own, passed.as_slice()) {
        return Some((*text).to_owned());
    }
    let mut parts: Vec<String> = own.into_iter().collect();
    parts.extend(passed.iter().map(|(server, text)| {
        let others = config.upstream_settings().iter().map(|other| other.name.as_str());
        let others: Vec<_> = others.filter(|other| other != server && knows(other)).collect();
        ["## ", *server, "\n\n", &with_lower_headings(text, &others)].concat()
    }));
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Returns a text with the Markdown headings that are one of `names` two levels lower.
fn with_lower_headings(text: &str, names: &[&str]) -> String {
    let lines = text.split_inclusive(['\n', '\r']).flat_map(|line| {
        let is_name =
            line.trim_start().starts_with('#') && names.contains(&line.trim().trim_matches('#').trim());
        [if is_name { "##" } else { "" }, if is_name { line.trim_start() } else { line }]
    });
    lines.collect()
}

/// Returns reports for the operator: texts that were cut, and servers whose text is left out for a caller that sees
/// every server.
pub fn notes(config: &Config, introductions: &[(String, Introduction)]) -> Vec<String> {
    let cut = introductions.iter().flat_map(|(server, introduction)| {
        introduction.notes.iter().map(move |note| format!("upstreams: `{server}`: {note}"))
    });
    let left_out = passed(config, introductions, &|_| true).filter(|(_, _, fits)| !fits).map(|(server, ..)| {
        format!(
            "upstreams: `{server}`: its `instructions` are left out for callers that see all servers, since those of all together exceed {MAX_ALL_INSTRUCTIONS} bytes"
        )
    });
    cut.chain(left_out).collect()
}

/// Returns the instructions of the servers for which `knows` returns true, and whether each still fits.
fn passed<'a>(
    config: &Config,
    introductions: &'a [(String, Introduction)],
    knows: &dyn Fn(&str) -> bool,
) -> impl Iterator<Item = (&'a str, &'a str, bool)> {
    let shown = move |server: &str| {
        let settings = config.upstream_settings().iter().find(|upstream| upstream.name == server);
        settings.is_none_or(|settings| settings.instructions) && knows(server)
    };
    let texts = introductions
        .iter()
        .filter_map(|(server, introduction)| Some((server.as_str(), introduction.instructions.as_deref()?)));
    let mut left = MAX_ALL_INSTRUCTIONS;
    let texts: Vec<_> = texts
        .filter(|(server, _)| shown(server))
        .map(|(server, text)| {
            let rest = left.checked_sub(text.len().min(MAX_INSTRUCTIONS));
            left = rest.unwrap_or(left);
            (server, text, rest.is_some())
        })
        .collect();
    texts.into_iter()
}
