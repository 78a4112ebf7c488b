//! Sealed page cursors of lists, bound to a filter and a caller.

use mcp_sieve::{Error, ErrorKind, Kind, seal::Key};

/// The first byte of every cursor. It changes with the layout.
const VERSION: u8 = 1;
const PURPOSE: &str = "cursor";
/// Version, kind, filter hash, principal hash, position.
const HEAD: usize = 1 + 1 + 16 + 16 + 4;

/// The scope of a cursor: one kind, one filter, one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The kind of the list.
    pub kind: Kind,
    /// Hash of everything that filters the list.
    pub filter: u128,
    /// Hash of the caller's principal.
    pub principal: u128,
}

/// The start of a page: after the primitive named `after`, which was at `index - 1`. The caller can read both in the
/// cursor, so they contain only what the list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    index: u32,
    after: String,
}

impl Position {
    /// Returns the start of the page in the current list: after the primitive that the cursor names, which `find` looks
    /// up. If it no longer exists, returns its former position.
    pub fn locate(&self, find: impl FnOnce(&str) -> Option<usize>) -> usize {
        // Its successor is now at that position.
        find(&self.after).map_or((self.index as usize).saturating_sub(1), |index| index + 1)
    }
}

impl Cursor {
    /// Returns the sealed token for the page after the primitive named `after`, which comes right before position
    /// `next`.
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

    /// Opens a token that a client returned.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidCursor`] for a token that this key did not seal, and [`ErrorKind::CursorFilterMismatch`] for
    /// a token of another kind, filter or caller.
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
