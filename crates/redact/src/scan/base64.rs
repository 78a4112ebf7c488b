//! Base64, decoded leniently.

/// Decodes Base64 as leniently as any decoder: with either alphabet, with line breaks, with or without padding. Returns
/// `None` for any other character.
///
/// A program that scans only the text of a message misses the values in its Base64 parts. It can decode them with this
/// function first, so that no part is skipped that some recipient would decode.
pub fn decode_base64(source: &str) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut count) = (Vec::with_capacity(source.len() / 4 * 3), 0u32, 0);
    for byte in source.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\r' | b'\n' => continue,
            // Padding ends a group; text after it is decoded as another Base64 string.
            b'=' => {
                count = 0;
                continue;
            }
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
