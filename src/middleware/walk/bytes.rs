//! Text that a content item holds as Base64.

use std::borrow::Cow;

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::{Visit, strings};
use crate::json::{self, Raw, push_text};

/// Reads what any reader of Base64 may take for it, with padding or without; writes the standard form.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Visits the text that a string holds as Base64; gives the string anew if the text was replaced.
///
/// Bytes that are UTF-8 are text, unless `media` says that they are an image, sound, video or font. Bytes that are
/// said to be text and are not UTF-8 are read one character a byte, which finds in them what is ASCII. What is not
/// Base64 is text itself, and so is what only looks like it where `sure` is false and there is no media type.
pub(super) fn text(raw: Raw<'_>, sure: bool, media: Option<&str>, visit: Visit<'_>) -> Option<String> {
    let Some(source) = json::text(raw) else { return strings(raw, visit) };
    let Ok(bytes) = BASE64.decode(&*standard(&source)) else { return strings(raw, visit) };
    let media = media.map(str::to_ascii_lowercase);
    let rewritten = match String::from_utf8(bytes) {
        Ok(text) if !media.as_deref().is_some_and(is_binary) => visit(&text)?.into_bytes(),
        Err(_) if !sure && media.is_none() => return strings(raw, visit),
        Err(error) if media.as_deref().is_some_and(is_text) => {
            let text: String = error.into_bytes().into_iter().map(char::from).collect();
            bytes_of(visit(&text)?)
        }
        _ => return None,
    };
    let mut out = Vec::new();
    push_text(&mut out, &BASE64.encode(rewritten));
    String::from_utf8(out).ok()
}

/// The standard alphabet in one line.
fn standard(source: &str) -> Cow<'_, str> {
    if !source.contains(['\r', '\n', '-', '_']) {
        return source.into();
    }
    let letters = source.chars().filter(|letter| !matches!(letter, '\r' | '\n'));
    let letter = |letter| match letter {
        '-' => '+',
        '_' => '/',
        other => other,
    };
    letters.map(letter).collect()
}

/// A byte for each character again, where each is one.
fn bytes_of(text: String) -> Vec<u8> {
    let bytes: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(letter).ok()).collect();
    bytes.unwrap_or_else(|| text.into_bytes())
}

/// Whether a media type is of what a reader shows or plays. SVG is text.
fn is_binary(media: &str) -> bool {
    let families = ["image/", "audio/", "video/", "font/"];
    families.iter().any(|family| media.starts_with(family)) && !media.starts_with("image/svg")
}

fn is_text(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or_default().trim();
    let ends = ["json", "xml", "yaml", "javascript", "csv"];
    essence.starts_with("text/") || ends.iter().any(|end| essence.ends_with(end))
}
