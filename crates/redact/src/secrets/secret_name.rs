//! Names of secrets, which are recognized by their last word: `DB_PASSWORD`, `client-secret`.

/// A last word of names, in small letters and without the signs between its parts.
pub(super) struct Word {
    /// The mask of the bytes of an [`Ending`] that are compared.
    mask: u128,
    letters: u128,
}

macro_rules! words {
    ($($word:literal)+) => { [$(word($word)),+] };
}

/// The last words of names of passwords, in seven languages. Letters outside ASCII are left out: `contraseña`, `hasło`.
const PASSWORDS: [Word; 14] = words![
    b"password" b"passwd" b"pwd" b"passphrase" b"pass" b"passwort" b"kennwort"
    b"motdepasse" b"contrasea" b"contrasena" b"wachtwoord" b"senha" b"haso" b"haslo"
];
/// Words that end like the name of a password, but are not one.
const OTHERS: [Word; 9] = words![
    b"bypass" b"compass" b"overpass" b"underpass" b"trespass" b"surpass" b"multipass" b"resenha" b"desenha"
];
/// The last words of names of keys.
const KEYS: [Word; 23] = words![
    b"secret" b"token" b"apikey" b"accesskey" b"secretkey" b"privatekey"
    b"authkey" b"signingkey" b"encryptionkey" b"accountkey" b"storagekey" b"subscriptionkey"
    b"licensekey" b"sessionkey" b"sharedaccesskey" b"masterkey" b"secretkeybase" b"servicekey"
    b"credential" b"credentials" b"authorization" b"bearer" b"servicerolekey"
];
const AUTHORIZATION: [Word; 1] = words![b"authorization"];
/// Words that a password may follow without a sign.
pub(super) const ANNOUNCING: [Word; 3] = words![b"password" b"passwd" b"passwort"];
/// The name of a value whose own name is in a pair before it: `name: DB_PASSWORD, value: …`.
pub(super) const VALUES: [Word; 1] = words![b"value"];
/// Words that a key may follow without a sign.
pub(super) const BARE: [Word; 2] = words![b"secret" b"token"];

/// Returns whether a name may contain a byte.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'-' | b'.' | b' ')
}

/// The kind of secret that a name announces.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub password: bool,
    pub authorization: bool,
}

/// The last sixteen letters and digits of a name, in small letters, the last of them in the highest byte.
#[derive(Clone, Copy)]
pub(super) struct Ending(u128);

impl Name {
    /// Returns the kind of secret that a name announces; `None` for other names.
    pub fn read(name: &[u8]) -> Option<Self> {
        Self::with_ending(Ending::new(name))
    }

    /// Returns the kind of secret that a name with an ending announces; `None` for other names.
    pub fn with_ending(ending: Ending) -> Option<Self> {
        let password = ending.is_one_of(&PASSWORDS) && !ending.is_one_of(&OTHERS);
        (password || ending.is_one_of(&KEYS))
            .then(|| Self { password, authorization: ending.is_one_of(&AUTHORIZATION) })
    }

    pub fn rule(self) -> &'static str {
        if self.password { "password" } else { "assigned-secret" }
    }
}

impl Ending {
    /// Returns the ending of the name that ends at a position. The name has at most `most` bytes, none before `floor`.
    pub fn before(bytes: &[u8], floor: usize, end: usize, most: usize) -> Self {
        let (mut ending, mut letters) = ([0; 16], 16);
        for byte in bytes.get(floor..end).unwrap_or_default().iter().rev().take(most) {
            if byte.is_ascii_alphanumeric() {
                letters -= 1;
                if let Some(slot) = ending.get_mut(letters) {
                    *slot = byte.to_ascii_lowercase();
                }
                if letters == 0 {
                    break;
                }
            } else if !is_name(*byte) {
                break;
            }
        }
        Self(u128::from_le_bytes(ending))
    }

    /// Returns the ending of a name.
    pub fn new(name: &[u8]) -> Self {
        let mut last = [0; 16];
        let letters = name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric());
        last.iter_mut().rev().zip(letters).for_each(|(slot, letter)| *slot = letter.to_ascii_lowercase());
        Self(u128::from_le_bytes(last))
    }

    /// Returns whether the name ends with one of some words.
    pub fn is_one_of(self, words: &[Word]) -> bool {
        words.iter().any(|word| self.0 & word.mask == word.letters)
    }
}

const fn word(mut text: &[u8]) -> Word {
    let mut word = Word { mask: 0, letters: 0 };
    while let [letter, rest @ ..] = text {
        word.mask = word.mask >> 8 | 0xff << 120;
        word.letters = word.letters >> 8 | (*letter as u128) << 120;
        text = rest;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::{Ending, KEYS, PASSWORDS, word};

    #[test]
    fn a_name_ends_as_its_text_does() {
        let known: [&[u8]; 5] = [b"pass", b"passwort", b"sharedaccesskey", b"key", b"secretkeybase"];
        let names = [
            "",
            "key",
            "KEY",
            "api_key",
            "Shared-Access.Key",
            "passwor",
            "pass",
            "aPass",
            "ey",
            "keys",
            "x9key",
        ];
        for name in names {
            let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            for text in known {
                let naive = letters.to_ascii_lowercase().as_bytes().ends_with(text);
                assert_eq!(Ending::new(name.as_bytes()).is_one_of(&[word(text)]), naive, "{name}");
            }
        }
        assert!(
            Ending::new(b"DB_PASSWORD").is_one_of(&PASSWORDS)
                && !Ending::new(b"DB_PASSWORD").is_one_of(&KEYS)
        );
    }
}
