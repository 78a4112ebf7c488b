//! Numbers of the table: where one may begin and end, and whether it is taken for one.

use super::{
    Finding, announce,
    bytes::{at, before, start_of},
    kind::Kind,
    machine::{End, Forms, MACHINE, Machine, Number, literal},
    scanner::Scanner,
    table::{Alone, FORMS, Form},
};

/// The number that begins with the token at `token`, whose first digit is at `digit`, or with a short word before it.
pub(super) fn find(
    scanner: &Scanner,
    bytes: &[u8],
    floor: usize,
    token: usize,
    digit: usize,
    number: &mut Number,
) -> Option<Finding> {
    let machine = &*MACHINE;
    if digit == token
        && let Some(start) = word_before(bytes, floor, token)
        && let Some(found) = from(scanner, machine, bytes, start, number)
    {
        return Some(found);
    }
    from(scanner, machine, bytes, token, number).map(|found| with_parenthesis(bytes, floor, found))
}

/// Letters that may belong to a number though a separator stands between: `HRB 12345`, `AB 12 34 56 C`.
fn word_before(bytes: &[u8], floor: usize, token: usize) -> Option<usize> {
    let end = token.checked_sub(1)?;
    if !matches!(at(bytes, end), b' ' | b'-' | b'.') {
        return None;
    }
    let start = start_of(bytes, floor, end, 5, |byte| byte.is_ascii_alphabetic());
    let apart = !before(bytes, start, 1).is_ascii_alphanumeric();
    (start < end && end - start <= 3 && apart).then_some(start)
}

/// `(555) 123-4567` begins with its parenthesis.
fn with_parenthesis(bytes: &[u8], floor: usize, found: Finding) -> Finding {
    let open = found.start > floor && before(bytes, found.start, 1) == b'(';
    let closed = bytes.get(found.start..found.end).is_some_and(|number| number.contains(&b')'));
    let start = found.start - usize::from(open && closed && found.kind == Kind::Phone);
    Finding { start, ..found }
}

fn from(
    scanner: &Scanner,
    machine: &Machine,
    bytes: &[u8],
    start: usize,
    number: &mut Number,
) -> Option<Finding> {
    if glued_before(bytes, start) {
        return None;
    }
    machine.read(bytes, start, scanner.forms, number);
    let mut before = None;
    for end in number.ends() {
        if glued_behind(bytes, end.place) {
            continue;
        }
        // What neither stands alone nor is announced need not be checked.
        let alone = end.forms & alone(scanner, machine, number, end.length);
        let told = if alone & machine.always == end.forms && end.forms.is_power_of_two() {
            0
        } else {
            let before = *before.get_or_insert_with(|| announce::before(machine, bytes, start));
            before | announce::behind(machine, bytes, end.place)
        };
        let end = End { forms: alone | end.forms & told, ..end };
        if end.forms != 0
            && let Some(form) = judge(scanner, machine, bytes, start, number, end, told)
            && !(form.kind == Kind::Iban && mixes_cases(bytes, start, end.place))
        {
            return Some(Finding { kind: form.kind, start, end: end.place });
        }
    }
    None
}

/// Forms that a number of so many characters may have though no word announces it.
fn alone(scanner: &Scanner, machine: &Machine, number: &Number, length: usize) -> Forms {
    if scanner.strict {
        return if scanner.named { Forms::MAX } else { !machine.named };
    }
    // Small letters are words and hashes more often than numbers of papers.
    if !number.capital(length) {
        return 0;
    }
    machine.always | if number.breaks == 0 { 0 } else { machine.grouped }
}

