//! Numbers of the table: their possible starts and ends, and the decision whether one is a finding.

use crate::{
    pii::{
        numbers::{
            automaton::{AUTOMATON, Automaton, Candidate, End, FormSet, literal},
            checksums::americas::ssn_bare,
            context_words::{self, WORD, lookup},
            lookalikes::is_of_other,
            table::{AcceptWhen, FORMS, Form},
        },
        settings::Settings,
    },
    scan::{
        bytes::{at, before, digits_end, start_of},
        finding::Finding,
        kind::Kind,
    },
};

/// Finds the number that begins with the token at `token`, whose first digit is at `digit`, or with a short word before
/// it.
pub(crate) fn find(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    token: usize,
    digit: usize,
    number: &mut Candidate,
) -> Option<Finding> {
    let machine = &*AUTOMATON;
    if digit == token
        && let Some(start) = word_before(bytes, floor, token)
        && machine.may_begin_with(bytes, token - 1 - start, token)
        && let Some(found) = from(settings, machine, bytes, start, number)
    {
        return Some(found);
    }
    from(settings, machine, bytes, token, number).map(|found| with_parenthesis(bytes, floor, found))
}

/// Maximum number of letters before the first gap of a number: `MORGA 657054 SM 9IJ`.
const LETTERS: usize = 5;

/// Returns the start of letters before a token that may belong to the number: `HRB 12345`, `AB 12 34 56 C`.
fn word_before(bytes: &[u8], floor: usize, token: usize) -> Option<usize> {
    let end = token.checked_sub(1)?;
    if !before(bytes, end, 1).is_ascii_alphabetic() || !matches!(at(bytes, end), b' ' | b'-' | b'.' | b'/') {
        return None;
    }
    let start = start_of(bytes, floor, end, LETTERS + 1, |byte| byte.is_ascii_alphabetic());
    let apart = !before(bytes, start, 1).is_ascii_alphanumeric();
    (start < end && end - start <= LETTERS && apart).then_some(start)
}

/// Extends a telephone number such as `(555) 123-4567` to its opening parenthesis.
fn with_parenthesis(bytes: &[u8], floor: usize, found: Finding) -> Finding {
    let open = found.start > floor && before(bytes, found.start, 1) == b'(';
    let closed = bytes.get(found.start..found.end).is_some_and(|number| number.contains(&b')'));
    let start = found.start - usize::from(open && closed && found.kind == Kind::Phone);
    Finding { start, ..found }
}

pub(crate) fn from(
    settings: &Settings,
    machine: &Automaton,
    bytes: &[u8],
    start: usize,
    number: &mut Candidate,
) -> Option<Finding> {
    if is_joined_before(bytes, start) && !is_behind_label(machine, bytes, start) {
        return None;
    }
    machine.read(bytes, start, settings.wanted_forms, number);
    let mut before = None;
    for place in (0..number.count()).rev() {
        let end = number.end(place);
        if is_joined_after(bytes, end.place) && !is_cell(bytes, start, end.place) {
            continue;
        }
        // Only forms that need no announcement, or that a word announces, have to be checked.
        let alone = end.forms & alone(settings, machine, number, end.length);
        let told = if alone & machine.always == end.forms && end.forms.is_power_of_two()
            || number.words.announced(machine, bytes, start, end.place) & end.forms == 0
        {
            0
        } else {
            let near = &number.words;
            let before = *before.get_or_insert_with(|| context_words::before(machine, bytes, start, near));
            before | context_words::behind(machine, bytes, end.place, near)
        };
        let told = told | headed(machine, bytes, start, number, end.forms & !alone & !told);
        let end = End { forms: alone | end.forms & told, ..end };
        if end.forms == 0 {
            continue;
        }
        number.fill(bytes, start, end);
        if let Some(form) = choose_form(settings, machine, bytes, start, number, end, told)
            && !is_of_other_kind(settings, bytes, start, number, end, form, told & end.forms != 0)
        {
            return Some(Finding { kind: form.kind, start, end: end.place });
        }
    }
    None
}

