//! The objects of a log, the position of a page in all of them, and the merge of their lines.

use std::{array, cell::Cell, fmt, str::FromStr};

use super::Log;
use crate::signing_key;

/// Number of objects of each log. An isolate writes to one of them, so each has an eighth of the requests.
pub(super) const SHARDS: usize = 8;

thread_local! {
    /// The shard to which this isolate writes.
    static OWN: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A line that a shard returns: its number in the shard, its time in milliseconds since 1970, and its JSON.
pub(super) type ShardLine = (u64, u64, String);

/// The number of the last line that was read of each shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position(pub [u64; SHARDS]);

/// The lines of a page, in the order of their times.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Merged {
    pub lines: Vec<String>,
    /// The position of the page's end.
    pub position: Position,
    /// Whether further lines follow.
    pub more: bool,
}

impl Log {
    /// Returns the name of the object of a shard. The first has the name that the only object once had.
    pub fn shard(self, shard: usize) -> String {
        match shard {
            0 => self.object.to_owned(),
            shard => format!("{}-{shard}", self.object),
        }
    }
}

/// Returns the shard to which this isolate writes. It is random, and stays the same for the life of the isolate: with
/// another one for each write, equal decisions would be lines of several shards.
pub(super) fn own_shard() -> usize {
    OWN.get().unwrap_or_else(|| {
        let [random] = signing_key::random::<1>().unwrap_or_default();
        let shard = usize::from(random) % SHARDS;
        OWN.set(Some(shard));
        shard
    })
}

/// Merges the lines of the shards after `position`, each in its own order, to a page of at most `most` lines, and sorts
/// the page by time. Several isolates write to a shard, each about a second after its lines' times, so a page may have a
/// line that is older than the last of the page before. A line that a shard gets later is on a later page.
pub(super) fn merge(shards: Vec<Vec<ShardLine>>, mut position: Position, most: usize) -> Merged {
    let mut shards: Vec<_> = shards.into_iter().map(|lines| lines.into_iter().peekable()).collect();
    let mut page = Vec::new();
    let more = loop {
        let heads = shards.iter_mut().zip(&mut position.0).filter_map(|(shard, read)| {
            let &(_, at, _) = shard.peek()?;
            Some((at, shard, read))
        });
        let Some((_, shard, read)) = heads.min_by_key(|(at, ..)| *at) else { break false };
        if page.len() == most {
            break true;
        }
        if let Some((number, at, line)) = shard.next() {
            *read = number;
            page.push((at, line));
        }
    };
    page.sort_by_key(|(at, _)| *at);
    Merged { lines: page.into_iter().map(|(_, line)| line).collect(), position, more }
}

/// Writes the numbers of all shards up to the last that is not 0, with dots between them.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.0.iter().rposition(|number| *number > 0).unwrap_or_default();
        let [first, rest @ ..] = &self.0;
        write!(f, "{first}")?;
        rest.iter().take(last).try_for_each(|number| write!(f, ".{number}"))
    }
}

/// Parses a position. Missing numbers are 0, so a plain number is a position in the first shard.
impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut numbers = text.split('.');
        let position: [Result<u64, _>; SHARDS] =
            array::from_fn(|_| numbers.next().map_or(Ok(0), |number| number.parse().map_err(|_| ())));
        if numbers.next().is_some() || position.iter().any(Result::is_err) {
            return Err(());
        }
        Ok(Self(position.map(Result::unwrap_or_default)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(shard: usize, times: &[(u64, u64)]) -> Vec<ShardLine> {
        times.iter().map(|&(number, at)| (number, at, format!("{shard}-{number}"))).collect()
    }

    /// Returns at most `most + 1` lines of each shard after a position, as an object does.
    fn after(log: &[Vec<ShardLine>], position: Position, most: usize) -> Vec<Vec<ShardLine>> {
        let shards = log.iter().zip(position.0);
        let rest = |(lines, read): (&Vec<ShardLine>, u64)| {
            lines.iter().filter(|(number, ..)| *number > read).take(most + 1).cloned().collect()
        };
        shards.map(rest).collect()
    }

    #[test]
    fn lines_come_in_the_order_of_their_times() {
        let shards = vec![lines(0, &[(4, 10), (5, 40)]), lines(1, &[(1, 30), (2, 20), (3, 50)]), Vec::new()];
        let merged = merge(shards.clone(), Position::default(), 4);
        assert_eq!((merged.lines.join(" "), merged.more), ("0-4 1-2 1-1 0-5".to_owned(), true));
        assert_eq!(merged.position.to_string(), "5.2");
        let merged = merge(after(&shards, merged.position, 4), merged.position, 4);
        assert_eq!((merged.lines.join(" "), merged.more), ("1-3".to_owned(), false));
        assert_eq!(merge(Vec::new(), merged.position, 4).position, merged.position);
    }

    #[test]
    fn pages_have_each_line_once_while_other_shards_get_late_ones() {
        let mut log = vec![Vec::new(); SHARDS];
        let (mut position, mut read) = (Position::default(), Vec::new());
        for round in 0..50 {
            // Each round, two shards get lines, one of which is older than what was read.
            for (shard, at) in [(round % SHARDS, round as u64 * 10), (round * 5 % SHARDS, round as u64)] {
                for shard_lines in log.iter_mut().skip(shard).take(1) {
                    let number = shard_lines.len() as u64 + 1;
                    shard_lines.extend(lines(shard, &[(number, at)]));
                }
            }
            let page = merge(after(&log, position, 2), position, 2);
            read.extend(page.lines);
            assert_eq!(page.position.to_string().parse(), Ok(page.position));
            position = page.position;
        }
        let page = merge(after(&log, position, 200), position, 200);
        assert!(!page.more);
        read.extend(page.lines);
        read.sort_unstable();
        let mut all: Vec<_> = log.into_iter().flatten().map(|(.., line)| line).collect();
        all.sort_unstable();
        assert_eq!(read, all);
    }

    #[test]
    fn a_position_is_a_number_for_each_shard() {
        let parse = str::parse::<Position>;
        assert_eq!(parse("17"), Ok(Position([17, 0, 0, 0, 0, 0, 0, 0])));
        assert_eq!(parse("0.0.3.0"), Ok(Position([0, 0, 3, 0, 0, 0, 0, 0])));
        for (text, written) in [("0", "0"), ("1.2.3.4.5.6.7.8", "1.2.3.4.5.6.7.8"), ("0.0.3.0", "0.0.3")] {
            assert_eq!(parse(text).map(|position| position.to_string()), Ok(written.to_owned()));
        }
        for text in ["", ".", "1.", "1..2", "-1", "x", "1.2.3.4.5.6.7.8.9", "18446744073709551616"] {
            assert_eq!(parse(text), Err(()), "{text}");
        }
    }
}
