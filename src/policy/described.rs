//! A hypothetical caller that an operator describes by token claims and a preset.

use super::{CallerContext, Preset};
use crate::{
    catalog::number_text,
    error::{Error, ErrorKind},
    expr::{Field, Subject},
    json::{Members, Raw},
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

    /// Applies a preset as if the caller met its condition.
    pub fn assume(&mut self, preset: &str) {
        self.presets = vec![preset.to_owned()];
    }

    /// Visits each value at a path of an object, as expressions compare it.
    pub(crate) fn visit_path(object: Members<'_>, path: &str, visit: &mut dyn FnMut(&str)) {
        let found = Field::at_path(object, path, |object, key| object.get(key), Members::read);
        found.into_iter().for_each(|value| each_text(value, visit));
    }
}

impl Subject for Described<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Preset => self.presets.iter().for_each(|name| visit(name)),
            Field::Claim(path) => Self::visit_path(self.claims.clone(), path, visit),
            Field::Scope => Field::visit_scopes(self, visit),
            _ => {}
        }
    }
}

impl CallerContext for Described<'_> {}

/// Visits a text as it is, a number or boolean as expressions spell it, and each element of an array.
fn each_text(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if let Some(elements) = raw.elements() {
        return elements.into_iter().for_each(|element| each_text(element, visit));
    }
    match raw.text() {
        Some(text) => visit(&text),
        None if raw.is_object() || raw.is_null() => {}
        None => visit(number_text(raw).as_deref().unwrap_or(raw.get())),
    }
}
