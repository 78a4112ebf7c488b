//! Lints for names by which a client could take the primitive of one server for that of another: servers without a
//! prefix beside servers with one, and names that look alike.

use std::collections::BTreeMap;

use mcp_sieve::{Kind, catalog::Catalog};

use super::{Finding, Flaw};
use crate::config::Config;

/// Letters that look like Latin ones, after the letter that they look like.
const ALIKE: [(char, &str); 23] = [
    ('a', "аαɑΑА"),
    ('b', "вΒВ"),
    ('c', "сϲС"),
    ('d', "ԁ"),
    ('e', "еεΕЕ"),
    ('g', "ɡ"),
    ('h', "һΗН"),
    ('j', "јЈ"),
    ('k', "кκΚК"),
    ('l', "i1|ıіιℓΙІӀ"),
    ('m', "мΜМ"),
    ('n', "ηΝп"),
    ('o', "0оοОΟ"),
    ('p', "рρΡР"),
    ('q', "ԛ"),
    ('s', "ѕЅ"),
    ('t', "тτΤТ"),
    ('u', "υ"),
    ('v', "νѵ"),
    ('w', "ԝω"),
    ('x', "хχΧХ"),
    ('y', "уγΥУ"),
    ('z', "Ζ"),
];

/// Checks the prefixes of the servers.
pub(super) fn lint_prefixes(config: &Config, findings: &mut Vec<Finding>) {
    let Some(other) = config.upstreams.iter().find(|upstream| upstream.prefix.is_some()) else { return };
    for (at, upstream) in
        config.upstreams.iter().enumerate().filter(|(_, upstream)| upstream.prefix.is_none())
    {
        let message = format!(
            "`{}` has no `prefix`, while `{}` has one: where another server had a name first, the primitive of `{0}` is \
             left out. Give it a `prefix`",
            upstream.name, other.name
        );
        findings.push(Finding::new(Flaw::UnprefixedServer, format!("upstreams[{at}].name"), message));
    }
}

/// Checks the names under which a catalog lists primitives of different servers.
pub(super) fn lint_names(catalog: &Catalog, findings: &mut Vec<Finding>) {
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        let mut known: BTreeMap<String, (&str, Option<&str>)> = BTreeMap::new();
        for (index, id) in kind_index.ids().enumerate() {
            let server = kind_index.server(index);
            let (twin, of) = *known.entry(skeleton(id)).or_insert((id, server));
            if of == server {
                continue;
            }
            let message = format!(
                "{kind} `{}` of `{}` looks like `{}` of `{}`: hide or rename one of them by a rule",
                visible(id),
                server.unwrap_or_default(),
                visible(twin),
                of.unwrap_or_default()
            );
            findings.push(Finding::new(Flaw::LookalikeName, "catalog", message));
        }
    }
}

/// Returns the form that names have in common that look alike: without invisible characters and letter case, and in
/// Latin letters.
fn skeleton(name: &str) -> String {
    let letter = |letter: char| {
        let latin = ALIKE.iter().find(|(_, alike)| alike.contains(letter)).map(|(latin, _)| *latin);
        latin.unwrap_or_else(|| match letter {
            // Full-width forms of ASCII.
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
            _ => letter,
        })
    };
    let lower = |text: &mut dyn Iterator<Item = char>| text.flat_map(char::to_lowercase).collect::<String>();
    let plain = lower(&mut name.chars().filter(|letter| !is_invisible(*letter)).map(letter));
    // A letter in lower case may look like another one.
    plain.chars().map(letter).collect()
}

/// Returns whether a character has no visible form: controls and the characters that Unicode calls default ignorable.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns a name with its characters outside ASCII escaped, since they are what a reader cannot tell apart.
fn visible(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            ' '..='~' => out.push(letter),
            _ => out.extend(letter.escape_unicode()),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::config::lint;
    use mcp_sieve::catalog::{Lists, Source};

    fn findings(a: &str, b: &str) -> Vec<String> {
        let lists = [a, b].map(|name| {
            let name = serde_json::Value::from(name);
            format!(r#"{{"tools": [{{"name": {name}, "inputSchema": {{"type": "object"}}}}]}}"#)
        });
        let sources = || std::iter::zip(["a", "b"], &lists);
        let sources: Vec<_> =
            sources().map(|(server, text)| Source { server, lists: Lists::read(text).unwrap() }).collect();
        let found = lint(&Config::default(), Some(&sources)).into_iter();
        found.filter(|finding| finding.flaw == Flaw::LookalikeName).map(|finding| finding.message).collect()
    }

    #[test]
    fn names_of_different_servers_that_look_alike_are_found() {
        for twin in [
            "send_mail\u{200b}",
            "send\u{2060}_mail",
            "\u{feff}send_mail",
            "send_m\u{ad}ail",
            "send_m\u{e0041}ail",
            "s\u{435}nd_mail",
            "ѕеnd_mаіl",
            "send_mαil",
            "ｓend_mail",
            "Send_Mail",
            "SEND_MAIL",
            "send_mai1",
            "send_maiI",
            "ЅЕΝD_МАΙL",
        ] {
            assert_eq!(findings("send_mail", twin).len(), 1, "{}", twin.escape_unicode());
        }
        let message = r"tool `s\u{435}nd_mail` of `b` looks like `send_mail` of `a`: hide or rename one of them by a rule";
        assert_eq!(findings("send_mail", "sеnd_mail"), [message]);
    }

    #[test]
    fn other_names_are_no_findings() {
        for other in ["send_mails", "sendmail", "search", "отправить", "send_mail"] {
            assert_eq!(findings("send_mail", other), [""; 0], "{other}");
        }
    }
}
