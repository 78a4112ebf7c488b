//! Numbers of kinds of best effort, in sentences of chats, forms and mails.

use mcp_sieve_redact::Kind;

use super::{checks, class};
use crate::corpus::Class;

/// Forms in which a number stands behind its name, for the tuning half.
macro_rules! tuning {
    ($($word:literal),+) => {
        &[
            $(
                concat!($word, ": {}"),
                concat!($word, " no. {}."),
                concat!("my ", $word, " is {} and I live alone"),
                concat!("\"", $word, "\" => \"{}\""),
                concat!("• ", $word, " – {}"),
                concat!($word, ": **{}**"),
                concat!("Q: ", $word, "? A: {}"),
                concat!("(", $word, " {})"),
                concat!("{} is my ", $word),
            )+
        ]
    };
}

/// The same for the judging half.
macro_rules! judging {
    ($($word:literal),+) => {
        &[
            $(
                concat!($word, " – {}"),
                concat!("the ", $word, " was {}, as you see"),
                concat!("Enter ", $word, ": {}"),
                concat!("<", $word, ">{}</", $word, ">"),
                concat!("1. ", $word, " {}"),
                concat!($word, ": `{}`"),
                concat!("What was the ", $word, " again? {}"),
                concat!("[", $word, "={}]"),
                concat!("{} (", $word, ")"),
            )+
        ]
    };
}

pub const CLASSES: &[Class] = &[
    class(
        Kind::BrCpf,
        "any",
        checks::cpf,
        (
            tuning!("CPF", "número do CPF"),
            &[&["2##.###.###-##", "6##########", "7## ### ### ##", "8########-##"]],
        ),
        (
            judging!("CPF", "CPF do titular"),
            &[&["9##.###.###-##", "5##########", "0## ### ### ##", "3########-##"]],
        ),
    ),
    class(
        Kind::BrCnpj,
        "any",
        checks::cnpj,
        (
            tuning!("CNPJ", "número do CNPJ"),
            &[&["2#.###.###/0001-##", "3#######0001##", "4# ### ### 0001 ##"]],
        ),
        (
            judging!("CNPJ", "CNPJ da empresa"),
            &[&["5#.###.###/0003-##", "6#######0002##", "7# ### ### 0001 ##"]],
        ),
    ),
    class(
        Kind::DeIdentity,
        "any",
        checks::german_document,
        (tuning!("Personalausweis", "Ausweisnummer"), &[&["LZ#X####5#", "T2#######2"]]),
        (judging!("Personalausweisnummer", "Ausweis-Nr"), &[&["LM#Y####3#", "T3#######4"]]),
    ),
    class(
        Kind::DeTax,
        "any",
        checks::german_tax,
        (tuning!("Steuer-ID", "Steuerliche Identifikationsnummer"), &[&["5# ### ### ###", "2##########"]]),
        (judging!("Steuer-IdNr", "steuerliche ID"), &[&["7# ### ### ###", "3##########"]]),
    ),
    class(
        Kind::InVoter,
        "any",
        checks::any,
        (tuning!("voter ID", "EPIC number"), &[&["ABC#######", "KLM#######", "UP/##/###/######"]]),
        (judging!("Voter ID card", "EPIC"), &[&["XYZ#######", "NPQ#######", "WB/##/###/######"]]),
    ),
    class(
        Kind::ItIdentity,
        "any",
        checks::any,
        (tuning!("carta d'identità", "carta di identità"), &[&["CA#####ZZ", "AX#######", "AK #######"]]),
        (judging!("carta d'identita", "CIE"), &[&["CB#####LL", "AR#######", "AT #######"]]),
    ),
    class(
        Kind::KrForeigner,
        "any",
        checks::korean_foreigner,
        (tuning!("외국인등록번호", "alien registration number"), &[&["85010^-7######", "95121#-8######"]]),
        (
            judging!("외국인등록번호", "foreigner registration number"),
            &[&["75030^-5######", "88111#-6######"]],
        ),
    ),
    class(
        Kind::PhMobile,
        "any",
        checks::any,
        (
            tuning!("mobile", "cellphone number", "GCash"),
            &[&["0917 ### ####", "0928-###-####", "+63 917 ### ####", "0939#######"]],
        ),
        (
            judging!("mobile no", "cell number", "GCash number"),
            &[&["0920 ### ####", "0956-###-####", "+63 926 ### ####", "0977#######"]],
        ),
    ),
    class(
        Kind::ThPerson,
        "any",
        checks::thai,
        (
            tuning!("Thai national ID", "เลขประจำตัวประชาชน"),
            &[&["1-10##-#####-##-#", "352##########", "2 41## ##### ## #"]],
        ),
        (
            judging!("Thai ID number", "เลขบัตรประชาชน"),
            &[&["5-30##-#####-##-#", "170##########", "3 65## ##### ## #"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "en",
        checks::any,
        (
            &[
                "DOB {}",
                "Date of birth: {}",
                "he was born on {} in Leeds",
                "birth date {}",
                "My birthday is {}",
                "D.O.B. {}",
                "Patient (b. {})",
                "When were you born? {}",
                "born: {}",
            ],
            &[&[
                "14 March 1985",
                "March 1^, 1979",
                "0^/1^/1988",
                "1991-0^-1^",
                "1^.0^.1965",
                "^ Oct 72",
                "2^nd of June 1990",
            ]],
        ),
        (
            &[
                "dob: {}",
                "Birthdate {}",
                "she was born {} near York",
                "birthday: {}",
                "date-of-birth {}",
                "DoB = {}",
                "Claimant, born {}, lives alone",
                "What is your date of birth? {}",
                "(born {})",
            ],
            &[&[
                "27 April 1982",
                "July 1^, 1976",
                "1^/0^/1969",
                "1987-1^-0^",
                "0^.1^.1958",
                "^ Feb 81",
                "1^th of May 1994",
            ]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "de, fr, es, it, nl, pt, pl",
        checks::any,
        (
            &[
                "geb. am {}",
                "Geburtsdatum: {}",
                "née le {}",
                "Date de naissance : {}",
                "nació el {}",
                "Fecha de nacimiento: {}",
                "nato il {}",
                "Data di nascita: {}",
                "geboren op {}",
                "Geboortedatum: {}",
                "nasceu em {}",
                "Data de nascimento: {}",
                "ur. {}",
                "Data urodzenia: {}",
            ],
            &[&["1^.0^.1984", "0^/1^/1977", "0^-1^-1969", "1^ 0^ 1990"]],
        ),
        (
            &[
                "geboren am {}",
                "Geb.-Datum: {}",
                "né le {}",
                "naissance : {}",
                "nacida el {}",
                "F. nacimiento: {}",
                "nata il {}",
                "nascita: {}",
                "is geboren op {}",
                "geb.datum: {}",
                "nascida em {}",
                "Nascimento: {}",
                "urodzony {}",
                "urodzona dnia {}",
            ],
            &[&["0^.1^.1981", "1^/0^/1972", "1^-0^-1963", "0^ 1^ 1993"]],
        ),
    ),
];
