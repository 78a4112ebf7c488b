//! Writes one page of a list into a response.

use crate::filter::Selection;
use std::ops::Range;

use super::Fields;
use crate::catalog::{Bitset, KindIndex};

/// Room, in bytes, for the rest of a response after a page: brackets, a cursor.
const TAIL: usize = 1024;

impl Fields {
    /// Appends a page of the primitives in `bits` as they appear in a list, separated by commas: at most `limit` of
    /// them, from position `from` on. Returns the start of the next page, if there is one.
    ///
    /// Consecutive primitives are copied as one slice, so a list without omissions is one copy. If only some `fields`
    /// are written, each primitive is parsed.
    pub fn write_page(
        kind_index: &KindIndex,
        bits: &Bitset,
        fields: &Fields,
        from: usize,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let (mut at, mut room, mut first) = (from, limit, true);
        while let Some(run) = next(kind_index, bits, at, room) {
            if room == 0 {
                return Some(run.start);
            }
            if !first {
                out.push(b',');
            }
            first = false;
            room -= run.len();
            at = run.end;
            if !fields.is_whole() || !kind_index.shortened().is_empty() {
                push_each(kind_index, run, fields, out);
                continue;
            }
            let slice = kind_index.run(run.clone());
            if out.capacity() - out.len() <= slice.len() {
                // Reserves room for the whole rest, because a vector that doubles as it grows takes three times the
                // size of the list.
                out.reserve_exact(length(kind_index, bits, run.start, room + run.len()) + TAIL);
            }
            out.extend_from_slice(slice);
        }
        None
    }
}

impl Selection {
    /// Like [`Fields::write_page`](crate::filter::Fields::write_page), but `write` appends each primitive, by its
    /// position.
    pub fn write_each(
        bits: &Bitset,
        from: usize,
        limit: usize,
        out: &mut Vec<u8>,
        write: &mut dyn FnMut(usize, &mut Vec<u8>),
    ) -> Option<usize> {
        let mut page = bits.iter().skip_while(|index| *index < from);
        for (place, index) in page.by_ref().take(limit).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write(index, out);
        }
        page.next()
    }
}

/// Appends consecutive primitives, or some fields of them, as lists have them.
fn push_each(kind_index: &KindIndex, run: Range<usize>, fields: &Fields, out: &mut Vec<u8>) {
    for (place, primitive) in run.filter_map(|index| kind_index.listed(index)).enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match fields.is_whole() {
            true => out.extend_from_slice(primitive),
            false => fields.write(primitive, out),
        }
    }
}

/// Returns the next run of consecutive primitives on the page, from position `at` on.
fn next(kind_index: &KindIndex, bits: &Bitset, at: usize, room: usize) -> Option<Range<usize>> {
    let run = bits.run_from(at)?;
    Some(run.start..run.end.min(kind_index.len()).min(run.start.saturating_add(room)))
}

/// Returns the size of the rest of the page in bytes, with a comma after each run.
fn length(kind_index: &KindIndex, bits: &Bitset, mut at: usize, mut room: usize) -> usize {
    let mut length = 0;
    while let Some(run) = next(kind_index, bits, at, room).filter(|_| room > 0) {
        length += kind_index.run(run.clone()).len() + 1;
        room -= run.len();
        at = run.end;
    }
    length
}
