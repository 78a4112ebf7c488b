//! The lists of a server for clients with different capabilities, merged into one.
//!
//! A server may list a tool only to clients that declare, for example, `io.modelcontextprotocol/ui`. The gateway lists
//! the server without capabilities and, if the operator configured some, with all of them. If this shows more
//! primitives, it lists with each capability alone, so that a primitive is marked only with the capabilities that it
//! needs.

use std::collections::{HashMap, HashSet};

use futures_util::FutureExt;
use mcp_sieve::{
    Kind,
    catalog::Primitive,
    json::{self, Members, Object, Raw},
};

use crate::upstream::{
    Fetch, SendFailure, Upstream,
    collected_lists::{Collected, Difference, counted, id, ids},
    connection::Connection,
    lock,
    meta::NO_CAPABILITIES,
    sessions::SessionOwner,
};

impl Upstream {
    /// Lists all primitives of a server in the revision of a connection, for clients of any capabilities.
    pub(super) async fn gather_capable<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
    ) -> Result<Collected, SendFailure> {
        let own = self.gather(fetch, connection, NO_CAPABILITIES, 0).await?;
        let capabilities = &self.endpoint.capabilities;
        if capabilities.parts.is_empty() {
            return Ok(own);
        }
        let all = self.gather_with(fetch, connection, &capabilities.all, own.bytes).boxed_local().await?;
        let mut parts = Vec::new();
        let known = ids(&own);
        if capabilities.parts.len() > 1 && !ids(&all).is_subset(&known) {
            let mut bytes = own.bytes + all.bytes;
            for part in &capabilities.parts {
                let listed = self.gather_with(fetch, connection, part, bytes).boxed_local().await?;
                bytes += listed.bytes;
                parts.push((part.as_str(), listed));
            }
        }
        parts.push((&capabilities.all, all));
        drop(known);
        Ok(merge(own, &parts))
    }

    /// Lists as a client with these capabilities. If the server keeps sessions, this uses a session of its own.
    async fn gather_with<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        capabilities: &str,
        bytes: usize,
    ) -> Result<Collected, SendFailure> {
        let Some(version) = connection.negotiated.session() else {
            return self.gather(fetch, connection, capabilities, bytes).await;
        };
        let owner = SessionOwner::lister(capabilities);
        let lease = self.begin_session(fetch, version, &owner).await.map_err(SendFailure::Failed)?;
        match self.gather(fetch, &lease, NO_CAPABILITIES, bytes).await {
            // The server has lost the session.
            Err(SendFailure::Stale(_)) => lock(&self.sessions).forget(lease.connection()),
            done => return done,
        }
        let lease = self.begin_session(fetch, version, &owner).await.map_err(SendFailure::Failed)?;
        self.gather(fetch, &lease, NO_CAPABILITIES, bytes).await
    }
}

/// Adds the primitives that only other listings contain, each marked with the first capabilities that it is listed
/// with. The last listing is the one with all capabilities.
fn merge(mut own: Collected, parts: &[(&str, Collected)]) -> Collected {
    let Some((_, all)) = parts.last() else { return own };
    adopt_metadata(&mut own, all);
    let known: HashSet<(Kind, String)> =
        ids(&own).into_iter().map(|(kind, id)| (kind, id.into_owned())).collect();
    let listed: Vec<_> = parts.iter().map(|(part, listing)| (*part, ids(listing))).collect();
    for (kind, array) in &all.pages {
        let mut more = Vec::new();
        for primitive in Raw::parse(array).ok().and_then(json::Raw::elements).into_iter().flatten() {
            let Some(id) = id(*kind, primitive) else { continue };
            let key = (*kind, id);
            let part = listed.iter().find(|(_, ids)| ids.contains(&key));
            let (kind, id) = key;
            if let Some((part, _)) = part.filter(|_| !known.contains(&(kind, id.into_owned()))) {
                more.push(marked(primitive, part));
            }
        }
        if !more.is_empty() {
            let array = ["[", &more.join(","), "]"].concat();
            if let Some(tools) = Raw::parse(&array).ok().filter(|_| *kind == Kind::Tool) {
                own.header_params.learn(tools);
            }
            own.pages.push((*kind, array));
        }
    }
    let mut pages = std::mem::take(&mut own.pages);
    Kind::ALL.iter().for_each(|kind| own.pages.extend(pages.extract_if(.., |(of, _)| of == kind)));
    own.bytes += parts.iter().map(|(_, listing)| listing.bytes).sum::<usize>();
    own.ttl_ms = parts.iter().map(|(_, listing)| listing.ttl_ms).fold(own.ttl_ms, |least, ttl_ms| {
        least.map_or(ttl_ms, |least| Some(ttl_ms.map_or(least, |ttl_ms| ttl_ms.min(least))))
    });
    own
}

/// Takes from `all` the definitions that differ only in `_meta`, where clients ignore unknown keys. For other
/// differences, the first one is reported.
fn adopt_metadata(own: &mut Collected, all: &Collected) {
    let theirs: HashMap<_, _> = all.primitives().collect();
    let mut differing = None;
    for (kind, array) in &mut own.pages {
        let Some(primitives) = Raw::parse(array).ok().and_then(json::Raw::elements) else { continue };
        let mut adopted = false;
        let texts: Vec<&str> = primitives
            .iter()
            .map(|primitive| {
                let key = id(*kind, *primitive).map(|id| (*kind, id));
                let Some(other) = key.as_ref().and_then(|key| theirs.get(key)) else {
                    return primitive.get();
                };
                match Difference::between(*primitive, *other) {
                    Difference::None => return primitive.get(),
                    Difference::Metadata => {}
                    Difference::Definition => {
                        let (_, name) = key.unwrap_or((*kind, "".into()));
                        differing.get_or_insert((*kind, name.into_owned(), 0)).2 += 1;
                        return primitive.get();
                    }
                }
                adopted = true;
                other.get()
            })
            .collect();
        if adopted {
            let text = ["[", &texts.join(","), "]"].concat();
            *array = text;
        }
    }
    if let Some((kind, name, count)) = differing {
        let way = "is defined differently for clients with the configured `capabilities`: all clients are shown the \
                   definition for clients without";
        own.reports.push((kind, name, counted(way, count)));
    }
}

/// Returns a primitive with a mark of the capabilities that it requires, unless the server set this mark itself.
fn marked(primitive: Raw<'_>, required: &str) -> String {
    let Some(members) = Members::read(primitive) else { return primitive.get().to_owned() };
    let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
    if meta.get(Primitive::REQUIRED_CAPABILITIES).is_some() {
        return primitive.get().to_owned();
    }
    let mut out = Vec::with_capacity(
        primitive.get().len() + required.len() + Primitive::REQUIRED_CAPABILITIES.len() + 32,
    );
    let mut object = Object::open(&mut out);
    object.keep(&members, &["_meta"]);
    let mut inner = Object::open(object.value("_meta"));
    inner.keep(&meta, &[]);
    inner.raw(Primitive::REQUIRED_CAPABILITIES, required.as_bytes());
    inner.close();
    object.close();
    // The output consists of UTF-8 text.
    String::from_utf8(out).unwrap_or_default()
}
