use std::collections::{BTreeSet, HashSet};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    Arguments, Content, Environment, Hook, Middleware, Outcome, Phase,
    links::{allows, links, parts, spelling},
    walk,
};
use crate::{
    error::Error,
    expr::nearest,
    json::{self, Members, Object, push_array},
};

/// Flags what a model says that stands nowhere in what it was given: addresses, tools, citations, quotations. An
/// address that is a slip away from a given one is mended.
///
/// It compares texts and knows no facts. What it flags may be true, and what it passes may be false.
#[derive(Debug, Clone, Copy)]
pub struct HallucinationCheck;

/// Most findings of a call.
pub const MAX_FINDINGS: usize = 200;
/// Most addresses whose server is asked.
pub const MAX_REACHED: usize = 10;
/// Most bytes of what was given that are searched for quotations and names. What is then left is not flagged, and counted
/// as `unchecked` in the metadata.
pub const MAX_SEARCHED: usize = 64 * 1024 * 1024;
/// Most comparisons of an address with a given one.
const MAX_COMPARED: usize = 20_000;
/// A quotation has so many words at least: fewer are a name or a figure of speech.
const QUOTED_WORDS: usize = 4;
/// Longest quotation, in bytes.
const QUOTED_BYTES: usize = 2000;

impl Middleware for HallucinationCheck {
    fn name(&self) -> &str {
        "hallucination_check"
    }

    fn description(&self) -> &str {
        "Flags links, tool names, citations and quotations that stand nowhere in what the model was given, and mends links."
    }

    fn input_schema(&self) -> &str {
        r#"{"type":"object","properties":{"given":{"type":"array","description":"What the model was given: texts or content items","items":{"type":["string","object"]},"default":[]},"links":{"type":"array","description":"Addresses that are right as well, or their beginnings with * behind","items":{"type":"string"},"default":[]},"tools":{"type":"array","description":"Names of the tools that there are; without them tools are not checked","items":{"type":"string"}},"citations":{"type":"array","description":"Marks that may be cited as well: 1, doi:10.1000/182","items":{"type":"string"},"default":[]},"checks":{"type":"array","items":{"enum":["links","tools","citations","quotations"]},"default":["links","tools","citations","quotations"]},"fix":{"type":"boolean","description":"Whether to mend addresses","default":true},"reach":{"type":"boolean","description":"Whether to ask the servers of addresses if they are there","default":false}},"additionalProperties":false}"#
    }

    fn hook(&self) -> Hook {
        Hook { changes: true, phase: Phase::Response, events: &["llm/completion"] }
    }

    fn apply<'a>(
        &'a self,
        mut context: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let given = Given::read(arguments);
            let mut check = Check::new(&given, arguments.flag("fix"));
            let tools: Option<HashSet<String>> =
                arguments.texts("tools").map(|names| names.into_iter().map(Into::into).collect());
            for (at, item) in context.items().enumerate() {
                check.called(at, item, tools.as_ref());
            }
            context.rewrite(&mut |place, text| {
                if given.checks("citations") {
                    check.citations(place.item, text);
                }
                if given.checks("quotations") {
                    check.quotations(place.item, text);
                }
                if let Some(tools) = tools.as_ref().filter(|_| given.checks("tools")) {
                    check.tools(place.item, text, tools);
                }
                if given.checks("links") { check.links(place.item, text) } else { None }
            });
            let Check { mut findings, sound, fixed, unchecked, .. } = check;
            if arguments.flag("reach") {
                for (item, link) in sound.into_iter().take(MAX_REACHED) {
                    if environment.reaches(&link).await == Some(false) {
                        findings.push(Finding { kind: "unreachable", item, text: link, meant: None });
                    }
                }
            }
            let rerun = findings.iter().any(|finding| finding.meant.is_none());
            Ok(Outcome::of(context).tell(|metadata| {
                push_array(metadata.value("findings"), &findings, |out, finding| {
                    let mut object = Object::open(out);
                    object.text("kind", finding.kind);
                    object.raw("item", finding.item.to_string().as_bytes());
                    object.text("text", &finding.text);
                    finding.meant.iter().for_each(|meant| object.text("meant", meant));
                    object.close();
                });
                metadata.raw("fixed", fixed.to_string().as_bytes());
                metadata.raw("rerun", rerun.to_string().as_bytes());
                if unchecked > 0 {
                    metadata.raw("unchecked", unchecked.to_string().as_bytes());
                }
            }))
        }
        .boxed_local()
    }
}

