//! Check digits of numbers, from the rules that their issuers publish. None is shared with the scanner.

/// The digits of a value.
fn digits(value: &str) -> Vec<u32> {
    value.chars().filter_map(|sign| sign.to_digit(10)).collect()
}

/// Letters and digits without what separates them.
fn bare(value: &str) -> String {
    value.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase()
}

/// Digits and letters as numbers up to 35.
fn numbers(value: &str) -> Vec<u32> {
    bare(value).chars().filter_map(|sign| sign.to_digit(36)).collect()
}

fn weighted(numbers: &[u32], weights: &[u32]) -> u32 {
    numbers.iter().zip(weights).map(|(number, weight)| number * weight).sum()
}

fn cross(number: u32) -> u32 {
    number / 10 + number % 10
}

fn remainder(digits: &[u32], modulus: u64) -> u64 {
    digits.iter().fold(0, |rest, digit| (rest * 10 + u64::from(*digit)) % modulus)
}

pub fn any(_: &str) -> bool {
    true
}

fn is_luhn(digits: &[u32]) -> bool {
    let odd = |(at, digit): (usize, &u32)| if at % 2 == 1 { cross(digit * 2) } else { *digit };
    digits.iter().rev().enumerate().map(odd).sum::<u32>().is_multiple_of(10)
}

pub fn luhn(value: &str) -> bool {
    is_luhn(&digits(value))
}

pub fn npi(value: &str) -> bool {
    is_luhn(&[&[8, 0, 8, 4, 0][..], &digits(value)].concat())
}

/// Ten or twelve digits of a Swedish number, of which the first two can be the century.
pub fn swedish(value: &str) -> bool {
    let digits = digits(value);
    is_luhn(&digits[digits.len() - 10..])
}

pub fn sin(value: &str) -> bool {
    luhn(value) && !value.starts_with('8')
}

pub fn iban(value: &str) -> bool {
    let bare = bare(value);
    let (head, body) = bare.split_at(4);
    let rest = numbers(&format!("{body}{head}"))
        .iter()
        .fold(0, |rest, number| if *number > 9 { rest * 100 + number } else { rest * 10 + number } % 97);
    rest == 1
}

pub fn ssn(value: &str) -> bool {
    let d = digits(value);
    let (area, group, serial) = (d[0] * 100 + d[1] * 10 + d[2], d[3] * 10 + d[4], d[5..].iter().sum::<u32>());
    area > 0 && area != 666 && area < 900 && group > 0 && serial > 0
}

pub fn routing(value: &str) -> bool {
    weighted(&digits(value), &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10)
}

pub fn dea(value: &str) -> bool {
    let d = digits(value);
    (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]
}

