//! Other spellings of conditions on groups and tags: toolsets, and the headers of other servers.

use super::Filter;
use crate::{
    concern::Configuration,
    error::Error,
    expr::{Expr, Field, Op, Term},
};

impl Filter {
    /// The URL parameter for toolsets, as in Datadog's MCP server. It is not a field of a filter.
    pub const TOOLSETS_PARAMETER: &'static str = "toolsets";

    /// The toolset that stands for every group.
    pub const ALL_TOOLSETS: &'static str = "all";

    /// The toolset that clients of GitHub's MCP server name for its usual choice. It stands for every group, unless the
    /// configuration defines it.
    pub const DEFAULT_TOOLSET: &'static str = "default";

    /// Returns the groups of toolsets, each with the position of its toolset in `names`. A name that is not in `toolsets`
    /// is that of a group. Returns `None` if some name stands for every group.
    ///
    /// # Errors
    /// [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for more than [`Configuration::MAX_VALUES`] groups. `field`
    /// is what the names are in.
    pub fn groups_of_toolsets<'a>(
        names: &'a [String],
        toolsets: &'a [(String, Vec<String>)],
        field: &str,
    ) -> Result<Option<Vec<(usize, &'a str)>>, Error> {
        let mut groups: Vec<(usize, &str)> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let defined =
                toolsets.iter().find(|(known, _)| known == name).map(|(_, groups)| groups.as_slice());
            if defined.is_none() && [Self::ALL_TOOLSETS, Self::DEFAULT_TOOLSET].contains(&name.as_str()) {
                return Ok(None);
            }
            for group in defined.unwrap_or(std::slice::from_ref(name)) {
                if !groups.iter().any(|(_, known)| known == group) {
                    groups.push((at, group));
                }
            }
        }
        match groups.len() {
            0..=Configuration::MAX_VALUES => Ok(Some(groups)),
            _ => {
                let most = format!("at most {max} values", max = Configuration::MAX_VALUES);
                Err(Error::filter_limit(field, most))
            }
        }
    }

    /// Returns the condition that the values of `field` include one of `names`, which must not be empty. Reports name
    /// each as the given position in `origin`, such as `X-MCP-Toolsets[1]`.
    ///
    /// # Errors
    /// [`Expression`](crate::error::ErrorKind::Expression) for a name that is too long.
    pub fn any_of(&mut self, field: &Field, names: &[(usize, &str)], origin: &str) -> Result<Expr, Error> {
        let mut terms = Vec::with_capacity(names.len());
        for (at, name) in names {
            let term = Term::new(field.clone(), Op::Equals, *name)?;
            self.origins.push((term.clone(), format!("{origin}[{at}]")));
            terms.push(Expr::Term(term));
        }
        Ok(Expr::list(terms, Expr::Any))
    }

    /// Adds a condition to `where`.
    ///
    /// # Errors
    /// [`Expression`](crate::error::ErrorKind::Expression) if both conditions together exceed the limits.
    pub fn require(&mut self, condition: Expr) -> Result<(), Error> {
        self.r#where = Some(match self.r#where.take() {
            Some(known) => known.both(condition)?,
            None => condition,
        });
        Ok(())
    }

    /// Returns the field that reports name for a term of the condition.
    pub(super) fn origin(&self, term: &Term) -> String {
        let known = self.origins.iter().find(|(known, _)| known == term);
        known.map_or_else(|| format!("where.{term}"), |(_, origin)| origin.clone())
    }
}