/// Returns whether a hyphen or number sign joins a number to a word that announces it: `SSN-078-05-1120`,
/// `SS#078051120`.
pub(crate) fn is_behind_label(machine: &Automaton, bytes: &[u8], start: usize) -> bool {
    if !matches!(before(bytes, start, 1), b'-' | b'#') {
        return false;
    }
    let word = start_of(bytes, 0, start - 1, LABEL, |byte| byte.is_ascii_alphabetic());
    let apart = !before(bytes, word, 1).is_ascii_alphanumeric();
    apart && bytes.get(word..start - 1).is_some_and(|word| word.len() > 1 && machine.words.get(word) != 0)
}

/// Maximum length of a word that is joined to a number, in bytes.
const LABEL: usize = 12;

/// Returns those of some forms that the heading of a number's column announces.
pub(crate) fn headed(
    machine: &Automaton,
    bytes: &[u8],
    start: usize,
    number: &mut Candidate,
    forms: FormSet,
) -> FormSet {
    number.headed = 0;
    if forms != 0
        && let Some(heading) = number.columns.heading(bytes, start)
    {
        let words = heading.split(|byte| !WORD.contains(*byte));
        number.headed = words.fold(0, |told, word| told | lookup(machine, word)) & forms;
    }
    number.headed
}

/// Returns the forms that a number of `length` characters may have without an announcement.
pub(crate) fn alone(settings: &Settings, machine: &Automaton, number: &Candidate, length: usize) -> FormSet {
    if settings.strict {
        return !machine.told & if settings.named { FormSet::MAX } else { !machine.named };
    }
    // Texts in small letters are more often words and hashes than numbers of documents, unless a checksum of two digits
    // holds for the length of a country.
    if !number.capital(length) {
        return machine.iban;
    }
    machine.always | if number.breaks & ((1 << length) - 1) == 0 { 0 } else { machine.grouped }
}

/// The forms that a number may have.
#[derive(Default)]
struct Fitting {
    /// All of them.
    possible: FormSet,
    /// Those that few numbers match.
    checked: FormSet,
    /// Those whose checksum holds.
    held: FormSet,
    /// The first that needs no announcement.
    alone: Option<&'static Form>,
}

/// Returns the form of a number: the one with the nearest announcement, or else the first that needs none. `told` are
/// the forms that any word around the number announces.
pub(crate) fn choose_form(
    settings: &Settings,
    machine: &Automaton,
    bytes: &[u8],
    start: usize,
    number: &Candidate,
    end: End,
    told: FormSet,
) -> Option<&'static Form> {
    if is_placeholder(number.characters(end.length)) && !settings.strict {
        return None;
    }
    let Fitting { mut possible, checked, held, alone } =
        fitting(settings, machine, bytes, start, number, &end);
    // A taxpayer's number beside both words: `an ITIN instead of a social: 912-75-1234`.
    if possible & held & told != 0 {
        possible &= held;
    }
    if possible == 0 || alone.is_some() && possible.is_power_of_two() {
        return alone;
    }
    // A form that many numbers match does not replace one that few match.
    let open = told & if alone.is_some() { checked } else { possible };
    if open == 0 {
        return alone;
    }
    let announced = match context_words::nearest(machine, bytes, start, end.place, open & !number.headed) {
        0 => open & number.headed,
        announced => announced,
    };
    // `Tax ID: 912-75-1234`
    let announced = if announced & held == 0 { announced } else { announced & held };
    if !announced.is_power_of_two()
        && let Some(kind) = context_words::nation(bytes, start)
        && let Some(form) = forms(announced).find(|form| form.kind == kind)
    {
        return Some(form);
    }
    FORMS.get(announced.trailing_zeros() as usize).or(alone)
}

