//! Reads the outer members of a JSON-RPC response while its bytes are passed on.
//!
//! The result is skipped: its strings and brackets are followed, so that its end is found, and the keys of its first
//! level are compared with the few that the gateway would have to act on. Commas, numbers and characters inside it are
//! not checked. Nothing is copied but one short key.

use mcp_sieve::revision::Era;
use memchr::memchr2;

use crate::{host::PassthroughTerms, protocol::response::SERVER_INFO};

/// Maximum nesting depth of a response that is passed on, the outer object included.
pub const MAX_PASSED_DEPTH: u32 = u128::BITS;

/// Maximum length, in bytes, of the request's id as JSON, if the response is to be passed on.
pub const MAX_PASSED_ID: usize = 1_024;

/// Number of bytes of a key that are kept: the length of the longest known key.
const MAX_KEY: usize = SERVER_INFO.len();

/// Number of bytes of a string that are compared one by one. A search for its end is faster only in longer strings.
const SHORT_TEXT: usize = 16;

/// What a result must be like to be passed on.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The era of the client.
    pub era: Era,
    /// Whether a `cacheScope` must be `private`.
    pub private: bool,
    /// Whether the result states its lifetime.
    pub cached: bool,
}

impl Form {
    /// Returns the form of the results of a server of this era, on these terms.
    pub fn of(terms: &PassthroughTerms, era: Era) -> Self {
        Self { era, private: terms.private, cached: terms.cached }
    }
}

/// The reason why a response cannot be passed on unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The bytes are not one JSON object, or end early.
    Json,
    /// The response nests deeper than [`MAX_PASSED_DEPTH`].
    Depth,
    /// An outer member is unknown, repeated, missing or written with an escape, or `jsonrpc` is not `2.0`.
    Member,
    /// The id is not the one of the request, or is longer than [`MAX_PASSED_ID`].
    Id,
    /// The gateway would have to change the result: it is not an object, or has members of the other era.
    Result,
    /// The result is not the complete result of a call, but a task or a question to the client.
    Kind,
}

/// A reader that takes a response in pieces.
#[derive(Debug)]
pub struct OuterMembers {
    id: Box<str>,
    form: Form,
    obstacle: Option<Obstacle>,
    step: Step,
    /// The innermost object whose members are read.
    level: Level,
    brackets: Brackets,
    key: Key,
    /// The last key that was read.
    member: Member,
    /// The members whose values have begun.
    found: Members,
}

/// An object whose members are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Outer,
    Result,
    Meta,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The opening brace of the response.
    Start,
    /// A key or the closing brace of an object.
    FirstKey,
    /// A key.
    NextKey,
    /// The characters of a key.
    Key,
    Colon,
    Value,
    /// A value that must have a certain text, from this byte of it.
    Expected(usize),
    /// A number, `true`, `false` or `null`.
    Scalar,
    /// The characters of a string that is skipped.
    Text(After),
    /// The character after a backslash.
    Escape(After),
    /// An array or object that is skipped.
    Nested,
    /// A comma or the closing brace of an object.
    Comma,
    /// The white space after the response.
    End,
}

/// What follows a string that is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Colon,
    Comma,
    Nested,
}

/// A member that has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Version,
    Id,
    Result,
    ResultType,
    Lifetime,
    CacheScope,
    Structured,
    Meta,
    ServerInfo,
    Other,
}

impl Obstacle {
    /// Returns the name for logs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Depth => "depth",
            Self::Member => "member",
            Self::Id => "id",
            Self::Result => "result",
            Self::Kind => "kind",
        }
    }
}

impl OuterMembers {
    /// Creates a reader for the response to the request whose id is `id`, as JSON.
    pub fn new(id: &str, form: Form) -> Self {
        let long = id.len() > MAX_PASSED_ID;
        Self {
            id: if long { Box::default() } else { id.into() },
            form,
            obstacle: long.then_some(Obstacle::Id),
            step: Step::Start,
            level: Level::Outer,
            brackets: Brackets::default(),
            key: Key::default(),
            member: Member::Other,
            found: Members::default(),
        }
    }

