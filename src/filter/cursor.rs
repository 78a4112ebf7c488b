use crate::{
    catalog::Kind,
    error::{Error, ErrorKind},
    seal::Key,
};

/// First byte of every cursor; a change of layout changes it.
const VERSION: u8 = 1;
const PURPOSE: &str = "cursor";
/// Version, kind, filter hash, principal hash, position.
const HEAD: usize = 1 + 1 + 16 + 16 + 4;

/// What a cursor is good for: one kind, one filter, one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The list it belongs to.
    pub kind: Kind,
    /// Hash of everything that narrows the list.
    pub filter: u128,
    /// Hash of the caller's principal.
    pub principal: u128,
}

/// Where a page starts: after what is called `after`, which stood at `index - 1`. Whoever holds the cursor can read
/// both, so they say nothing that the list does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    index: u32,
    after: String,
}

impl Position {
    /// The place in a list, whatever came or went since the cursor was made: behind what it names, which
    /// `find` looks for, or where that stood if it is gone.
    pub fn locate(&self, find: impl FnOnce(&str) -> Option<usize>) -> usize {
        // Where it stood, its successor stands now.
        find(&self.after).map_or((self.index as usize).saturating_sub(1), |index| index + 1)
    }
}

impl Cursor {
    /// The sealed token for the page behind what is called `after`, which stands right before place `next`.
    pub fn seal(&self, key: &Key, after: &str, next: usize) -> String {
        let mut content = Vec::with_capacity(HEAD + 64);
        content.push(VERSION);
        content.push(self.kind as u8);
        content.extend(self.filter.to_le_bytes());
        content.extend(self.principal.to_le_bytes());
        content.extend(u32::try_from(next).unwrap_or(u32::MAX).to_le_bytes());
        content.extend_from_slice(after.as_bytes());
        key.seal(PURPOSE, &content)
    }

    /// Opens a token that came back.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidCursor`] for a token this key did not seal, and
    /// [`ErrorKind::CursorFilterMismatch`] for one that belongs to another kind, filter or caller.
    pub fn open(&self, key: &Key, token: &str) -> Result<Position, Error> {
        let invalid = || Error::new(ErrorKind::InvalidCursor, "not a cursor of this server").field("cursor");
        let content = key.open(PURPOSE, token).ok_or_else(invalid)?;
        let (head, after) = content.split_at_checked(HEAD).ok_or_else(invalid)?;
        let (bound, index) = head.split_at_checked(HEAD - 4).ok_or_else(invalid)?;
        let mut expected = vec![VERSION, self.kind as u8];
        expected.extend(self.filter.to_le_bytes());
        expected.extend(self.principal.to_le_bytes());
        if bound != expected {
            let message = "the cursor belongs to another list, filter or caller; start again without it";
            return Err(Error::new(ErrorKind::CursorFilterMismatch, message).field("cursor"));
        }
        let index = u32::from_le_bytes(index.try_into().map_err(|_| invalid())?);
        let after = String::from_utf8(after.to_vec()).map_err(|_| invalid())?;
        Ok(Position { index, after })
    }
}