/// Returns which of the forms of its length a number has.
#[inline]
fn fitting(
    settings: &Settings,
    machine: &Automaton,
    bytes: &[u8],
    start: usize,
    number: &Candidate,
    end: &End,
) -> Fitting {
    let characters = number.characters(end.length);
    let all_places = (1 << end.length) - 1;
    let breaks = number.breaks & all_places;
    let mut fitting = Fitting::default();
    let mut left = end.forms;
    while left != 0 {
        let place = left.trailing_zeros() as usize;
        let bit = left & left.wrapping_neg();
        left ^= bit;
        let Some(form) = FORMS.get(place) else { break };
        if machine.literal & bit != 0 && !literal(form.pattern, characters) {
            continue;
        }
        let holds = (form.check)(characters);
        if !holds && !is_written(form, breaks) {
            continue;
        }
        // Seven digits without a gap depend on the text directly before them: see `phone`.
        if form.kind == Kind::Phone && form.accept == AcceptWhen::Named && breaks == 0 && !settings.strict {
            continue;
        }
        fitting.possible |= bit;
        fitting.held |= if holds { bit } else { 0 };
        fitting.checked |= if matches!(form.accept, AcceptWhen::Named | AcceptWhen::Told) { 0 } else { bit };
        if !holds || fitting.alone.is_some() {
            continue;
        }
        let marks = machine.marks.get(place).copied().unwrap_or(0) & all_places;
        let grouped = breaks != 0 && marks == breaks;
        let capital = number.capital(end.length) || form.kind == Kind::Iban;
        if is_accepted(form, grouped) && capital && !ends_series(form.kind, bytes, start)
            || settings.strict && is_accepted_strictly(settings, form, grouped, characters)
        {
            fitting.alone = Some(form);
        }
    }
    fitting
}

/// Returns whether a number of a form needs no announcement. `grouped` numbers have gaps where the form has them.
#[inline(always)]
fn is_accepted(form: &Form, grouped: bool) -> bool {
    match form.accept {
        AcceptWhen::Always => true,
        AcceptWhen::Grouped => grouped,
        AcceptWhen::Announced | AcceptWhen::Named | AcceptWhen::Told => false,
    }
}

/// Returns the same for settings that prefer false alarms to missed numbers.
fn is_accepted_strictly(settings: &Settings, form: &Form, grouped: bool, characters: &[u8]) -> bool {
    form.accept != AcceptWhen::Told
        && (settings.named || form.accept != AcceptWhen::Named)
        && (grouped || !bare_exception(form, characters))
}

/// Iterates over the forms of a set.
fn forms(set: FormSet) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().enumerate().filter(move |(place, _)| set >> place & 1 == 1).map(|(_, form)| form)
}

/// Returns whether a number is a social security number by its groups alone. After `SSN:`, even a number that was never
/// issued is one.
fn is_written(form: &Form, breaks: u64) -> bool {
    form.kind == Kind::Ssn && breaks == 0b10_1000
}

