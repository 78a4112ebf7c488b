//! Page cursors of task lists, sealed or plain.

use super::Place;
use crate::{
    error::{Error, ErrorKind},
    filter::hex,
    seal::Key,
};

/// The first byte of every cursor. It must change with the layout.
const VERSION: u8 = 1;
const PURPOSE: &str = "task-cursor";

/// The list of tasks to which a cursor is bound: one filter and order, and one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskCursor {
    /// The hash of everything that filters and orders the list.
    pub filter: u128,
    /// The hash of the tasks' owner.
    pub owner: u128,
}

impl TaskCursor {
    /// Returns the sealed cursor for the page after a position.
    pub fn seal(&self, key: &Key, place: &Place) -> String {
        key.seal(PURPOSE, &self.content(place))
    }

    /// Opens a sealed cursor that a client sent.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidCursor`] for a cursor that this key did not seal, and
    /// [`ErrorKind::CursorFilterMismatch`] for one that belongs to another filter, order or owner.
    pub fn open(&self, key: &Key, token: &str) -> Result<Place, Error> {
        self.place(&key.open(PURPOSE, token).ok_or_else(invalid)?)
    }

    /// Returns the cursor for the page after a position, without a seal. It is for lists whose readers may see every
    /// task.
    pub fn encode(&self, place: &Place) -> String {
        let content = self.content(place);
        let mut token = String::with_capacity(2 * content.len());
        for byte in content {
            token.push(digit(byte >> 4));
            token.push(digit(byte & 15));
        }
        token
    }

    /// Parses a cursor of [`TaskCursor::encode`] that a client sent.
    ///
    /// # Errors
    /// As [`TaskCursor::open`].
    pub fn decode(&self, token: &str) -> Result<Place, Error> {
        let (pairs, []) = token.as_bytes().as_chunks::<2>() else { return Err(invalid()) };
        let mut content = Vec::with_capacity(pairs.len());
        for [high, low] in pairs {
            let (high, low) = hex(*high).zip(hex(*low)).ok_or_else(invalid)?;
            content.push(high << 4 | low);
        }
        self.place(&content)
    }

    fn content(&self, place: &Place) -> Vec<u8> {
        let mut content = self.bound();
        content.extend(place.at.to_le_bytes());
        content.extend(place.began.to_le_bytes());
        content.extend_from_slice(place.id.as_bytes());
        content
    }

    fn place(&self, content: &[u8]) -> Result<Place, Error> {
        let (bound, rest) = content.split_at_checked(1 + 16 + 16).ok_or_else(invalid)?;
        if bound != self.bound() {
            let message = "the cursor belongs to another filter, order or caller; start again without it";
            return Err(Error::new(ErrorKind::CursorFilterMismatch, message).field("cursor"));
        }
        let (at, rest) = rest.split_first_chunk::<8>().ok_or_else(invalid)?;
        let (began, id) = rest.split_first_chunk::<8>().ok_or_else(invalid)?;
        let id = String::from_utf8(id.to_vec()).map_err(|_| invalid())?;
        Ok(Place { at: i64::from_le_bytes(*at), id, began: i64::from_le_bytes(*began) })
    }

    fn bound(&self) -> Vec<u8> {
        let mut bound = vec![VERSION];
        bound.extend(self.filter.to_le_bytes());
        bound.extend(self.owner.to_le_bytes());
        bound
    }
}

fn invalid() -> Error {
    Error::new(ErrorKind::InvalidCursor, "not a cursor of this server").field("cursor")
}

fn digit(half: u8) -> char {
    char::from_digit(half.into(), 16).unwrap_or_default()
}
