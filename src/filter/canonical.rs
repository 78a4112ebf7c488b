use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use super::Filter;
use crate::json::push_text;

impl Filter {
    /// Equal for filters that ask the same, whatever their order and repetition.
    pub fn hash(&self) -> u128 {
        xxh3_128(&self.canonical())
    }

    /// The canonical JSON: sorted, without repetition, without what is absent.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = vec![b'{'];
        let key = |out: &mut Vec<u8>, name: &str| {
            if out.len() > 1 {
                out.push(b',');
            }
            push_text(out, name);
            out.push(b':');
        };
        if !self.concerns.is_empty() {
            key(&mut out, "concerns");
            out.push(b'{');
            for (at, (name, values)) in self.concerns.0.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_text(&mut out, name);
                out.push(b':');
                match values.as_deref() {
                    None => out.extend_from_slice(b"null"),
                    Some([only]) => push_text(&mut out, only),
                    Some(several) => array(&mut out, several),
                }
            }
            out.push(b'}');
        }
        for (name, values) in [("groups", &self.groups), ("tags", &self.tags)] {
            if !values.is_empty() {
                key(&mut out, name);
                array(&mut out, values);
            }
        }
        out.push(b'}');
        out
    }
}

fn array(out: &mut Vec<u8>, values: &[String]) {
    let mut sorted: Vec<_> = values.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    out.push(b'[');
    for (at, value) in sorted.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_text(out, value);
    }
    out.push(b']');
}

impl fmt::Display for Filter {
    /// The canonical JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.canonical()))
    }
}
