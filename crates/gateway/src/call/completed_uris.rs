//! Completion values for a variable of a resource template, without those that lead to a hidden skill.

use mcp_sieve::{
    Kind,
    catalog::ResourceUri,
    json::{self, Members, Object},
    policy::{Reach, View},
};

use crate::{host::Host, protocol::method::Method, request::context::Context};

/// A request to complete a variable of a resource template.
#[derive(Debug)]
pub(crate) struct CompletedUris {
    view: View,
    template: String,
    variable: String,
    /// The values of other variables that the client has already chosen.
    given: Vec<(String, String)>,
}

impl CompletedUris {
    /// Reads a completion request. Returns `None` for another request, or if the catalog has no skills.
    pub fn read<H: Host>(context: &Context<'_, H>) -> Option<Self> {
        let message = context.message;
        let skills = context.view.catalog().kind_index(Kind::Skill);
        if message.known != Some(Method::Complete) || skills.is_empty() && skills.hidden().next().is_none() {
            return None;
        }
        let member = |key: &str, inner: &str| {
            message.param(key).and_then(Members::read).and_then(|object| object.get(inner))
        };
        let given = member("context", "arguments").and_then(Members::read).unwrap_or_default();
        let given = given.0.iter().filter_map(|(name, value)| Some((name.to_string(), value.text()?.into())));
        Some(Self {
            view: context.view.clone(),
            template: member("ref", "uri").and_then(json::Raw::text)?.into(),
            variable: member("argument", "name").and_then(json::Raw::text)?.into(),
            given: given.collect(),
        })
    }

    /// Removes the values that lead to hidden skills from a result.
    pub fn filter(&self, result: &[u8]) -> Vec<u8> {
        let members = std::str::from_utf8(result).ok().and_then(Members::parse).unwrap_or_default();
        let completion = members.get("completion").and_then(Members::read);
        let values =
            completion.as_ref().and_then(|completion| completion.get("values")).and_then(json::Raw::elements);
        let (Some(completion), Some(values)) = (completion, values) else { return result.to_vec() };
        let count = values.len();
        let left: Vec<_> = values
            .into_iter()
            .filter_map(json::Raw::text)
            .filter(|value| !self.leads_to_hidden(value))
            .collect();
        if left.len() == count {
            return result.to_vec();
        }
        let total = completion.get("total").and_then(|total| total.get().parse::<usize>().ok());
        let mut out = Vec::with_capacity(result.len());
        let mut object = Object::open(&mut out);
        object.keep(&members, &["completion"]);
        let mut inner = Object::open(object.value("completion"));
        inner.keep(&completion, &["values", "total"]);
        if let Some(total) = total {
            inner.raw("total", total.saturating_sub(count - left.len()).to_string().as_bytes());
        }
        Object::push_array(inner.value("values"), left, |out, value| Object::push_text(out, &value));
        inner.close();
        object.close();
        out
    }

    /// Returns whether the template makes the URI of a hidden skill, or of a directory of hidden skills, from this
    /// value.
    fn leads_to_hidden(&self, value: &str) -> bool {
        let made = self.expand(value);
        // After a trailing slash, the part still to be completed is a name in that directory.
        let text = made.strip_suffix('/').unwrap_or(&made);
        let hidden = |uri: &ResourceUri<'_>| self.view.resource(uri) == Reach::Hidden;
        self.view.skills_below(text) == Some(false) || ResourceUri::parse(text).is_ok_and(|uri| hidden(&uri))
    }

    /// Returns the URI that the template makes, cut off at the first variable without a value.
    fn expand(&self, value: &str) -> String {
        let (mut made, mut rest) = (String::new(), self.template.as_str());
        while let Some((literal, behind)) = rest.split_once('{') {
            made.push_str(literal);
            let Some((expression, behind)) = behind.split_once('}') else { return made };
            let name = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
            let name = name.split(['*', ':']).next().unwrap_or_default();
            match self.given.iter().find(|(known, _)| known == name) {
                _ if name == self.variable => made.push_str(value),
                Some((_, value)) => made.push_str(value),
                None => return made,
            }
            rest = behind;
        }
        made.push_str(rest);
        made
    }
}
