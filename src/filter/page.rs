use crate::catalog::{Bits, Shelf};

/// Appends at most `limit` of the primitives in `bits`, from position `from` on, as they stand in a list:
/// their bytes with commas between. Gives the position the next page starts from, if there is one.
///
/// Neighbours are copied as one slice, so a list that leaves nothing out is one copy.
pub fn write_page(shelf: &Shelf, bits: &Bits, from: usize, limit: usize, out: &mut Vec<u8>) -> Option<usize> {
    let (mut at, mut room, mut first) = (from, limit, true);
    while let Some(run) = bits.run_from(at) {
        if room == 0 {
            return Some(run.start);
        }
        let end = run.end.min(shelf.len()).min(run.start.saturating_add(room));
        if !first {
            out.push(b',');
        }
        first = false;
        shelf.copy_run(run.start..end, out);
        room -= end - run.start;
        at = end;
    }
    None
}
