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
    let values = intact.flat_map(move |chunk| {
        rest.extend(chunk.unwrap_or_default());
        stream::iter(parse_lines(&mut rest))
    });
    values.boxed_local()
}

/// Removes the complete lines from `rest` and parses them.
fn parse_lines<T: DeserializeOwned>(rest: &mut Vec<u8>) -> Vec<T> {
    let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines: Vec<u8> = rest.drain(..end).collect();
    lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed_once_they_are_complete() {
        let mut rest = b"\n1\nbroken\n2\n3".to_vec();
        assert_eq!(parse_lines::<u32>(&mut rest), [1, 2]);
        rest.extend(b"4\n");
        assert_eq!(parse_lines::<u32>(&mut rest), [34]);
        assert!(rest.is_empty());
    }
}