    /// Reads the next piece.
    ///
    /// # Errors
    /// Returns the obstacle, also for each further piece.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Obstacle> {
        if let Some(obstacle) = self.obstacle {
            return Err(obstacle);
        }
        let read = self.read(piece);
        self.obstacle = read.err();
        read
    }

    /// Returns whether the value of `result` has begun.
    pub fn has_result(&self) -> bool {
        self.found.has(Member::Result)
    }

    /// Returns whether the response has been closed.
    pub fn is_closed(&self) -> bool {
        self.step == Step::End
    }

    /// Checks at the end of the body that it was one complete response.
    ///
    /// # Errors
    /// Returns the obstacle that [`OuterMembers::push`] found, or [`Obstacle::Json`] for a response that is not closed.
    pub fn finish(&self) -> Result<(), Obstacle> {
        match self.obstacle {
            Some(obstacle) => Err(obstacle),
            None if self.is_closed() => Ok(()),
            None => Err(Obstacle::Json),
        }
    }

    /// Returns whether the result has all the members that the gateway would add, once the result has ended.
    pub fn is_complete(&self) -> bool {
        let has = |member| self.found.has(member);
        match self.form.era {
            Era::Session => true,
            Era::Stateless => {
                has(Member::ResultType)
                    && has(Member::ServerInfo)
                    && (has(Member::Lifetime) || !self.form.cached)
            }
        }
    }

    fn read(&mut self, mut rest: &[u8]) -> Result<(), Obstacle> {
        while let [byte, others @ ..] = rest {
            rest = match self.step {
                Step::Key => self.read_key(rest)?,
                Step::Text(after) => self.skip_text(rest, after),
                Step::Nested => self.skip_nested(rest)?,
                _ => {
                    self.step = self.next_step(*byte)?;
                    others
                }
            };
        }
        Ok(())
    }

    /// Reads a byte of the grammar of objects.
    fn next_step(&mut self, byte: u8) -> Result<Step, Obstacle> {
        Ok(match (self.step, byte) {
            (Step::Escape(after), _) => Step::Text(after),
            (Step::Expected(at), _) => self.expect(at, byte)?,
            (Step::Scalar, b' ' | b'\t' | b'\r' | b'\n') => Step::Comma,
            (step, b' ' | b'\t' | b'\r' | b'\n') => step,
            (Step::Start, b'{') => {
                self.brackets.open(byte)?;
                Step::FirstKey
            }
            (Step::FirstKey | Step::NextKey, b'"') => {
                self.key.len = 0;
                Step::Key
            }
            (Step::Colon, b':') => Step::Value,
            (Step::Value, _) => self.begin_value(byte)?,
            (Step::Scalar | Step::Comma, b',') => Step::NextKey,
            (Step::FirstKey | Step::Scalar | Step::Comma, b'}') => self.close()?,
            (Step::Scalar, _) if is_scalar(byte) => Step::Scalar,
            _ => return Err(Obstacle::Json),
        })
    }

    /// Reads the first byte of a value.
    fn begin_value(&mut self, byte: u8) -> Result<Step, Obstacle> {
        if matches!(self.member, Member::Result | Member::Structured) && byte != b'{' {
            return Err(Obstacle::Result);
        }
        self.found.add(self.member);
        match self.member {
            Member::Version | Member::Id | Member::ResultType => return self.expect(0, byte),
            Member::CacheScope if self.form.private => return self.expect(0, byte),
            _ => {}
        }
        match byte {
            b'{' | b'[' => self.brackets.open(byte)?,
            b'"' => return Ok(Step::Text(After::Comma)),
            _ if is_scalar(byte) => return Ok(Step::Scalar),
            _ => return Err(Obstacle::Json),
        }
        self.level = match self.member {
            Member::Result => Level::Result,
            Member::Meta if byte == b'{' => Level::Meta,
            _ => return Ok(Step::Nested),
        };
        Ok(Step::FirstKey)
    }

    /// Compares a byte with the text that the value must have, and the byte after it with what may follow.
    fn expect(&mut self, at: usize, byte: u8) -> Result<Step, Obstacle> {
        let (text, obstacle) = match self.member {
            Member::Version => ("\"2.0\"", Obstacle::Member),
            Member::Id => (&*self.id, Obstacle::Id),
            Member::ResultType => ("\"complete\"", Obstacle::Kind),
            _ => ("\"private\"", Obstacle::Result),
        };
        match (text.as_bytes().get(at), byte) {
            (Some(expected), _) if *expected == byte => Ok(Step::Expected(at + 1)),
            (Some(_), _) => Err(obstacle),
            (None, _) if at == 0 => Err(obstacle),
            (None, b' ' | b'\t' | b'\r' | b'\n') => Ok(Step::Comma),
            (None, b',') => Ok(Step::NextKey),
            (None, b'}') => self.close(),
            (None, _) => Err(obstacle),
        }
    }

    /// Reads the closing brace of an object whose members are read.
    fn close(&mut self) -> Result<Step, Obstacle> {
        self.brackets.close(b'}')?;
        self.level = match self.level {
            Level::Meta => Level::Result,
            Level::Result => Level::Outer,
            Level::Outer => {
                let required = [Member::Version, Member::Id, Member::Result];
                let complete = required.into_iter().all(|member| self.found.has(member));
                return if complete { Ok(Step::End) } else { Err(Obstacle::Member) };
            }
        };
        Ok(Step::Comma)
    }

    /// Reads characters of a key. Returns the bytes after them.
    fn read_key<'a>(&mut self, rest: &'a [u8]) -> Result<&'a [u8], Obstacle> {
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
        let (part, rest) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or_default();
        self.key.push(part);
        if self.level == Level::Outer && self.key.text().is_none() {
            return Err(Obstacle::Member);
        }
        let Some((byte, rest)) = rest.split_first() else { return Ok(rest) };
        if *byte == b'"' {
            self.member = self.known_member()?;
            self.step = Step::Colon;
        } else {
            match self.level {
                Level::Outer => return Err(Obstacle::Member),
                Level::Result => return Err(Obstacle::Result),
                Level::Meta => {
                    self.member = Member::Other;
                    self.step = Step::Escape(After::Colon);
                }
            }
        }
        Ok(rest)
    }

    /// Returns the member that the key names.
    fn known_member(&mut self) -> Result<Member, Obstacle> {
        let key = self.key.text().unwrap_or_default();
        let member = match (self.level, self.form.era, key) {
            (Level::Outer, _, b"jsonrpc") => Member::Version,
            (Level::Outer, _, b"id") => Member::Id,
            (Level::Outer, _, b"result") => Member::Result,
            (Level::Outer, _, _) => return Err(Obstacle::Member),
            (Level::Result, _, b"task" | b"inputRequests") => return Err(Obstacle::Kind),
            (Level::Result, Era::Session, b"resultType" | b"ttlMs" | b"cacheScope") => {
                return Err(Obstacle::Result);
            }
            (Level::Result, Era::Session, b"structuredContent") => Member::Structured,
            (Level::Result, Era::Stateless, b"resultType") => Member::ResultType,
            (Level::Result, Era::Stateless, b"ttlMs") => Member::Lifetime,
            (Level::Result, Era::Stateless, b"cacheScope") => Member::CacheScope,
            (Level::Result, Era::Stateless, b"_meta") => Member::Meta,
            (Level::Meta, _, key) if key == SERVER_INFO.as_bytes() => Member::ServerInfo,
            _ => Member::Other,
        };
        if self.level == Level::Outer && self.found.has(member) {
            return Err(Obstacle::Member);
        }
        if member == Member::Meta {
            // The last of several counts.
            self.found.remove(Member::ServerInfo);
        }
        Ok(member)
    }

    /// Skips characters of a string. Returns the bytes after them.
    fn skip_text<'a>(&mut self, rest: &'a [u8], after: After) -> &'a [u8] {
        let (step, rest) = text_end(rest, after);
        self.step = step;
        rest
    }

    /// Skips a part of an array or object that is a value of the object that is read. Returns the bytes after it.
    fn skip_nested<'a>(&mut self, rest: &'a [u8]) -> Result<&'a [u8], Obstacle> {
        let outside = match self.level {
            Level::Outer => 1,
            Level::Result => 2,
            Level::Meta => 3,
        };
        let mut brackets = self.brackets;
        let mut bytes = rest.iter();
        // A bracket and the brace that it resembles differ in one bit. Most other bytes are of numbers.
        while let Some(byte) = bytes.find(|byte| **byte == b'"' || matches!(**byte | 0x20, b'{' | b'}')) {
            match byte {
                b'"' => {
                    let (step, rest) = text_end(bytes.as_slice(), After::Nested);
                    self.step = step;
                    bytes = rest.iter();
                }
                b'{' | b'[' => brackets.open(*byte)?,
                _ => {
                    brackets.close(*byte)?;
                    if brackets.depth == outside {
                        self.step = Step::Comma;
                        break;
                    }
                }
            }
        }
        self.brackets = brackets;
        Ok(bytes.as_slice())
    }
}

