//! The results of `groups/list`, `tags/list` and `listConcerns`, and the capabilities of a server that filters.

use super::{View, request_params::RequestParams};
use crate::{
    Kind, catalog::Catalog, concern::OnInvalid, error::Error, filter::FilterField, json::Object,
    policy::FacetQuery,
};

impl View {
    /// Writes the result of `groups/list`: the groups of visible primitives. `params` is the JSON object of the
    /// request's parameters, or empty. `counts: true` adds the number of members that the caller sees, and `parent`
    /// selects one level of nested groups.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Sieve};
    ///
    /// let config = Config::parse(r#"{"groups":[{"name":"mail","title":"Mail"}],
    ///     "rules":[{"match":"name:send_*","groups":["mail"]}]}"#)?;
    /// let lists = r#"{"tools":[{"name":"send_mail","inputSchema":{"type":"object"}}]}"#;
    /// let view = Sieve::compile(lists, &config)?.view(&Caller::anonymous());
    ///
    /// assert_eq!(view.groups_list("")?, r#"{"groups":[{"name":"mail","title":"Mail"}]}"#);
    /// assert!(view.groups_list(r#"{"counts":true}"#)?.contains(r#"{"dev.mcpsieve/size":{"tools":1}}"#));
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::ErrorKind::Json) for parameters that are not JSON, and
    /// [`ErrorKind::FilterType`](crate::ErrorKind::FilterType) for a parameter of another type.
    pub fn groups_list(&self, params: &str) -> Result<String, Error> {
        let params = RequestParams::read(params)?;
        let query = FacetQuery::of_groups(&|name| params.get(name))?;
        let sep_2084 = self.config.assignments.expose_sep_2084_groups;
        Ok(list("groups", query.groups(&self.view), |out, group| {
            query.write_group(&self.view, group, sep_2084, out);
        }))
    }

    /// Writes the result of `tags/list`: the tags of visible primitives. `params` is the JSON object of the request's
    /// parameters, or empty. `counts: true` adds the number of primitives that the caller sees.
    ///
    /// # Errors
    /// As [`View::groups_list`].
    pub fn tags_list(&self, params: &str) -> Result<String, Error> {
        let params = RequestParams::read(params)?;
        let query = FacetQuery::of_tags(&|name| params.get(name))?;
        Ok(list("tags", self.view.tags(), |out, tag| query.write_tag(&self.view, tag, out)))
    }

    /// Writes the result of `listConcerns`: the concerns that the configuration declares.
    pub fn concerns_list(&self) -> String {
        list("concerns", self.concerns(), |out, concern| concern.write(out))
    }

    /// Writes the capabilities by which a server announces filters in `initialize` and `server/discover`, a JSON object.
    /// Add its members to those of your server, object by object.
    ///
    /// Each feature is there twice: under the keys of its proposal, `filtering` and `concerns`, and under `extensions`,
    /// which all client libraries keep. A kind that the caller does not see is left out. The capabilities say that the
    /// server does not report changes of groups, tags and concerns; set `listChanged` if yours does.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Sieve};
    ///
    /// let lists = r#"{"tools":[{"name":"send_mail","inputSchema":{"type":"object"}}]}"#;
    /// let view = Sieve::compile(lists, &Config::default())?.view(&Caller::anonymous());
    /// assert!(view.capabilities().contains(r#""methods":["tools/list","groups/list","tags/list"]"#));
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    pub fn capabilities(&self) -> String {
        let has_concerns = !self.config.concerns.is_empty();
        let mut out = Vec::new();
        let mut capabilities = Object::open(&mut out);
        let (mut keys, mut methods) = (Vec::new(), Vec::new());
        for kind in Kind::ALL.into_iter().filter(|kind| self.view.count(*kind) > 0) {
            methods.push(kind.list_method());
            let key = match kind {
                Kind::Tool => "tools",
                Kind::Prompt => "prompts",
                Kind::Resource | Kind::Template | Kind::Skill => "resources",
            };
            if !keys.contains(&key) {
                keys.push(key);
                let mut capability = Object::open(capabilities.value(key));
                let mut filtering = Object::open(capability.value("filtering"));
                filtering.texts("supported", &FilterField::supported(kind, has_concerns));
                filtering.close();
                capability.close();
            }
        }
        let mut filtering = Object::open(capabilities.value("filtering"));
        write_halves(&mut filtering);
        filtering.close();
        if has_concerns {
            Object::push_array(capabilities.value("concerns"), self.concerns(), |out, concern| {
                concern.write(out);
            });
        }
        let mut extensions = Object::open(capabilities.value("extensions"));
        let mut filtering = Object::open(extensions.value(&[Catalog::PREFIX, "/filtering"].concat()));
        filtering.raw("version", b"1");
        methods.extend(["groups/list", "tags/list"]);
        filtering.texts("methods", &methods);
        let fields: Vec<_> = FilterField::announced(has_concerns).map(FilterField::name).collect();
        filtering.texts("fields", &fields);
        FilterField::write_limits(filtering.value("limits"));
        write_halves(&mut filtering);
        filtering.close();
        if has_concerns {
            self.write_concerns(extensions.value(&[Catalog::PREFIX, "/concerns"].concat()));
        }
        extensions.close();
        capabilities.close();
        String::from_utf8(out).unwrap_or_default()
    }

    /// Writes the settings of concerns. They are set in the filter of a request; a server of the façade has no sessions.
    fn write_concerns(&self, out: &mut Vec<u8>) {
        let mut concerns = Object::open(out);
        concerns.raw("version", b"1");
        Object::push_array(concerns.value("concerns"), self.concerns(), |out, concern| concern.write(out));
        concerns.raw("listChanged", b"false");
        concerns.texts("channels", &["param"]);
        concerns.text("defaults", self.config.concerns.applied_defaults().name());
        concerns.text("onUnknown", "ignore");
        concerns.text(
            "onInvalid",
            match self.config.on_invalid_concern {
                OnInvalid::Ignore => "ignore",
                OnInvalid::Clamp => "clamp",
                OnInvalid::Error => "error",
            },
        );
        concerns.close();
    }
}

/// Writes SEP-1300's `groups` and `tags` of a server that does not report changes.
fn write_halves(filtering: &mut Object<'_>) {
    for half in ["groups", "tags"] {
        filtering.raw(half, br#"{"listChanged":false}"#);
    }
}

fn list<T>(key: &str, items: impl IntoIterator<Item = T>, write: impl FnMut(&mut Vec<u8>, T)) -> String {
    let mut out = Vec::new();
    let mut result = Object::open(&mut out);
    Object::push_array(result.value(key), items, write);
    result.close();
    // Names and descriptions are text.
    String::from_utf8(out).unwrap_or_default()
}
