//! A streaming parser for `text/event-stream`: pieces of any size go in, complete events come out.

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The `event` field; empty if it is missing, which means `message`.
    pub event: Vec<u8>,
    /// The `data` fields, joined by line feeds.
    pub data: Vec<u8>,
}

/// The error for a line or an event beyond the parser's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// A parser that takes a stream in pieces. An unfinished event at the end of the stream is dropped.
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    line: Vec<u8>,
    event: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    last_event_id: Vec<u8>,
    retry_ms: Option<u64>,
    past_first_line: bool,
    after_carriage_return: bool,
    passing: Option<Passing>,
}

/// The part of an event that is being passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// The value of a `data` field.
    Data,
    /// The beginning of a line.
    Line,
    /// Another field.
    Other,
    /// The event has ended.
    Ended,
}

/// The bytes with which a text may begin.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Parser {
    /// Creates a parser that holds at most `limit` bytes of an unfinished event.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Vec::new(),
            data: Vec::new(),
            has_data: false,
            last_event_id: Vec::new(),
            retry_ms: None,
            past_first_line: false,
            after_carriage_return: false,
            passing: None,
        }
    }

    /// Returns the number of bytes of the unfinished event.
    pub fn held(&self) -> usize {
        self.line.len() + self.event.len() + self.data.len()
    }

    /// Returns the id with which the stream can be resumed; empty if there is none.
    pub fn last_event_id(&self) -> &[u8] {
        &self.last_event_id
    }

    /// Returns the delay before a client resumes the stream, in milliseconds, if the server specified one.
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Returns a parser for the rest of the stream, which arrives over another connection.
    #[must_use]
    pub fn resumed(&self) -> Self {
        Self { last_event_id: self.last_event_id.clone(), retry_ms: self.retry_ms, ..Self::new(self.limit) }
    }

    /// Parses the next piece and appends the events that it completes.
    ///
    /// # Errors
    /// Returns [`TooLarge`]. The rest of the stream cannot be parsed then.
    pub fn push(&mut self, piece: &[u8], frames: &mut Vec<Frame>) -> Result<(), TooLarge> {
        for part in piece.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            let second_half = std::mem::take(&mut self.after_carriage_return) && part == b"\n";
            if second_half {
                continue;
            }
            let (text, end) = match part.split_last() {
                Some((b'\r' | b'\n', text)) => (text, part.last()),
                _ => (part, None),
            };
            if self.held() + text.len() > self.limit {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(text);
            if let Some(end) = end {
                self.after_carriage_return = *end == b'\r';
                self.end_line(frames);
            }
        }
        Ok(())
    }

    /// Returns the data so far of the unfinished event, if it is a message.
    pub fn unfinished_message(&self) -> Option<Vec<u8>> {
        let value = self.line.strip_prefix(b"data:")?;
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let is_message = matches!(self.event.as_slice(), b"" | b"message");
        let before: &[u8] = if self.has_data { b"\n" } else { b"" };
        is_message.then(|| [&self.data, before, value].concat())
    }

    /// Passes the rest of the unfinished event on instead of keeping it, beginning within the value of its data.
    pub fn begin_passing(&mut self) {
        (self.line, self.data, self.passing) = (Vec::new(), Vec::new(), Some(Passing::Data));
    }

    /// Returns whether the event that was passed on has ended.
    pub fn has_passed(&self) -> bool {
        self.passing == Some(Passing::Ended)
    }

    /// Returns the data in the next piece of the event that is passed on. What follows the event is dropped.
    pub fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut data = Vec::with_capacity(piece.len());
        for part in piece.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            if std::mem::take(&mut self.after_carriage_return) && part == b"\n" {
                continue;
            }
            let (text, end) = match part.split_last() {
                Some((b'\r' | b'\n', text)) => (text, part.last()),
                _ => (part, None),
            };
            self.pass_part(text, &mut data);
            if let Some(end) = end {
                self.after_carriage_return = *end == b'\r';
                let is_blank = self.passing == Some(Passing::Line) && self.line.is_empty();
                self.line.clear();
                self.passing = Some(if is_blank { Passing::Ended } else { Passing::Line });
            }
            if self.has_passed() {
                break;
            }
        }
        data
    }

    fn pass_part(&mut self, text: &[u8], data: &mut Vec<u8>) {
        const FIELD: &[u8] = b"data:";
        match self.passing {
            Some(Passing::Data) => data.extend_from_slice(text),
            Some(Passing::Line) => {
                let missing = FIELD.len().saturating_sub(self.line.len()).min(text.len());
                let (name, rest) = text.split_at(missing);
                self.line.extend_from_slice(name);
                if self.line == FIELD {
                    // Between tokens, a space more or less does not matter.
                    data.push(b'\n');
                    data.extend_from_slice(rest);
                    self.passing = Some(Passing::Data);
                } else if !FIELD.starts_with(&self.line) {
                    self.passing = Some(Passing::Other);
                }
            }
            _ => {}
        }
    }

    fn end_line(&mut self, frames: &mut Vec<Frame>) {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.past_first_line, true) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.is_empty() {
            return self.dispatch(frames);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => line.split_at(at),
            None => (line.as_slice(), [].as_slice()),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        // Most data is one long line, which is not copied.
        if field == b"data" && !self.has_data {
            self.has_data = true;
            let before = line.len() - value.len();
            line.drain(..before);
            self.data = line;
            return;
        }
        // Comments have an empty field name.
        match field {
            b"event" => self.event = value.to_vec(),
            b"data" => {
                self.data.push(b'\n');
                self.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => self.last_event_id = value.to_vec(),
            b"retry" => self.retry_ms = std::str::from_utf8(value).ok().and_then(digits).or(self.retry_ms),
            _ => {}
        }
    }

    /// Handles a blank line: an event with data is complete, one without is dropped.
    fn dispatch(&mut self, frames: &mut Vec<Frame>) {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.has_data) {
            frames.push(Frame { event, data });
        }
    }
}

/// Parses a number that consists only of digits.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
