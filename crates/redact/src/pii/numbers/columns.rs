//! Tables, as in CSV and Markdown: the heading of a column announces the values below it.

use crate::scan::bytes::{at, before, end_of, start_of};

/// Maximum distance, in bytes, between the heading line of a table and the line of a value.
pub(crate) const TABLE: usize = 12_000;
/// Maximum length of a line, in bytes.
pub(crate) const LINE: usize = 1_000;
/// Maximum length of a heading, in bytes.
const HEADING: usize = 40;
/// Maximum number of words of a heading.
const WORDS: usize = 4;

/// The signs between the cells of a line.
const SIGNS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The tables of a text by the sign between their cells. Each line is read once, however many values it has.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    tables: [Table; SIGNS.len()],
}

/// The line that was read last, and the table it belongs to: the lines around it with as many signs.
#[derive(Debug, Default, Clone, Copy)]
struct Table {
    /// Where the line begins, and up to where its signs are counted.
    line: usize,
    read: usize,
    /// The number of signs before `read`, and whether it is within quotation marks.
    signs: usize,
    quoted: bool,
    /// The table, once a value of the line has asked for it.
    found: Option<Found>,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    /// The line by which the table was found, and its number of signs.
    line: usize,
    signs: usize,
    /// The first line of the table, unless it is too far away.
    first: Option<usize>,
}

impl Columns {
    /// Returns the heading of the column of a value.
    pub fn heading<'b>(&mut self, bytes: &'b [u8], start: usize) -> Option<&'b [u8]> {
        let sign = sign_beside(bytes, start)?;
        let table = self.tables.iter_mut().zip(SIGNS).find(|(_, known)| *known == sign)?.0;
        table.read_to(bytes, start, sign);
        if start - table.line > LINE {
            return None;
        }
        let found = table.find(bytes, sign)?;
        let first = found.first.filter(|first| *first < found.line)?;
        let line = bytes.get(first..line_end(bytes, first)?)?;
        if !are_headings(line, sign) {
            return None;
        }
        line.split(|byte| *byte == sign).nth(table.signs)
    }
}

impl Table {
    /// Counts the signs of the line up to a position.
    fn read_to(&mut self, bytes: &[u8], start: usize, sign: u8) {
        if start < self.read || bytes.get(self.read..start).is_none_or(|skipped| skipped.contains(&b'\n')) {
            let line = start_of(bytes, 0, start, LINE + 1, |byte| byte != b'\n');
            (self.line, self.read, self.signs, self.quoted) = (line, line, 0, false);
        }
        for byte in bytes.get(self.read..start).unwrap_or_default() {
            self.quoted ^= *byte == b'"' && sign != b'|';
            self.signs += usize::from(*byte == sign && !self.quoted);
        }
        self.read = start;
    }

    /// Returns the table of the line.
    fn find(&mut self, bytes: &[u8], sign: u8) -> Option<Found> {
        if let Some(found) = self.found.filter(|found| found.line == self.line) {
            return Some(found);
        }
        let signs = count(bytes, self.line, sign)?;
        let known = self.found.filter(|known| known.signs == signs);
        let (mut first, mut line) = (Some(self.line), self.line);
        while let Some(previous) = line_before(bytes, line) {
            if self.line - previous > TABLE {
                first = None;
                break;
            }
            if known.is_some_and(|known| known.line == previous) {
                first = known.and_then(|known| known.first).filter(|first| self.line - first <= TABLE);
                break;
            }
            if count(bytes, previous, sign) == Some(signs) {
                first = Some(previous);
            } else if !is_rule(bytes, previous) {
                break;
            }
            line = previous;
        }
        self.found = Some(Found { line: self.line, signs, first });
        self.found
    }
}

/// Returns the sign between the cells of a line, if one stands beside a value.
fn sign_beside(bytes: &[u8], start: usize) -> Option<u8> {
    let place = start_of(bytes, 0, start, 3, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'(' | b'+'));
    let last = before(bytes, place, 1);
    let cell = |byte: &u8| SIGNS.contains(byte);
    if !matches!(last, b'\n' | 0) {
        return Some(last).filter(cell);
    }
    let end = end_of(bytes, start, HEADING, |byte| byte != b'\n' && !cell(&byte));
    Some(at(bytes, end)).filter(cell)
}