/// What the model was given, and what else is right.
struct Given {
    /// Every text, in one spelling.
    text: String,
    links: BTreeSet<String>,
    /// The same in one spelling: a text may have as many addresses as were given, and each is looked for.
    known: HashSet<String>,
    allowed: Vec<String>,
    citations: HashSet<String>,
    checks: Vec<String>,
}

impl Given {
    fn read(arguments: &Arguments<'_>) -> Self {
        let owned = |key| -> Vec<String> {
            arguments.texts(key).unwrap_or_default().into_iter().map(Into::into).collect()
        };
        let mut given = Self {
            text: String::new(),
            links: BTreeSet::new(),
            known: HashSet::new(),
            allowed: owned("links"),
            citations: owned("citations").into_iter().collect(),
            checks: owned("checks"),
        };
        for element in arguments.elements("given").unwrap_or_default() {
            let mut add = |text: &str| {
                given.links.extend(links(text).into_iter().filter_map(|at| text.get(at)).map(str::to_owned));
                given.citations.extend(citations(text).into_iter().map(|(mark, _)| mark));
                given.text.push_str(&plain(text));
                given.text.push('\n');
            };
            match json::text(element) {
                Some(text) => add(&text),
                None => {
                    let links_to =
                        Members::read(element).and_then(|item| item.get("uri")).and_then(json::text);
                    links_to.iter().for_each(|uri| add(uri));
                    walk::item(element, &mut |text| {
                        add(text);
                        None
                    });
                }
            }
        }
        given.links.extend(given.allowed.iter().filter(|link| !link.ends_with('*')).cloned());
        given.known = given.links.iter().map(|link| spelling(link)).collect();
        given
    }

    fn checks(&self, what: &str) -> bool {
        self.checks.iter().any(|check| check == what)
    }

    fn has_link(&self, link: &str) -> bool {
        self.known.contains(&spelling(link)) || self.allowed.iter().any(|given| allows(given, link))
    }
}

struct Finding {
    kind: &'static str,
    item: usize,
    text: String,
    meant: Option<String>,
}

struct Check<'g> {
    given: &'g Given,
    fix: bool,
    findings: Vec<Finding>,
    /// Addresses that were given, and the item that has them.
    sound: Vec<(usize, String)>,
    seen: HashSet<String>,
    fixed: usize,
    compared: usize,
    searched: usize,
    unchecked: usize,
}

impl<'g> Check<'g> {
    fn new(given: &'g Given, fix: bool) -> Self {
        let (findings, sound, seen) = Default::default();
        Self { given, fix, findings, sound, seen, fixed: 0, compared: 0, searched: 0, unchecked: 0 }
    }

    fn find(&mut self, kind: &'static str, item: usize, text: &str, meant: Option<String>) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding { kind, item, text: text.to_owned(), meant });
        }
    }

    /// The text with its addresses mended, if there is anything to mend.
    fn links(&mut self, item: usize, text: &str) -> Option<String> {
        let (mut mended, mut end) = (String::new(), 0);
        for range in links(text) {
            let link = text.get(range.clone()).unwrap_or_default();
            if self.given.has_link(link) {
                if self.seen.insert(link.to_owned()) {
                    self.sound.push((item, link.to_owned()));
                }
                continue;
            }
            let meant = self.meant(link);
            self.find("link", item, link, meant.clone());
            if let Some(meant) = meant.filter(|_| self.fix) {
                mended.push_str(text.get(end..range.start).unwrap_or_default());
                mended.push_str(&meant);
                end = range.end;
                self.fixed += 1;
            }
        }
        (end > 0).then(|| mended + text.get(end..).unwrap_or_default())
    }

    /// The given address that one was probably meant to be: of the same host the nearest, or the one with the
    /// same path on a host that is spelt almost the same.
    fn meant(&mut self, link: &str) -> Option<String> {
        self.compared += self.given.links.len();
        if self.compared > MAX_COMPARED {
            return None;
        }
        let (host, path) = parts(link);
        let given = || self.given.links.iter().map(|given| (given, parts(given)));
        let mut beside =
            given().filter(|(_, (other, _))| other.eq_ignore_ascii_case(host)).map(|(_, (_, path))| path);
        let path_meant = nearest(path, &mut beside);
        let by_path = path_meant.and_then(|meant| {
            given().find(|(_, (other, path))| other.eq_ignore_ascii_case(host) && *path == meant)
        });
        let by_host = || {
            let mut hosts = given().filter(|(_, (_, other))| *other == path).map(|(_, (host, _))| host);
            let meant = nearest(host, &mut hosts)?;
            given().find(|(_, (host, other))| *host == meant && *other == path)
        };
        by_path.or_else(by_host).map(|(meant, _)| meant.clone())
    }

    fn citations(&mut self, item: usize, text: &str) {
        for (mark, written) in citations(text) {
            if !self.given.citations.contains(&mark) && self.seen.insert(mark) {
                self.find("citation", item, &written, None);
            }
        }
    }

    fn quotations(&mut self, item: usize, text: &str) {
        for quoted in quotations(text) {
            let words = plain(quoted);
            let words = words.trim_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace());
            if self.findings.len() < MAX_FINDINGS && self.lacks(words) {
                self.find("quotation", item, quoted, None);
            }
        }
    }

    /// Whether nothing that was given has these words, as far as may be searched.
    fn lacks(&mut self, words: &str) -> bool {
        self.searched = self.searched.saturating_add(self.given.text.len());
        if self.searched > MAX_SEARCHED {
            self.unchecked += 1;
            return false;
        }
        !self.given.text.contains(words)
    }

    /// Names in code spelling that look like a tool's and are none's.
    fn tools(&mut self, item: usize, text: &str, tools: &HashSet<String>) {
        for name in text.split('`').skip(1).step_by(2) {
            let name = name.strip_suffix("()").unwrap_or(name);
            let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let looks = name.len() > 2 && name.contains('_') && name.chars().all(letters);
            if looks
                && !tools.contains(name)
                && self.findings.len() < MAX_FINDINGS
                && self.seen.insert(name.to_owned())
                && self.lacks(&plain(name))
            {
                let meant = nearest(name, &mut tools.iter().map(String::as_str)).map(str::to_owned);
                self.find("tool", item, name, meant);
            }
        }
    }

    /// The tool that an item calls.
    fn called(&mut self, at: usize, item: &str, tools: Option<&HashSet<String>>) {
        let Some(tools) = tools.filter(|_| self.given.checks("tools")) else { return };
        let members = Members::parse(item).unwrap_or_default();
        let text = |key| members.get(key).and_then(json::text);
        let calls = text("type").is_some_and(|kind| kind == "tool_use" || kind == "dev.mcpsieve/tool_call");
        if let Some(name) = text("name").filter(|name| calls && !tools.contains(name.as_ref())) {
            self.find("tool", at, &name, None);
        }
    }
}

