//! Reads configuration objects with known members only, and reports errors with their path.

use super::{Members, Number, Raw};
use crate::error::{Error, ErrorKind};

/// A value in a file that people edit, with its path (`rules[0].match`) for error messages.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    raw: Raw<'a>,
    path: String,
}

/// An object in such a file, which may have only known members.
///
/// Its members are parsed into variables that hold their defaults. After the first error, further members are ignored,
/// and [`Record::end`] returns that error.
#[derive(Debug)]
pub struct Record<'a> {
    members: Members<'a>,
    path: String,
    refused: Option<Error>,
}

impl<'a> Entry<'a> {
    /// Creates the entry for the whole file.
    pub fn root(raw: Raw<'a>) -> Self {
        Self { raw, path: String::new() }
    }

    /// Returns the value.
    pub fn raw(&self) -> Raw<'a> {
        self.raw
    }

    /// Returns an error about this value.
    pub fn refuse(&self, message: impl Into<String>) -> Error {
        refuse(&self.path, message.into())
    }

    fn expected(&self, what: &str) -> Error {
        self.refuse(format!("expected {what}"))
    }

    /// Reads a string.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path, as for every method here.
    pub fn text(&self) -> Result<String, Error> {
        self.raw.text().map(Into::into).ok_or_else(|| self.expected("a string"))
    }

    /// Reads a string that is not empty.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn some_text(&self) -> Result<String, Error> {
        self.text().ok().filter(|text| !text.is_empty()).ok_or_else(|| self.expected("a non-empty string"))
    }

    /// Reads an object as its text.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn object_text(&self) -> Result<String, Error> {
        Members::read(self.raw).map(|_| self.raw.get().to_owned()).ok_or_else(|| self.expected("an object"))
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn flag(&self) -> Result<bool, Error> {
        self.raw.get().parse().map_err(|_| self.expected("`true` or `false`"))
    }

    /// Reads a number.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn number(&self) -> Result<Number, Error> {
        self.raw.get().parse().map_err(|_| self.expected("a number"))
    }

    /// Reads a whole number from `min` to `max`, in any spelling.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn whole<N: TryFrom<i64>>(&self, min: i64, max: i64) -> Result<N, Error> {
        let number = self.number().ok().and_then(Number::whole).filter(|number| (min..=max).contains(number));
        let read = number.and_then(|number| N::try_from(number).ok());
        read.ok_or_else(|| self.expected(&format!("a whole number from {min} to {max}")))
    }

    /// Reads a value with the parser `read`.
    ///
    /// # Errors
    /// The error of that parser, as [`ErrorKind::Config`] and with its path below this entry.
    pub fn read<T>(&self, read: impl FnOnce(Raw<'a>) -> Result<T, Error>) -> Result<T, Error> {
        read(self.raw).map_err(|error| error.with_kind(ErrorKind::Config).within(&self.path))
    }

    /// Reads an array, with `read` for each element.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn list<T>(&self, mut read: impl FnMut(&Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let mut list = Vec::new();
        self.elements("an array", &mut |entry| read(entry).map(|value| list.push(value)))?;
        Ok(list)
    }

    /// Reads an array that is not empty, with `read` for each element.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn some_list<T>(&self, read: impl FnMut(&Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let list = self.list(read)?;
        if list.is_empty() { Err(self.expected("at least one element")) } else { Ok(list) }
    }

    /// Reads an array of strings.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn texts(&self) -> Result<Vec<String>, Error> {
        let mut list = Vec::new();
        self.elements("an array of strings", &mut |entry| entry.text().map(|text| list.push(text)))?;
        Ok(list)
    }

    /// Reads an array of any element type. It is compiled once, because the parts that differ are passed as pointers,
    /// here and below.
    fn elements(
        &self,
        expected: &str,
        element: &mut dyn FnMut(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let elements = self.raw.elements().ok_or_else(|| self.expected(expected))?;
        let mut elements = elements.into_iter().enumerate();
        elements.try_for_each(|(at, raw)| element(&Self { raw, path: format!("{}[{at}]", self.path) }))
    }

    /// Reads an object with arbitrary keys in their order, with `read` for each value.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn members<T>(
        &self,
        mut read: impl FnMut(&Self) -> Result<T, Error>,
    ) -> Result<Vec<(String, T)>, Error> {
        let mut list = Vec::new();
        self.each_member(&mut |key, entry| read(entry).map(|value| list.push((key.to_owned(), value))))?;
        Ok(list)
    }

    /// Reads an object with arbitrary keys in their order, with `member` for each member.
    ///
    /// # Errors
    /// The errors of [`Entry::text`], and those of `member`.
    pub fn each_member(&self, member: &mut dyn FnMut(&str, &Self) -> Result<(), Error>) -> Result<(), Error> {
        let members = Members::read(self.raw).ok_or_else(|| self.expected("an object"))?;
        let mut members = members.0.into_iter();
        members.try_for_each(|(key, raw)| member(&key, &Self { raw, path: join(&self.path, &key) }))
    }

    /// Reads an object that may have only the members `known`.
    ///
    /// # Errors
    /// The same as for [`Entry::text`].
    pub fn record(&self, known: &[&str]) -> Result<Record<'a>, Error> {
        let members = Members::read(self.raw).ok_or_else(|| self.expected("an object"))?;
        if let Some((key, _)) = members.0.iter().find(|(key, _)| !known.contains(&key.as_ref())) {
            let message = format!("unknown field `{key}`, expected {}", Error::one_of(known));
            return Err(refuse(&join(&self.path, key), message));
        }
        Ok(Record { members, path: self.path.clone(), refused: None })
    }
}

impl<'a> Record<'a> {
    /// Reads a member with `read` into `slot`. If the member is missing, `slot` keeps its value.
    pub fn fill<T>(&mut self, key: &str, slot: &mut T, mut read: impl FnMut(&Entry<'a>) -> Result<T, Error>) {
        self.member(key, &mut |entry| read(entry).map(|value| *slot = value));
    }

    fn member(&mut self, key: &str, fill: &mut dyn FnMut(&Entry<'a>) -> Result<(), Error>) {
        let Some(raw) = self.members.get(key).filter(|_| self.refused.is_none()) else { return };
        let entry = Entry { raw, path: join(&self.path, key) };
        self.refused = fill(&entry).err();
    }

    /// Reads an optional member. `null` means that it is missing.
    pub fn fill_optional<T>(
        &mut self,
        key: &str,
        slot: &mut Option<T>,
        mut read: impl FnMut(&Entry<'a>) -> Result<T, Error>,
    ) {
        if !self.members.get(key).is_some_and(Raw::is_null) {
            self.fill(key, slot, |entry| read(entry).map(Some));
        }
    }

    /// Requires these members.
    pub fn need(&mut self, keys: &[&str]) {
        let missing = keys.iter().find(|key| self.members.get(key).is_none());
        if let (Some(key), None) = (missing, &self.refused) {
            self.refused = Some(refuse(&self.path, format!("missing field `{key}`")));
        }
    }

    /// Returns the first error, if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of the invalid value.
    pub fn end(self) -> Result<(), Error> {
        self.refused.map_or(Ok(()), Err)
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn refuse(path: &str, message: String) -> Error {
    let refusal = Error::new(ErrorKind::Config, message);
    if path.is_empty() { refusal } else { refusal.field(path) }
}
