//! Requests for the groups of Google's MCP Toolbox and their members.
//!
//! The extension `com.google.cloud/toolbox.v1` shares the method `groups/list` with SEP-1300. Its groups have no members
//! in the definitions of tools: `groups/get` returns the tools and prompts of one group. Both methods exist only in
//! revision 2026-07-28, and for clients that declare the extension. Its schema is
//! `extensions/2026-07-28/groups/schema/schema.ts` in the repository `googleapis/mcp-toolbox`.

use mcp_sieve::{
    Kind,
    catalog::Assignments,
    json::{self, Members, Object, Raw},
};

use crate::{
    backend::declarations::Facet,
    protocol::{
        error::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError},
        headers,
        method::Method,
    },
    upstream::{Fetch, SendFailure, Upstream, connection::Connection, fetch::within, meta},
};

/// Maximum number of groups whose members are requested, one request for each.
pub const MAX_TOOLBOX_GROUPS: usize = 256;

impl Upstream {
    /// Requests the groups and their members, until `deadline` at most, in milliseconds since 1970. If a request fails,
    /// no group is known, because a policy may hide what is in one.
    pub(super) async fn toolbox_groups<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        deadline: u64,
        facet: &mut Facet,
    ) {
        let ms = deadline.saturating_sub(fetch.now()).min(self.endpoint.list_timeout_ms);
        let listed = within(fetch, ms, self.follow_toolbox(fetch, connection)).await;
        let method = Method::ListGroups.name();
        let problem = match listed {
            Some(Ok(items)) => match facet.add(items) {
                true => return,
                false => facet.problem.take().unwrap_or_default(),
            },
            Some(Err(failure)) => failure.message,
            None => format!("`{method}` and the members of its groups did not end within {ms} ms"),
        };
        *facet = Facet::default();
        facet.failed(&problem);
    }

    /// Returns the groups, each as an object of its `name`, its texts, and the names of its members by kind.
    async fn follow_toolbox<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
    ) -> Result<Vec<String>, RpcError> {
        let method = Method::ListGroups.name();
        let listed = match self.ask_toolbox(fetch, connection, method, None).await? {
            Ok(listed) => listed,
            // Versions of the extension before its groups lack the method.
            Err(error) if error.code == METHOD_NOT_FOUND => return Ok(Vec::new()),
            Err(error) => return Err(self.endpoint.refused(method, &error)),
        };
        let lacks = |member: &str| self.endpoint.lacks(method, member);
        let listed = std::str::from_utf8(&listed).ok().and_then(Members::parse);
        let groups = listed.and_then(|listed| listed.get("groups").and_then(Raw::elements));
        let groups = groups.ok_or_else(|| lacks("groups"))?;
        // The group without a name has everything.
        let named = groups.into_iter().filter_map(|group| {
            let members = Members::read(group)?;
            let name = members.get("name").and_then(Raw::text).filter(|name| !name.is_empty())?;
            Some((name.into_owned(), members))
        });
        let named: Vec<_> = named.collect();
        if named.len() > MAX_TOOLBOX_GROUPS {
            return Err(self.endpoint.too_many_groups(MAX_TOOLBOX_GROUPS));
        }
        let mut items = Vec::with_capacity(named.len());
        for (name, texts) in named {
            let method = Method::GetGroup.name();
            match self.ask_toolbox(fetch, connection, method, Some(&name)).await? {
                Ok(group) => {
                    let group = std::str::from_utf8(&group).ok().and_then(Members::parse);
                    let group = group.ok_or_else(|| self.endpoint.lacks(method, "tools"))?;
                    items.push(item(&name, &texts, &group));
                }
                // The group is gone since the list.
                Err(error) if error.code == INVALID_PARAMS => {}
                Err(error) => return Err(self.endpoint.refused(method, &error)),
            }
        }
        Ok(items)
    }

    /// Sends one request as a client that declares the extension.
    async fn ask_toolbox<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        method: &str,
        name: Option<&str>,
    ) -> Result<Result<Vec<u8>, RpcError>, RpcError> {
        let capabilities = format!(r#"{{"extensions":{{"{}":{{}}}}}}"#, Assignments::TOOLBOX);
        let write = |params: &mut Object<'_>| name.into_iter().for_each(|name| params.text("name", name));
        let params = meta::with(connection.negotiated.stateless(), &capabilities, write);
        let mut headers = connection.negotiated.headers(method, None);
        if let Some(name) = name.and_then(|name| meta::encode(name).parse().ok()) {
            headers.insert(headers::NAME, name);
        }
        let request = self.request(connection, method, headers, Some(params), self.endpoint.timeout_ms);
        let answered = match self.ask(fetch, connection, request).await {
            Ok(Ok(replies)) => return replies.response().await,
            Ok(Err(error)) => Ok(Err(error)),
            Err(failure) => Err(failure),
        };
        answered.map_err(SendFailure::into_failure)
    }
}

/// Returns a group with the names of its members.
fn item(name: &str, texts: &Members<'_>, group: &Members<'_>) -> String {
    let mut out = Vec::new();
    let mut item = Object::open(&mut out);
    item.text("name", name);
    for key in ["title", "description"] {
        texts.get(key).into_iter().for_each(|text| item.raw(key, text.get().as_bytes()));
    }
    let mut members = Object::open(item.value("members"));
    for kind in Kind::ALL {
        let Some(list) = group.get(kind.list_key()).and_then(json::Raw::elements) else { continue };
        let id = |primitive: Raw<'_>| Members::read(primitive)?.get(kind.id_key())?.text().map(Into::into);
        let ids: Vec<String> = list.into_iter().filter_map(id).collect();
        members.texts(kind.list_key(), &ids);
    }
    members.close();
    item.close();
    String::from_utf8(out).unwrap_or_default()
}
