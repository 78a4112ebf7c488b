//! Checks of drawn values: whether a value can be one of its kind.

pub fn any(_: &str) -> bool {
    true
}

fn digits(value: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    value.chars().filter_map(|character| character.to_digit(10))
}

pub fn luhn(value: &str) -> bool {
    let double = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits(value)
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { digit } else { double(digit) })
        .sum();
    sum.is_multiple_of(10)
}

/// ISO 7064, modulo 97: the country and its check digits count last, letters as two digits.
pub fn iban(value: &str) -> bool {
    let plain: Vec<u32> = value.chars().filter_map(|character| character.to_digit(36)).collect();
    let step = |rest: u32, digit: &u32| (rest * if *digit > 9 { 100 } else { 10 } + digit) % 97;
    plain[4..].iter().chain(&plain[..4]).fold(0, step) == 1
}

fn weighted(value: &str, weights: &[i32]) -> i32 {
    digits(value).zip(weights).map(|(digit, weight)| digit as i32 * weight).sum()
}

pub fn nhs(value: &str) -> bool {
    weighted(value, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0
}

pub fn bsn(value: &str) -> bool {
    weighted(value, &[9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 == 0
}

pub fn cpf(value: &str) -> bool {
    let check = |sum: i32| sum * 10 % 11 % 10;
    let all: Vec<i32> = digits(value).map(|digit| digit as i32).collect();
    check(weighted(value, &[10, 9, 8, 7, 6, 5, 4, 3, 2])) == all[9]
        && check(weighted(value, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2])) == all[10]
}

pub fn nif(value: &str) -> bool {
    let number = digits(value).fold(0, |number, digit| number * 10 + digit) as usize;
    value.as_bytes().last() == b"TRWAGMYFPDXBNJZSQVHLCKE".get(number % 23)
}

pub fn social_security(value: &str) -> bool {
    let number: Vec<_> = value.split('-').collect();
    !matches!(number[0], "000" | "666") && number[0] < "900" && number[1] != "00" && number[2] != "0000"
}

/// A byte, for the parts of an address.
pub fn address(value: &str) -> bool {
    let mut numbers = value.split('.').map(|part| part.parse::<u32>().unwrap_or(999));
    let first = numbers.next().unwrap_or_default();
    numbers.all(|number| number < 256) && (11..100).contains(&first)
}
