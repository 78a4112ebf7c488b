//! `experimental/groups/list` and `experimental/groups/expand` (an experiment, version 1): groups of tools by exact
//! names, and the entries of `tools/manifest` for the tools of a group. A revision identifies what the caller sees, so
//! that a client notices a change between two requests.

use http::{Response, StatusCode};
use mcp_sieve::{
    Kind,
    catalog::{Bitset, Group},
    discovery::Answer,
    filter::{Narrowing, Selection},
    json::{self, Members, Object},
};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    drafts::definitions::DETERMINISTIC_GROUPS,
    host::Host,
    methods::{discovery, manifest::push_entry},
    protocol::{
        error::{INVALID_PARAMS, RpcError},
        response::Body,
    },
    request::context::Context,
    sha256_text::sha256_text,
};

/// The tools in a caller's list, and their groups.
struct Directory<'a> {
    narrowing: Narrowing,
    tools: Bitset,
    groups: Vec<(&'a Group, Bitset)>,
}

/// Returns the groups that have a tool in the caller's list.
pub(crate) fn list<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let directory = directory(context)?;
    let groups = directory.written();
    let revision = directory.revision(context, &groups);
    context.reply(|result| {
        result.raw("groups", &groups);
        result.text("revision", &revision);
    })
}

/// Returns the entries of a group. A group whose tools are hidden gets the same error as one that does not exist.
pub(crate) fn expand<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let id = context.message.text_param("id")?;
    let given = context.message.param("revision").and_then(json::Raw::text);
    let directory = directory(context)?;
    let revision = directory.revision(context, &directory.written());
    let Some((_, members)) = directory.groups.iter().find(|(group, _)| *group.name == *id) else {
        return Err(refusal("unknownGroup"));
    };
    if given.as_deref() != Some(&revision) {
        return Err(refusal("staleView"));
    }
    context.reply(|result| {
        Object::push_array(result.value("entries"), members.iter(), |out, index| {
            push_entry(context, &directory.narrowing, index, out);
        });
        result.text("revision", &revision);
    })
}

/// Returns an error result for a tool whose definition declares that it cannot be called now; `None` for any other
/// tool.
pub(crate) fn unavailable<H: Host>(context: &Context<'_, H>) -> Option<Response<Body>> {
    if !context.exchange.config.drafts.deterministic_groups {
        return None;
    }
    let name = context.message.text_param("name").ok()?;
    let index = context.view.find(Kind::Tool, &name)?;
    let tool = context.view.catalog().primitive(Kind::Tool, index)?;
    let declared =
        tool.member("_meta").and_then(Members::read)?.get(DETERMINISTIC_GROUPS).and_then(Members::read)?;
    let unavailable = declared.get("callable").is_some_and(|callable| callable.get() == "false");
    unavailable.then(|| discovery::result(context, &Answer::refusal("This tool is not available now.")))
}

fn refusal(reason: &str) -> RpcError {
    RpcError::new(StatusCode::OK, INVALID_PARAMS, "Invalid params", json!({"reason": reason}))
}

fn directory<'a, H: Host>(context: &'a Context<'_, H>) -> Result<Directory<'a>, RpcError> {
    let (_, narrowing) = context.narrow_by(None)?;
    let mut selection = Selection::default();
    let tools = context.view.select(&narrowing, Kind::Tool, &mut selection).clone();
    let members = |group: &'a Group| {
        let mut members = context.view.members(Kind::Tool, &group.name);
        members.intersect(&tools);
        (group, members)
    };
    let groups = context.view.groups().into_iter().map(members);
    let groups = groups.filter(|(_, members)| members.count() > 0).collect();
    Ok(Directory { narrowing, groups, tools })
}

impl Directory<'_> {
    fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        Object::push_array(&mut out, &self.groups, |out, (group, members)| {
            let mut entry = Object::open(out);
            entry.text("id", &group.name);
            // The experiment requires a description.
            let described = group.description.as_deref().or(group.title.as_deref());
            entry.text("description", described.unwrap_or(&group.name));
            entry.raw("count", members.count().to_string().as_bytes());
            entry.close();
        });
        out
    }

    /// Returns a hash of the groups and of the entries of every tool.
    fn revision<H: Host>(&self, context: &Context<'_, H>, groups: &[u8]) -> String {
        let mut hasher = Sha256::new();
        hasher.update(groups);
        let mut entry = Vec::new();
        for index in self.tools.iter() {
            entry.clear();
            push_entry(context, &self.narrowing, index, &mut entry);
            hasher.update(&entry);
        }
        sha256_text(&hasher.finalize().into())
    }
}
