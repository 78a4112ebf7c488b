//! The owner of each name that several servers list. Names are resolved before any primitive is written, so that the
//! result depends on the record and the file alone, and not on the server that answers first.

use std::borrow::Cow;

use super::{
    compiler::Naming, new_name::NewName, prefixes::Prefix, primitive_draft::PrimitiveDraft,
    skill_uris::each_kept,
};
use crate::catalog::{
    index::id_table::IdTable,
    model::{
        kind::Kind,
        name_record::{NameRecord, collision_key},
        rules::Assignments,
        tool_name_form::ToolNameForm,
        vocabulary::Names,
    },
    parse::lists::Source,
};

/// The servers that claim names of one kind.
pub(crate) struct Owners<'a> {
    kind: Kind,
    names: Names,
    /// The claim on each name that counts.
    claims: Vec<Claim<'a>>,
    prefixes: &'a [Prefix],
    record: Option<&'a NameRecord>,
    form: ToolNameForm,
}

/// The strongest claim on a name.
#[derive(Clone, Copy)]
struct Claim<'a> {
    server: &'a str,
    reason: Reason,
    /// Whether the server has a prefix, under which it can list the name.
    has_prefix: bool,
    /// Another server with a claim that is as strong.
    rival: Option<&'a str>,
}

/// Why a server may have a name, from the weakest reason to the strongest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// It lists the name.
    Listed,
    /// The name begins with its prefix.
    Prefix,
    /// A rule gives the name to its primitive.
    Rule,
}

impl<'a> Owners<'a> {
    /// Reads the claims of all servers on names of one kind. Without a record, nothing says which server listed a name
    /// first.
    pub fn new(
        kind: Kind,
        sources: &'a [Source<'_>],
        prefixes: &'a [Prefix],
        assignments: &Assignments,
        record: Option<&'a NameRecord>,
    ) -> Self {
        let items = sources.iter().flat_map(|source| {
            let text = source.lists.text().as_bytes();
            source.lists.items(kind).iter().filter_map(move |item| item.id(kind, text, 0))
        });
        let seed = IdTable::seed(sources.iter().map(|source| source.lists.items(kind).len()).sum(), items);
        let form = ToolNameForm::new(assignments);
        let (names, claims) = (Names::seeded(seed), Vec::new());
        let mut owners = Self { kind, names, claims, prefixes, record, form };
        // A single server has every name, unless it is one of several whose names are recorded.
        if sources.len() < 2 && record.is_none_or(|record| record.servers().len() < 2) {
            return owners;
        }
        let mut optional = Vec::new();
        for source in sources {
            let prefix = find_prefix(kind, prefixes, source.server);
            each_kept(kind, source, assignments, &mut |listed| {
                let full = prefix.map(|prefix| prefixed(prefix, listed));
                if let Some(full) = full.as_ref().filter(|_| prefix.is_some_and(|prefix| prefix.always)) {
                    return owners.claim(full, source.server, Reason::Prefix);
                }
                let given = kind.is_named() && listed.name.is_some();
                owners.claim(
                    listed.called(),
                    source.server,
                    if given { Reason::Rule } else { Reason::Listed },
                );
                optional.extend(full.map(|full| (listed.called().to_owned(), full, source.server)));
            });
        }
        // A prefix is needed only for names that belong to another server.
        for (plain, full, server) in optional {
            if owners.owner(&owners.rewritten(plain.as_str().into()), server) != Ok(server) {
                owners.claim(&full, server, Reason::Prefix);
            }
        }
        owners
    }

    fn rewritten<'n>(&self, id: Cow<'n, str>) -> Cow<'n, str> {
        self.form.rewrite(self.kind, &id).map_or(id, Cow::Owned)
    }

    fn claim(&mut self, id: &str, server: &'a str, reason: Reason) {
        let place = self.names.intern(&collision_key(self.kind, &self.rewritten(id.into())));
        // With a record, servers precede in the order of the file, whether they list a name or have it by a prefix.
        let reason = if self.record.is_some() && reason == Reason::Prefix { Reason::Listed } else { reason };
        let has_prefix = find_prefix(self.kind, self.prefixes, server).is_some();
        let made = Claim { server, reason, has_prefix, rival: None };
        match self.claims.get_mut(place) {
            None => self.claims.push(made),
            Some(known) if reason > known.reason => *known = made,
            // The file itself gives the name to a first server without a prefix, if those that follow have one.
            Some(known) if has_prefix && !known.has_prefix => {}
            Some(known) if reason == known.reason && known.server != server => known.rival = Some(server),
            Some(_) => {}
        }
    }

    /// Returns the server that has a name. If it belongs to none, fails with a server other than `asking` that claims
    /// it.
    fn owner(&self, id: &str, asking: &str) -> Result<&'a str, &'a str> {
        let key = collision_key(self.kind, id);
        let claim = self.names.find(&key).and_then(|place| self.claims.get(place));
        let Some(Claim { server, reason, rival, .. }) = claim.copied() else { return Err("") };
        match (rival, self.record) {
            (None, _) if reason == Reason::Rule => Ok(server),
            (_, Some(record)) => Ok(record.owner(self.kind, id).unwrap_or(server)),
            (None, None) => Ok(server),
            (Some(rival), None) => Err(if rival == asking { server } else { rival }),
        }
    }

    /// Returns the name of a primitive for callers.
    pub fn resolve(&self, listed: &PrimitiveDraft<'_>, prefixes: &[Prefix]) -> Naming {
        let prefix = find_prefix(self.kind, prefixes, listed.server);
        let always = prefix.filter(|prefix| prefix.always);
        if self.claims.is_empty() {
            let named = |prefix| Naming::New(NewName::new(listed, prefixed(prefix, listed)));
            return always.map_or(Naming::Kept, named);
        }
        let is_own = |owner: Result<&str, &str>| owner == Ok(listed.server);
        let mut id = self.rewritten(listed.called().into());
        let mut owner = self.owner(&id, listed.server);
        if always.is_none() && is_own(owner) {
            return Naming::Kept;
        }
        if let Some(prefix) = prefix {
            let other = owner.unwrap_or_else(|rival| rival).to_owned();
            let full = prefixed(prefix, listed);
            id = self.rewritten(full.clone().into());
            owner = self.owner(&id, listed.server);
            if is_own(owner) {
                let name = NewName::new(listed, full);
                return if always.is_some() { Naming::New(name) } else { Naming::Prefixed { name, other } };
            }
        }
        Naming::LeftOut { id: id.into_owned(), owner: owner.map(str::to_owned).map_err(str::to_owned) }
    }
}

/// Returns the prefix of a server's names, if names of this kind get one.
fn find_prefix<'p>(kind: Kind, prefixes: &'p [Prefix], server: &str) -> Option<&'p Prefix> {
    prefixes.iter().find(|prefix| prefix.server == server).filter(|_| kind.is_named())
}

fn prefixed(prefix: &Prefix, listed: &PrimitiveDraft<'_>) -> String {
    [&prefix.text, listed.called()].concat()
}
