//! Names of people.

use mcp_sieve_redact::Kind;

use super::{
    checks::any,
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::Person,
        "en",
        any,
        sentences(
            &["My name is {}.", "Dear {}, thank you", "signed by {}", "Patient: {}"],
            &[
                &["Sarah ", "Łukasz ", "Óscar ", "Özlem ", "Priya ", "Élodie "],
                &["Kowalski", "García", "Yılmaz", "O’Brien", "Whitfield", "Novak"],
            ],
        ),
        sentences(
            &["Hi, I'm {} from accounts", "the tenant {} moved", "Regards, {}", "Name: {}"],
            &[
                &["Martha ", "Żaneta ", "Ángel ", "Çağla ", "Kwabena ", "Émile "],
                &["Wiśniewska", "Ibáñez", "Öztürk", "D’Angelo", "Pemberton", "Haddad"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "de",
        any,
        sentences(
            &["Sehr geehrter Herr {}, vielen Dank", "Frau {} hat angerufen"],
            &[&["Krüger", "Schönfeld", "Jörg Bäcker", "Annegret Lohse"]],
        ),
        sentences(
            &["Ich heiße {} und wohne hier", "Mein Name ist {}."],
            &[&["Ulf ", "Änne ", "Wiebke ", "Detlef "], &["Hansen", "Österreicher", "Kühn", "Petersen"]],
        ),
    ),
    class(
        Kind::Person,
        "fr",
        any,
        sentences(
            &["Madame {} est absente", "Monsieur {} a appelé"],
            &[&["Lefèvre", "Chloé Perrin", "Gaël Guérin"]],
        ),
        sentences(
            &["Je m'appelle {} et voilà", "Mon nom est {}."],
            &[&["Solène ", "Éric ", "Yann "], &["Caron", "Lemaître", "Besnard"]],
        ),
    ),
    class(
        Kind::Person,
        "es",
        any,
        sentences(
            &["Señora {} llamó ayer", "Sr. {} vive aquí"],
            &[&["Marta Núñez", "Íñigo Ortega", "Castaño"]],
        ),
        sentences(
            &["Me llamo {} y vivo aquí", "Mi nombre es {}."],
            &[&["Aitana ", "Álex ", "Jacinto "], &["Quintana", "Peñalver", "Cabrera"]],
        ),
    ),
];
