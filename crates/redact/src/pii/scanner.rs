//! The scanner for personal data, which reads a text once. Most bytes are skipped by their class. At a byte that may
//! begin a finding, the code for it examines a bounded number of bytes in either direction. So the time is linear in
//! the length of the text, and a finding depends only on [`Scan::REACH`] bytes around it.

use crate::{
    pii::{
        around::{Around, Rules},
        email,
        names::{name, small_letters},
        network,
        numbers::{automaton::Candidate, birth_date, candidates, spelled_day},
        phone,
        settings::Settings,
        street, url, wallet,
    },
    scan::{
        byte_class::ByteClass,
        bytes::{at, before, digits_end, end_of, is_capital, start_of},
        finding::{Finding, Scan, ScanStep},
        kind::{Kind, Kinds},
        patterns::Patterns,
        placeholder,
    },
};

/// A scanner for personal data. [`Scan::findings`] returns the findings of a text, and a
/// [`Redactor`](crate::Redactor) replaces them.
///
/// ```
/// use mcp_sieve_redact::{Kind, Scan, pii::Scanner};
///
/// let found: Vec<_> = Scanner::default().findings("SSN 078-05-1123").collect();
/// assert_eq!(found.first().map(|found| (found.kind, found.start, found.end)), Some((Kind::Ssn, 4, 15)));
/// ```
#[derive(Debug, Clone)]
pub struct Scanner(pub(super) Settings);

impl Default for Scanner {
    fn default() -> Self {
        Self::new(false, None)
    }
}

/// Where something may begin: digits, capitals, `-`, `.`, `:`, `@` and `[`; and `/`, which stands between them. The
/// others are first bytes of the Latin letters beyond ASCII, and of signs of full width.
const SIGNS: ByteClass<4> = ByteClass([(b'-', b':'), (b'@', b'['), (0xc3, 0xc5), (0xef, 0xef)]);

/// State that the scan of one position keeps for later ones.
#[derive(Debug, Default)]
pub(crate) struct ScanState {
    /// The last run of words with capitals.
    pub run: name::CapitalizedRun,
    /// A buffer for the number that is read.
    pub number: Candidate,
    /// The position before which no colon belongs to an IPv6 address.
    pub colons: usize,
}

impl Scanner {
    /// Creates a scanner of some kinds; of all kinds for `None`. If `strict`, numbers that otherwise need a word to
    /// announce them are findings without one, and so is every URL.
    pub fn new(strict: bool, kinds: Option<Kinds>) -> Self {
        Self(Settings::new(strict, kinds))
    }

    /// Adds custom patterns, whose matches are findings too.
    #[must_use]
    pub fn with_patterns(mut self, patterns: Patterns) -> Self {
        self.0.patterns = patterns;
        self
    }

    /// Returns the first finding that begins at `from` or later. `memory` is that of this text, or new.
    pub(crate) fn scan(&self, bytes: &[u8], from: usize, memory: &mut ScanState) -> Option<Finding> {
        // What begins before `from` may be an address without its beginning.
        memory.colons = 0;
        // The sign that announces a name in small letters may be before `from`.
        for sign in from.saturating_sub(small_letters::SIGN)..from {
            if matches!(at(bytes, sign), b':' | 0xc3)
                && let ScanStep::Found(found) = self.small_letters(bytes, sign, from)
                && found.start >= from
            {
                return Some(found);
            }
        }
        let mut place = from;
        loop {
            place = SIGNS.find(bytes, place)?;
            match self.scan_at(bytes, from, place, memory) {
                ScanStep::Found(found) => return Some(found),
                ScanStep::SkipTo(next) => place = next.max(place + 1),
            }
        }
    }