/// Returns whether a number is only the end of a longer code or series: `1Z AA1 06 4119 9911`, `1347 2164 3218 4390`.
fn ends_series(kind: Kind, bytes: &[u8], start: usize) -> bool {
    if before(bytes, start, 1) != b' ' || !before(bytes, start, 2).is_ascii_digit() {
        return false;
    }
    let group = start_of(bytes, 0, start - 1, CODE, |byte| byte.is_ascii_alphanumeric());
    let group = bytes.get(group..start - 1).unwrap_or_default();
    match kind {
        Kind::Phone => group.iter().any(u8::is_ascii_uppercase),
        Kind::InAadhaar => group.len() == 4 && group.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Maximum length of a group of such a code, in bytes.
const CODE: usize = 8;

/// Returns whether a number is a sequence of nine digits that only looks like a social security number.
fn bare_exception(form: &Form, characters: &[u8]) -> bool {
    form.kind == Kind::Ssn && !ssn_bare(characters)
}

/// Returns whether what has a form is something else by its letters or by the words before it. `told` is whether words
/// announce it.
pub(crate) fn is_of_other_kind(
    settings: &Settings,
    bytes: &[u8],
    start: usize,
    number: &Candidate,
    end: End,
    form: &Form,
    told: bool,
) -> bool {
    match form.kind {
        Kind::Iban => mixes_cases(bytes, start, end.place),
        Kind::Phone if !settings.strict => {
            let grouped = form.accept == AcceptWhen::Grouped && number.breaks & ((1 << end.length) - 1) != 0;
            is_of_other(bytes, start, end.place, grouped)
        }
        // `claim ref 700-41-8802`, `Artikel 86 095 742 719`
        Kind::Ssn | Kind::DeTax if !told && !settings.strict => {
            // The number of an identity may well be one of these.
            let id = start_of(bytes, 0, start, 2, |byte| matches!(byte, b' ' | b':'));
            let of_id =
                bytes.get(id.saturating_sub(2)..id).is_some_and(|word| word.eq_ignore_ascii_case(b"id"));
            !of_id && is_of_other(bytes, start, end.place, true)
        }
        _ => false,
    }
}

/// `GB82 west`: a country's letters before a word.
fn mixes_cases(bytes: &[u8], start: usize, end: usize) -> bool {
    let number = bytes.get(start..end).unwrap_or_default();
    number.iter().any(u8::is_ascii_uppercase) && number.iter().any(u8::is_ascii_lowercase)
}

/// Returns whether the text from a position on is the rest of a longer one: `v1.2`, `ORD-123`, `$100`.
#[inline]
pub(crate) fn is_joined_before(bytes: &[u8], start: usize) -> bool {
    !matches!(before(bytes, start, 1), b' ' | b'\n') && is_joined_by_sign(bytes, start)
}

/// Returns the result of [`is_joined_before`] if no blank precedes the position.
#[inline(never)]
fn is_joined_by_sign(bytes: &[u8], start: usize) -> bool {
    let [last, more] = [before(bytes, start, 1), before(bytes, start, 2)];
    match last {
        // A group of thousands, such as `1,234`, but not a field of a table, such as `1,078-05-1120`.
        b',' if more.is_ascii_digit() => is_thousands(bytes, start),
        b'-' | b'.' | b'_' | b'/' | b',' | b':' => {
            more.is_ascii_digit() || last != b':' && last != b',' && more.is_ascii_alphanumeric()
        }
        b'$' | b'#' | b'%' | b'@' | b'+' => true,
        // These are the last bytes of €, £ and ¥.
        0xac => before(bytes, start, 3) == 0xe2,
        0xa3 | 0xa5 => more == 0xc2,
        _ => last.is_ascii_alphanumeric(),
    }
}

/// Returns whether exactly three digits begin at a position, without further groups after another sign.
fn is_thousands(bytes: &[u8], start: usize) -> bool {
    let end = digits_end(bytes, start, 4);
    let grouped = matches!(at(bytes, end), b'-' | b' ' | b'.' | b'/') && at(bytes, end + 1).is_ascii_digit();
    end == start + 3 && !at(bytes, end).is_ascii_alphabetic() && !grouped
}

/// Returns whether a number is a field between commas: `Ada,175606535,6`. The comma before it, or a letter in it, shows
/// that the one after it is no decimal comma.
pub(crate) fn is_cell(bytes: &[u8], start: usize, end: usize) -> bool {
    let has_letter =
        || bytes.get(start..end).is_some_and(|number| number.iter().any(u8::is_ascii_alphabetic));
    at(bytes, end) == b',' && (before(bytes, start, 1) == b',' || has_letter())
}

/// Returns whether a number only shows a form: `999-99-9999`, `AAAAA9999A`, `DE000000000`.
fn is_placeholder(characters: &[u8]) -> bool {
    let uniform = |of: fn(&u8) -> bool| {
        let mut those = characters.iter().filter(|byte| of(byte));
        those.next().is_none_or(|first| those.all(|byte| byte == first))
    };
    let digits = characters.iter().filter(|byte| byte.is_ascii_digit()).count();
    characters.len() > SHORTEST_PLACEHOLDER
        && uniform(u8::is_ascii_digit)
        && (digits > SHORTEST_PLACEHOLDER || uniform(u8::is_ascii_alphabetic))
}

/// Length up to which a number of one digit can be real: `22222` is a postcode.
const SHORTEST_PLACEHOLDER: usize = 7;

/// Returns whether a longer text continues after a position.
pub(crate) fn is_joined_after(bytes: &[u8], end: usize) -> bool {
    let more = at(bytes, end + 1);
    match at(bytes, end) {
        b'-' | b'_' | b'/' | b'@' | b'.' => more.is_ascii_alphanumeric(),
        b',' | b':' => more.is_ascii_digit(),
        b'%' => true,
        byte => byte.is_ascii_alphanumeric(),
    }
}
