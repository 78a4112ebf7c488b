//! `groups/list`, `tags/list` and `listConcerns`: the groups, tags and concerns that this caller can use.
//!
//! The lists have the form of SEP-1300, with the `_meta` that the operator defines. `counts: true` adds to each group
//! and tag the number of its members that this caller sees, by kind, as `_meta["dev.mcpsieve/size"]`. `parent: "x"`
//! returns only the groups directly in `x`, and `parent: null` those without a parent.

use http::Response;
use mcp_sieve::{
    Digest, Error, ErrorKind, Kind,
    catalog::{Catalog, Group},
    json::{Members, Object, Raw},
};

use crate::protocol::cursor::Cursor;
use serde_json::json;

use crate::{
    host::Host,
    methods::disclosed,
    protocol::{disclosure::EXTENSION, error::RpcError, response::Body},
    request::context::Context,
};

/// Maximum number of items on one page. It is large because clients of the proposal do not expect pages.
const PAGE_SIZE: usize = 1000;

/// The groups that a request asks for.
enum GroupDepth {
    All,
    /// The groups directly in this one, or for `None` those without a parent.
    Below(Option<String>),
}

pub(crate) fn groups<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let (level, counts) = (GroupDepth::read(context)?, counts(context)?);
    let groups: Vec<_> = context.view.groups().into_iter().filter(|group| level.admits(group)).collect();
    let name = |group: &&Group| group.name.clone();
    let writes_sep_2084 = context.exchange.config.engine.assignments.expose_sep_2084_groups;
    page(context, "groups", &groups, name, |group, out| {
        let size = counts.then(|| context.view.group_sizes(&group.name));
        let mut object = Object::open(out);
        object.text("name", &group.name);
        object.optional_text("title", group.title.as_deref());
        object.optional_text("description", group.description.as_deref());
        if size.is_some() || !group.parents.is_empty() || group.meta.is_some() {
            let mut meta = Object::open(object.value("_meta"));
            write_own(&mut meta, group.meta.as_deref());
            write_parents(&mut meta, &format!("{prefix}/parent", prefix = Catalog::PREFIX), &group.parents);
            let own = group.meta.as_deref().and_then(Members::parse).unwrap_or_default();
            if writes_sep_2084 && !group.parents.is_empty() && own.get(Group::SEP_2084_KEY).is_none() {
                meta.texts(Group::SEP_2084_KEY, &group.parents);
            }
            write_size(&mut meta, size);
            meta.close();
        }
        object.close();
    })
}

pub(crate) fn tags<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let counts = counts(context)?;
    let tags: Vec<_> = context.view.tags();
    page(
        context,
        "tags",
        &tags,
        |tag| tag.name.clone(),
        |tag, out| {
            let mut object = Object::open(out);
            object.text("name", &tag.name);
            object.text("description", &tag.description);
            if counts || tag.meta.is_some() {
                let mut meta = Object::open(object.value("_meta"));
                write_own(&mut meta, tag.meta.as_deref());
                write_size(&mut meta, counts.then(|| context.view.tag_sizes(&tag.name)));
                meta.close();
            }
            object.close();
        },
    )
}

pub(crate) fn concerns<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let concerns = context.concerns();
    let declared: Vec<_> = concerns.iter().collect();
    page(
        context,
        "concerns",
        &declared,
        |concern| concern.name.clone(),
        // Serialized through a value like capabilities, so that the bytes are the same in both.
        |concern, out| out.extend_from_slice(json!(concern).to_string().as_bytes()),
    )
}

