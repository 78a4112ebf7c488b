//! Addresses of crypto wallets. Their checksums are verified, except for Ethereum, where not all writers use one.

use sha2::{Digest, Sha256};

use crate::{
    pii::settings::Settings,
    scan::{
        bytes::{at, before},
        finding::Finding,
        kind::Kind,
    },
};

/// Minimum and maximum length of an address, in bytes.
pub(crate) const FEWEST: usize = 25;
const MOST: usize = 90;

pub(crate) fn find(settings: &Settings, bytes: &[u8], start: usize, end: usize) -> Option<Finding> {
    if !settings.wants(Kind::Crypto) || !(FEWEST..=MOST).contains(&(end - start)) {
        return None;
    }
    let token = bytes.get(start..end)?;
    let last = before(bytes, start, 1);
    let apart = !last.is_ascii_alphanumeric()
        && !matches!(last, b'_' | b'/' | b'+')
        && !matches!(at(bytes, end), b'_' | b'+' | b'=');
    let known = match token {
        [b'0', b'x', digits @ ..] => digits.len() == 40 && digits.iter().all(u8::is_ascii_hexdigit),
        [b'b' | b'B', b'c' | b'C', b'1', ..] | [b't', b'b', b'1', ..] => bech32(token, 2),
        [b'l', b't', b'c', b'1', ..] => bech32(token, 3),
        [b'1' | b'3' | b'2' | b'm' | b'n' | b'L' | b'M' | b'D' | b'X', ..] => {
            token.len() <= 35 && base58(token)
        }
        _ => false,
    };
    (apart && known).then_some(Finding { kind: Kind::Crypto, start, end })
}

/// Version bytes of addresses of a public key or a script: Bitcoin, its test network, Litecoin, Dogecoin and Dash.
const VERSIONS: &[u8] = &[0x00, 0x05, 0x6f, 0xc4, 0x30, 0x32, 0x1e, 0x4c];

/// Returns whether a token is valid Base58Check with a known version: 25 bytes, the last four of which are the start of
/// a double hash.
fn base58(token: &[u8]) -> bool {
    // 25 bytes in words of 32 bits, the lowest first.
    let mut words = [0u32; 7];
    for byte in token {
        // The alphabet is that of digits and letters without `0`, `O`, `I` and `l`.
        let digit = match byte {
            b'1'..=b'9' => byte - b'1',
            b'A'..=b'H' => byte - b'A' + 9,
            b'J'..=b'N' => byte - b'J' + 17,
            b'P'..=b'Z' => byte - b'P' + 22,
            b'a'..=b'k' => byte - b'a' + 33,
            b'm'..=b'z' => byte - b'm' + 44,
            _ => return false,
        };
        let mut carry = u64::from(digit);
        for word in &mut words {
            let value = u64::from(*word) * 58 + carry;
            *word = value as u32;
            carry = value >> 32;
        }
        if carry != 0 {
            return false;
        }
    }
    let mut whole = [0u8; 28];
    for (bytes, word) in whole.chunks_mut(4).zip(words.iter().rev()) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    let [0, 0, 0, version, ..] = whole else { return false };
    let Some((body, check)) = whole.get(3..).and_then(|address| address.split_at_checked(21)) else {
        return false;
    };
    VERSIONS.contains(&version) && Sha256::digest(Sha256::digest(body)).starts_with(check)
}

/// Returns whether a token has a valid Bech32 or Bech32m checksum: a polynomial over the prefix and the characters.
fn bech32(token: &[u8], prefix: usize) -> bool {
    const ALPHABET: &[u8] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    if token.iter().any(u8::is_ascii_uppercase) && token.iter().any(u8::is_ascii_lowercase) {
        return false;
    }
    let step = |sum: u32, value: u32| {
        let top = sum >> 25;
        let shifted = (sum & 0x1ff_ffff) << 5 ^ value;
        GENERATOR
            .iter()
            .enumerate()
            .fold(shifted, |sum, (bit, term)| if top >> bit & 1 == 1 { sum ^ term } else { sum })
    };
    let Some((head, data)) = token.split_at_checked(prefix) else { return false };
    let high = head.iter().fold(1, |sum, byte| step(sum, u32::from(byte.to_ascii_lowercase() >> 5)));
    let mut sum =
        head.iter().fold(step(high, 0), |sum, byte| step(sum, u32::from(byte.to_ascii_lowercase() & 31)));
    for byte in data.iter().skip(1) {
        let Some(value) = ALPHABET.iter().position(|known| *known == byte.to_ascii_lowercase()) else {
            return false;
        };
        sum = step(sum, value as u32);
    }
    matches!(sum, 1 | 0x2bc8_30a3)
}
