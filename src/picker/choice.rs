//! The choices of a user, and their conversion to a filter.

use super::servers::Servers;
use crate::{
    catalog::Kind,
    concern::insert,
    error::Error,
    expr::{Expr, Field, Op, Term},
    filter::Filter,
};

/// The choices that a user has made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Groups, tags, concerns and words, and the other fields of a filter that was set.
    pub(super) filter: Filter,
    pub(super) servers: Servers,
    /// The disabled names. The enabled ones are not stored, so that new tools of a server are visible.
    pub(super) disabled: Named,
    pub(super) favorites: Named,
    /// The names that come first if there is a limit, the latest one first.
    pub(super) pins: Named,
    pub(super) only_favorites: bool,
}

/// Names of primitives with their kinds, sorted unless they are pins.
pub(super) type Named = Vec<(Kind, String)>;

/// The choice for a tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// No choice.
    #[default]
    Indifferent,
    /// Every primitive must have the tag.
    Must,
    /// No primitive may have the tag.
    MustNot,
}

impl Choice {
    /// Returns the whole choice as one filter, with the names that it keeps of some kinds.
    ///
    /// # Errors
    /// The errors of [`Filter::parse`], if the choice exceeds the limits of a filter.
    pub(super) fn filter(&self, kept: &[Named]) -> Result<Filter, Error> {
        let mut filter = self.filter.clone();
        let mut parts: Vec<Expr> = filter.r#where.take().into_iter().collect();
        self.servers.write(&mut filter, &mut parts)?;
        if self.only_favorites {
            parts.push(any_of(&self.favorites)?);
        }
        if !self.disabled.is_empty() {
            parts.push(Expr::Not(Box::new(any_of(&self.disabled)?)));
        }
        for names in kept {
            if let Some((kind, _)) = names.first() {
                parts.push(Expr::Any(vec![Expr::Not(Box::new(of_kind(*kind)?)), any_of(names)?]));
            }
        }
        if !parts.is_empty() {
            filter.r#where = Some(Expr::list(parts, Expr::All));
        }
        // Parsing the text checks all limits.
        filter.to_string().parse()
    }

    /// Moves the conditions on disabled names, favorites and `servers` from the `where` of a filter that was set into
    /// the choice. A filter that was stored (in a URL, in a form) contains these conditions, and would otherwise have
    /// them twice.
    pub(super) fn absorb(&mut self, servers: &[String]) {
        let (disabled, favorites) = (any_of(&self.disabled), any_of(&self.favorites));
        take_last(&mut self.filter.r#where, disabled.ok().map(|off| Expr::Not(Box::new(off))));
        self.only_favorites |= take_last(&mut self.filter.r#where, favorites.ok());
        self.servers.take(&mut self.filter, servers);
    }

    /// Returns the disabled names, with their kinds.
    pub fn disabled(&self) -> &[(Kind, String)] {
        &self.disabled
    }

    /// Returns the pinned names, with their kinds, the latest one first.
    pub fn pins(&self) -> &[(Kind, String)] {
        &self.pins
    }

    /// Returns the favorites, with their kinds.
    pub fn favorites(&self) -> &[(Kind, String)] {
        &self.favorites
    }

    /// Returns whether only favorites are shown.
    pub fn only_favorites(&self) -> bool {
        self.only_favorites
    }

    /// Returns the choice for a tag.
    pub fn mark(&self, tag: &str) -> Mark {
        match (holds(&self.filter.tags, tag), holds(&self.filter.not.tags, tag)) {
            (_, true) => Mark::MustNot,
            (true, false) => Mark::Must,
            (false, false) => Mark::Indifferent,
        }
    }

    /// Returns the chosen values of a concern.
    pub fn concern_values(&self, concern: &str) -> &[String] {
        self.filter.concerns.get(concern).unwrap_or_default()
    }
}

/// Returns an expression that matches these names, of which there must be at least one.
fn any_of(named: &[(Kind, String)]) -> Result<Expr, Error> {
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let field = if kind.is_named() { Field::Name } else { Field::Uri };
        let mut names = Vec::new();
        for (_, name) in named.iter().filter(|(of, _)| *of == kind) {
            names.push(Expr::Term(Term::new(field.clone(), Op::Equals, name)?));
        }
        if !names.is_empty() {
            kinds.push(Expr::All(vec![of_kind(kind)?, Expr::list(names, Expr::Any)]));
        }
    }
    Ok(Expr::list(kinds, Expr::Any))
}

/// Returns an expression that matches a kind.
fn of_kind(kind: Kind) -> Result<Expr, Error> {
    Term::new(Field::Kind, Op::Matches, kind.name()).map(Expr::Term)
}

/// Removes a part from the end of an expression. Returns whether it was there.
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

/// Returns whether a primitive is named.
pub(super) fn holds_name(named: &Named, kind: Kind, name: &str) -> bool {
    named.iter().any(|(of, known)| *of == kind && known == name)
}

/// Adds a name to a sorted list, or removes it.
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

/// Adds a name to a list, or removes it.
pub(super) fn set(names: &mut Vec<String>, name: &str, on: bool) {
    names.retain(|known| known != name);
    if on {
        names.push(name.to_owned());
    }
}
