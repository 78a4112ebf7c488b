//! Dates of birth.

use mcp_sieve_redact::Kind;

use super::{
    checks::any,
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::DateOfBirth,
        "en",
        any,
        sentences(
            &["born {}", "DOB: {}", "date of birth: {}"],
            &[&["March 1^th, 19^#", "1^th July 19^#", "0^/1^/19^#", "19^#-0^-1^"]],
        ),
        sentences(
            &["She was born on {} in Leeds", "Birthday: {}", "Birth date {}, female"],
            &[&["May 2^th, 19^#", "1^th of October 19^#", "1^.0^.19^#", "August 1^, 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "de",
        any,
        sentences(
            &["geboren am {}", "Geburtsdatum: {}"],
            &[&["1^. März 19^#", "1^.0^.19^#", "2^. Oktober 19^#"]],
        ),
        sentences(
            &["geb. {} in Köln", "Sie wurde am {} geboren"],
            &[&["1^. Mai 19^#", "2^.1.19^#", "1^. Dezember 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "fr",
        any,
        sentences(
            &["né le {}", "Date de naissance : {}"],
            &[&["1^ mars 19^#", "1^/0^/19^#", "1er juin 19^#"]],
        ),
        sentences(
            &["Elle est née le {} à Lyon", "naissance : {}"],
            &[&["2^ février 19^#", "2^/1/19^#", "1er août 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "es",
        any,
        sentences(&["nacido el {}", "Fecha de nacimiento: {}"], &[&["1^ de marzo de 19^#", "1^/0^/19^#"]]),
        sentences(
            &["Nació el {} en Sevilla", "F. nacimiento {}"],
            &[&["2^ de octubre de 19^#", "2^-0^-19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "it",
        any,
        sentences(&["nato il {}", "Data di nascita: {}"], &[&["1^ marzo 19^#", "1^/0^/19^#"]]),
        sentences(
            &["È nata a Torino il {}", "nascita: {}"],
            &[&["2^ settembre 19^#", "2^.0^.19^#", "1º gennaio 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "nl",
        any,
        sentences(&["geboren op {}", "Geboortedatum: {}"], &[&["1^ maart 19^#", "1^-0^-19^#"]]),
        sentences(&["Zij is op {} geboren", "geb.datum {}"], &[&["2^ augustus 19^#", "2^-1-19^#"]]),
    ),
    class(
        Kind::DateOfBirth,
        "pt",
        any,
        sentences(&["nascido em {}", "Data de nascimento: {}"], &[&["1^ de março de 19^#", "1^/0^/19^#"]]),
        sentences(&["Nasceu a {} no Porto", "nascida em {}"], &[&["2^ de setembro de 19^#", "2^-0^-19^#"]]),
    ),
    class(
        Kind::DateOfBirth,
        "pl",
        any,
        sentences(&["urodzony {}", "Data urodzenia: {}"], &[&["1^ marca 19^#", "1^.0^.19^#"]]),
        sentences(&["urodziła się {} w Gdyni", "ur. {}"], &[&["2^ września 19^#", "2^.1.19^#"]]),
    ),
];
