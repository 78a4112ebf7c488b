//! Numbers of people and companies in the United States, the United Kingdom, Australia and Canada.

use mcp_sieve_redact::Kind;

use super::{
    checks::{abn, acn, any, dea, medicare, nhs, npi, sin, ssn, tfn},
    class, judging, tuning,
};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::Ssn,
        "all",
        ssn,
        (
            tuning!("SSN", "social security number"; "ssn {} on the W-2", "My social is {}."),
            &[&["^##-##-####"]],
        ),
        (
            judging!("Social Security No.", "SSN"; "the social security # is {}", "her SSN ({}) was leaked"),
            &[&["### ## ####"]],
        ),
    ),
    class(
        Kind::Itin,
        "all",
        any,
        (tuning!("ITIN"; "tax id (ITIN) {} from the IRS"), &[&["9##-7#-####"]]),
        (
            judging!("ITIN", "individual taxpayer identification number"; "W-7 approved, ITIN {}"),
            &[&["9##-81-####", "9## 7# ####"]],
        ),
    ),
    class(
        Kind::UsDriver,
        "all",
        any,
        (
            tuning!("driver's license number", "driver license"; "CA DL {}", "My license is {} (California driver license)."),
            &[&["B#######", "D^#######"]],
        ),
        (
            judging!("driver's license", "drivers license no."; "DL# {}", "driver licence {} issued in Florida"),
            &[&["F^##-###-##-###-#", "N####^##"]],
        ),
    ),
    class(
        Kind::UsPassport,
        "all",
        any,
        (
            tuning!("US passport number"; "passport # {} (USA)", "My American passport is {}."),
            &[&["4########", "5########"]],
        ),
        (
            judging!("American passport number", "U.S. passport"; "US passport no {}, expires 2031", "travelling on US passport {}"),
            &[&["A########", "6########"]],
        ),
    ),
    class(
        Kind::UsNpi,
        "all",
        npi,
        (tuning!("NPI"; "provider NPI {}", "Rendering NPI# {}"), &[&["1#########"]]),
        (
            judging!("NPI", "national provider identifier"; "NPI no. {} (pediatrics)"),
            &[&["1### ### ###", "2#########"]],
        ),
    ),
    class(
        Kind::UsMbi,
        "all",
        any,
        (
            tuning!("Medicare number", "MBI"; "my Medicare card says {}"),
            &[&["1EG4-TE5-MK7#", "2AC^-DE#-FG^#"]],
        ),
        (
            judging!("Medicare Beneficiary Identifier", "Medicare ID"; "MBI {} on the claim"),
            &[&["3QT^RY#WK##", "9HM^-KN#-PV##"]],
        ),
    ),
    class(
        Kind::MedicalLicense,
        "all",
        dea,
        (tuning!("DEA number", "DEA"; "prescriber DEA {}"), &[&["AB#######", "BF#######"]]),
        (judging!("DEA registration", "DEA no."; "DEA# {} on the script"), &[&["FM#######", "MK#######"]]),
    ),
    class(
        Kind::UkNhs,
        "all",
        nhs,
        (tuning!("NHS number"; "NHS no {} on the letter", "nhs {}"), &[&["^## ### ####"]]),
        (
            judging!("NHS number", "NHS No."; "My NHS number, {}, is on the card."),
            &[&["^##-###-####", "4#########"]],
        ),
    ),
    class(
        Kind::UkNino,
        "all",
        any,
        (tuning!("National Insurance number", "NI number"; "nino {}"), &[&["AB ## ## ## C", "JK######A"]]),
        (
            judging!("National Insurance no.", "NINO"; "NI no. {} for payroll"),
            &[&["PW ###### D", "CE######B"]],
        ),
    ),
    class(
        Kind::UkPassport,
        "all",
        any,
        (tuning!("UK passport number"; "British passport {}"), &[&["5########"]]),
        (
            judging!("British passport no.", "UK passport"; "UK passport {} expires in May"),
            &[&["1########", "AB#######"]],
        ),
    ),
    class(
        Kind::UkVehicle,
        "all",
        any,
        (
            tuning!("registration number", "number plate"; "the car is a Golf, reg {}"),
            &[&["AB12 CDE", "LK1^ HNV"]],
        ),
        (
            judging!("vehicle registration", "reg plate"; "parked in bay 4, number plate {}"),
            &[&["WX6^ KLM", "MT19ABC"]],
        ),
    ),
    class(
        Kind::UkDriver,
        "all",
        any,
        (tuning!("driving licence number"; "DVLA licence {}"), &[&["MORGA6571#^SM9IJ", "JONES8011#^AB9CD"]]),
        (
            judging!("driving licence", "UK driving licence no."; "licence number {} from the DVLA"),
            &[&["SMITH7062#^JK9LM", "WILLI7112#^RT9EF"]],
        ),
    ),
    class(
        Kind::UkPostcode,
        "all",
        any,
        (tuning!("postcode"; "post code {} please"), &[&["SW1A ^AA", "LS^ ^DE"]]),
        (judging!("postcode", "Post code"; "what van covers postcode {}?"), &[&["EH1 ^YZ", "M1^ 4BT"]]),
    ),
    class(
        Kind::AuAbn,
        "all",
        abn,
        (tuning!("ABN"; "Tax invoice, ABN {}"), &[&["^# ### ### ###"]]),
        (
            judging!("ABN", "Australian Business Number"; "trading as Kestrel Bay, ABN {}"),
            &[&["^##########"]],
        ),
    ),
    class(
        Kind::AuAcn,
        "all",
        acn,
        (tuning!("ACN"; "company ACN {}"), &[&["0## ### ###"]]),
        (judging!("ACN", "Australian Company Number"; "(ACN {})"), &[&["1########"]]),
    ),
    class(
        Kind::AuTfn,
        "all",
        tfn,
        (tuning!("TFN", "tax file number"; "tfn {} for super"), &[&["^## ### ###"]]),
        (judging!("Tax File Number", "TFN"; "my tfn? {}"), &[&["^########"]]),
    ),
    class(
        Kind::AuMedicare,
        "all",
        medicare,
        (tuning!("Medicare card number"; "medicare no {}, ref 1"), &[&["2### ##### ^", "4### ##### ^"]]),
        (
            judging!("Medicare number", "Medicare no."; "Bulk bill, medicare card {}"),
            &[&["3########^", "5### ##### ^"]],
        ),
    ),
    class(
        Kind::CaSin,
        "all",
        sin,
        (tuning!("SIN", "Social Insurance Number"; "sin {} for the T4"), &[&["^## ### ###"]]),
        (judging!("social insurance number", "SIN"; "SIN no. {}"), &[&["^##-###-###"]]),
    ),
];
