use std::ops::Range;

use super::{
    shelf::Numbered,
    snapshot::{Reader, Writer},
};
use crate::{digest::name_hash, json::plain_length};

/// What the primitives of a kind are called, each once: places in their own text, and a table to find them.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids {
    /// Where each begins, behind its quote.
    starts: Vec<usize>,
    /// Open addressing: a power of two of numbers, [`FREE`] where there is none.
    table: Vec<u32>,
    /// Those that are written with escapes, by number.
    escaped: Numbered,
}

const FREE: u32 = u32::MAX;

impl Ids {
    /// Room for so many.
    pub fn with_room(count: usize) -> Self {
        // At most four of five places are taken.
        let places = (count + count / 4 + 1).next_power_of_two();
        Self { starts: Vec::with_capacity(count), table: vec![FREE; places], escaped: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn get<'a>(&'a self, text: &'a [u8], index: usize) -> Option<&'a str> {
        let start = *self.starts.get(index)?;
        if let Some(id) = self.unescaped(index) {
            return Some(id);
        }
        let rest = text.get(start..)?;
        std::str::from_utf8(rest.get(..plain_length(rest))?).ok()
    }

    pub fn find(&self, text: &[u8], id: &str) -> Option<usize> {
        let mut numbers = self.probe(name_hash(id)).map_while(|(_, number)| number);
        numbers.find(|number| self.is(text, *number, id))
    }

    /// Adds one that is not there yet, by its [hash](name_hash). It begins at `start` of the text, behind its
    /// quote; `escaped` is what it reads as where it is written otherwise.
    pub fn push(&mut self, hash: u64, start: usize, escaped: Option<Box<str>>) {
        let number = self.len();
        let free = self.probe(hash).find(|(_, number)| number.is_none());
        if let (Some((place, _)), Ok(number)) = (free, u32::try_from(number)) {
            self.table.get_mut(place).into_iter().for_each(|slot| *slot = number);
            self.escaped.extend(escaped.map(|id| (self.starts.len(), id)));
            self.starts.push(start);
        }
    }

    /// Writes all, places as `place` has them.
    pub fn save(&self, writer: &mut Writer<'_>, place: impl Fn(usize) -> usize) {
        writer.list(&self.starts, |writer, start| writer.number(place(*start)));
        writer.small_numbers(&self.table);
        writer.numbered(&self.escaped);
    }

    /// Reads what [`Ids::save`] wrote of so many primitives at these places.
    pub fn load(
        reader: &mut Reader<'_>,
        count: usize,
        places: impl Iterator<Item = Range<usize>>,
    ) -> Option<Self> {
        let starts = reader.list(Reader::number)?;
        let table = reader.small_numbers()?;
        let numbered = |number: &u32| *number == FREE || (*number as usize) < count;
        let sound = starts.len() == count
            && starts.iter().zip(places).all(|(start, place)| place.contains(start))
            && (table.len().is_power_of_two() && table.len() > count || count == 0)
            && table.iter().all(numbered);
        sound.then_some(Self { starts, table, escaped: reader.numbered(count)? })
    }

    /// The places in the table where an id of this hash may stand and their numbers, from the likeliest on.
    fn probe(&self, hash: u64) -> impl Iterator<Item = (usize, Option<usize>)> {
        let mask = self.table.len().wrapping_sub(1);
        // Each place once, whatever the table holds.
        (0..self.table.len()).filter_map(move |step| {
            let place = (hash as usize).wrapping_add(step) & mask;
            let number = *self.table.get(place)?;
            Some((place, (number != FREE).then_some(number as usize)))
        })
    }

    fn is(&self, text: &[u8], number: usize, id: &str) -> bool {
        if let Some(known) = self.unescaped(number) {
            return known == id;
        }
        let rest = self.starts.get(number).and_then(|start| text.get(*start..));
        rest.is_some_and(|rest| rest.get(..plain_length(rest)) == Some(id.as_bytes()))
    }

    fn unescaped(&self, number: usize) -> Option<&str> {
        let place = self.escaped.binary_search_by(|(known, _)| known.cmp(&number)).ok()?;
        self.escaped.get(place).map(|(_, id)| id.as_ref())
    }
}
