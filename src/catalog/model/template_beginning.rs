//! The literal beginning of a resource template. A URI of the template stays below it in every reading.

use super::{
    resource_uri::uri_key,
    uri_readings::{Readings, decodings, is_climbing, split_scheme},
};

/// One reading of a template's literal beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Beginning {
    text: String,
    /// Whether a URI may only equal the text, as where a server cuts off the query in which the variables stand.
    whole: bool,
}

impl Beginning {
    /// Returns whether a reading begins with this text. Letter case counts only behind the host.
    pub fn covers(&self, reading: &str) -> bool {
        if is_climbing(reading) {
            return false;
        }
        let rest = split_scheme(&self.text).1;
        let head = self.text.len() - rest.find('/').map_or(0, |at| rest.len() - at);
        let (Some((head, path)), Some((begun, rest))) =
            (self.text.split_at_checked(head), reading.split_at_checked(head))
        else {
            return false;
        };
        let same = head.eq_ignore_ascii_case(begun);
        same && if self.whole { rest == path } else { rest.starts_with(path) }
    }
}

/// Returns the readings of a template's literal beginning.
pub(crate) fn beginnings(template: &str) -> Vec<Beginning> {
    let (literal, rest) = split_template(template);
    if rest.is_empty() {
        let whole = |text: &str| Beginning { text: text.to_owned(), whole: true };
        return Readings::new(literal).all().map(whole).collect();
    }
    // A variable may continue the last segment, so that segment is no dot segment yet.
    let (directory, segment) = literal.split_at(literal.rfind('/').map_or(0, |at| at + 1));
    let mut out = Vec::new();
    let segments = decodings(segment);
    for directory in Readings::new(directory).all() {
        let whole = !directory.is_empty() && !directory.ends_with('/');
        if !whole {
            out.extend(segments.iter().map(|text| Beginning { text: [directory, text].concat(), whole }));
            let shorter = Readings::new(segment);
            let shorter = shorter.all().filter(|text| !segments.iter().any(|segment| segment == text));
            out.extend(shorter.map(|text| Beginning { text: [directory, text].concat(), whole: true }));
        } else if segment.is_empty() {
            out.push(Beginning { text: directory.to_owned(), whole });
        }
    }
    out
}

/// Returns a template in lowercase with its literal parts in each reading, to match it against the keys of URIs.
pub(crate) fn template_keys(template: &str) -> Vec<String> {
    let rest = split_template(template).1;
    let mut keys: Vec<String> = Vec::new();
    for beginning in beginnings(template).iter().filter(|beginning| !beginning.whole || rest.is_empty()) {
        keys.extend(decodings(rest).iter().map(|rest| uri_key(&[beginning.text.as_str(), rest].concat())));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the literal beginning of a template, and the rest.
fn split_template(template: &str) -> (&str, &str) {
    template.split_at(template.find('{').unwrap_or(template.len()))
}
