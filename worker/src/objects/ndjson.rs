//! Newline-delimited JSON, in which objects stream events to the Worker.

use futures_util::{
    Stream, StreamExt,
    future::ready,
    stream::{self, LocalBoxStream},
};
use serde::de::DeserializeOwned;

/// Reads the values of a stream, one on each line, until the stream ends or breaks. Blank lines keep a connection open,
/// and are skipped, as is a line that does not parse.
pub(crate) fn read<T: DeserializeOwned + 'static, E: 'static>(
    chunks: impl Stream<Item = Result<Vec<u8>, E>> + 'static,
) -> LocalBoxStream<'static, T> {
    let mut rest = Vec::new();
    let intact = chunks.take_while(|chunk| ready(chunk.is_ok()));
    let values =
        intact.flat_map(move |chunk| stream::iter(parse_lines(&mut rest, chunk.unwrap_or_default())));
    values.boxed_local()
}

/// Parses the lines that `chunk` completes. `rest` is the begun line, before and after. Only the chunk is searched for
/// line breaks, because a long line arrives in many.
fn parse_lines<T: DeserializeOwned>(rest: &mut Vec<u8>, mut chunk: Vec<u8>) -> Vec<T> {
    let Some(end) = chunk.iter().rposition(|byte| *byte == b'\n') else {
        rest.extend(chunk);
        return Vec::new();
    };
    let begun = chunk.split_off(end + 1);
    let mut lines = std::mem::replace(rest, begun);
    lines.extend(chunk);
    lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed_once_they_are_complete() {
        let mut rest = Vec::new();
        assert_eq!(parse_lines::<u32>(&mut rest, b"\n1\nbroken\n2\n3".to_vec()), [1, 2]);
        assert_eq!(parse_lines::<u32>(&mut rest, b"4\n".to_vec()), [34]);
        assert!(rest.is_empty());
    }

    #[test]
    fn a_long_line_arrives_in_many_chunks() {
        let mut rest = Vec::new();
        for _ in 0..2_000 {
            assert!(parse_lines::<u32>(&mut rest, vec![b' '; 4096]).is_empty());
        }
        assert_eq!(parse_lines::<u32>(&mut rest, b"7\n".to_vec()), [7]);
    }
}