/// Writes one page, which holds the whole list unless it is too long.
pub(super) fn page<H: Host, T>(
    context: &Context<'_, H>,
    key: &str,
    items: &[T],
    name: impl Fn(&T) -> String,
    write: impl Fn(&T, &mut Vec<u8>),
) -> Result<Response<Body>, RpcError> {
    let mut list = Digest::new();
    list.part(key.as_bytes());
    if disclosed::served(context) {
        list.part(EXTENSION.as_bytes());
    }
    for param in ["parent", "counts"] {
        list.part(sieve_param(context, param).map_or("", Raw::get).as_bytes());
    }
    context.caller.presets.iter().for_each(|name| list.part(name.as_bytes()));
    // The hash of the list's name distinguishes this cursor from those of tool lists.
    let cursor = Cursor { kind: Kind::Tool, filter: list.end(), principal: context.principal() };
    let key_of_cursors = context.exchange.host.key();
    let from = match context.message.param("cursor") {
        None => 0,
        Some(raw) => {
            let token = raw
                .text()
                .ok_or_else(|| Error::new(ErrorKind::InvalidCursor, "expected a string").field("cursor"))?;
            let find = |after: &str| items.iter().position(|item| name(item) == after);
            cursor.open(key_of_cursors, &token)?.locate(find)
        }
    };
    let rest = items.get(from..).unwrap_or_default();
    let (page, more) = rest.split_at_checked(PAGE_SIZE).unwrap_or((rest, &[]));
    context.reply(|result| {
        Object::push_array(result.value(key), page, |out, item| write(item, out));
        if let (Some(last), false) = (page.last(), more.is_empty()) {
            result.text("nextCursor", &cursor.seal(key_of_cursors, &name(last), from + page.len()));
        }
    })
}

impl GroupDepth {
    fn read<H: Host>(context: &Context<'_, H>) -> Result<Self, Error> {
        match sieve_param(context, "parent") {
            None => Ok(Self::All),
            Some(raw) if raw.is_null() => Ok(Self::Below(None)),
            Some(raw) => match raw.text() {
                Some(name) => Ok(Self::Below(Some(name.into_owned()))),
                None => Err(Error::filter_type("parent", "the name of a group, or `null`")),
            },
        }
    }

    fn admits(&self, group: &Group) -> bool {
        match self {
            Self::All => true,
            Self::Below(None) => group.parents.is_empty(),
            Self::Below(Some(parent)) => group.parents.contains(parent),
        }
    }
}

/// Returns a parameter specific to Sieve, by its own name or with our prefix.
fn sieve_param<'a, H: Host>(context: &Context<'a, H>, name: &str) -> Option<Raw<'a>> {
    let prefixed = || context.message.param(&format!("{prefix}/{name}", prefix = Catalog::PREFIX));
    context.message.param(name).or_else(prefixed)
}

fn counts<H: Host>(context: &Context<'_, H>) -> Result<bool, Error> {
    match sieve_param(context, "counts").map(Raw::get) {
        None | Some("null" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::filter_type("counts", "`true` or `false`")),
    }
}

fn write_size(meta: &mut Object<'_>, sizes: Option<[usize; Kind::COUNT]>) {
    let Some(sizes) = sizes else { return };
    let mut object = Object::open(meta.value(&format!("{prefix}/size", prefix = Catalog::PREFIX)));
    for (kind, size) in Kind::ALL.into_iter().zip(sizes).filter(|(_, size)| *size > 0) {
        object.raw(kind.list_key(), size.to_string().as_bytes());
    }
    object.close();
}

/// Writes the members of `_meta` that the operator defines, except those with our names.
pub(super) fn write_own(meta: &mut Object<'_>, own: Option<&str>) {
    if let Some(own) = own.and_then(Members::parse) {
        meta.keep(
            &own,
            &[
                &format!("{prefix}/parent", prefix = Catalog::PREFIX),
                &format!("{prefix}/size", prefix = Catalog::PREFIX),
            ],
        );
    }
}

/// Writes one parent as a string, several as an array.
fn write_parents(object: &mut Object<'_>, key: &str, parents: &[String]) {
    match parents {
        [] => {}
        [parent] => object.text(key, parent),
        parents => object.texts(key, parents),
    }
}
