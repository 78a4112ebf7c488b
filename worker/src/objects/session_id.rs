//! The Durable Object of a session. Sessions share objects, because each object that runs costs its process three open
//! files and some hundred kilobytes. The number of a session names the object and the session's place in it.

use std::cell::Cell;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// Number of sessions that share one object.
pub(crate) const SESSIONS_PER_OBJECT: u8 = 64;
/// Length of an object's name: base64 of all bytes of a session's number but the last.
const NAME_CHARS: usize = 20;

/// The number of a session: the object's fifteen bytes, and the place in it.
type Number = [u8; 16];

thread_local! {
    /// The number of the next session that begins in this isolate, if its object has a place left.
    static NEXT: Cell<Option<Number>> = const { Cell::new(None) };
}

/// Returns the number of a new session. Sessions that begin in one isolate share an object until it is full; the next
/// object is named by the random bytes.
pub(crate) fn next_number(random: Number) -> Number {
    let number = NEXT.take().unwrap_or_else(|| at(random, 0));
    let [.., place] = number;
    let next = place.saturating_add(1);
    NEXT.set((next < SESSIONS_PER_OBJECT).then(|| at(number, next)));
    number
}

/// Makes the next session begin in another object, because this one does not answer.
pub(crate) fn leave_object() {
    NEXT.set(None);
}

/// Returns the name of a session's object and the session's place in it.
pub(crate) fn parse(id: &str) -> Option<(&str, u8)> {
    let place = *URL_SAFE_NO_PAD.decode(id).ok()?.last()?;
    Some((id.get(..NAME_CHARS)?, place))
}

fn at(mut number: Number, place: u8) -> Number {
    let [.., last] = &mut number;
    *last = place;
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(number: Number) -> Option<(String, u8)> {
        let id = URL_SAFE_NO_PAD.encode(number);
        parse(&id).map(|(object, place)| (object.to_owned(), place))
    }

    #[test]
    fn sessions_fill_an_object_and_then_the_next() {
        let object = |byte| URL_SAFE_NO_PAD.encode([byte; NAME_CHARS / 4 * 3]);
        leave_object();
        for place in 0..SESSIONS_PER_OBJECT {
            assert_eq!(parsed(next_number([7 + place; 16])), Some((object(7), place)));
        }
        assert_eq!(parsed(next_number([8; 16])), Some((object(8), 0)));
        leave_object();
        assert_eq!(parsed(next_number([9; 16])), Some((object(9), 0)));
    }
}