/// Finds the end of a string whose characters `rest` begins with. Returns the step after them and the bytes after them.
fn text_end(mut rest: &[u8], after: After) -> (Step, &[u8]) {
    loop {
        let is_end = |byte: &u8| matches!(byte, b'"' | b'\\');
        let end = match rest.iter().take(SHORT_TEXT).position(is_end) {
            None => memchr2(b'"', b'\\', rest),
            near => near,
        };
        let Some([byte, others @ ..]) = end.and_then(|end| rest.get(end..)) else {
            return (Step::Text(after), &[]);
        };
        if *byte == b'"' {
            return (after.step(), others);
        }
        match others {
            [_, others @ ..] => rest = others,
            [] => return (Step::Escape(after), &[]),
        }
    }
}

/// Returns whether a number, `true`, `false` or `null` may have the byte.
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

impl After {
    const fn step(self) -> Step {
        match self {
            Self::Colon => Step::Colon,
            Self::Comma => Step::Comma,
            Self::Nested => Step::Nested,
        }
    }
}

/// The first bytes of a key.
#[derive(Debug)]
struct Key {
    bytes: [u8; MAX_KEY],
    /// The length of the whole key.
    len: usize,
}

impl Default for Key {
    fn default() -> Self {
        Self { bytes: [0; MAX_KEY], len: 0 }
    }
}

