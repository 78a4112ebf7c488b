//! Numbers of people and companies in Europe, with their check digits.

use mcp_sieve_redact::Kind;

use super::{
    checks::{
        any, belgian, bsn, danish, finnish, french, german_document, german_health, german_pension,
        german_tax, german_vat, italian_person, lanr, luhn, norwegian, pesel, spanish, swedish, swiss,
    },
    class, judging, tuning,
};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::DeTax,
        "all",
        german_tax,
        (
            tuning!("Steuer-ID", "steuerliche Identifikationsnummer"; "Meine Steuer-ID ist {}."),
            &[&["^# ### ### ###"]],
        ),
        (
            judging!("Steueridentifikationsnummer", "IdNr."; "Steuer-Identifikationsnummer lautet {}"),
            &[&["^##########"]],
        ),
    ),
    class(
        Kind::DeVat,
        "all",
        german_vat,
        (tuning!("USt-IdNr.", "Umsatzsteuer-ID"; "USt-ID {} im Impressum"), &[&["DE^########"]]),
        (
            judging!("Umsatzsteuer-Identifikationsnummer", "VAT ID"; "Unsere USt-IdNr. lautet {}"),
            &[&["DE ^## ### ###"]],
        ),
    ),
    class(
        Kind::DeLanr,
        "all",
        lanr,
        (tuning!("LANR", "Arztnummer"; "lebenslange Arztnummer {}"), &[&["^########"]]),
        (judging!("LANR", "Arzt-Nr."; "Verordnung mit LANR {}"), &[&["^######01", "^######03"]]),
    ),
    class(
        Kind::DeBsnr,
        "all",
        any,
        (tuning!("BSNR", "Betriebsstättennummer"; "BSNR der Praxis: {}"), &[&["72#######"]]),
        (judging!("Betriebsstätten-Nr.", "BSNR"; "Praxis mit BSNR {}"), &[&["38#######"]]),
    ),
    class(
        Kind::DeIdentity,
        "all",
        german_document,
        (
            tuning!("Personalausweisnummer", "Ausweisnummer"; "Mein Personalausweis hat die Nummer {}."),
            &[&["L0^X0#T4#", "T22######"]],
        ),
        (
            judging!("Personalausweis", "Ausweis-Nr."; "Perso-Nr. {}, gültig bis 2030"),
            &[&["L3^C4#K9##", "LZ6#H^K##"]],
        ),
    ),
    class(
        Kind::DePassport,
        "all",
        german_document,
        (
            tuning!("Reisepassnummer", "Pass-Nr."; "Mein Reisepass hat die Nummer {}."),
            &[&["C0^X0#T4#", "F3#K^H#P#"]],
        ),
        (judging!("Reisepass", "Passnummer"; "Reisepass {} läuft ab"), &[&["C4^H2#J8##", "G7#N^R#L#"]]),
    ),
    class(
        Kind::DeRegister,
        "all",
        any,
        (
            tuning!("Handelsregister"; "eingetragen beim Amtsgericht München unter {}", "Registergericht: Amtsgericht Köln, {}"),
            &[&["HRB ^####", "HRA ^###"]],
        ),
        (
            judging!("Handelsregisternummer"; "Amtsgericht Charlottenburg {}", "Sitz Bremen, {}, Amtsgericht Bremen"),
            &[&["HRB ^##### B", "HRB ^## ###"]],
        ),
    ),
    class(
        Kind::DePostal,
        "all",
        any,
        (tuning!("PLZ", "Postleitzahl"; "Meine PLZ ist {}."), &[&["10^##", "80^##"]]),
        (judging!("Postleitzahl", "PLZ"; "Filiale suchen (PLZ {})"), &[&["50^##", "04^##"]]),
    ),
    class(
        Kind::DePension,
        "all",
        german_pension,
        (
            tuning!("Sozialversicherungsnummer", "Rentenversicherungsnummer"; "SV-Nummer {} steht im Ausweis"),
            &[&["15 0706^# C 10#", "65 1708^# J 00#"]],
        ),
        (
            judging!("Sozialversicherungsnr.", "SV-Nummer"; "Meine Rentenversicherungsnummer ist {}"),
            &[&["2612107^M0##", "531211^0B01#"]],
        ),
    ),
    class(
        Kind::DeHealth,
        "all",
        german_health,
        (
            tuning!("Krankenversichertennummer", "Versichertennummer"; "KVNR {} auf der Karte"),
            &[&["A#########", "T#########"]],
        ),
        (
            judging!("KVNR", "Versicherten-Nr."; "Gesundheitskarte, Versichertennummer {}"),
            &[&["M#########", "Q#########"]],
        ),
    ),
    class(
        Kind::DeTaxNumber,
        "all",
        any,
        (
            tuning!("Steuernummer", "St.-Nr."; "Finanzamt Köln, Steuernummer {}"),
            &[&["2^/815/0####", "13#/^###/####"]],
        ),
        (
            judging!("Steuernummer", "Steuer-Nr."; "Unsere Steuernummer beim Finanzamt lautet {}"),
            &[&["181/815/0####", "3#/^##/#####"]],
        ),
    ),
    class(
        Kind::EsNif,
        "all",
        spanish,
        (tuning!("DNI", "NIF"; "Mi DNI es {}.", "con DNI {} y domicilio en Cádiz"), &[&["^#######$"]]),
        (
            judging!("DNI", "N.I.F."; "Documento nacional de identidad: {}"),
            &[&["^#######-$", "^#.###.###-$"]],
        ),
    ),
    class(
        Kind::EsNie,
        "all",
        spanish,
        (tuning!("NIE"; "Mi NIE es {}.", "extranjero con NIE {}"), &[&["X#######$"]]),
        (judging!("NIE", "N.I.E."; "número de identidad de extranjero {}"), &[&["Y-#######-$", "Z#######$"]]),
    ),
    class(
        Kind::EsPassport,
        "all",
        any,
        (tuning!("pasaporte", "número de pasaporte"; "Pasaporte español {}"), &[&["AAA######", "XDA######"]]),
        (
            judging!("Pasaporte nº", "pasaporte español"; "Viajo con pasaporte {}"),
            &[&["PAB######", "BCD######"]],
        ),
    ),
    class(
        Kind::FiPerson,
        "all",
        finnish,
        (
            tuning!("henkilötunnus", "HETU"; "Henkilötunnukseni on {}."),
            &[&["1^065^-##^A", "0^1275-##^T", "1^068#-##^M", "21108#-##^#"]],
        ),
        (
            judging!("henkilötunnus", "hetu"; "Finnish personal identity code {}"),
            &[&["2^047#-##^K", "1^0^9#-##^P", "0510^2-##^#", "1^030^A##^H"]],
        ),
    ),
    class(
        Kind::FrNir,
        "all",
        french,
        (
            tuning!("numéro de sécurité sociale", "NIR"; "Mon n° de sécu est {}."),
            &[&["1 8# 0^ 75 1## 0## ##"]],
        ),
        (
            judging!("numéro de sécurité sociale", "N° de Sécurité sociale"; "numéro INSEE {}"),
            &[&["27#1269##^0####", "2 9# 11 33 0## 1## ##"]],
        ),
    ),
    class(
        Kind::ItFiscal,
        "all",
        italian_person,
        (
            tuning!("codice fiscale", "C.F."; "Il mio codice fiscale è {}."),
            &[&["RSSMRA8#A0^H501$", "BNCLCU7#D5^F205$"]],
        ),
        (judging!("Codice Fiscale", "CF"; "cod. fisc. {}"), &[&["VRDGPP9#L1^A944$", "FRRNNA6#T6^L219$"]]),
    ),
    class(
        Kind::ItVat,
        "all",
        luhn,
        (
            tuning!("partita IVA", "P.IVA"; "La nostra partita IVA è {}."),
            &[&["0##########", "IT1##########"]],
        ),
        (judging!("P. IVA", "Partita IVA"; "fattura a P.IVA {}"), &[&["02#########", "IT03#########"]]),
    ),
    class(
        Kind::ItDriver,
        "all",
        any,
        (tuning!("patente", "patente di guida"; "La mia patente è la {}."), &[&["U1B######C", "TO#######K"]]),
        (
            judging!("numero patente", "Patente n."; "patente di guida {} scaduta"),
            &[&["U1R###^##Z", "MI#######F"]],
        ),
    ),
    class(
        Kind::ItIdentity,
        "all",
        any,
        (
            tuning!("carta d'identità", "carta di identità"; "La mia carta d'identità è {}."),
            &[&["CA#####AA", "AX#######"]],
        ),
        (
            judging!("carta d'identità n.", "C.I."; "carta d\u{2019}identità {} del comune"),
            &[&["CB#####TR", "AT#######"]],
        ),
    ),
    class(
        Kind::ItPassport,
        "all",
        any,
        (
            tuning!("passaporto", "numero di passaporto"; "Passaporto italiano {}"),
            &[&["YA#######", "AA#######"]],
        ),
        (
            judging!("passaporto n.", "Passaporto"; "viaggio con passaporto {}"),
            &[&["YB#######", "YC#######"]],
        ),
    ),
    class(
        Kind::PlPesel,
        "all",
        pesel,
        (tuning!("PESEL", "numer PESEL"; "Mój PESEL to {}."), &[&["8#0^1^#####", "7#1110#####"]]),
        (judging!("PESEL", "nr PESEL"; "pacjent z numerem PESEL {}"), &[&["9#0^2^#####", "0#2^1######"]]),
    ),
    class(
        Kind::SeOrganisation,
        "all",
        swedish,
        (tuning!("organisationsnummer", "org.nr"; "Bolaget har org.nr {}."), &[&["556^##-####"]]),
        (
            judging!("organisationsnummer", "Org nr"; "aktiebolag, organisationsnr {}"),
            &[&["559^######", "802^##-####"]],
        ),
    ),
    class(
        Kind::SePerson,
        "all",
        swedish,
        (tuning!("personnummer"; "Mitt personnummer är {}."), &[&["8#0^1^-####", "1970110^####"]]),
        (
            judging!("personnummer", "pers.nr"; "Swedish personal number {}"),
            &[&["9#0^2^-####", "1985120^-####"]],
        ),
    ),
    class(
        Kind::NlBsn,
        "all",
        bsn,
        (tuning!("BSN", "burgerservicenummer"; "Mijn BSN is {}."), &[&["^########"]]),
        (judging!("burgerservicenummer", "BSN-nummer"; "sofinummer {}"), &[&["^###.##.###", "^## ### ###"]]),
    ),
    class(
        Kind::BePerson,
        "all",
        belgian,
        (
            tuning!("rijksregisternummer", "numéro national"; "Mijn rijksregisternummer is {}."),
            &[&["8#.0^.1^-###.##"]],
        ),
        (
            judging!("Rijksregisternr.", "numéro de registre national"; "NISS {}"),
            &[&["7#0^2^#####", "9#.11.0^-###.##"]],
        ),
    ),
    class(
        Kind::NoPerson,
        "all",
        norwegian,
        (tuning!("fødselsnummer", "norsk personnummer"; "Mitt fødselsnummer er {}."), &[&["1^0^8######"]]),
        (
            judging!("fødselsnummer", "fødselsnr."; "Norwegian national ID {}"),
            &[&["2^0^7# #####", "0^117######"]],
        ),
    ),
    class(
        Kind::DkPerson,
        "all",
        danish,
        (tuning!("CPR-nummer", "CPR"; "Mit cpr-nummer er {}."), &[&["1^0^8#-####"]]),
        (
            judging!("CPR-nr.", "dansk personnummer"; "patienten med CPR {}"),
            &[&["2^117#-####", "0^0^6####^"]],
        ),
    ),
    class(
        Kind::ChAhv,
        "all",
        swiss,
        (tuning!("AHV-Nummer", "AHV-Nr."; "Meine AHV-Nummer ist {}."), &[&["756.####.####.##"]]),
        (judging!("AHV-Nr", "numéro AVS"; "numero AVS {}"), &[&["756##########", "756 #### #### ##"]]),
    ),
];