/// The form that a number has: the one that is announced nearest, else the first that needs no announcement. `told`
/// are those that some word around it announces.
fn judge<'f>(
    scanner: &Scanner,
    machine: &Machine,
    bytes: &[u8],
    start: usize,
    number: &Number,
    end: End,
    told: Forms,
) -> Option<&'f Form> {
    let characters = number.characters(end.length);
    let breaks = number.breaks & ((1 << end.length) - 1);
    let (mut possible, mut checked): (Forms, Forms) = (0, 0);
    let mut alone: Option<&'f Form> = None;
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
        possible |= bit;
        checked |= if form.alone == Alone::Named { 0 } else { bit };
        if !holds || alone.is_some() {
            continue;
        }
        let marks = machine.marks.get(place).copied().unwrap_or(0) & ((1 << end.length) - 1);
        let grouped = breaks != 0 && marks == breaks;
        let stands = match form.alone {
            Alone::Always => true,
            Alone::Grouped => grouped,
            _ => false,
        };
        let stands = stands && number.capital(end.length)
            || scanner.strict
                && (scanner.named || form.alone != Alone::Named)
                && (grouped || !bare_exception(form, characters));
        if stands {
            alone = Some(form);
        }
    }
    if possible == 0 || alone.is_some() && possible.is_power_of_two() {
        return alone;
    }
    // What many numbers look like does not take the place of what few do.
    let open = told & if alone.is_some() { checked } else { possible };
    if open == 0 {
        return alone;
    }
    let announced = announce::nearest(machine, bytes, start, end.place, open);
    FORMS.get(announced.trailing_zeros() as usize).or(alone)
}

/// Who writes `SSN:` before nine digits in their groups means one, whether or not it was ever issued.
fn is_written(form: &Form, breaks: u64) -> bool {
    form.kind == Kind::Ssn && breaks == 0b10_1000
}

/// Nine digits drawn up by counting are no number of anybody's.
fn bare_exception(form: &Form, characters: &[u8]) -> bool {
    form.kind == Kind::Ssn && !super::checks::ssn_bare(characters)
}

/// `GB82 west`: a country's letters before a word.
fn mixes_cases(bytes: &[u8], start: usize, end: usize) -> bool {
    let number = bytes.get(start..end).unwrap_or_default();
    number.iter().any(u8::is_ascii_uppercase) && number.iter().any(u8::is_ascii_lowercase)
}

/// Whether what begins here is the rest of something longer: `v1.2`, `ORD-123`, `$100`.
pub(super) fn glued_before(bytes: &[u8], start: usize) -> bool {
    let [last, more] = [before(bytes, start, 1), before(bytes, start, 2)];
    match last {
        b'-' | b'.' | b'_' | b'/' | b',' | b':' => {
            more.is_ascii_digit() || last != b':' && last != b',' && more.is_ascii_alphanumeric()
        }
        b'$' | b'#' | b'%' | b'@' | b'+' => true,
        // €, £ and ¥ end so.
        0xac => before(bytes, start, 3) == 0xe2,
        0xa3 | 0xa5 => more == 0xc2,
        _ => last.is_ascii_alphanumeric(),
    }
}

/// Whether what ends here goes on.
pub(super) fn glued_behind(bytes: &[u8], end: usize) -> bool {
    let more = at(bytes, end + 1);
    match at(bytes, end) {
        b'-' | b'_' | b'/' | b'@' | b'.' => more.is_ascii_alphanumeric(),
        b',' | b':' => more.is_ascii_digit(),
        b'%' => true,
        byte => byte.is_ascii_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::oracle::texts, End, Forms, MACHINE, Number, Scanner, at, from, glued_before, glued_behind,
        judge, mixes_cases,
    };

    #[test]
    fn forms_that_nothing_speaks_for_need_no_check() {
        let naive = |scanner: &Scanner, bytes: &[u8], start: usize| {
            let mut number = Number::default();
            MACHINE.read(bytes, start, scanner.forms, &mut number);
            let judged = |end: End| {
                let form = judge(scanner, &MACHINE, bytes, start, &number, end, Forms::MAX)?;
                let mixed = form.kind == super::Kind::Iban && mixes_cases(bytes, start, end.place);
                if mixed { None } else { Some((form.kind, end.place)) }
            };
            let mut ends = number.ends().filter(|end| !glued_behind(bytes, end.place));
            if glued_before(bytes, start) { None } else { ends.find_map(judged) }
        };
        texts(|text| {
            let bytes = text.as_bytes();
            for strict in [false, true] {
                let scanner = Scanner::new(strict, None);
                for start in (0..bytes.len()).filter(|start| at(bytes, *start).is_ascii_alphanumeric()) {
                    let found = from(&scanner, &MACHINE, bytes, start, &mut Number::default());
                    let found = found.map(|found| (found.kind, found.end));
                    assert_eq!(found, naive(&scanner, bytes, start), "{text:?} from {start}");
                }
            }
        });
    }
}
