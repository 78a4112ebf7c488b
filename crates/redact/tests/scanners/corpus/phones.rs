//! Telephone numbers.

use mcp_sieve_redact::Kind;

use super::{
    checks::any,
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::Phone,
        "en",
        any,
        sentences(
            &[
                "Phone: {}",
                "Mobile: {}.",
                "WhatsApp {}, any time",
                "Tel. {}; evenings only",
                "her cell is {}",
                "Fax: {} - attention of sales",
            ],
            &[&[
                "9### ####",
                "7## ### ###",
                "2##-5##-01##",
                "(2##) 5##-01##",
                "+1-6##-5##-01##x^##",
                "6##-5##-01##x^#",
                "+44 20 79## ####",
                "07### ######",
            ]],
        ),
        sentences(
            &[
                "My phone number is {}",
                "Reach me by phone at {} please",
                "Telephone {} (office)",
                "Call {} for a quote",
                "cell: {} - after six",
                "Contact number: {}",
            ],
            &[&[
                "8### ####",
                "61# ### ###",
                "3##.5##.01##",
                "3## 5##-01##",
                "+1 4## 5## 01## x^###",
                "+353 1 4## ####",
                "+61 2 9### ####",
                "4##-5##-01##x^##",
                "0131 4## ####",
            ]],
        ),
    ),
    class(
        Kind::Phone,
        "de",
        any,
        sentences(
            &["Telefon: {}", "Mobil: {}, gern abends", "Tel.: {}"],
            &[&["030 ^#######", "0171 ^######", "+49 89 ^######", "0221/^######"]],
        ),
        sentences(
            &["Handy: {}", "Meine Telefonnummer ist {}", "Rufnummer {} (Büro)"],
            &[&["040 ^#######", "0152 ^#######", "+49 711 ^######", "069/^######"]],
        ),
    ),
    class(
        Kind::Phone,
        "fr",
        any,
        sentences(
            &["Téléphone : {}", "Tél. {}"],
            &[&["01 4# ^# ## ##", "+33 6 ^# ## ## ##", "06.^#.##.##.##"]],
        ),
        sentences(
            &["Portable : {}", "Mon numéro de téléphone est le {}"],
            &[&["04 7# ^# ## ##", "+33 1 4# ## ## ##", "07-^#-##-##-##"]],
        ),
    ),
    class(
        Kind::Phone,
        "es",
        any,
        sentences(
            &["Teléfono: {}", "Móvil: {}", "Tel. {}", "Llámeme al {}"],
            &[&["91# ### ###", "6## ## ## ##", "+34 6## ### ###"]],
        ),
        sentences(
            &["Mi teléfono es {}", "Tfno. {}", "Llame al {}"],
            &[&["93# ### ###", "7## ## ## ##", "+34 93# ## ## ##"]],
        ),
    ),
    class(
        Kind::Phone,
        "it",
        any,
        sentences(
            &["Telefono: {}", "Cellulare: {}"],
            &[&["06 6### ####", "33# ### ####", "+39 02 ########"]],
        ),
        sentences(
            &["Cell. {}", "Il mio numero di telefono è {}"],
            &[&["02 7### ####", "34# #######", "+39 06 ########"]],
        ),
    ),
];
