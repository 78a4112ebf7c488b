use super::servers::Servers;
use crate::{
    catalog::Kind,
    concern::insert,
    error::Error,
    expr::{Expr, Field, Op, Term},
    filter::Filter,
};

/// What a person has chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Groups, tags, concerns and words; and whatever else a filter that was set asks for.
    pub(super) filter: Filter,
    pub(super) servers: Servers,
    /// Switched off one by one. Not what is on: a server's next tool is to be seen.
    pub(super) disabled: Named,
    pub(super) favourites: Named,
    pub(super) only_favourites: bool,
}

/// Names of primitives with their kinds, in order.
pub(super) type Named = Vec<(Kind, String)>;

/// What is wanted of a tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    Indifferent,
    /// Every primitive carries it.
    Must,
    /// No primitive carries it.
    MustNot,
}

impl Choice {
    /// All of it as one filter.
    ///
    /// # Errors
    /// As [`Filter::parse`], for what is beyond the bounds of a filter.
    pub(super) fn filter(&self) -> Result<Filter, Error> {
        let mut filter = self.filter.clone();
        let mut parts: Vec<Expr> = filter.r#where.take().into_iter().collect();
        self.servers.write(&mut filter, &mut parts)?;
        if self.only_favourites {
            parts.push(any_of(&self.favourites)?);
        }
        if !self.disabled.is_empty() {
            parts.push(Expr::Not(Box::new(any_of(&self.disabled)?)));
        }
        if !parts.is_empty() {
            filter.r#where = Some(Expr::list(parts, Expr::All));
        }
        // What is read has every bound behind it.
        filter.to_string().parse()
    }

    /// Takes out of a filter that was set what it says of the names that are off or at hand anyway, and of `servers`: a
    /// filter that was kept (in an address, in a form) has that in its `where`, and would have it twice.
    pub(super) fn absorb(&mut self, servers: &[String]) {
        let (disabled, favourites) = (any_of(&self.disabled), any_of(&self.favourites));
        take_last(&mut self.filter.r#where, disabled.ok().map(|off| Expr::Not(Box::new(off))));
        self.only_favourites |= take_last(&mut self.filter.r#where, favourites.ok());
        self.servers.take(&mut self.filter, servers);
    }

    /// Names that are switched off, with their kinds.
    pub fn disabled(&self) -> &[(Kind, String)] {
        &self.disabled
    }

    /// Names kept at hand, with their kinds.
    pub fn favourites(&self) -> &[(Kind, String)] {
        &self.favourites
    }

    /// Whether favourites alone are wanted.
    pub fn only_favourites(&self) -> bool {
        self.only_favourites
    }

    /// What is wanted of a tag.
    pub fn mark(&self, tag: &str) -> Mark {
        match (holds(&self.filter.tags, tag), holds(&self.filter.not.tags, tag)) {
            (_, true) => Mark::MustNot,
            (true, false) => Mark::Must,
            (false, false) => Mark::Indifferent,
        }
    }

    /// The values wanted of a concern.
    pub fn wish(&self, concern: &str) -> &[String] {
        self.filter.concerns.get(concern).unwrap_or_default()
    }
}

/// Holds for what goes by one of these names, of which there is one at least.
fn any_of(named: &[(Kind, String)]) -> Result<Expr, Error> {
    let term = |field, op, value: &str| Term::new(field, op, value).map(Expr::Term);
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let field = if kind.is_named() { Field::Name } else { Field::Uri };
        let mut names = Vec::new();
        for (_, name) in named.iter().filter(|(of, _)| *of == kind) {
            names.push(term(field.clone(), Op::Equals, name)?);
        }
        if !names.is_empty() {
            let kind = term(Field::Kind, Op::Matches, kind.name())?;
            kinds.push(Expr::All(vec![kind, Expr::list(names, Expr::Any)]));
        }
    }
    Ok(Expr::list(kinds, Expr::Any))
}

/// Takes a part off the end of an expression, if it stands there.
fn take_last(expr: &mut Option<Expr>, part: Option<Expr>) -> bool {
    if part.is_some() && *expr == part {
        *expr = None;
        return true;
    }
    let Some(Expr::All(parts)) = expr else { return false };
    let stands = part.is_some() && parts.last() == part.as_ref();
    if stands {
        parts.pop();
        *expr = Some(Expr::list(std::mem::take(parts), Expr::All));
    }
    stands
}

/// Puts a name into a list that is in order, or takes it out.
pub(super) fn put(named: &mut Named, kind: Kind, name: &str, on: bool) {
    let entry = (kind, name.to_owned());
    match on {
        true => insert(named, entry),
        false => named.retain(|known| *known != entry),
    }
}

pub(super) fn holds(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Puts a name into a list, or takes it out.
pub(super) fn set(names: &mut Vec<String>, name: &str, on: bool) {
    names.retain(|known| known != name);
    if on {
        names.push(name.to_owned());
    }
}
