//! The choice of servers, written as terms of a filter's `where`.

use super::{
    Choice,
    choice::{holds, set},
};
use crate::{
    catalog::Kind,
    concern::insert,
    error::Error,
    expr::{Expr, Field, Op, Term},
    filter::{Filter, Reason},
    policy::View,
};

/// The servers that a user chose, by name.
///
/// A filter has no field for servers, so they are terms of its `where`. A chosen server and a chosen group select the
/// members of either, like two chosen groups: `server=wiki or group=issues`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Servers {
    /// Both lists are sorted, so that the same choice always results in the same filter.
    pub wanted: Vec<String>,
    pub excluded: Vec<String>,
}

impl Servers {
    /// Adds a server to one of the lists, or removes it.
    pub fn set(names: &mut Vec<String>, name: &str, on: bool) {
        match on {
            true => insert(names, name.to_owned()),
            false => set(names, name, false),
        }
    }

    /// Adds the terms to the parts of a `where`. If servers are chosen, groups move there too.
    pub fn write(&self, filter: &mut Filter, parts: &mut Vec<Expr>) -> Result<(), Error> {
        if !self.wanted.is_empty() {
            let mut groups = Vec::with_capacity(filter.groups.len());
            filter.groups.drain(..).for_each(|group| insert(&mut groups, group));
            let mut terms = terms(&Field::Server, &self.wanted)?;
            terms.extend(self::terms(&Field::Group, &groups)?);
            parts.push(Expr::list(terms, Expr::Any));
        }
        if !self.excluded.is_empty() {
            let excluded = Expr::list(terms(&Field::Server, &self.excluded)?, Expr::Any);
            parts.push(Expr::Not(Box::new(excluded)));
        }
        Ok(())
    }

    /// Removes the terms of [`Servers::write`] from the end of a filter's `where`, if they name only servers of
    /// `known`.
    pub fn take(&mut self, filter: &mut Filter, known: &[String]) {
        let mut parts = match filter.r#where.take() {
            Some(Expr::All(parts)) => parts,
            other => other.into_iter().collect(),
        };
        if let Some(Expr::Not(inner)) = parts.last()
            && let Some((servers, [])) = named(inner, known).as_ref().map(|(a, b)| (a, b.as_slice()))
        {
            self.excluded.clone_from(servers);
            parts.pop();
        }
        if let Some((servers, groups)) = parts.last().and_then(|last| named(last, known))
            && (groups.is_empty() || filter.groups.is_empty())
        {
            self.wanted = servers;
            filter.groups.extend(groups);
            parts.pop();
        }
        if !parts.is_empty() {
            filter.r#where = Some(Expr::list(parts, Expr::All));
        }
    }
}

impl Choice {
    /// Returns why the choice of servers hides a primitive of `server` that is in `groups`, if it does.
    pub(super) fn server_reason(&self, server: &str, groups: &[&str]) -> Option<Reason> {
        let Servers { wanted, excluded } = &self.servers;
        let reason = |rule, wanted| Reason { rule, wanted, found: vec![server.to_owned()], concern: None };
        if holds(excluded, server) {
            return Some(reason("not.server", vec![server.to_owned()]));
        }
        let in_group = || groups.iter().any(|group| holds(&self.filter.groups, group));
        if wanted.is_empty() || holds(wanted, server) || in_group() {
            return None;
        }
        Some(reason("server", wanted.iter().chain(&self.filter.groups).cloned().collect()))
    }
}

/// Returns the servers of the visible primitives, in order. Empty if all are from one server.
pub(super) fn servers_of(view: &View) -> Vec<String> {
    let mut servers: Vec<String> = Vec::new();
    for kind in Kind::ALL {
        let kind_index = view.catalog().kind_index(kind);
        for server in kind_index.server_runs() {
            if !holds(&servers, server) && kind_index.of_server(server).meets(view.bits(kind)) {
                servers.push(server.to_owned());
            }
        }
    }
    if servers.len() < 2 {
        servers.clear();
    }
    servers
}

fn terms(field: &Field, names: &[String]) -> Result<Vec<Expr>, Error> {
    let mut terms = Vec::with_capacity(names.len());
    for name in names {
        terms.push(Expr::Term(Term::new(field.clone(), Op::Equals, name)?));
    }
    Ok(terms)
}

/// Returns the servers and groups of an expression that accepts any of them, if it has the form of [`Servers::write`]:
/// at least one server, servers before groups, each sorted.
fn named(expr: &Expr, known: &[String]) -> Option<(Vec<String>, Vec<String>)> {
    let (mut servers, mut groups) = (Vec::new(), Vec::new());
    let terms = match expr {
        Expr::Any(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    for term in terms {
        let Expr::Term(term) = term else { return None };
        let (names, value) = match term.field() {
            _ if term.op() != Op::Equals => return None,
            Field::Server if groups.is_empty() && holds(known, term.value()) => (&mut servers, term.value()),
            Field::Group if !servers.is_empty() => (&mut groups, term.value()),
            _ => return None,
        };
        if names.last().is_some_and(|last: &String| last.as_str() >= value) {
            return None;
        }
        names.push(value.to_owned());
    }
    (!servers.is_empty()).then_some((servers, groups))
}
