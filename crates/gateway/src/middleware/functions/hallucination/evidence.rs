//! The evidence for a check: the model's input, and links and citations that the caller allows.

use std::collections::{BTreeSet, HashSet};

use mcp_sieve::json::{self, Members};
use mcp_sieve_redact::url;

use super::{citations::find_citations, quotations::normalize};
use crate::middleware::framework::{arguments::Arguments, text_visitor};

/// The input of the model, and what else the caller declared as correct.
pub(crate) struct Evidence {
    /// All texts, normalized, each followed by a line break.
    pub text: String,
    /// The URLs in the texts, and those of the argument `links`.
    pub links: BTreeSet<String>,
    /// The same URLs, normalized. The set keeps lookups fast if there are many URLs.
    known: HashSet<String>,
    /// The argument `links`: URLs, or prefixes that end in `*`.
    allowed: Vec<String>,
    /// Citation keys in the texts, and those of the argument `citations`.
    pub citations: HashSet<String>,
    /// The enabled checks.
    checks: Vec<String>,
}

impl Evidence {
    pub fn read(arguments: &Arguments<'_>) -> Self {
        let owned = |key| -> Vec<String> {
            arguments.texts(key).unwrap_or_default().into_iter().map(Into::into).collect()
        };
        let mut evidence = Self {
            text: String::new(),
            links: BTreeSet::new(),
            known: HashSet::new(),
            allowed: owned("links"),
            citations: owned("citations").into_iter().collect(),
            checks: owned("checks"),
        };
        for element in arguments.elements("given").unwrap_or_default() {
            let mut add = |text: &str| {
                evidence
                    .links
                    .extend(url::find(text).into_iter().filter_map(|at| text.get(at)).map(str::to_owned));
                evidence.citations.extend(find_citations(text).into_iter().map(|citation| citation.key));
                evidence.text.push_str(&normalize(text));
                evidence.text.push('\n');
            };
            match element.text() {
                Some(text) => add(&text),
                None => {
                    let links_to =
                        Members::read(element).and_then(|item| item.get("uri")).and_then(json::Raw::text);
                    links_to.iter().for_each(|uri| add(uri));
                    text_visitor::visit_item(element, &mut |text| {
                        add(text);
                        None
                    });
                }
            }
        }
        evidence.links.extend(evidence.allowed.iter().filter(|link| !link.ends_with('*')).cloned());
        evidence.known = evidence.links.iter().map(|link| url::normalize(link)).collect();
        evidence
    }

    /// Returns whether a check is enabled.
    pub fn checks(&self, name: &str) -> bool {
        self.checks.iter().any(|check| check == name)
    }

    /// Returns whether a URL was given or is allowed.
    pub fn has_link(&self, link: &str) -> bool {
        self.known.contains(&url::normalize(link))
            || self.allowed.iter().any(|pattern| url::matches(pattern, link))
    }
}
