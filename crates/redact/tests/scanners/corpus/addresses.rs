//! Postal addresses.

use mcp_sieve_redact::Kind;

use super::{
    checks::any,
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::Address,
        "en",
        any,
        sentences(
            &["Ship to {}.", "I live at {}"],
            &[&[
                "^# Oak Avenue, Boston, MA 021##",
                "^## Elm Street, Austin, TX 787##",
                "^ High Street, Sheffield S1 2$$",
                "350 5th Ave, New York, NY 101##",
                "^# Collins Street, Melbourne VIC 30##",
                "^## King Street, Toronto, ON M5V 2$^",
            ]],
        ),
        sentences(
            &["The parcel goes to {}, thanks", "Billing address: {}"],
            &[&[
                "^## Cedar Lane, Denver, CO 802##",
                "^# Birch Road, Portland, OR 972##",
                "^# Station Road, Leeds LS1 4$$",
                "^# George Street, Sydney NSW 20##",
                "^## Bay Street, Vancouver, BC V6B 1$^",
                "^ Church Street, Dublin",
            ]],
        ),
    ),
    class(
        Kind::Address,
        "de",
        any,
        sentences(
            &["Adresse: {}", "wohnt in der {}."],
            &[&[
                "Hauptstraße ^#, 101## Berlin",
                "Lindenweg ^, 803## München",
                "Bahnhofstrasse ^#, 80## Zürich",
            ]],
        ),
        sentences(
            &["Lieferung an {}", "Anschrift: {}"],
            &[&["Goethestraße ^#, 603## Frankfurt", "Rosenweg ^, 104# Wien", "Seestrasse ^#, 30## Bern"]],
        ),
    ),
    class(
        Kind::Address,
        "fr",
        any,
        sentences(&["Adresse : {}"], &[&["^# rue de Rivoli, 7500^ Paris", "^ avenue Foch, 690## Lyon"]]),
        sentences(
            &["Livrer au {}"],
            &[&["^# boulevard Carnot, 310## Toulouse", "^ rue Nationale, 590## Lille"]],
        ),
    ),
    class(
        Kind::Address,
        "es",
        any,
        sentences(
            &["Dirección: {}"],
            &[&["Calle Mayor ^#, 280## Madrid", "Avenida Diagonal ^##, 080## Barcelona"]],
        ),
        sentences(&["Vive en {}"], &[&["Calle Real ^#, 410## Sevilla", "Plaza Nueva ^, 480## Bilbao"]]),
    ),
    class(
        Kind::Address,
        "it",
        any,
        sentences(&["Indirizzo: {}"], &[&["Via Roma ^#, 001## Roma", "Corso Italia ^, 201## Milano"]]),
        sentences(&["Abita in {}"], &[&["Via Garibaldi ^#, 101## Torino", "Piazza Dante ^, 801## Napoli"]]),
    ),
    class(
        Kind::Address,
        "nl",
        any,
        sentences(
            &["Adres: {}"],
            &[&["Keizersgracht ^##, 1016 $$ Amsterdam", "Dorpsstraat ^#, 3511 $$ Utrecht"]],
        ),
        sentences(
            &["Woont op {}"],
            &[&["Kerkstraat ^#, 2511 $$ Rotterdam", "Stationsweg ^, 9711 $$ Groningen"]],
        ),
    ),
    class(
        Kind::Address,
        "pl",
        any,
        sentences(&["Adres: {}"], &[&["ul. Długa ^#, 00-^## Warszawa"]]),
        sentences(&["Mieszka przy {}"], &[&["ul. Krótka ^, 31-^## Kraków"]]),
    ),
];
