use crate::{
    error::Error,
    json::{Members, Object, Raw, elements, push_array},
};

/// Returns a context as JSON from its packed form: UTF-8 of the JSON, then that of the long texts of its items, which are
/// empty in the JSON. `texts` has two numbers for each of these, the index of its item and its length in bytes.
///
/// JavaScript takes longer to escape a long text than a scanner to read it.
///
/// # Errors
/// As [`Raw::parse`].
pub fn unpacked(bytes: Vec<u8>, texts: &[u32]) -> Result<String, Error> {
    let packed = String::from_utf8(bytes).unwrap_or_default();
    if texts.is_empty() {
        return Ok(packed);
    }
    let (places, _) = texts.as_chunks::<2>();
    let length = places.iter().map(|[_, length]| *length as usize).sum();
    let (json, mut rest) = packed.split_at_checked(packed.len().saturating_sub(length)).unwrap_or_default();
    let items = elements(Raw::parse(json)?).unwrap_or_default();
    let mut places = places.iter().peekable();
    let mut out = Vec::with_capacity(packed.len() + packed.len() / 16);
    let mut index = 0;
    push_array(&mut out, &items, |out, item| {
        match places.next_if(|[item, _]| *item == index) {
            Some([_, length]) => {
                let (text, behind) = rest.split_at_checked(*length as usize).unwrap_or_default();
                rest = behind;
                let mut object = Object::open(out);
                for (key, value) in Members::read(*item).unwrap_or_default().0 {
                    match &*key {
                        "text" => object.text("text", text),
                        key => object.raw(key, value.get().as_bytes()),
                    }
                }
                object.close();
            }
            None => out.extend_from_slice(item.get().as_bytes()),
        }
        index += 1;
    });
    Ok(String::from_utf8(out).unwrap_or_default())
}
