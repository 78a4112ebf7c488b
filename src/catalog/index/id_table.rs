//! A hash table that finds primitives by name or URI, without a copy of the names.

use std::ops::Range;

use crate::{
    catalog::snapshot::codec::{Reader, Writer},
    digest::{name_hash, seed},
    json::plain_length,
};

/// Texts of some primitives, each with the primitive's index, in ascending order.
pub(crate) type Numbered = Vec<(usize, Box<str>)>;

/// The names of the primitives of a kind. Stores only positions in the catalog's text, and a hash table for lookups.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdTable {
    /// The start of each name, after its opening quote.
    starts: Vec<usize>,
    /// The seed of the hashes.
    seed: u64,
    /// The hash table, with open addressing. Its length is a power of two. An empty slot holds [`FREE`].
    table: Vec<u32>,
    /// The unescaped names of those that contain escapes, by index.
    escaped: Numbered,
    /// The upper half of each hash while the table is being filled. It distinguishes names with the same position
    /// without reading their texts, which are far apart in memory. Empty afterwards.
    hashes: Vec<u32>,
}

const FREE: u32 = u32::MAX;
/// Maximum number of names for which the table needs no seed. So few names cannot make it slow, even if they all
/// collide.
const FEW: usize = 1024;

impl IdTable {
    /// Returns the seed for a table of `count` names, derived from their text.
    pub fn seed<'a>(count: usize, names: impl Iterator<Item = &'a str>) -> u64 {
        if count > FEW { seed(names) } else { 0 }
    }

    /// Creates an empty table with room for `count` names.
    pub fn with_room(count: usize, seed: u64) -> Self {
        // The table is at most four fifths full.
        let places = (count + count / 4 + 1).next_power_of_two();
        Self {
            starts: Vec::with_capacity(count),
            seed,
            table: vec![FREE; places],
            hashes: Vec::with_capacity(count),
            escaped: Vec::new(),
        }
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

    /// Returns the start of the name at `index`, after its opening quote.
    pub fn start(&self, index: usize) -> usize {
        self.starts.get(index).copied().unwrap_or_default()
    }

    /// Returns the table for a text in which the names start at other positions.
    pub fn moved(&self, starts: Vec<usize>) -> Self {
        Self { starts, ..self.clone() }
    }

    pub fn find(&self, text: &[u8], id: &str) -> Option<usize> {
        self.find_hashed(text, name_hash(self.seed, id), id)
    }

    /// Returns the index of a name, given its [hash](name_hash) under the table's seed.
    pub fn find_hashed(&self, text: &[u8], hash: u64, id: &str) -> Option<usize> {
        let mut numbers = self.probe(hash).map_while(|(_, number)| number);
        let half = upper_half(hash);
        numbers.find(|number| {
            self.hashes.get(*number).is_none_or(|known| *known == half) && self.is(text, *number, id)
        })
    }

    /// Ends the filling of the table.
    pub fn settle(&mut self) {
        self.hashes = Vec::new();
    }

    /// Adds a name that the table does not hold yet, by its [hash](name_hash) under the table's seed. `start` is its
    /// position in the text, after its quote. `escaped` is the unescaped name, if it contains escapes.
    pub fn push(&mut self, hash: u64, start: usize, escaped: Option<Box<str>>) {
        let number = self.len();
        let free = self.probe(hash).find(|(_, number)| number.is_none());
        if let (Some((place, _)), Ok(number)) = (free, u32::try_from(number)) {
            self.table.get_mut(place).into_iter().for_each(|slot| *slot = number);
            self.escaped.extend(escaped.map(|id| (self.starts.len(), id)));
            self.starts.push(start);
            self.hashes.push(upper_half(hash));
        }
    }

    /// Writes the table. `place` maps positions in the text to those in the snapshot.
    pub fn save(&self, writer: &mut Writer<'_>, place: impl Fn(usize) -> usize) {
        writer.list(&self.starts, |writer, start| writer.number(place(*start)));
        // In halves, because `usize` may have only 32 bits.
        writer.number((self.seed & u64::from(u32::MAX)) as usize);
        writer.number((self.seed >> 32) as usize);
        writer.small_numbers(&self.table);
        writer.numbered(&self.escaped);
    }

    /// Reads a table that [`IdTable::save`] wrote for `count` primitives at these positions.
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
        sound.then_some(Self { starts, seed, table, escaped: reader.numbered(count)?, hashes: Vec::new() })
    }

    /// Returns the slots of the table that may hold a name of this hash, each with its index, in probing order.
    fn probe(&self, hash: u64) -> impl Iterator<Item = (usize, Option<usize>)> {
        let mask = self.table.len().wrapping_sub(1);
        // This visits each slot once, so it ends even for a full table.
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

fn upper_half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl Writer<'_> {
    /// Writes the texts of some primitives.
    pub fn numbered(&mut self, texts: &Numbered) {
        self.list(texts, |writer, (number, text)| {
            writer.number(*number);
            writer.text(text);
        });
    }
}

impl Reader<'_> {
    /// Reads the texts of some of `len` primitives, in order.
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

    /// Returns the number of slots that lookups of all names visit.
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
        // Names that a server has chosen to collide, given a known seed.
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