    /// Finds what begins at or around a position, but not before `floor`.
    #[inline(always)]
    pub(crate) fn scan_at(
        &self,
        bytes: &[u8],
        floor: usize,
        place: usize,
        memory: &mut ScanState,
    ) -> ScanStep {
        match at(bytes, place) {
            b'0'..=b'9' => self.digit(bytes, floor, place, &mut memory.number),
            0xc3 if at(bytes, place + 1) == 0x9f => self.small_letters(bytes, place, place + 2),
            0xc3..=0xc5 if !is_capital(bytes, place) => ScanStep::SkipTo(place + 2),
            b'A'..=b'Z' | 0xc3..=0xc5 => name::scan_at(&self.0, bytes, place, &mut memory.run),
            b'@' => email::scan_at(&self.0, bytes, floor, place),
            0xef => email::scan_wide_at(&self.0, bytes, floor, place),
            b':' => self.colon(bytes, floor, place, &mut memory.colons),
            b'-' if at(bytes, place + 3) == b'-' => network::mac(&self.0, bytes, floor, place),
            b'.' if at(bytes, place + 5) == b'.' => network::mac_of_three(&self.0, bytes, floor, place),
            b'[' => placeholder::scan_at(&self.0.patterns, bytes, place),
            _ => ScanStep::SkipTo(place + 1),
        }
    }

    /// Finds what begins with a token whose first digit is at a position.
    fn digit(&self, bytes: &[u8], floor: usize, place: usize, number: &mut Candidate) -> ScanStep {
        if matches!(before(bytes, place, 1), b'%' | b'#' | b'x' | b'X')
            && let Some(found) = email::behind_escape(&self.0, bytes, floor, place)
        {
            return ScanStep::Found(found);
        }
        let token = if before(bytes, place, 1).is_ascii_alphanumeric() {
            start_of(bytes, floor, place, LONGEST_TOKEN, |byte| byte.is_ascii_alphanumeric())
        } else {
            place
        };
        let more = at(bytes, place + 1).is_ascii_digit();
        let digits = if more { digits_end(bytes, place, usize::MAX) } else { place + 1 };
        let end = end_of(bytes, digits, usize::MAX, |byte| byte.is_ascii_alphanumeric());
        let found = if end - token > LONGEST_NUMBER {
            wallet::find(&self.0, bytes, token, end)
        } else {
            self.number(bytes, floor, [token, place, end], number)
        };
        found.map_or(ScanStep::SkipTo(end), ScanStep::Found)
    }

    /// Returns a name in small letters that a sign announces, or the position at which the search continues.
    #[inline(never)]
    fn small_letters(&self, bytes: &[u8], place: usize, next: usize) -> ScanStep {
        let name = small_letters::behind_sign(bytes, place).filter(|_| self.0.wants(Kind::Person));
        name.map_or(ScanStep::SkipTo(next), ScanStep::Found)
    }

    /// Finds what begins with a token whose first digit is at `digit`.
    #[inline(always)]
    pub(super) fn number(
        &self,
        bytes: &[u8],
        floor: usize,
        [token, digit, end]: [usize; 3],
        number: &mut Candidate,
    ) -> Option<Finding> {
        let (settings, around) = (&self.0, Around::read(bytes, token, end));
        let rules = around.rules(end - token, token != digit || end - token >= SHORTEST_NUMBER);
        let zeros = at(bytes, token) == b'0' && at(bytes, token + 1) == b'0';
        if (around.is_behind_plus() || zeros)
            && let Some(found) = phone::international(settings, bytes, floor, token)
        {
            return Some(found);
        }
        let extended = at(bytes, token + 12) | 0x20 == b'x' && around.has_digits(end - token);
        let spelled = spelled_day::may_end_at(bytes, token, end);
        if rules.is_empty() && !extended && !spelled {
            return None;
        }
        if rules.has(Rules::IP)
            && let Some(found) = network::ip4(settings, bytes, digit, end)
        {
            return Some(found);
        }
        if (rules.has(Rules::DATE) || spelled || birth_date::may_be_joined(bytes, token, end))
            && let Some(found) = birth_date::find(settings, bytes, floor, token, end, &mut number.columns)
        {
            return Some(found);
        }
        if rules.has(Rules::NUMBER)
            && let Some(found) = candidates::find(settings, bytes, floor, token, digit, number)
        {
            return Some(found);
        }
        if (rules.has(Rules::PHONE) || extended)
            && let Some(found) = phone::announced(settings, bytes, floor, token, &mut number.columns)
        {
            return Some(found);
        }
        if rules.has(Rules::HOUSE)
            && around.may_be_house(at(bytes, end + 3))
            && let Some(found) = street::find(settings, bytes, floor, token, end)
        {
            return Some(found);
        }
        // No shorter token is an address of a wallet.
        if end - token < wallet::FEWEST { None } else { wallet::find(settings, bytes, token, end) }
    }