pub fn nhs(value: &str) -> bool {
    weighted(&digits(value), &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

pub fn abn(value: &str) -> bool {
    let mut d = digits(value);
    d[0] = d[0].wrapping_sub(1);
    d[0] < 9 && weighted(&d, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]).is_multiple_of(89)
}

pub fn acn(value: &str) -> bool {
    let d = digits(value);
    (10 - weighted(&d, &[8, 7, 6, 5, 4, 3, 2, 1]) % 10) % 10 == d[8]
}

pub fn tfn(value: &str) -> bool {
    weighted(&digits(value), &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
}

pub fn medicare(value: &str) -> bool {
    let d = digits(value);
    (2..=6).contains(&d[0]) && weighted(&d, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == d[8]
}

/// ISO 7064, mod 11,10.
fn mod_11_10(digits: &[u32]) -> bool {
    let (check, body) = digits.split_last().unwrap();
    let product = body.iter().fold(10, |product, digit| {
        let sum = (product + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == *check
}

pub fn german_vat(value: &str) -> bool {
    mod_11_10(&digits(value))
}

/// A German tax identification number: one of the first ten digits occurs twice or thrice.
pub fn german_tax(value: &str) -> bool {
    let d = digits(value);
    let times = |digit: u32| d[..10].iter().filter(|one| **one == digit).count();
    let mut counts: Vec<_> = (0..10).map(times).filter(|count| *count > 1).collect();
    counts.sort_unstable();
    mod_11_10(&d) && counts.len() == 1 && counts[0] < 4 && d[0] > 0
}

pub fn lanr(value: &str) -> bool {
    let d = digits(value);
    (10 - weighted(&d, &[4, 9, 4, 9, 4, 9]) % 10) % 10 == d[6]
}

/// A German document: nine signs and their check digit.
pub fn german_document(value: &str) -> bool {
    let numbers = numbers(value);
    numbers.len() == 9 || weighted(&numbers, &[7, 3, 1, 7, 3, 1, 7, 3, 1]) % 10 == numbers[9]
}

pub fn german_pension(value: &str) -> bool {
    let letter = |sign: char| sign.to_digit(36).map(|number| if number > 9 { number - 9 } else { number });
    let mut all = Vec::new();
    for sign in bare(value).chars() {
        let number = letter(sign).unwrap();
        if sign.is_ascii_alphabetic() {
            all.push(number / 10);
        }
        all.push(number % 10);
    }
    let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let sum: u32 = all.iter().zip(weights).map(|(number, weight)| cross(number * weight)).sum();
    sum % 10 == all[12]
}

pub fn german_health(value: &str) -> bool {
    let numbers = numbers(value);
    let letter = numbers[0] - 9;
    let all = [&[letter / 10, letter % 10][..], &numbers[1..]].concat();
    let weight = |(at, number): (usize, &u32)| if at % 2 == 1 { cross(number * 2) } else { *number };
    all[..10].iter().enumerate().map(weight).sum::<u32>() % 10 == all[10]
}

/// A Spanish number with its letter, for residents (`X`, `Y`, `Z` in front) too.
pub fn spanish(value: &str) -> bool {
    let bare = bare(value).replace('X', "0").replace('Y', "1").replace('Z', "2");
    let first = &bare[..bare.len() - 1];
    let number: usize = first.parse().unwrap();
    let letter = value.chars().last().unwrap().to_ascii_uppercase();
    "TRWAGMYFPDXBNJZSQVHLCKE".chars().nth(number % 23) == Some(letter)
}

pub fn finnish(value: &str) -> bool {
    let d = digits(&value[..10]);
    let check = value.chars().last().unwrap();
    "0123456789ABCDEFHJKLMNPRSTUVWXY".chars().nth(remainder(&d, 31) as usize) == Some(check)
}

pub fn french(value: &str) -> bool {
    let d = digits(value);
    97 - remainder(&d[..13], 97) == u64::from(d[13] * 10 + d[14])
}

pub fn aadhaar(value: &str) -> bool {
    const TIMES: [&str; 10] = [
        "0123456789",
        "1234067895",
        "2340178956",
        "3401289567",
        "4012395678",
        "5987604321",
        "6598710432",
        "7659821043",
        "8765932104",
        "9876543210",
    ];
    const ORDER: [&str; 8] = [
        "0123456789",
        "1576283094",
        "5803796142",
        "8916043527",
        "9453126870",
        "4286573901",
        "2793806415",
        "7046913258",
    ];
    let at = |row: &str, column: u32| digits(row)[column as usize];
    let step = |sum: u32, (at_, digit): (usize, &u32)| at(TIMES[sum as usize], at(ORDER[at_ % 8], *digit));
    digits(value).iter().rev().enumerate().fold(0, step) == 0
}

pub fn gstin(value: &str) -> bool {
    let numbers = numbers(value);
    let one = |(at, number): (usize, &u32)| {
        let product = number * (1 + at as u32 % 2);
        product / 36 + product % 36
    };
    (36 - numbers[..14].iter().enumerate().map(one).sum::<u32>() % 36) % 36 == numbers[14]
}

pub fn italian_person(value: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let numbers: Vec<u32> =
        numbers(value).into_iter().map(|number| if number > 9 { number - 10 } else { number }).collect();
    let one = |(at, number): (usize, &u32)| if at % 2 == 0 { ODD[*number as usize] } else { *number };
    numbers[..15].iter().enumerate().map(one).sum::<u32>() % 26 == numbers[15]
}

pub fn korean(value: &str) -> bool {
    let d = digits(value);
    (11 - weighted(&d, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10 == d[12]
}

pub fn korean_foreigner(value: &str) -> bool {
    let d = digits(value);
    (13 - weighted(&d, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10 == d[12]
}

pub fn korean_business(value: &str) -> bool {
    let d = digits(value);
    let sum = weighted(&d, &[1, 3, 7, 1, 3, 7, 1, 3]) + d[8] * 5 / 10 + d[8] * 5;
    (10 - sum % 10) % 10 == d[9]
}

pub fn pesel(value: &str) -> bool {
    weighted(&digits(value), &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

pub fn nric(value: &str) -> bool {
    let bare = bare(value);
    let (first, last) = (bare.chars().next().unwrap(), bare.chars().last().unwrap());
    let sum = weighted(&digits(&bare), &[2, 7, 6, 5, 4, 3, 2]);
    let (more, letters) = match first {
        'S' => (0, "JZIHGFEDCBA"),
        'T' => (4, "JZIHGFEDCBA"),
        'F' => (0, "XWUTRQPNMLK"),
        _ => (4, "XWUTRQPNMLK"),
    };
    letters.chars().nth(((sum + more) % 11) as usize) == Some(last)
}

/// A Singapore entity number: of a business (eight digits) or of a local company (nine).
pub fn uen(value: &str) -> bool {
    let d = digits(value);
    let (weights, letters): (&[u32], _) = if d.len() == 8 {
        (&[10, 4, 9, 3, 8, 2, 7, 1], "XMKECAWLJDB")
    } else {
        (&[10, 8, 6, 4, 9, 7, 5, 3, 1], "ZKCMDNERGWH")
    };
    letters.chars().nth((weighted(&d, weights) % 11) as usize) == value.chars().last()
}

pub fn thai(value: &str) -> bool {
    let d = digits(value);
    (11 - weighted(&d[..12], &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 10 == d[12]
}

pub fn turkish(value: &str) -> bool {
    let d = digits(value);
    let (odd, even) = (d[0] + d[2] + d[4] + d[6] + d[8], d[1] + d[3] + d[5] + d[7]);
    (odd * 7 + 100 - even) % 10 == d[9] && d[..10].iter().sum::<u32>() % 10 == d[10]
}

/// The last digit of `digits` by weights, modulo 11, where 10 and 11 are 0.
fn brazilian(digits: &[u32], weights: &[u32]) -> bool {
    let rest = weighted(digits, weights) % 11;
    (if rest < 2 { 0 } else { 11 - rest }) == digits[weights.len()]
}

pub fn cpf(value: &str) -> bool {
    let d = digits(value);
    brazilian(&d, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) && brazilian(&d, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
}

pub fn cnpj(value: &str) -> bool {
    let d = digits(value);
    brazilian(&d, &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
        && brazilian(&d, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
}

pub fn bsn(value: &str) -> bool {
    let d = digits(value);
    (weighted(&d, &[9, 8, 7, 6, 5, 4, 3, 2]) + 11 - d[8]).is_multiple_of(11)
}

pub fn belgian(value: &str) -> bool {
    let d = digits(value);
    let check = u64::from(d[9] * 10 + d[10]);
    97 - remainder(&d[..9], 97) == check
}

pub fn norwegian(value: &str) -> bool {
    let d = digits(value);
    weighted(&d, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weighted(&d, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

pub fn danish(value: &str) -> bool {
    weighted(&digits(value), &[4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

pub fn swiss(value: &str) -> bool {
    weighted(&digits(value), &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

pub fn chinese(value: &str) -> bool {
    let d = digits(&value[..17]);
    let rest = weighted(&d, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11;
    "10X98765432".chars().nth(rest as usize) == value.chars().last()
}

pub fn curp(value: &str) -> bool {
    let letters = "0123456789ABCDEFGHIJKLMN\u{d1}OPQRSTUVWXYZ";
    let number = |sign: char| letters.chars().position(|letter| letter == sign).unwrap() as u32;
    let all: Vec<u32> = value.chars().map(number).collect();
    let weights: Vec<u32> = (2..=18).rev().collect();
    (10 - weighted(&all[..17], &weights) % 10) % 10 == all[17]
}
