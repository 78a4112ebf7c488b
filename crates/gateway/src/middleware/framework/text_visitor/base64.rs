//! Text that a content item encodes as Base64.

use base64::{Engine, engine::general_purpose::STANDARD};
use mcp_sieve::json::{Object, Raw};
use mcp_sieve_redact::decode_base64;

use super::{edits::Edits, text_function::TextVisitor, visitor::visit_value};

/// Visits the text that a string encodes as Base64.
///
/// Decoded bytes that are UTF-8 are text, unless the media type `media` names an image, audio, video or font. Other
/// bytes with a text media type are read as Latin-1, one character a byte, so that ASCII values are found in them. A
/// string that is not Base64 is visited as plain text. So is a string that decodes to other bytes than UTF-8, if `sure`
/// is false and there is no media type: it may only look like Base64.
pub(super) fn visit_text(
    raw: Raw<'_>,
    sure: bool,
    media: Option<&str>,
    visit: TextVisitor<'_>,
    edits: &mut Edits,
) {
    let Some(source) = raw.text() else { return visit_value("", raw, visit, edits) };
    let media = media.map(str::to_ascii_lowercase);
    let is_binary = media.as_deref().is_some_and(is_binary);
    let Some(bytes) = decode_base64(&source) else {
        let lenient = (sure && !is_binary).then(|| decode_base64(&source.replace(is_foreign, ""))).flatten();
        let text = lenient.and_then(|bytes| String::from_utf8(bytes).ok());
        return match text.and_then(|text| visit(&text)) {
            Some(text) => edits.replace(raw, Some(encoded(text.as_bytes()))),
            None => visit_value("", raw, visit, edits),
        };
    };
    if !sure && media.is_none() && std::str::from_utf8(&bytes).is_err() {
        return visit_value("", raw, visit, edits);
    }
    let bytes = rewrite(bytes, media.as_deref().unwrap_or_default(), visit);
    edits.replace(raw, bytes.map(|bytes| encoded(&bytes)));
}

/// Visits the text that bytes of a media type hold, if they hold text. Returns the bytes of the new text if it was
/// replaced.
pub(super) fn rewrite(bytes: Vec<u8>, media: &str, visit: TextVisitor<'_>) -> Option<Vec<u8>> {
    match String::from_utf8(bytes) {
        Ok(text) if !is_binary(media) => visit(&text).map(String::into_bytes),
        Err(error) if is_text(media) => {
            let text: String = error.into_bytes().into_iter().map(char::from).collect();
            visit(&text).map(bytes_of)
        }
        _ => None,
    }
}

/// Encodes bytes as Base64.
pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns the JSON of a string that encodes bytes as Base64.
fn encoded(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    Object::push_text(&mut out, &encode(bytes));
    String::from_utf8(out).unwrap_or_default()
}

/// Returns whether Base64 does not have a character. Many decoders skip such characters.
fn is_foreign(letter: char) -> bool {
    !(letter.is_ascii_alphanumeric() || "+-/_=".contains(letter))
}

/// Encodes a text as Latin-1, or as UTF-8 if it has characters above U+00FF.
fn bytes_of(text: String) -> Vec<u8> {
    let bytes: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(letter).ok()).collect();
    bytes.unwrap_or_else(|| text.into_bytes())
}

/// Returns whether a media type is an image, audio, video or a font. SVG is text.
fn is_binary(media: &str) -> bool {
    let families = ["image/", "audio/", "video/", "font/"];
    families.iter().any(|family| media.starts_with(family)) && !media.starts_with("image/svg")
}

fn is_text(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or_default().trim();
    let ends = ["json", "xml", "yaml", "javascript", "csv"];
    essence.starts_with("text/") || ends.iter().any(|end| essence.ends_with(end))
}
