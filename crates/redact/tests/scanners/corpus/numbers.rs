//! Numbers of accounts, citizens and patients.

use mcp_sieve_redact::Kind;

use super::{
    checks::{bsn, cpf, iban, nhs, nif, social_security},
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::Iban,
        "any",
        iban,
        sentences(&["IBAN {}", "transfer to {}."], &[&["DE## #### #### #### #### ##", "NL##ABNA##########"]]),
        sentences(
            &["account {}, thanks", "Konto: {}"],
            &[&["GB##NWBK##############", "ES## #### #### #### #### ####", "PL##########################"]],
        ),
    ),
    class(
        Kind::Ssn,
        "en",
        social_security,
        sentences(&["SSN {}", "social security number: {}."], &[&["1##-##-####", "4##-##-####"]]),
        sentences(&["my social is {}", "SSN# {}"], &[&["2##-##-####", "5##-##-####"]]),
    ),
    class(
        Kind::UkNhs,
        "en",
        nhs,
        sentences(&["NHS number {}", "NHS: {}", "NHS number is {}"], &[&["4## ### ####", "9#########"]]),
        sentences(&["his NHS no. is {}", "(NHS {})"], &[&["6## ### ####", "7#########"]]),
    ),
    class(
        Kind::NlBsn,
        "nl",
        bsn,
        sentences(&["BSN {}", "BSN: {}"], &[&["1########"]]),
        sentences(&["burgerservicenummer {}", "mijn BSN is {}"], &[&["2########"]]),
    ),
    class(
        Kind::BrCpf,
        "pt",
        cpf,
        sentences(&["CPF {}", "CPF: {}"], &[&["1##.###.###-##"]]),
        sentences(&["meu CPF é {}", "CPF nº {}"], &[&["3##.###.###-##", "5##########"]]),
    ),
    class(
        Kind::EsNif,
        "es",
        nif,
        sentences(&["DNI {}", "NIF: {}"], &[&["1#######$"]]),
        sentences(&["mi DNI es {}", "(NIF {})"], &[&["4#######$", "5#######-$"]]),
    ),
];
