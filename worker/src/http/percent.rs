//! Percent-encoding of one segment of a path.

/// Encodes all bytes that are not unreserved (RFC 3986, section 2.3).
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Decodes a segment; `None` if it is malformed or no UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        let digit = |byte: u8| char::from(byte).to_digit(16);
        out.push(u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn a_segment_is_read_as_it_was_written() {
        for name in ["tracker", "a b/c?d#e%f", "größe", ".", "a+b"] {
            assert_eq!(decode(&encode(name)).as_deref(), Some(name));
        }
        assert_eq!(encode("a b/ü"), "a%20b%2F%C3%BC");
        for malformed in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode(malformed), None, "{malformed}");
        }
    }
}
