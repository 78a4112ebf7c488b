//! A parser for wasm-ld link maps, which list the address and size of each data object.

use crate::Outcome;

/// A constant or variable of the program, with its address and its size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    pub start: u32,
    pub size: u32,
}

impl Object {
    pub fn end(self) -> u32 {
        self.start + self.size
    }
}

/// Parses the objects in memory from a wasm-ld link map, in the order of their addresses. A line has an address, an
/// offset in the file and a size, all in hexadecimal. After them stands the input section, indented further than its
/// output section. Symbols stand below their section and are indented further still.
pub fn objects(map: &str) -> Outcome<Vec<Object>> {
    let mut objects = Vec::new();
    for line in map.lines() {
        let Some((_, section)) = line.rsplit_once(":(") else { continue };
        if !section.starts_with(".rodata") && !section.starts_with(".data") && !section.starts_with(".bss") {
            continue;
        }
        let mut columns = line.split_whitespace();
        let mut number = || u32::from_str_radix(columns.next().unwrap_or_default(), 16);
        let (start, _, size) = (number()?, number()?, number()?);
        if size > 0 {
            objects.push(Object { start, size });
        }
    }
    objects.sort_by_key(|object| object.start);
    objects.dedup();
    if objects.is_empty() {
        return Err("the linker's map names no data".into());
    }
    if objects.windows(2).any(|pair| matches!(pair, [one, next] if one.end() > next.start)) {
        return Err("objects of the linker's map overlap".into());
    }
    Ok(objects)
}