/// Returns the end of a line that is short enough.
fn line_end(bytes: &[u8], line: usize) -> Option<usize> {
    let end = end_of(bytes, line, LINE + 1, |byte| byte != b'\n');
    (end - line <= LINE).then_some(end)
}

/// Returns the start of the line before a line, if it is short enough.
fn line_before(bytes: &[u8], line: usize) -> Option<usize> {
    let end = line.checked_sub(1)?;
    let start = start_of(bytes, 0, end, LINE + 1, |byte| byte != b'\n');
    (end - start <= LINE).then_some(start)
}

/// Returns the number of signs between the cells of a line; `None` without any.
fn count(bytes: &[u8], line: usize, sign: u8) -> Option<usize> {
    let mut table = Table { line, read: line, ..Table::default() };
    table.read_to(bytes, line_end(bytes, line)?, sign);
    Some(table.signs).filter(|signs| *signs > 0)
}

/// Returns whether a line only separates others: `+-----+`.
fn is_rule(bytes: &[u8], line: usize) -> bool {
    let end = line_end(bytes, line).unwrap_or(line);
    let text = bytes.get(line..end).unwrap_or_default();
    !text.is_empty()
        && text.iter().all(|byte| matches!(byte, b'-' | b'+' | b'=' | b'|' | b':' | b' ' | b'\r'))
}

/// Returns whether the cells of a line are headings: a few words each, none of them a value or a sentence.
fn are_headings(line: &[u8], sign: u8) -> bool {
    let cell = |cell: &[u8]| {
        let words = cell.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count();
        cell.len() <= HEADING && words <= WORDS && (words > 0 || sign == b'|')
    };
    let value =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b':' | b'{' | b'}' | b'=' | b'!' | b'?' | b'@');
    !line.iter().any(value) && line.split(|byte| *byte == sign).all(cell)
}

#[cfg(test)]
mod tests {
    use super::Columns;

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn values_have_the_heading_of_their_column() {
        let rows = "\n1,Ada,1".repeat(500);
        let far = format!("id,name,cell{}", "\n1,Ada,1".repeat(2_000));
        let near = format!("id,name,cell{rows}");
        for (text, heading) in [
            ("id,name,cell\n1,Ada,17", Some("cell")),
            ("id;cell;name\n1;17;Ada", Some("cell")),
            ("cell\tname\n17\tAda", Some("cell")),
            ("| name | cell |\n|---|---|\n| Ada | 17 |", Some(" cell ")),
            ("| cell |\n+------+\n| 17 |", Some(" cell ")),
            ("name,cell\n\"Lovelace, Ada\",17", Some("cell")),
            ("cell,name\n17,Ada", Some("cell")),
            ("Hello Ada,\n17, I think", None),
            ("id,name\n1,Ada,17", None),
            ("id,cell,17", None),
            ("a: 1,cell\n1,17", None),
            (&near, Some("cell")),
            (&far, None),
        ] {
            let start = text.rfind("17").unwrap_or(text.len() - 1);
            let heading = heading.map(str::as_bytes);
            assert_eq!(Columns::default().heading(text.as_bytes(), start), heading, "{text:.80}");
        }
    }

    /// Values are asked for in order, and some lines are left out.
    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn what_is_remembered_changes_no_heading() {
        let text = "id,cell\n1,2\n3,4\n\nnote\na|b,c\n5,6|7\n8,9\nx,y,z\n1,2,3\n4,5,6\n";
        for step in 1..4 {
            let mut columns = Columns::default();
            for (start, _) in text.match_indices(|c: char| c.is_ascii_digit()).step_by(step) {
                let heading = Columns::default().heading(text.as_bytes(), start);
                assert_eq!(columns.heading(text.as_bytes(), start), heading, "{start}");
            }
        }
    }
}
