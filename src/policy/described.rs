use super::{CallerContext, Preset};
use crate::{
    catalog::number_text,
    error::{Error, ErrorKind},
    expr::{Field, Subject, at_path},
    json::{self, Members, Raw},
};

/// A caller that an operator describes to find out what it would see: the claims of its token, and the presets that
/// apply to it. Nothing else is known about it.
#[derive(Debug, Default)]
pub struct Described<'a> {
    claims: Members<'a>,
    presets: Vec<String>,
}

impl<'a> Described<'a> {
    /// Reads the claims of a token, a JSON object.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`] for anything else.
    pub fn read(claims: &'a str) -> Result<Self, Error> {
        let claims = Members::read(Raw::parse(claims)?);
        let claims = claims.ok_or_else(|| Error::new(ErrorKind::Json, "expected claims as a JSON object"))?;
        Ok(Self { claims, presets: Vec::new() })
    }

    /// Applies the presets that are for the caller and, if it connects to the path of a preset, that one. Returns
    /// whether there is a preset of that name for it.
    pub fn bind(&mut self, presets: &[Preset], path: Option<&str>) -> bool {
        let bound = Preset::find_applicable(presets, path, self);
        let found = bound.is_some();
        let presets = bound.or_else(|| Preset::find_applicable(presets, None, self));
        self.presets = presets.unwrap_or_default();
        found
    }
}

impl Subject for Described<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Preset => self.presets.iter().for_each(|name| visit(name)),
            Field::Claim(path) => {
                let claims = self.claims.clone();
                let claim = at_path(claims, path, |object, key| object.get(key), Members::read);
                claim.into_iter().for_each(|claim| each_text(claim, visit));
            }
            _ => {}
        }
    }
}

impl CallerContext for Described<'_> {}

/// Visits a text as it is, a number or boolean as expressions spell it, and each element of an array.
fn each_text(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if let Some(elements) = json::elements(raw) {
        return elements.into_iter().for_each(|element| each_text(element, visit));
    }
    match json::text(raw) {
        Some(text) => visit(&text),
        None if json::is_object(raw) || json::is_null(raw) => {}
        None => visit(number_text(raw).as_deref().unwrap_or(raw.get())),
    }
}
