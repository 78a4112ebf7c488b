//! Conversion of JavaScript strings by the JavaScript engine. The conversion of wasm-bindgen copies letter by letter,
//! which takes longer than scanning the text.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    type TextEncoder;
    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;
    #[wasm_bindgen(method, js_name = encodeInto)]
    fn encode_into(this: &TextEncoder, text: &JsString, out: &mut [u8]) -> Progress;

    type Progress;
    #[wasm_bindgen(method, getter)]
    fn read(this: &Progress) -> u32;
    #[wasm_bindgen(method, getter)]
    fn written(this: &Progress) -> u32;
}

/// Returns a string as UTF-8.
pub fn utf8(string: &JsString) -> String {
    let (mut out, mut read, mut written) = (Vec::new(), 0, 0);
    let encoder = TextEncoder::new();
    // A code unit takes one byte if it is ASCII, and at most three bytes otherwise.
    for most in [1, 3] {
        let rest = string.length() - read;
        out.resize(written + most * rest as usize, 0);
        let room = out.get_mut(written..).unwrap_or_default();
        let progress = encoder.encode_into(&string.substring(read, string.length()), room);
        read += progress.read();
        written += progress.written() as usize;
        if read == string.length() {
            break;
        }
    }
    out.truncate(written);
    text(out)
}

/// Converts text that the engine or a function wrote, which is always UTF-8.
pub fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
