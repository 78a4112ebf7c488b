//! Payment cards, accounts and wallets.

use mcp_sieve_redact::Kind;

use super::{
    checks::{any, iban, luhn, routing},
    class, judging, tuning,
};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::Card,
        "en",
        luhn,
        (
            &[
                "My card number is {}.",
                "Card: {}, exp 04/29",
                "please charge {} visa",
                "{\"card_number\": \"{}\"}",
                "Credit card {}\nCVV on request",
                "paid with card {} yesterday",
                "I used my debit card {} twice.",
                "card no. {}",
            ],
            &[&[
                "4### #### #### ####",
                "51##############",
                "37## ###### #####",
                "2221 00## #### ####",
                "6011-####-####-####",
                "3528 #### #### ####",
                "36## ###### ####",
                "2200 #### #### ####",
                "62## #### #### ####",
                "5018 #### ####",
            ]],
        ),
        (
            &[
                "cc {} expires 11/27",
                "the card ending is on file, full number: card {}",
                "credit card number = {}",
                "Payment method: card {}",
                "Refund to card {} please.",
                "<card>{}</card>",
                "my credit card got declined, it's {}",
                "Mastercard/Visa no: {}",
            ],
            &[&[
                "4###-####-####-####",
                "55## #### #### ####",
                "34## ###### #####",
                "27101###########",
                "65## #### #### ####",
                "3589############",
                "300# ###### ####",
                "2204############",
                "6225 #### #### #### ###",
                "6304 #### ####",
                "4############",
            ]],
        ),
    ),
    class(
        Kind::Card,
        "de, fr, es, it, nl, pt, pl",
        luhn,
        (
            &[
                "Meine Kreditkartennummer ist {}.",
                "Karte {} ist gesperrt",
                "Numéro de carte : {}",
                "Mi tarjeta es {}",
                "Carta di credito: {}",
                "Creditcardnummer {}",
                "Número do cartão: {}",
                "Numer karty: {}",
            ],
            &[&["4### #### #### ####", "52##############", "37## ###### #####"]],
        ),
        (
            &[
                "Kreditkarte: {}",
                "Kartennummer {}",
                "Ma carte bancaire {} a été refusée.",
                "Tarjeta de crédito {}",
                "Il numero della carta è {}",
                "Mijn creditcard: {}",
                "Cartão de crédito {}",
                "Karta kredytowa {}",
            ],
            &[&["4###############", "54## #### #### ####", "34#############"]],
        ),
    ),
    class(
        Kind::Iban,
        "all",
        iban,
        (
            &[
                "IBAN: {}",
                "Please transfer to {}.",
                "Meine IBAN lautet {}",
                "iban={}",
                "compte {} à débiter",
                "{\"account\":\"{}\"}",
                "| salary | {} |",
                "Mi cuenta es {}",
            ],
            &[&[
                "DE## 3704 0044 0532 0### ##",
                "GB##NWBK6016133#######",
                "FR## 2004 1010 0505 000# #M02 606",
                "ES## 2100 0418 4502 0005 1###",
                "NL##ABNA04171643##",
                "PL## 1090 1014 0000 0712 1981 ####",
            ]],
        ),
        (
            &[
                "bank account {}",
                "my iban is {} thx",
                "Kontonummer {}",
                "pay {} by Friday",
                "Bonifico su {}",
                "\"iban\": \"{}\"",
                "REF;{};120.00",
                "Rekening: {}",
            ],
            &[&[
                "DE##50010517540732####",
                "GB## WEST 1234 5698 7654 ##",
                "IT## X054 2811 1010 0000 0123 4##",
                "BE## 5390 0754 ####",
                "CH## 0076 2011 6238 5### #",
                "AT##190430023457####",
                "PT## 0002 0123 1234 5678 901# #",
                "SE## 5000 0000 0583 9825 ####",
            ]],
        ),
    ),
    class(
        Kind::Crypto,
        "all",
        any,
        (
            &[
                "Send the coins to {}.",
                "BTC: {}",
                "bitcoin:{}",
                "wallet {}",
                "{\"address\": \"{}\"}",
                "my bitcoin address is {}",
                "tip jar {}",
                "paid 0.2 BTC to {}",
            ],
            &[&[
                "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
                "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
                "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
                "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
            ]],
        ),
        (
            &[
                "deposit address {}",
                "please pay {} today",
                "withdraw to {}",
                "BTC wallet = {}",
                "from {} to cold storage",
                "donations: {}",
                "| hot | {} |",
                "the ransom note named {}",
            ],
            &[&[
                "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
                "34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo",
                "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                "12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX",
            ]],
        ),
    ),
    class(
        Kind::UsRouting,
        "all",
        routing,
        (
            tuning!("routing number"; "ABA {} at my bank", "Wire with routing # {}."),
            &[&["0^#######", "11#######"]],
        ),
        (
            judging!("routing number"; "ABA routing: {}", "the bank's RTN is {}"),
            &[&["2^#######", "32#######"]],
        ),
    ),
    class(
        Kind::UsBank,
        "all",
        any,
        (
            tuning!("bank account number"; "Checking account {} at Chase", "deposit into account number {}"),
            &[&["^#########", "^###########"]],
        ),
        (
            judging!("bank account number"; "savings account no. {}", "acct # {} (checking)"),
            &[&["^########", "^#############"]],
        ),
    ),
];
