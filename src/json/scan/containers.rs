//! Steps through arrays and objects.

use super::{
    key_filter::KeyFilter,
    scanner::{END, Scanner},
};
use crate::{error::Error, json::members::Members};

/// Called before each value of an object with its key, or `None` for a key that is not valid Unicode.
type EachMember<'m, 'a> = dyn FnMut(&mut Scanner<'a>, Option<&str>) -> Result<(), Error> + 'm;

/// The members of an object, and those of one of its values.
pub(crate) type MembersAnd<'a> = (Members<'a>, Option<Members<'a>>);

impl<'a> Scanner<'a> {
    /// Skips an array and calls `element` before each of its values. Returns `false`, without skipping anything, for
    /// any other value.
    pub fn elements(
        &mut self,
        element: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if !self.open_array()? {
            return Ok(false);
        }
        let mut begun = false;
        while self.next_element(&mut begun)? {
            element(self)?;
        }
        Ok(true)
    }

    /// Skips the opening bracket of an array, for [`Scanner::next_element`]. For any other value, skips nothing and
    /// returns false.
    pub fn open_array(&mut self) -> Result<bool, Error> {
        let is_array = self.peek() == b'[';
        if is_array {
            self.open()?;
        }
        Ok(is_array)
    }

    /// Advances to the next element of an array, or to the first one if it is not `begun`. The caller then skips the
    /// element. Skips the closing bracket and returns false if there is no other element.
    #[inline(always)]
    pub fn next_element(&mut self, begun: &mut bool) -> Result<bool, Error> {
        let next = self.peek();
        if next == b']' {
            self.close();
            return Ok(false);
        }
        if *begun {
            if next != b',' {
                return Err(self.unclosed(b']'));
            }
            self.at += 1;
        }
        *begun = true;
        if self.ended() { Err(self.unclosed(b']')) } else { Ok(true) }
    }

    /// Skips an object and calls `member` with each key before its value. For any other value, skips nothing and
    /// returns false.
    pub fn object(&mut self, member: &mut EachMember<'_, 'a>) -> Result<bool, Error> {
        let Some(mut members) = self.open_object()? else { return Ok(false) };
        while self.next_member(&mut members)? {
            member(self, members.key())?;
        }
        Ok(true)
    }

    /// Skips an object if all its values are objects, and returns whether it did. Any other value is not skipped.
    pub fn objects(&mut self) -> Result<bool, Error> {
        let start = self.at;
        if self.peek() != b'{' {
            return Ok(false);
        }
        self.open()?;
        let mut keys = KeyFilter::default();
        let mut next = self.peek();
        while next == b'"' {
            let mut at = self.at;
            self.suspect |= self.pass_key::<true>(&mut at, &mut keys)?;
            self.at = at;
            if self.peek() != b'{' {
                break;
            }
            self.skip()?;
            next = self.peek();
            if next == b',' {
                self.at += 1;
                next = self.peek();
                // A comma must not be the last character.
                next = if next == b'}' { END } else { next };
            }
        }
        if next == b'}' {
            self.close();
            return Ok(true);
        }
        // The general parser then reports the problem.
        self.at = start;
        self.depth -= 1;
        Ok(false)
    }

    /// Skips a value and returns its members, if it is an object whose keys are valid Unicode.
    pub fn members(&mut self) -> Result<Option<Members<'a>>, Error> {
        let Some(mut object) = self.open_object()? else {
            self.skip()?;
            return Ok(None);
        };
        // The usual number of members of a tool.
        let (mut members, mut sound) = (Vec::with_capacity(8), true);
        while self.next_member(&mut object)? {
            let value = self.value()?;
            match object.kept_key() {
                Some(key) => members.push((key, value)),
                None => sound = false,
            }
        }
        Ok(sound.then_some(Members(members)))
    }

    /// Skips a value and returns its members like [`Scanner::members`], together with the members of the value of
    /// `name`, if that is an object. If the key is repeated, the last value counts.
    pub fn members_and(&mut self, name: &str) -> Result<Option<MembersAnd<'a>>, Error> {
        let Some(mut object) = self.open_object()? else {
            self.skip()?;
            return Ok(None);
        };
        let (mut members, mut inner, mut sound) = (Vec::with_capacity(8), None, true);
        while self.next_member(&mut object)? {
            let start = self.start();
            if object.key() == Some(name) {
                inner = self.members()?;
            } else {
                self.skip()?;
            }
            match object.kept_key() {
                Some(key) => members.push((key, self.since(start))),
                None => sound = false,
            }
        }
        Ok(sound.then_some((Members(members), inner)))
    }
}
