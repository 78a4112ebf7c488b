use std::ops::Range;

use crate::{
    catalog::snapshot::codec::{Reader, Writer},
    digest::{name_hash, seed},
    json::plain_length,
};

/// The texts of some primitives by the number of the primitive, ascending.
pub(crate) type Numbered = Vec<(usize, Box<str>)>;

/// What the primitives of a kind are called, each once: places in their own text, and a table to find them.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdTable {
    /// Where each begins, behind its quote.
    starts: Vec<usize>,
    /// Of the table.
    seed: u64,
    /// Open addressing: a power of two of numbers, [`FREE`] where there is none.
    table: Vec<u32>,
    /// Those that are written with escapes, by number.
    escaped: Numbered,
}

const FREE: u32 = u32::MAX;
/// Maximum number of names whose table has no seed: so few make no table slow, wherever they fall.
const FEW: usize = 1024;

impl IdTable {
    /// The seed of a table for so many names, by their text.
    pub fn seed<'a>(count: usize, names: impl Iterator<Item = &'a str>) -> u64 {
        if count > FEW { seed(names) } else { 0 }
    }

    /// Room for so many, in a table of this seed.
    pub fn with_room(count: usize, seed: u64) -> Self {
        // At most four of five places are taken.
        let places = (count + count / 4 + 1).next_power_of_two();
        Self { starts: Vec::with_capacity(count), seed, table: vec![FREE; places], escaped: Vec::new() }
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
        self.find_hashed(text, name_hash(self.seed, id), id)
    }

    /// The same with the [hash](name_hash) of the id under the table's seed.
    pub fn find_hashed(&self, text: &[u8], hash: u64, id: &str) -> Option<usize> {
        let mut numbers = self.probe(hash).map_while(|(_, number)| number);
        numbers.find(|number| self.is(text, *number, id))
    }

    /// Adds one that is not there yet, by its [hash](name_hash) under the table's seed. It begins at `start` of the text,
    /// behind its quote; `escaped` is what it reads as where it is written otherwise.
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
        // Halves: a place is no wider on every machine.
        writer.number((self.seed & u64::from(u32::MAX)) as usize);
        writer.number((self.seed >> 32) as usize);
        writer.small_numbers(&self.table);
        writer.numbered(&self.escaped);
    }

    /// Reads what [`IdTable::save`] wrote of so many primitives at these places.
    pub fn load(
        reader: &mut Reader<'_>,
        count: usize,
        places: impl Iterator<Item = Range<usize>>,
    ) -> Option<Self> {
        let starts = reader.list(Reader::number)?;
        let [low, high] = [reader.number()?, reader.number()?].map(|half| half as u64);
        let seed = high.checked_shl(32)? | low;
        let table = reader.small_numbers()?;
        let numbered = |number: &u32| *number == FREE || (*number as usize) < count;
        let sound = starts.len() == count
            && starts.iter().zip(places).all(|(start, place)| place.contains(start))
            && (table.len().is_power_of_two() && table.len() > count || count == 0)
            && table.iter().all(numbered);
        sound.then_some(Self { starts, seed, table, escaped: reader.numbered(count)? })
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

impl Writer<'_> {
    /// Texts of some primitives.
    pub fn numbered(&mut self, texts: &Numbered) {
        self.list(texts, |writer, (number, text)| {
            writer.number(*number);
            writer.text(text);
        });
    }
}

impl Reader<'_> {
    /// Texts of some of `len` primitives, in order.
    pub fn numbered(&mut self, len: usize) -> Option<Numbered> {
        let texts: Numbered = self.list(|reader| Some((reader.number()?, reader.text()?.into())))?;
        let sound =
            texts.is_sorted_by(|(a, _), (b, _)| a < b) && texts.iter().all(|(number, _)| *number < len);
        sound.then_some(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, IdTable, name_hash};

    /// The places that are looked at to find each of these names.
    fn places(names: &[String], seed: u64) -> usize {
        let mut ids = IdTable::with_room(names.len(), seed);
        let mut looked = 0;
        for name in names {
            let hash = name_hash(seed, name);
            looked += ids.probe(hash).take_while(|(_, number)| number.is_some()).count() + 1;
            ids.push(hash, 0, None);
        }
        looked
    }

    #[test]
    fn names_that_share_a_place_are_found_at_once() {
        // Names of which a server knows that they fall into one place where the seed is known.
        let count = 2 * FEW;
        let mask = (count + count / 4 + 1).next_power_of_two() as u64 - 1;
        let fall = |name: &String| name_hash(0, name) & mask < 16;
        let names: Vec<String> = (0..).map(|number| format!("{number:x}")).filter(fall).take(count).collect();
        assert!(places(&names, 0) > count * count / 4, "they share a place");
        let seed = IdTable::seed(count, names.iter().map(String::as_str));
        assert!(places(&names, seed) < 8 * count, "{}", places(&names, seed));
    }

    #[test]
    fn few_names_have_no_seed() {
        let names = vec!["a"; FEW];
        assert_eq!(IdTable::seed(FEW, names.iter().copied()), 0);
        assert_ne!(IdTable::seed(FEW + 1, names.iter().copied()), 0);
    }
}
