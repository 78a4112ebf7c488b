//! Conversions between the headers of the platform and those of the gateway.

use http::{HeaderMap, HeaderName, HeaderValue};
use wasm_bindgen::prelude::*;
use web_sys::Headers;

/// Converts headers of the platform, in whose values each character stands for a byte. Skips invalid headers.
///
/// # Errors
/// Errors that the platform throws.
pub fn read(headers: &Headers) -> Result<HeaderMap, JsValue> {
    let mut map = HeaderMap::new();
    let mut add = |value: String, name: String| {
        let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::from_bytes(&value))
        {
            map.append(name, value);
        }
    };
    let each = ScopedClosure::<dyn FnMut(String, String)>::borrow_mut_aborting(&mut add);
    headers.for_each(each.as_ref().unchecked_ref())?;
    drop(each);
    Ok(map)
}

/// Converts headers to those of the platform.
///
/// # Errors
/// Errors that the platform throws, such as for a header that it rejects.
pub fn write(map: &HeaderMap) -> Result<Headers, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in map {
        let value: String = value.as_bytes().iter().copied().map(char::from).collect();
        headers.append(name.as_str(), &value)?;
    }
    Ok(headers)
}