    fn colon(&self, bytes: &[u8], floor: usize, place: usize, colons: &mut usize) -> ScanStep {
        if at(bytes, place + 1) == b'/' && at(bytes, place + 2) == b'/' {
            return url::scan_at(&self.0, bytes, floor, place);
        }
        // What has hexadecimal digits or another colon on both sides may be an address.
        let address = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
        if at(bytes, place + 1) == b' ' && at(bytes, place + 2) >= b'a' {
            return self.small_letters(bytes, place, place + 1);
        }
        if !address(at(bytes, place + 1))
            || !(address(before(bytes, place, 1)) || at(bytes, place + 1) == b':')
        {
            return ScanStep::SkipTo(place + 1);
        }
        match network::mac(&self.0, bytes, floor, place) {
            ScanStep::Found(found) => ScanStep::Found(found),
            ScanStep::SkipTo(_) => network::ip6(&self.0, bytes, floor, place, colons),
        }
    }
}

/// The next finding of one pattern, cached so that each pattern reads a text once.
#[derive(Debug, Default)]
struct Ahead {
    found: Option<Finding>,
    /// Whether there are no further findings.
    done: bool,
}

impl Ahead {
    /// Returns the finding that begins at `from` or later. Calls `find` if the cached one begins before.
    fn next(&mut self, from: usize, find: impl FnOnce() -> Option<Finding>) -> Option<Finding> {
        if !self.done && self.found.is_none_or(|found| found.start < from) {
            self.found = find();
            self.done = self.found.is_none();
        }
        self.found
    }
}

impl Scan for Scanner {
    /// The heading of a table is the farthest that a finding depends on.
    const REACH: usize = 16 * 1024;

    fn next(&self, text: &str, from: usize) -> Option<Finding> {
        self.cursor(text)(from)
    }

    fn cursor<'s>(&'s self, text: &'s str) -> impl FnMut(usize) -> Option<Finding> + 's {
        let own = self.0.patterns.kinds().filter(|kind| self.0.wants(*kind));
        let mut own: Vec<_> = own.map(|kind| (kind, Ahead::default())).collect();
        let (mut built_in, mut memory) = (Ahead::default(), ScanState::default());
        let (bytes, mut names) = (text.as_bytes(), Ahead::default());
        names.done = !self.0.wants(Kind::Person);
        move |from| {
            let found = built_in.next(from, || self.scan(bytes, from, &mut memory));
            let name = names.next(from, || small_letters::find(bytes, from));
            let name = name.filter(|name| found.is_none_or(|found| name.start < found.start));
            let found = name.or(found);
            if own.is_empty() {
                return found;
            }
            // The first finding wins; at the same start the longer one, and at the same length that of an own pattern.
            let order = |found: &Finding| (found.start, usize::MAX - found.end);
            let mut first: Option<Finding> = None;
            for (kind, ahead) in &mut own {
                let find = || {
                    let (start, end) = self.0.patterns.find(*kind, text, from)?;
                    Some(Finding { kind: *kind, start, end })
                };
                let found = ahead.next(from, find);
                let earlier = |found: &Finding| first.is_none_or(|first| order(found) < order(&first));
                first = found.filter(earlier).or(first);
            }
            let earlier = |found: &Finding| first.is_none_or(|first| order(found) < order(&first));
            found.filter(earlier).or(first)
        }
    }

    fn patterns(&self) -> &Patterns {
        &self.0.patterns
    }
}

/// Minimum length of a number of the table that begins with a digit.
pub(super) const SHORTEST_NUMBER: usize = 5;
/// Maximum length of a token that can contain a number of the table.
const LONGEST_NUMBER: usize = 36;
/// Maximum number of bytes by which the start of a token may precede its first digit.
const LONGEST_TOKEN: usize = 96;