/// One spelling of what is the same to a reader: space, quotes and the case of ASCII letters do not count.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => space = !plain.is_empty(),
            c => {
                if std::mem::take(&mut space) {
                    plain.push(' ');
                }
                plain.push(match c {
                    '“' | '”' | '„' | '«' | '»' => '"',
                    '‘' | '’' => '\'',
                    c => c.to_ascii_lowercase(),
                });
            }
        }
    }
    plain
}

/// The marks by which a text cites, in one spelling, and as they are written: `[3]`, `[^3]`, DOIs, arXiv numbers.
fn citations(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut pieces = text.split('[');
    before = pieces.next().and_then(|head| head.chars().last()).unwrap_or(before);
    for piece in pieces {
        let mark = piece.split_once(']').map(|(mark, _)| mark.trim_start_matches('^'));
        let number =
            mark.filter(|mark| (1..=3).contains(&mark.len()) && mark.bytes().all(|b| b.is_ascii_digit()));
        // Behind a name it is an index into an array.
        if let Some(number) = number.filter(|_| !before.is_alphanumeric() && before != '_') {
            found.push((number.to_owned(), format!("[{number}]")));
        }
        before = piece.chars().last().unwrap_or('[');
    }
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        let lower = word.to_ascii_lowercase();
        let doi = lower.find("10.").and_then(|at| lower.get(at..)).filter(|doi| is_doi(doi));
        let arxiv = lower.strip_prefix("arxiv:").filter(|id| id.contains('.'));
        if let Some(doi) = doi {
            found.push((format!("doi:{doi}"), word.to_owned()));
        } else if let Some(id) = arxiv {
            found.push((format!("arxiv:{id}"), word.to_owned()));
        }
    }
    found
}

fn is_doi(text: &str) -> bool {
    let Some((prefix, suffix)) = text.strip_prefix("10.").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    (4..=9).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_digit()) && !suffix.is_empty()
}

/// What a text puts in quotes, if it is long enough to be somebody's words.
fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let curly = text.split('“').skip(1).filter_map(|piece| piece.split_once('”')).map(|(quoted, _)| quoted);
    // Quotes that are the same on both sides pair up within a paragraph.
    let straight = text.split("\n\n").flat_map(|paragraph| paragraph.split('"').skip(1).step_by(2));
    for quoted in curly.chain(straight) {
        let long = quoted.split_whitespace().nth(QUOTED_WORDS - 1).is_some();
        if long && quoted.len() <= QUOTED_BYTES {
            found.push(quoted);
        }
    }
    found
}