impl Key {
    fn push(&mut self, part: &[u8]) {
        let room = self.bytes.iter_mut().skip(self.len);
        room.zip(part).for_each(|(slot, byte)| *slot = *byte);
        self.len = self.len.saturating_add(part.len());
    }

    /// Returns the key, unless it is longer than all known keys.
    fn text(&self) -> Option<&[u8]> {
        self.bytes.get(..self.len)
    }
}

/// A set of members, a bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Members(u16);

impl Members {
    fn add(&mut self, member: Member) {
        self.0 |= 1 << member as u16;
    }

    fn remove(&mut self, member: Member) {
        self.0 &= !(1 << member as u16);
    }

    fn has(self, member: Member) -> bool {
        self.0 & 1 << member as u16 != 0
    }
}

/// The open brackets.
#[derive(Debug, Clone, Copy, Default)]
struct Brackets {
    depth: u32,
    /// A bit for each, the innermost lowest: whether it is a brace.
    braces: u128,
}

impl Brackets {
    fn open(&mut self, bracket: u8) -> Result<(), Obstacle> {
        if self.depth == MAX_PASSED_DEPTH {
            return Err(Obstacle::Depth);
        }
        self.depth += 1;
        self.braces = self.braces << 1 | u128::from(bracket == b'{');
        Ok(())
    }

