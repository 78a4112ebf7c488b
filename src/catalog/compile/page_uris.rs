//! Addresses of pages (MCP Apps) that tools of several servers name. The first server keeps the address. That of each
//! other server gets the prefix of the server, or its name, and reads go to the server under its own address.

use super::{
    compiler::Naming, new_name::NewName, prefixes::Prefix, primitive_draft::PrimitiveDraft,
    skill_uris::each_kept,
};
use crate::catalog::{
    model::{
        kind::Kind,
        name_record::NameRecord,
        resource_uri::fold_listed,
        rules::Assignments,
        skill_path::{prefixed_path, scoped, server_path},
        tool_ui::ToolUi,
        vocabulary::Names,
    },
    parse::lists::Source,
};

/// The addresses that tools of several servers name.
#[derive(Debug, Default)]
pub(crate) struct PageUris<'a> {
    /// The forms of all addresses that tools name.
    named: Names,
    /// The addresses that change, each with its server.
    changed: Names,
    /// The addresses that stay although several servers have them, each with its server.
    kept: Names,
    prefixes: &'a [Prefix],
}

/// The servers that have an address, in order.
#[derive(Default)]
struct Claims<'a> {
    naming: Vec<&'a str>,
    listing: Vec<&'a str>,
}

impl<'a> PageUris<'a> {
    /// Finds the addresses that several servers have, one of them by a tool that no rule hides. An address belongs to the
    /// server in `record`, or else to the first that lists it, or else to the first with a tool that names it.
    pub fn new(
        sources: &'a [Source<'_>],
        prefixes: &'a [Prefix],
        assignments: &Assignments,
        record: Option<&NameRecord>,
    ) -> Self {
        let mut uris = Self { prefixes, ..Self::default() };
        if sources.len() < 2 {
            return uris;
        }
        let mut claims: Vec<Claims<'a>> = Vec::new();
        for source in sources.iter().filter(|source| ToolUi::may_name_page(source.lists.text())) {
            each_kept(Kind::Tool, source, assignments, &mut |listed| {
                for uri in listed.ui.pages().filter(|uri| ToolUi::is_page(uri)) {
                    let at = uris.named.intern(&fold_listed(&uri));
                    claims.resize_with(uris.named.len(), Claims::default);
                    claims.get_mut(at).into_iter().for_each(|claims| claims.naming.push(source.server));
                }
            });
        }
        if claims.is_empty() {
            return uris;
        }
        for source in sources {
            each_kept(Kind::Resource, source, assignments, &mut |listed| {
                let claims = uris.named.find(&fold_listed(&listed.id)).and_then(|at| claims.get_mut(at));
                claims.into_iter().for_each(|claims| claims.listing.push(source.server));
            });
        }
        for (key, Claims { naming, listing }) in uris.named.iter().zip(&claims) {
            let recorded = record.and_then(|record| record.owner(Kind::Resource, key));
            let owner = recorded.or(listing.first().copied()).or(naming.first().copied());
            for server in naming {
                let is_owner = owner == Some(server);
                let place = if is_owner { &mut uris.kept } else { &mut uris.changed };
                place.intern(&scoped(server, key));
            }
        }
        uris
    }

    /// Returns the name for callers of a listed page, if tools name it.
    pub fn rename(&self, listed: &PrimitiveDraft<'_>) -> Option<Naming> {
        match self.page(listed.server, &listed.id) {
            Some(uri) => Some(Naming::New(NewName::new(listed, uri))),
            None => {
                let key = scoped(listed.server, &fold_listed(&listed.id));
                (self.named.len() > 0 && self.kept.find(&key).is_some()).then_some(Naming::Kept)
            }
        }
    }

    /// Returns the address for callers of a server's page, if it differs.
    pub fn page(&self, server: &str, uri: &str) -> Option<String> {
        if self.changed.len() == 0 || self.changed.find(&scoped(server, &fold_listed(uri))).is_none() {
            return None;
        }
        let prefix = self.prefixes.iter().find(|prefix| prefix.server == server);
        let mut page = match prefix.filter(|prefix| !prefix.text.is_empty()) {
            Some(prefix) => prefixed_path(&prefix.text, uri),
            None => server_path(server, uri),
        };
        // Another tool may name the new address as well.
        while self.named.find(&fold_listed(&page)).is_some() {
            page = server_path(server, &page);
        }
        Some(page)
    }
}
