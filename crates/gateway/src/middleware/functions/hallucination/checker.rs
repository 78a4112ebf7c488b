//! Compares an answer with the evidence, and collects the findings.

use std::collections::HashSet;

use mcp_sieve::expr::Expr;
use mcp_sieve_redact::url;

use super::{
    citations::find_citations,
    evidence::Evidence,
    links::closest_link,
    quotations::{find_quotations, normalize},
    tools::{called_tool, find_tool_names},
};

/// Maximum number of findings in a call.
const MAX_FINDINGS: usize = 200;
/// Maximum number of bytes of evidence that are searched for quotations and names in a call. Beyond it, they are not
/// flagged, but counted as `unchecked` in the metadata.
const MAX_SEARCHED: usize = 64 * 1024 * 1024;
/// Maximum number of comparisons between unknown and given URLs in a call. Beyond it, no correction is suggested.
const MAX_COMPARED: usize = 20_000;

/// A part of an answer that the evidence does not support.
pub(crate) struct Finding {
    /// `link`, `unreachable`, `tool`, `citation` or `quotation`.
    pub kind: &'static str,
    /// The index of the content item.
    pub item: usize,
    /// The text that was flagged.
    pub text: String,
    /// The probable correction, if there is one.
    pub meant: Option<String>,
}

/// A checker that compares texts with the evidence and collects findings.
pub(crate) struct Checker<'e> {
    evidence: &'e Evidence,
    tools: Option<HashSet<String>>,
    fix: bool,
    seen: HashSet<String>,
    compared: usize,
    searched: usize,
    /// The findings, in the order of the texts.
    pub findings: Vec<Finding>,
    /// URLs that are in the evidence, each with the index of its item.
    pub known_links: Vec<(usize, String)>,
    /// The number of URLs that were corrected.
    pub fixed: usize,
    /// The number of quotations and names that were not searched for.
    pub unchecked: usize,
}

impl<'e> Checker<'e> {
    /// Creates a checker. Without `tools`, the names of tools are not checked.
    pub fn new(evidence: &'e Evidence, tools: Option<HashSet<String>>, fix: bool) -> Self {
        let tools = tools.filter(|_| evidence.checks("tools"));
        let (seen, findings, known_links) = Default::default();
        Self {
            evidence,
            tools,
            fix,
            seen,
            compared: 0,
            searched: 0,
            findings,
            known_links,
            fixed: 0,
            unchecked: 0,
        }
    }

    /// Checks the tool that a content item calls.
    pub fn check_call(&mut self, index: usize, item: &str) {
        if let Some(tools) = &self.tools
            && let Some(name) = called_tool(item)
            && !tools.contains(name.as_ref())
        {
            self.report("tool", index, &name, None);
        }
    }

    /// Checks a text. Returns it with corrected URLs, or `None` if no URL was corrected.
    pub fn check_text(&mut self, item: usize, text: &str) -> Option<String> {
        if self.evidence.checks("citations") {
            self.check_citations(item, text);
        }
        if self.evidence.checks("quotations") {
            self.check_quotations(item, text);
        }
        self.check_tools(item, text);
        if self.evidence.checks("links") { self.check_links(item, text) } else { None }
    }

    fn report(&mut self, kind: &'static str, item: usize, text: &str, meant: Option<String>) {
        if !self.is_full() {
            self.findings.push(Finding { kind, item, text: text.to_owned(), meant });
        }
    }

    fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS
    }

    fn check_links(&mut self, item: usize, text: &str) -> Option<String> {
        let (mut corrected, mut end) = (String::new(), 0);
        for range in url::find(text) {
            let link = text.get(range.clone()).unwrap_or_default();
            if self.evidence.has_link(link) {
                if self.seen.insert(link.to_owned()) {
                    self.known_links.push((item, link.to_owned()));
                }
                continue;
            }
            self.compared += self.evidence.links.len();
            let within = self.compared <= MAX_COMPARED;
            let meant = if within { closest_link(link, &self.evidence.links) } else { None };
            self.report("link", item, link, meant.clone());
            if let Some(meant) = meant.filter(|_| self.fix) {
                corrected.push_str(text.get(end..range.start).unwrap_or_default());
                corrected.push_str(&meant);
                end = range.end;
                self.fixed += 1;
            }
        }
        (end > 0).then(|| corrected + text.get(end..).unwrap_or_default())
    }

    fn check_citations(&mut self, item: usize, text: &str) {
        for citation in find_citations(text) {
            if !self.evidence.citations.contains(&citation.key) && self.seen.insert(citation.key) {
                self.report("citation", item, &citation.written, None);
            }
        }
    }

    fn check_quotations(&mut self, item: usize, text: &str) {
        for quoted in find_quotations(text) {
            let words = normalize(quoted);
            let words = words.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace());
            if !self.is_full() && self.is_missing(words) {
                self.report("quotation", item, quoted, None);
            }
        }
    }

    fn check_tools(&mut self, item: usize, text: &str) {
        let Some(tools) = self.tools.take() else { return };
        for name in find_tool_names(text) {
            if !tools.contains(name)
                && !self.is_full()
                && self.seen.insert(name.to_owned())
                && self.is_missing(&normalize(name))
            {
                let meant = Expr::nearest(name, &mut tools.iter().map(String::as_str)).map(str::to_owned);
                self.report("tool", item, name, meant);
            }
        }
        self.tools = Some(tools);
    }

    /// Returns whether the evidence does not contain some words. Beyond [`MAX_SEARCHED`], counts them as unchecked and
    /// returns false.
    fn is_missing(&mut self, words: &str) -> bool {
        self.searched = self.searched.saturating_add(self.evidence.text.len());
        if self.searched > MAX_SEARCHED {
            self.unchecked += 1;
            return false;
        }
        !self.evidence.text.contains(words)
    }
}
