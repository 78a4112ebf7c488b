//! Numbers and dates of English-speaking countries and of Europe, announced in other forms than in the other sets.

use mcp_sieve_redact::Kind;

use super::{checks::*, class, judging, tuning};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::AuAbn,
        "all",
        abn,
        (tuning!("ABN"; "Our Australian Business Number: {}"), &[&["^# ### ### ###", "^##########"]]),
        (judging!("ABN"; "ABN of the supplier - {}"), &[&["5# ### ### ###", "7##########"]]),
    ),
    class(
        Kind::AuAcn,
        "all",
        acn,
        (tuning!("ACN"; "Pty Ltd (ACN {})"), &[&["^## ### ###", "0########"]]),
        (judging!("ACN"; "Australian Company Number {}"), &[&["1## ### ###", "6########"]]),
    ),
    class(
        Kind::AuTfn,
        "all",
        tfn,
        (tuning!("TFN"; "Tax File Number - {}"), &[&["^## ### ###", "4########"]]),
        (judging!("tax file number"; "My TFN: {}."), &[&["1## ### ###", "8########"]]),
    ),
    class(
        Kind::AuMedicare,
        "all",
        medicare,
        (tuning!("Medicare number"; "Medicare {} valid to 06/27"), &[&["2### ##### ^", "3########^"]]),
        (judging!("Medicare card number"; "medicare: {}"), &[&["5### ##### ^", "6########^"]]),
    ),
    class(
        Kind::CaSin,
        "all",
        sin,
        (tuning!("SIN"; "Canadian SIN {}"), &[&["^## ### ###", "1##-###-###"]]),
        (judging!("social insurance number"; "SIN/NAS {}"), &[&["4## ### ###", "7##-###-###"]]),
    ),
    class(
        Kind::UkNhs,
        "all",
        nhs,
        (tuning!("NHS number"; "NHS No: {}"), &[&["^## ### ####", "4#########"]]),
        (judging!("NHS number"; "patient, nhs no. {}"), &[&["6## ### ####", "9#########", "7##-###-####"]]),
    ),
    class(
        Kind::UkPostcode,
        "all",
        any,
        (tuning!("postcode"; "the post code here is {}"), &[&["M^ ^AB", "EC^A ^BB", "CF^# ^LX"]]),
        (
            judging!("postcode", "postal code"; "Post code: {}"),
            &[&["B^^ ^TH", "W^A ^HQ", "G^ ^JX", "OX^ ^DP"]],
        ),
    ),
    class(
        Kind::MedicalLicense,
        "all",
        dea,
        (tuning!("DEA number"; "DEA registration {}"), &[&["AC#######", "BK#######"]]),
        (judging!("DEA number"; "DEA#: {}"), &[&["FD#######", "MR#######"]]),
    ),
    class(
        Kind::UsNpi,
        "all",
        npi,
        (tuning!("NPI number"; "National Provider Identifier {}"), &[&["1#########"]]),
        (judging!("NPI"; "Referring provider NPI: {}"), &[&["12########", "2#########"]]),
    ),
    class(
        Kind::UsRouting,
        "all",
        routing,
        (tuning!("routing number"; "RTN {}", "ABA number {}"), &[&["02#######", "12#######"]]),
        (
            judging!("routing number"; "ABA routing: {}", "bank transit number {}"),
            &[&["03#######", "32#######"]],
        ),
    ),
    class(
        Kind::UsBank,
        "all",
        any,
        (
            tuning!("account number"; "Acct. {} (savings)", "my bank account is {}"),
            &[&["^########", "^###########"]],
        ),
        (
            judging!("bank account number"; "Account no. {}", "direct deposit to checking acct {}"),
            &[&["4#######", "8############"]],
        ),
    ),
    class(
        Kind::DeIdentity,
        "all",
        german_document,
        (tuning!("Personalausweisnummer"; "Personalausweis-Nr. {}"), &[&["L^X0#N4#J#", "T01######"]]),
        (
            judging!("Ausweisnummer"; "Nummer meines Personalausweises: {}", "Perso-Nr.: {}"),
            &[&["L^F0#K4#P#", "Y2#######"]],
        ),
    ),
    class(
        Kind::DeTax,
        "all",
        german_tax,
        (
            tuning!("Steuer-ID"; "Steueridentifikationsnummer: {}", "IdNr. {}"),
            &[&["^# ### ### ###", "4##########"]],
        ),
        (
            judging!("Steuer-ID"; "Steuer-Identifikationsnummer {}", "meine steuerid lautet {}"),
            &[&["8# ### ### ###", "6##########"]],
        ),
    ),
    class(
        Kind::EsPassport,
        "all",
        any,
        (tuning!("número de pasaporte"; "Pasaporte n.º {}"), &[&["PAA######", "XAB######"]]),
        (
            judging!("pasaporte"; "Mi pasaporte es el {}.", "nº de pasaporte: {}"),
            &[&["PAC######", "XCE######"]],
        ),
    ),
    class(
        Kind::ItIdentity,
        "all",
        any,
        (
            tuning!("carta d'identità"; "CIE n. {}", "carta d’identità elettronica {}"),
            &[&["CA#####BC", "AV#######", "AY #######"]],
        ),
        (
            judging!("carta d'identità"; "numero CIE: {}", "carta identità: {}", "Documento: C.I. {}"),
            &[&["CB#####XY", "AU#######", "AS #######"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "en",
        any,
        (
            &[
                "D.O.B. {}",
                "Date of birth (DD/MM/YYYY): {}",
                "she was born in Leeds on {}",
                "When were you born?\n{}",
                "dob\t{}",
                "<td>Birth date</td><td>{}</td>",
                "birthDate={}",
                "my date of birth is {}, thanks",
            ],
            &[&["0^/12/19##", "1^-Nov-19##", "^ Sept 19##", "May ^, 19##", "19##/0^/1^"]],
        ),
        (
            &[
                "D.O.B: {}",
                "DOB (mm/dd/yyyy) {}",
                "He was born at home on {} in Ohio.",
                "And your date of birth?\nIt's {}.",
                "date_of_birth;{};m",
                "<dt>Born</dt><dd>{}</dd>",
                "\"birthday\": \"{}\"",
                "Born: {}",
            ],
            &[&["0^/10/19##", "2^-Aug-19##", "^ February 19##", "Oct. ^, 19##", "19##/1^/0^"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "de, fr, es, it, nl, pt, pl",
        any,
        (
            &[
                "geb. am {}",
                "Geburtsdatum (TT.MM.JJJJ): {}",
                "né à Lyon le {}",
                "fecha de nac.: {}",
                "nació en Madrid el {}",
                "nato a Roma il {}",
                "Data nascita: {}",
                "geb.dat. {}",
                "nascido em Lisboa a {}",
                "data ur.: {}",
            ],
            &[&["0^.12.19##", "1^/0^/19##", "0^-1^-19##"]],
        ),
        (
            &[
                "geboren in Bonn am {}",
                "GebDatum: {}",
                "Née à Nantes, le {}",
                "F. de nacimiento {}",
                "Nacida en Vigo el {}.",
                "nata a Lecce il {}",
                "Nato/a il: {}",
                "Geboren te Delft op {}",
                "Data de nasc.: {}",
                "ur. {} w Gdyni",
            ],
            &[&["0^.10.19##", "2^/0^/19##", "0^-0^-19##"]],
        ),
    ),
];
