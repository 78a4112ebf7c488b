//! Numbers of payment cards.

use mcp_sieve_redact::Kind;

use super::{
    checks::luhn,
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::Card,
        "en",
        luhn,
        sentences(
            &[
                "card {}",
                "Visa card number: {}",
                "paid with credit card {}.",
                "card no. {}",
                "the card is {} (valid)",
            ],
            &[&[
                "4### #### #### ####",
                "51## #### #### ####",
                "37## ###### #####",
                "6011 #### #### ####",
                "3530 #### #### ####",
                "5018########",
                "2200 #### #### ####",
                "180030#########",
                "6250############",
                "51##############",
                "3589############",
                "3814 ###### ####",
                "630490######",
                "5612############",
                "2201############",
            ]],
        ),
        sentences(
            &["Please charge my card: {}", "Mastercard {}, expires soon", "debit card no. {}"],
            &[&[
                "4###-####-####-####",
                "54##############",
                "34#############",
                "6221#### ########",
                "3566############",
                "676770######",
                "2204############",
                "213100#########",
                "3600 ###### ####",
            ]],
        ),
    ),
    class(
        Kind::Card,
        "de",
        luhn,
        sentences(&["Kreditkarte: {}", "Karte {}"], &[&["4### #### #### ####", "55## #### #### ####"]]),
        sentences(
            &["Meine Kartennummer lautet {}", "Kreditkartennummer: {}"],
            &[&["4###############", "53##############", "37#############"]],
        ),
    ),
];