    fn close(&mut self, bracket: u8) -> Result<(), Obstacle> {
        if self.depth == 0 || (self.braces & 1 == 1) != (bracket == b'}') {
            return Err(Obstacle::Json);
        }
        self.depth -= 1;
        self.braces >>= 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: Form = Form { era: Era::Session, private: false, cached: false };
    const STATELESS: Form = Form { era: Era::Stateless, private: false, cached: false };
    const PRIVATE: Form = Form { private: true, ..STATELESS };
    const CACHED: Form = Form { cached: true, ..STATELESS };

    /// Reads a response in pieces of `size` bytes.
    fn read(response: &[u8], id: &str, form: Form, size: usize) -> (Result<(), Obstacle>, OuterMembers) {
        let mut reader = OuterMembers::new(id, form);
        let pushed = response.chunks(size).try_for_each(|piece| reader.push(piece));
        (pushed.and_then(|()| reader.finish()), reader)
    }

    /// Asserts what a response to request 7 is read as, in pieces of any size.
    #[track_caller]
    fn check(response: &str, form: Form, expected: Result<(), Obstacle>) {
        for size in [1, 2, 3, 5, response.len().max(1)] {
            let (read, reader) = read(response.as_bytes(), "7", form, size);
            assert_eq!(read, expected, "{response} in pieces of {size}");
            assert_eq!(reader.finish(), expected, "{response}");
        }
    }

    /// Returns a response with this result.
    fn around(result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#)
    }

    #[test]
    fn outer_members_are_checked() {
        use Obstacle::{Id, Json, Member, Result};
        for (response, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, Ok(())),
            (r#"{"result":{},"jsonrpc":"2.0","id":7}"#, Ok(())),
            (r#"{"id":7,"result":{},"jsonrpc":"2.0"}"#, Ok(())),
            (" \t\r\n{ \"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"result\" : { } } \r\n", Ok(())),
            ("", Err(Json)),
            ("{}", Err(Member)),
            ("\u{feff}{}", Err(Json)),
            (r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#, Err(Json)),
            (r#"{"jsonrpc":"2.0","id":7}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","result":{}}"#, Err(Member)),
            (r#"{"id":7,"result":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"result":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":7,"r\u0065sult":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":7,"":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.00","id":7,"result":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2\u002e0","id":7,"result":{}}"#, Err(Member)),
            (r#"{"jsonrpc":2.0,"id":7,"result":{}}"#, Err(Member)),
            (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, Err(Id)),
            (r#"{"jsonrpc":"2.0","id":7.0,"result":{}}"#, Err(Id)),
            (r#"{"jsonrpc":"2.0","id":71,"result":{}}"#, Err(Id)),
            (r#"{"jsonrpc":"2.0","id":,"result":{}}"#, Err(Id)),
            (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, Err(Id)),
            (r#"{"jsonrpc":"2.0","id":7,"result":[]}"#, Err(Result)),
            (r#"{"jsonrpc":"2.0","id":7,"result":null}"#, Err(Result)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{}"#, Err(Json)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}{"#, Err(Json)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{}},"#, Err(Json)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},}"#, Err(Json)),
            (r#"{"jsonrpc":"2.0","result":{},"id":7,}"#, Err(Json)),
            (r#"{"jsonrpc":"2.0" "id":7,"result":{}}"#, Err(Json)),
            (r#"{"jsonrpc":"2.0","id":7,"result" {}}"#, Err(Json)),
            (r#"{,"jsonrpc":"2.0","id":7,"result":{}}"#, Err(Json)),
        ] {
            check(response, SESSION, expected);
            check(response, PRIVATE, expected);
        }
    }

    #[test]
    fn results_are_skipped_but_for_known_members() {
        use Obstacle::{Json, Kind, Result};
        for (result, session, stateless) in [
            (r#"{"content":[{"type":"text","text":"}]{["}]}"#, Ok(()), Ok(())),
            (r#"{"a":"\"","b":"\\","c":["\\\"}"],"d":-1.5e+3,"e":true , "f" : null}"#, Ok(()), Ok(())),
            (r#"{"é🧀":"é🧀","":{"":[]}}"#, Ok(()), Ok(())),
            (r#"{"content":[{"task":1,"resultType":2,"cacheScope":3}]}"#, Ok(()), Ok(())),
            (r#"{"text":"\"task\":{}","meta":{"inputRequests":{}}}"#, Ok(()), Ok(())),
            (r#"{"task":{}}"#, Err(Kind), Err(Kind)),
            (r#"{"content":[],"inputRequests":{}}"#, Err(Kind), Err(Kind)),
            (r#"{"t\u0061sk":{}}"#, Err(Result), Err(Result)),
            (r#"{"content":[],"resultType":"complete"}"#, Err(Result), Ok(())),
            (r#"{"content":[],"resultType":"complet"}"#, Err(Result), Err(Kind)),
            (r#"{"content":[],"resultType":"input_required"}"#, Err(Result), Err(Kind)),
            (r#"{"resultType":"complete","resultType":null}"#, Err(Result), Err(Kind)),
            (r#"{"ttlMs":1}"#, Err(Result), Ok(())),
            (r#"{"cacheScope":"private"}"#, Err(Result), Ok(())),
            (r#"{"cacheScope":"public"}"#, Err(Result), Err(Result)),
            (r#"{"structuredContent":{"a":[]}}"#, Ok(()), Ok(())),
            (r#"{"structuredContent":[]}"#, Err(Result), Ok(())),
            (r#"{"structuredContent":"a"}"#, Err(Result), Ok(())),
            (r#"{"_meta":{"a\"b":"\"","c":{"d":[]}}}"#, Ok(()), Ok(())),
            (r#"{"_meta":[{}]}"#, Ok(()), Ok(())),
            (r#"{"_meta":null,"a":1}"#, Ok(()), Ok(())),
            (r#"{"a":[}]}"#, Err(Json), Err(Json)),
            (r#"{"a":{]}"#, Err(Json), Err(Json)),
            (r#"{"a":1]"#, Err(Json), Err(Json)),
            (r#"{"a":1 2}"#, Err(Json), Err(Json)),
            (r#"{"a" 1 "task":{}}"#, Err(Json), Err(Json)),
            (r#"{"a":1,}"#, Err(Json), Err(Json)),
            (r#"{"a":}"#, Err(Json), Err(Json)),
        ] {
            check(&around(result), SESSION, session);
            check(&around(result), PRIVATE, stateless);
        }
        check(&around(r#"{"cacheScope":"public"}"#), CACHED, Ok(()));
    }

    #[test]
    fn members_that_the_gateway_would_add_are_noted() {
        let info = format!("\"{SERVER_INFO}\":{{}}");
        let escaped = info.replace('/', "\\/");
        for (result, form, expected) in [
            ("{}".to_owned(), SESSION, true),
            ("{}".to_owned(), STATELESS, false),
            (format!(r#"{{"resultType":"complete","_meta":{{{info}}}}}"#), STATELESS, true),
            (format!(r#"{{"_meta":{{"a":{{}},{info}}},"resultType":"complete"}}"#), STATELESS, true),
            (format!(r#"{{"resultType":"complete","_meta":{{{info}}}}}"#), CACHED, false),
            (format!(r#"{{"resultType":"complete","_meta":{{{info}}},"ttlMs":1}}"#), CACHED, true),
            (format!(r#"{{"_meta":{{{info}}}}}"#), STATELESS, false),
            (r#"{"resultType":"complete","_meta":{}}"#.to_owned(), STATELESS, false),
            (format!(r#"{{"resultType":"complete","_meta":{{{escaped}}}}}"#), STATELESS, false),
            (format!(r#"{{"resultType":"complete","_meta":[{{{info}}}]}}"#), STATELESS, false),
            (format!(r#"{{"resultType":"complete","_meta":{{"a":{{{info}}}}}}}"#), STATELESS, false),
            (format!(r#"{{"resultType":"complete",{info}}}"#), STATELESS, false),
            (format!(r#"{{"resultType":"complete","_meta":{{{info}}},"_meta":{{}}}}"#), STATELESS, false),
            (format!(r#"{{"resultType":"complete","_meta":{{{info}}},"_meta":1}}"#), STATELESS, false),
        ] {
            for size in [1, 2, 7, 1_000] {
                let (read, reader) = read(around(&result).as_bytes(), "7", form, size);
                assert_eq!((read, reader.is_complete()), (Ok(()), expected), "{result} in pieces of {size}");
            }
        }
    }

    #[test]
    fn ids_have_the_text_of_the_request() {
        let long = format!("\"{}\"", "a".repeat(MAX_PASSED_ID - 2));
        let longer = format!("\"{}\"", "a".repeat(MAX_PASSED_ID - 1));
        for (id, written, expected) in [
            (r#""a b""#, r#""a b""#, Ok(())),
            (r#""a\"b,}""#, r#""a\"b,}""#, Ok(())),
            (r#""a""#, r#""\u0061""#, Err(Obstacle::Id)),
            (r#""a""#, r#""a" "a""#, Err(Obstacle::Json)),
            ("-1", "-1", Ok(())),
            ("1", "1.0", Err(Obstacle::Id)),
            ("12", "1", Err(Obstacle::Id)),
            ("", "", Err(Obstacle::Id)),
            (&long, &long, Ok(())),
            (&longer, &longer, Err(Obstacle::Id)),
        ] {
            for after in ["", " "] {
                let response = format!(r#"{{"jsonrpc":"2.0","result":{{}},"id":{written}{after}}}"#);
                for size in [1, 3, 4_000] {
                    assert_eq!(read(response.as_bytes(), id, SESSION, size).0, expected, "{response}");
                }
            }
        }
    }

    #[test]
    fn nesting_is_limited() {
        // The outer object and the result are two levels.
        let most = MAX_PASSED_DEPTH as usize - 2;
        for (levels, expected) in [(most, Ok(())), (most + 1, Err(Obstacle::Depth))] {
            let (arrays, objects) = ("[".repeat(levels), "{\"a\":".repeat(levels));
            check(&around(&format!("{{\"a\":{arrays}{}}}", "]".repeat(levels))), SESSION, expected);
            check(&around(&format!("{{\"a\":{objects}1{}}}", "}".repeat(levels))), STATELESS, expected);
        }
    }

    #[test]
    fn the_beginning_of_the_result_and_the_end_are_reported() {
        let mut reader = OuterMembers::new("7", SESSION);
        for (piece, has_result, is_closed) in [
            (r#"{"jsonrpc":"2.0","#, false, false),
            (r#""result""#, false, false),
            (":", false, false),
            ("{", true, false),
            ("}", true, false),
            (r#","id":"#, true, false),
            ("7}", true, true),
            ("\n", true, true),
        ] {
            assert_eq!(reader.push(piece.as_bytes()), Ok(()), "{piece}");
            assert_eq!((reader.has_result(), reader.is_closed()), (has_result, is_closed), "{piece}");
        }
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn an_obstacle_is_returned_again() {
        let mut reader = OuterMembers::new("7", SESSION);
        for piece in [r#"{"error":"#, "", "{}}", &around("{}")] {
            assert_eq!(reader.push(piece.as_bytes()), Err(Obstacle::Member), "{piece}");
        }
        assert_eq!(reader.finish(), Err(Obstacle::Member));
    }
}
