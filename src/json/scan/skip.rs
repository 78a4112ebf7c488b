//! Skipping of values whose content does not matter, which is most of a catalog.

use super::{
    key_filter::KeyFilter,
    scanner::{END, Scanner, string_end},
};
use crate::error::Error;

impl Scanner<'_> {
    /// Skips any value, without recursion.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        if self.watching { self.skip_past::<true>() } else { self.skip_past::<false>() }
    }

    /// Implements [`Scanner::skip`]. With `WATCHED`, it watches for repeated keys.
    ///
    /// Most of a catalog is scanned here. The usual cases are strings without escapes and members without white space.
    /// They advance a local copy of the position. For anything else, the copy is written back for a general step.
    fn skip_past<const WATCHED: bool>(&mut self) -> Result<(), Error> {
        let (bytes, mut keys, mut suspect) = (self.source.as_bytes(), KeyFilter::default(), false);
        // One bit for each bracket opened here, which is set for an object.
        let (mut at, mut objects, outer) = (self.at, 0u64, self.depth);
        let deepest = self.deepest(u64::BITS as usize);
        loop {
            let mut first = byte_at(bytes, at);
            if first <= b' ' {
                at = space_end(bytes, at);
                first = byte_at(bytes, at);
            }
            match first {
                b'"' => match string_end(bytes, at) {
                    Some(end) => at = end,
                    None => self.step(&mut at, |scanner| scanner.string().map(|_| ()))?,
                },
                b'[' | b'{' if self.depth == deepest => self.step(&mut at, Self::skip_deeper)?,
                bracket @ (b'[' | b'{') => {
                    let object = bracket == b'{';
                    at += 1;
                    self.depth += 1;
                    objects = objects << 1 | u64::from(object);
                    if WATCHED && object {
                        self.outer_keys.push(std::mem::take(&mut keys));
                    }
                    at = space_end(bytes, at);
                    let next = byte_at(bytes, at);
                    if at >= bytes.len() {
                        self.at = at;
                        return Err(self.unclosed(closing(object)));
                    }
                    if next != closing(object) {
                        if object {
                            suspect |= self.pass_key::<WATCHED>(&mut at, &mut keys)?;
                        }
                        continue;
                    }
                }
                first => self.step(&mut at, |scanner| scanner.scalar(first))?,
            }
            // A value has ended: close every bracket that ends with it.
            loop {
                if self.depth == outer {
                    self.at = at;
                    self.suspect |= suspect;
                    return Ok(());
                }
                let object = objects & 1 == 1;
                let mut next = byte_at(bytes, at);
                if next <= b' ' {
                    at = space_end(bytes, at);
                    next = byte_at(bytes, at);
                }
                if next == b',' {
                    at += 1;
                    if object {
                        suspect |= self.pass_key::<WATCHED>(&mut at, &mut keys)?;
                    }
                    break;
                }
                if next != closing(object) {
                    self.at = at;
                    return Err(self.unclosed(closing(object)));
                }
                if WATCHED && object {
                    keys = self.outer_keys.pop().unwrap_or_default();
                }
                at += 1;
                self.depth -= 1;
                objects >>= 1;
            }
        }
    }

    /// Skips an array or object of any depth. It need not be fast.
    pub(super) fn skip_any_depth(&mut self) -> Result<(), Error> {
        // For each open bracket, whether it is that of an object.
        let mut objects = Vec::new();
        loop {
            match self.peek() {
                bracket @ (b'[' | b'{') => {
                    let object = bracket == b'{';
                    objects.push(object);
                    self.at += 1;
                    let next = self.peek();
                    if self.ended() {
                        return Err(self.unclosed(closing(object)));
                    }
                    if next != closing(object) {
                        if object {
                            self.member(&mut KeyFilter::default())?;
                        }
                        continue;
                    }
                }
                b'"' => _ = self.string()?,
                first => self.scalar(first)?,
            }
            loop {
                let Some(object) = objects.last().copied() else { return Ok(()) };
                let next = self.peek();
                if next == b',' {
                    self.at += 1;
                    if object {
                        self.member(&mut KeyFilter::default())?;
                    }
                    break;
                }
                if next != closing(object) {
                    return Err(self.unclosed(closing(object)));
                }
                self.at += 1;
                objects.pop();
            }
        }
    }

    /// Skips a key and its colon, with a local copy of the position. With `WATCHED`, adds it to `keys`, and returns
    /// whether it may be there already.
    #[inline(always)]
    pub(super) fn pass_key<const WATCHED: bool>(
        &mut self,
        at: &mut usize,
        keys: &mut KeyFilter,
    ) -> Result<bool, Error> {
        let (bytes, start) = (self.source.as_bytes(), *at);
        if byte_at(bytes, start) == b'"'
            && let Some(end) = string_end(bytes, start).filter(|end| byte_at(bytes, *end) == b':')
        {
            *at = end + 1;
            return Ok(WATCHED && keys.add(bytes, start + 1, end - 1));
        }
        self.step(at, |scanner| scanner.member(keys))
    }

    /// Runs a general step with a local copy of the position.
    #[inline(always)]
    fn step<T>(
        &mut self,
        at: &mut usize,
        step: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.at = *at;
        let result = step(self)?;
        *at = self.at;
        Ok(result)
    }
}

#[inline(always)]
fn closing(object: bool) -> u8 {
    if object { b'}' } else { b']' }
}

#[inline(always)]
fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(END)
}

/// Returns the position after the white space at `at`.
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while let b' ' | b'\n' | b'\t' | b'\r' = byte_at(bytes, at) {
        at += 1;
    }
    at
}
