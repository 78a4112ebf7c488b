//! Telephone numbers behind a word that announces them, in groups of their country.

use mcp_sieve_redact::Kind;

use super::{checks::any, class};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::Phone,
        "en",
        any,
        (
            &[
                "you can call me at {} after work",
                "Phone number: {}",
                "Tel {} (reception)",
                "his mobile is {}",
                "phone\t{}",
                "<td>Phone</td><td>{}</td>",
                "What's your phone number?\n{}",
                "{\"mobile\": \"{}\"}",
                "Ring us on {} before noon",
                "fax no. {}",
            ],
            &[&[
                "(31^) 555-01##",
                "646 555 01##",
                "0161 496 0###",
                "07911 12####",
                "555-01##",
                "9^## ####",
                "0^ 9999 ####",
                "70^-555-01## ext. ^#",
            ]],
        ),
        (
            &[
                "reach me on {} any time today",
                "Cell: {}",
                "T: {} | F: on request",
                "her phone number is {}",
                "telephone;{};office",
                "<dt>Mobile</dt><dd>{}</dd>",
                "And your phone number?\nSure, {}.",
                "\"phoneNumber\": \"{}\",",
                "Please call back on {}, it is urgent",
                "WhatsApp me: {}",
            ],
            &[&[
                "(41^) 555-01##",
                "212 555 01##",
                "0113 496 0###",
                "07700 90####",
                "555 01##",
                "8^## ####",
                "0^ 8888 ####",
                "80^.555.01## ext ^##",
            ]],
        ),
    ),
    class(
        Kind::Phone,
        "de",
        any,
        (
            &[
                "Sie können mich unter {} anrufen.",
                "Telefonnummer: {}",
                "meine nummer ist {}",
                "Tel. privat: {}",
                "Handy {}",
                "Durchwahl {}",
                "Ruf mich an: {}",
            ],
            &[&["040/^######", "0151 ^#######", "089-^## ## ##", "0351 ^######", "01^6/^######^"]],
        ),
        (
            &[
                "Am besten erreichst du mich unter {}.",
                "Tel.-Nr. {}",
                "Mobilnummer: {}",
                "Meine Telefonnummer lautet {}",
                "Telefon (geschäftlich): {}",
                "Rufnummer {}",
                "Bitte rufen Sie zurück: {}",
            ],
            &[&["030/^#######", "0176 ^#######", "0711-^## ## ##", "0341 ^######", "0160/^######^"]],
        ),
    ),
    class(
        Kind::Phone,
        "fr, es, it, nl, pt, pl",
        any,
        (
            &[
                "Vous pouvez m'appeler au {}.",
                "Portable : {}",
                "Puede llamarme al {}.",
                "Móvil: {}",
                "Il mio numero è {}.",
                "Cell. {}",
                "Bel mij op {}.",
                "Mobiel: {}",
                "O meu número é {}.",
                "Telemóvel: {}",
                "Proszę dzwonić: {}",
                "Komórka: {}",
            ],
            &[&["06 ^# ## ## ##", "6^# ## ## ##", "9^# ### ###", "3^# ### ####", "06-^#######"]],
        ),
        (
            &[
                "Mon numéro de téléphone est le {}.",
                "Tél. portable : {}",
                "Llámame al {}.",
                "Número de teléfono: {}",
                "Chiamatemi al {}.",
                "Numero di telefono: {}",
                "Mijn telefoonnummer is {}.",
                "Tel. {}",
                "Ligue para o {}.",
                "Número de telefone: {}",
                "Numer telefonu: {}",
                "Zadzwoń pod {}.",
            ],
            &[&["07 ^# ## ## ##", "6## ## ## ##", "9## ### ###", "33# ### ####", "06 ^### ####"]],
        ),
    ),
];
