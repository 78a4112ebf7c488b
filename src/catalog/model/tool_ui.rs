//! The user interface of a tool (MCP Apps): its page, and whether only applications may call the tool.

use std::borrow::Cow;

use crate::{
    catalog::ResourceUri,
    json::{self, Members, Object, Raw},
};

/// The beginning of the addresses of pages.
const SCHEME: &str = "ui://";

/// What `_meta` of a tool says about its user interface.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToolUi<'a> {
    ui: Option<Raw<'a>>,
    /// The page in the deprecated form.
    flat: Option<Raw<'a>>,
}

impl<'a> ToolUi<'a> {
    /// The members of `_meta` that describe the user interface.
    pub const KEYS: [&'static str; 2] = ["ui", "ui/resourceUri"];

    /// Creates the description from the values of [`ToolUi::KEYS`].
    pub fn new([ui, flat]: [Option<Raw<'a>>; 2]) -> Self {
        Self { ui, flat }
    }

    /// Reads the description from the JSON of a tool.
    pub fn read(tool: &'a str) -> Self {
        let meta = Members::parse(tool).and_then(|tool| tool.get("_meta"));
        meta.map_or_else(Self::default, |meta| Self::new(json::pick(meta, Self::KEYS).0))
    }

    /// Returns the URIs of the tool's page: at most one in each form, and equal ones once.
    pub fn pages(self) -> impl Iterator<Item = Cow<'a, str>> {
        let nested = self.member("resourceUri").and_then(Raw::text);
        let flat = self.flat.and_then(Raw::text).filter(|flat| nested.as_ref() != Some(flat));
        nested.into_iter().chain(flat)
    }

    /// Returns whether `visibility` leaves out `model`: only applications may call the tool. Without it, models may.
    pub fn is_app_only(self) -> bool {
        let visibility = self.member("visibility").and_then(Raw::elements);
        let names_model = |party: Raw<'_>| party.text().as_deref() == Some("model");
        visibility.is_some_and(|parties| !parties.into_iter().any(names_model))
    }

    /// Returns `_meta` of a tool with the addresses of its pages that `rename` returns. `None` keeps an address.
    pub fn renamed(meta: Raw<'_>, rename: &dyn Fn(&str) -> Option<String>) -> String {
        let write = |object: &mut Object<'_>, key: &str, value: Raw<'_>| match value
            .text()
            .and_then(|page| rename(&page))
        {
            Some(page) => object.text(key, &page),
            None => object.raw(key, value.get().as_bytes()),
        };
        let (mut out, [nested, flat]) = (Vec::new(), Self::KEYS);
        let mut object = Object::open(&mut out);
        for (key, value) in Members::read(meta).unwrap_or_default().0 {
            match Members::read(value).filter(|_| key == nested) {
                Some(ui) => {
                    let mut inner = Object::open(object.value(&key));
                    for (key, value) in ui.0 {
                        match key.as_ref() {
                            "resourceUri" => write(&mut inner, &key, value),
                            _ => inner.raw(&key, value.get().as_bytes()),
                        }
                    }
                    inner.close();
                }
                None if key == flat => write(&mut object, &key, value),
                None => object.raw(&key, value.get().as_bytes()),
            }
        }
        object.close();
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns whether the JSON of tools may name a page. A search takes less time than reading every tool.
    pub fn may_name_page(tools: &str) -> bool {
        tools.contains("resourceUri") || tools.contains("\\u")
    }

    /// Returns whether a tool opens a page at this address: a `ui:` URI that every server reads in the same way, without
    /// dot segments, variables and escaped separators. A tool that names another resource opens nothing.
    pub fn is_page(uri: &str) -> bool {
        let scheme = uri.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
        let (path, _) = uri.split_once('?').unwrap_or((uri, ""));
        scheme
            && ResourceUri::is_plain(path)
            && !uri.contains(['{', '}', '#', '\\'])
            && uri.len() > SCHEME.len()
    }

    fn member(self, key: &str) -> Option<Raw<'a>> {
        let ([value], _) = json::pick(self.ui?, [key]);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::ToolUi;

    #[test]
    fn pages_are_read_in_both_forms() {
        let rows = [
            (r#"{"ui":{"resourceUri":"ui://a/page.html"}}"#, vec!["ui://a/page.html"]),
            (r#"{"ui/resourceUri":"ui://a/page.html"}"#, vec!["ui://a/page.html"]),
            (r#"{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://a"}"#, vec!["ui://a"]),
            (r#"{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://b"}"#, vec!["ui://a", "ui://b"]),
            (r#"{"ui":{"resourceUri":"ui:\/\/a"}}"#, vec!["ui://a"]),
            (r#"{"ui":{"resourceUri":7},"ui/resourceUri":null}"#, vec![]),
            (r#"{"ui":"ui://a"}"#, vec![]),
            ("7", vec![]),
        ];
        for (meta, pages) in rows {
            let tool = [r#"{"name":"t","_meta":"#, meta, "}"].concat();
            assert_eq!(ToolUi::read(&tool).pages().collect::<Vec<_>>(), pages, "{meta}");
        }
        assert_eq!(ToolUi::read(r#"{"name":"t"}"#).pages().count(), 0);
    }

    #[test]
    fn only_a_visibility_without_the_model_is_for_applications_alone() {
        let rows = [
            (r#"["app"]"#, true),
            ("[]", true),
            (r#"["app","app"]"#, true),
            (r#"["Model"]"#, true),
            (r#"["model"]"#, false),
            (r#"["app","model"]"#, false),
            (r#"["m\u006fdel"]"#, false),
            (r#""app""#, false),
            ("null", false),
        ];
        for (visibility, app_only) in rows {
            let tool = [r#"{"name":"t","_meta":{"ui":{"visibility":"#, visibility, "}}}"].concat();
            assert_eq!(ToolUi::read(&tool).is_app_only(), app_only, "{visibility}");
        }
        for tool in [r#"{"name":"t","_meta":{"ui":{}}}"#, r#"{"name":"t","_meta":{}}"#, r#"{"name":"t"}"#] {
            assert!(!ToolUi::read(tool).is_app_only(), "{tool}");
        }
    }
}
