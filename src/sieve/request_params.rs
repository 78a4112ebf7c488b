//! The parameters of a request, as JSON.

use crate::{
    catalog::Catalog,
    error::Error,
    json::{Members, Raw},
};

/// The members of a request's `params`.
pub(super) struct RequestParams<'a>(Members<'a>);

impl<'a> RequestParams<'a> {
    /// Reads parameters. An empty text stands for none.
    pub fn read(params: &'a str) -> Result<Self, Error> {
        if params.is_empty() {
            return Ok(Self(Members::default()));
        }
        let members = Members::read(Raw::parse(params)?);
        members.map(Self).ok_or_else(|| Error::filter_type("params", "an object"))
    }

    /// Returns a parameter, by its own name or with our prefix.
    pub fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.0.get(name).or_else(|| self.0.get(&[Catalog::PREFIX, "/", name].concat()))
    }
}
