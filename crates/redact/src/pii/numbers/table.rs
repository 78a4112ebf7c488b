//! The table of numbers that identify people, accounts and documents: their forms, their checks, and the words that
//! announce them.

use crate::{
    pii::numbers::checksums::{
        americas::*, asia_pacific::*, britain::*, digits::any, europe::*, finance::*, germany::*, italy::*,
        korea::*, nordics::*, phones::*,
    },
    scan::{check_digits::luhn, kind::Kind},
};

/// The condition under which a number of the right form with a valid check is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AcceptWhen {
    /// In any context.
    Always,
    /// If it is written in its groups; otherwise like `Announced`.
    Grouped,
    /// If a word announces it, or with `strict`.
    Announced,
    /// If a word announces it, or with `strict` if the application listed the kind. Too many other numbers look like
    /// it.
    Named,
    /// Only if a word announces it, because the number lacks its check digit or has none.
    Told,
}

/// A form in which a kind of number is written.
pub(crate) struct Form {
    pub kind: Kind,
    /// The pattern: `d` for a digit, `n` for a first digit from 2 on, `a` for a letter, `x` for either, `?` for an
    /// optional digit, `*` for an optional digit or letter, `-` for an optional separator. Other characters stand for
    /// themselves.
    pub pattern: &'static str,
    /// The possible separators. All separators of a number must be equal, unless this text begins with `~`.
    pub separators: &'static str,
    pub accept: AcceptWhen,
    /// The check that a number of this form must pass.
    pub check: fn(&[u8]) -> bool,
    /// Words before or after the number that announce it.
    pub words: &'static str,
}

const fn form(
    kind: Kind,
    pattern: &'static str,
    separators: &'static str,
    accept: AcceptWhen,
    check: fn(&[u8]) -> bool,
    words: &'static str,
) -> Form {
    Form { kind, pattern, separators, accept, check, words }
}

use AcceptWhen::{Always, Announced, Grouped, Named, Told};

const PHONE: &str = "phone telephone tel cell mobile fax call whatsapp sms text telefon mobil handy teléfono telefono móvil \
    téléphone portable dial hotline ring rufnummer handynummer mobilnummer telefonnummer cellphone \
    landline switchboard freephone freecall helpline voicemail mob fon telefax diensthandy \
    festnetz festnetznummer durchwahl telefonisch anrufen angerufen zurückrufen cellulare cellulari recapito \
    telefonico telefonica telefónico telefónica telefonía celular gsm mobiel telefoon telefoonnummer klantenservice \
    telefone telemóvel telemovel infolinia komórka komórkę komórkowy telefoniczny telefonu numery \
    mobilen telefonen växel tlf appelez composez joignable rappeler rappelez";
const SSN: &str = "ssn social security ssns socialsecurity socials ss soc taxid taxpayer tin";
const ITIN: &str = "itin itins taxpayer tin taxid";
const CARD: &str = "card visa mastercard amex maestro mir jcb discover diners unionpay credit debit karte kort kortnummer kreditkort kreditkortnummer bankkort betalkort betalingskort kredittkort \
    kortti korttinumero luottokortti kart kartı visakort karten kaart cartes tarjetas tarjeta carte \
    kreditkarte kartennummer kreditkartennummer carta cartão creditcard creditcardnummer kaartnummer karta karty pan cc cvv cvc";
const PLATE: &str =
    "plate plates vehicle vehicles reg registration vrm car license licence numberplate kennzeichen";
const LICENSE: &str = "license licence driver driver's drivers driving dl permit licences dvla provisional driverlicense driverslicense";
const POSTCODE: &str = "postcode postal post";
const TAX_ID: &str = "steuer-id idnr steueridentifikationsnummer identifikationsnummer steuer steueridnr tin steuerliche \
    steuer-idnr steuer-identifikationsnummer steueridentnummer identnummer steuerid tax taxid bzst";
const GERMAN_VAT: &str = "ust-idnr ust ustid ustidnr vat umsatzsteuer umsatzsteuer-id umsatzsteueridentifikationsnummer \
    umsatzsteuer-identifikationsnummer";
const TAX_NUMBER: &str = "steuernummer stnr steuernr st-nr";
const PERSONNUMMER: &str = "pers personnummer personnr personnumret pnr persnr samordningsnummer samordningsnumret samordningsnr personidentitet";
const IDENTITY_CARD: &str = "ausweis personalausweis ausweisnummer ausweisnr personalausweisnummer personalausweisnr perso personalausweises npa ausweisdokument dokumentennummer identity ausweis-nr bpa pa";
const FILIPINO: &str =
    "mobile telepono numero cellphone cell selpon gcash paymaya maya globe smart cp viber contact phone tel";
const VOTER: &str = "voter voters vote epic elector electoral election";
const ITALIAN_VAT: &str = "iva partita partitaiva vat piva idcodice";
const ITALIAN_CARD: &str = "identità identity identita cie ci";
const PASSPORT: &str = "passport passports";

/// The forms of numbers. If several match and none is announced, the first is taken.
pub(crate) const FORMS: &[Form] = &[
    form(Kind::Card, "nddd-dddd-dddd-dddd-???", " -.", Grouped, card, CARD),
    form(Kind::Card, "dddd-dddddd-ddddd", " -", Always, card, CARD),
    form(Kind::Card, "nddd-dddddd-dddd", " -", Always, card, CARD),
    form(Kind::Card, "dddddddddddd???????", "", Announced, card, CARD),
    form(Kind::Card, "nddd-dddd-dddd", " -", Announced, card, CARD),
    form(Kind::Iban, "aadd-xxxx-xxxx-xxx*-****-****-****-****-**", " -", Always, iban, "iban account konto"),
    form(Kind::Ssn, "ddd-dd-dddd", "- .", Grouped, ssn, SSN),
    form(Kind::Itin, "9dd-dd-dddd", "- ", Grouped, itin, ITIN),
    form(Kind::Phone, "ndd-ddd-dddd", "~-. )/", Grouped, nanp, PHONE),
    form(Kind::Phone, "1-ddd-ddd-dddd", "~-. )", Grouped, nanp, PHONE),
    form(Kind::Phone, "0d-dddd-dddd", "~ -)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0dd-dddd-dddd", "~ -)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0ddd-ddd-dddd", "~ -)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0dddd-dddddd", "~ -/)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0dddd-ddd-ddd", "~ -)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0ddd-ddd-ddd", "~ -)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0dd-dddddd??", "~ -/)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0ddd-dddddd??", "~ -/)", Grouped, trunk, PHONE),
    form(Kind::Phone, "0d-dd-dd-dd-dd", " .-", Grouped, pairs, PHONE),
    form(Kind::Phone, "ddddd-ddddd", " -", Announced, five_and_five, PHONE),
    form(Kind::Phone, "ddd-dddd", "-.", Named, any, PHONE),
    form(Kind::PhMobile, "0ddd-ddd-dddd", "~ -)", Announced, philippine, FILIPINO),
    form(Kind::PhMobile, "0-ddd-ddd-dddd", "~ -)", Announced, philippine, FILIPINO),
    form(Kind::UsMbi, "daxd-axd-aadd", "-", Always, mbi, "medicare mbi beneficiary"),
    form(Kind::UsNpi, "dddd-ddd-ddd", "- ", Announced, npi, "npi nppes provider prescriber"),
    form(
        Kind::UsRouting,
        "dddd-dddd-d",
        "-",
        Announced,
        aba,
        "aba routing rtn transit abarouting bankrouting",
    ),
    form(Kind::MedicalLicense, "axddddddd", "", Announced, dea, "dea certificate prescriber medical"),
    form(Kind::UkNino, "aa-dd-dd-dd-a", " -", Always, nino, "nino insurance ni"),
    form(Kind::UkNino, "aa-dddddd-a", " -", Always, nino, "nino insurance ni"),
    form(Kind::UkNhs, "ddd-ddd-dddd", "- ", Announced, nhs, "nhs health"),
    form(Kind::UkDriver, "xxxxx-dddddd-xx-xaa", " ", Always, uk_driver, LICENSE),
    form(Kind::AuAbn, "dd-ddd-ddd-ddd", " ", Grouped, abn, "abn australian"),
    form(Kind::AuAcn, "ddd-ddd-ddd", " ", Announced, acn, "acn asic australian"),
    form(Kind::AuTfn, "ddd-ddd-ddd", " -", Announced, tfn, "tfn tax"),
    form(Kind::AuMedicare, "dddd-ddddd-d-?", "~ /-", Announced, medicare, "medicare"),
    form(Kind::CaSin, "ddd-ddd-ddd", " -", Announced, luhn, "sin nas insurance assurance soc ins"),
    form(Kind::DeTax, "dd-ddd-ddd-ddd", " ", Grouped, de_tax, TAX_ID),
    form(Kind::DeTax, "ddd-ddd-ddd-dd", " ", Announced, de_tax, TAX_ID),
    form(Kind::DeVat, "DE-ddd-ddd-ddd", "~ -.", Always, de_vat, GERMAN_VAT),
    form(Kind::DeVat, "DE-ddd-ddd-ddd", "~ -.", Announced, any, GERMAN_VAT),
    form(
        Kind::DePension,
        "dd-dddddd-a-ddd",
        " ",
        Always,
        pension,
        "rentenversicherung rentenversicherungsnummer sozialversicherungsnummer rvnr svnr",
    ),
    form(
        Kind::DeHealth,
        "addddddddd",
        "",
        Announced,
        health,
        "kvnr krankenversicherung krankenkasse versichertennummer krankenversichertennummer versicherten egk \
         krankenversicherungsnummer krankenkassennummer versichertennr gesundheitskarte versichertenkarte \
         versicherungskarte krankenversicherungskarte kv health insured gkv krankenversichertennr",
    ),
    form(Kind::DeLanr, "ddddddddd", "", Announced, lanr, "lanr arztnummer arztnr arzt vertragsarztnummer"),
    form(
        Kind::DeBsnr,
        "ddddddddd",
        "",
        Announced,
        bsnr,
        "bsnr nbsnr betriebsstättennummer betriebsstätte betriebsstätten hauptbetriebsstätte nebenbetriebsstätte praxisnummer",
    ),
    form(Kind::DeIdentity, "xxxxxxxxxd", "", Announced, de_identity, IDENTITY_CARD),
    form(
        Kind::DePassport,
        "xxxxxxxxx?",
        "",
        Announced,
        de_passport,
        "reisepass pass passnummer reisepassnummer passnr reisepasses reisepassnr",
    ),
    // The check digit is often omitted.
    form(Kind::DeIdentity, "xxxxxxxxx", "", Told, de_identity_short, IDENTITY_CARD),
    form(Kind::DeRegister, "HRx-d?????", " ", Always, register, "handelsregister amtsgericht"),
    form(Kind::DeTaxNumber, "dd-ddd-ddddd", "/", Grouped, any, TAX_NUMBER),
    form(Kind::DeTaxNumber, "ddd-dddd-dddd", "/", Grouped, any, TAX_NUMBER),
    form(Kind::DeTaxNumber, "ddd-ddd-ddddd", "/", Grouped, any, TAX_NUMBER),
    form(Kind::DeTaxNumber, "ddd-ddd-ddddd", " ", Announced, any, TAX_NUMBER),
    form(Kind::DeTaxNumber, "ddddddddddddd", "", Announced, elster, TAX_NUMBER),
    form(Kind::DePostal, "ddddd", "", Named, postal, "plz postleitzahl"),
    form(Kind::EsNif, "dd-ddd-ddd-a", "~.-", Always, nif, "dni nif"),
    form(Kind::EsNie, "a-ddddddd-a", "-", Always, nie, "nie extranjero"),
    form(Kind::EsPassport, "aaadddddd", "", Announced, any, "pasaporte passport"),
    form(Kind::FiPerson, "dddddd-dddx", "-+", Grouped, hetu, "hetu henkilötunnus henkilötunnukseni"),
    form(Kind::FiPerson, "ddddddadddx", "", Always, hetu, "hetu henkilötunnus henkilötunnukseni"),
    form(Kind::FrNir, "d-dd-dd-dx-ddd-ddd-dd", " ", Always, nir, "nir sécu insee"),
    form(
        Kind::InAadhaar,
        "nddd-dddd-dddd",
        " -",
        Grouped,
        aadhaar,
        "aadhaar aadhar adhaar adhar uidai uid आधार",
    ),
    form(Kind::InPan, "aaaaadddda", "", Always, pan, "pan"),
    form(Kind::InGstin, "ddaaaaaddddaxZx", "", Always, gstin, "gstin gst"),
    form(Kind::InPassport, "addddddd", "", Announced, nonzero_second, "passport"),
    form(Kind::InVoter, "aaaddddddd", "", Announced, any, VOTER),
    // Cards from before 2000: a state, its districts and a serial number.
    form(Kind::InVoter, "aa-dd-ddd-dddddd", "/", Announced, indian_plate, VOTER),
    // The second sign of a district is a letter in Delhi; the series BH is of no state.
    form(Kind::InVehicle, "aa-dx-aa-dddd", " -", Announced, indian_plate, PLATE),
    form(Kind::InVehicle, "aa-dx-a-dddd", " -", Announced, indian_plate, PLATE),
    form(Kind::InVehicle, "aa-dx-aaa-dddd", " -", Announced, indian_plate, PLATE),
    form(Kind::InVehicle, "dd-BH-dddd-aa", " -", Announced, any, PLATE),
    form(Kind::ItFiscal, "aaa-aaa-ddadd-addda", " ", Always, fiscal_code, "codice fiscale"),
    form(Kind::ItVat, "dddd-dddd-ddd", " _", Announced, luhn, ITALIAN_VAT),
    form(Kind::ItVat, "ITddddddddddd", "", Announced, italian_vat, ITALIAN_VAT),
    form(Kind::ItDriver, "aaddddddda", "", Announced, italian_driver, "patente guida license licence"),
    form(Kind::ItDriver, "U1xxxxxxxa", "", Announced, italian_driver, "patente guida license licence"),
    form(Kind::ItIdentity, "aa-ddddddd", " ", Announced, any, ITALIAN_CARD),
    form(Kind::ItIdentity, "ddddddd-aa", " ", Announced, any, ITALIAN_CARD),
    form(Kind::ItIdentity, "aa-ddddd-aa", " ", Announced, any, ITALIAN_CARD),
    form(Kind::ItPassport, "aaddddddd", "", Announced, any, "passaporto"),
    form(Kind::UkPassport, "aaddddddd", "", Announced, any, PASSPORT),
    form(Kind::UsPassport, "adddddddd", "", Announced, any, PASSPORT),
    form(Kind::UsPassport, "ddddddddd", "", Named, any, PASSPORT),
    form(Kind::UkPassport, "ddd-ddd-ddd", " ", Told, any, PASSPORT),
    form(Kind::UkVehicle, "aadd-aaa", " -", Announced, uk_plate, PLATE),
    form(Kind::UkVehicle, "ad-aaa", " -", Announced, uk_plate_prefix, PLATE),
    form(Kind::UkVehicle, "add-aaa", " -", Announced, uk_plate_prefix, PLATE),
    form(Kind::UkVehicle, "addd-aaa", " -", Announced, uk_plate_prefix, PLATE),
    form(Kind::UkVehicle, "aaa-da", " -", Announced, uk_plate_suffix, PLATE),
    form(Kind::UkVehicle, "aaa-dda", " -", Announced, uk_plate_suffix, PLATE),
    form(Kind::UkVehicle, "aaa-ddda", " -", Announced, uk_plate_suffix, PLATE),
    form(Kind::NgVehicle, "aaa-dddaa", "- ", Announced, any, PLATE),
    form(Kind::UkPostcode, "ad-daa", " ", Named, any, POSTCODE),
    form(Kind::UkPostcode, "add-daa", " ", Named, any, POSTCODE),
    form(Kind::UkPostcode, "aad-daa", " ", Named, any, POSTCODE),
    form(Kind::UkPostcode, "aadd-daa", " ", Named, any, POSTCODE),
    form(Kind::UkPostcode, "ada-daa", " ", Named, any, POSTCODE),
    form(Kind::UkPostcode, "aada-daa", " ", Named, any, POSTCODE),
    form(Kind::KrResident, "dddddd-ddddddd", "-", Always, korean_resident, "주민등록번호 주민번호 주민 rrn"),
    form(
        Kind::KrForeigner,
        "dddddd-ddddddd",
        "-",
        Always,
        korean_foreigner,
        "외국인등록번호 외국인번호 외국인 frn",
    ),
    form(
        Kind::KrBusiness,
        "ddd-dd-ddddd",
        "-",
        Grouped,
        korean_business,
        "사업자등록번호 사업자번호 사업자 brn business",
    ),
    form(Kind::KrPassport, "adddadddd", "", Announced, korean_passport, "passport 여권 여권번호"),
    form(Kind::KrPassport, "adddddddd", "", Announced, korean_passport, "여권 여권번호 korean passport"),
    form(
        Kind::KrDriver,
        "dd-dd-dddddd-dd",
        "- ",
        Grouped,
        korean_driver,
        "license licence 운전면허 운전면허번호 면허번호",
    ),
    form(Kind::NgNin, "ddddddddddd", "", Announced, nin, "nin nimc"),
    form(Kind::NgNin, "dddd-ddd-dddd", " -", Told, any, "nin nimc identification"),
    form(Kind::PlPesel, "ddddddddddd", "", Announced, pesel, "pesel pesele peselu peselem"),
    form(Kind::SePerson, "dddddd-dddd", "-+", Grouped, swedish_person, PERSONNUMMER),
    form(Kind::SePerson, "dddddddd-dddd", "-+", Grouped, swedish_person, PERSONNUMMER),
    form(
        Kind::SeOrganisation,
        "dddddd-dddd",
        "-",
        Grouped,
        swedish_organisation,
        "orgnummer organisationsnummer organisationsnumret organisationsnr orgnr org företagsnummer",
    ),
    form(Kind::SgFin, "addddddda", "", Always, fin, "nric fin"),
    form(Kind::SgFin, "addddddda", "", Announced, any, "nric fin"),
    form(Kind::SgUen, "ddddddddx*", "", Announced, uen, "uen entity acra"),
    form(Kind::SgUen, "addaadddda", "", Announced, uen, "uen entity acra"),
    form(
        Kind::ThPerson,
        "d-dddd-ddddd-dd-d",
        "- ",
        Announced,
        thai,
        "thai tnin citizen national บัตรประชาชน ปชช",
    ),
    form(
        Kind::TrPerson,
        "ddd-ddd-ddd-dd",
        " ",
        Announced,
        turkish,
        "tckn tckimlik kimlik turkish tc tcno kimliği nüfus vatandaşlık",
    ),
    form(Kind::BrCpf, "ddd-ddd-ddd-dd", "~.- /", Grouped, cpf, "cpf física físicas"),
    form(Kind::BrCnpj, "dd-ddd-ddd-dddd-dd", "~.-/ ", Grouped, cnpj, "cnpj jurídica jurídicas"),
    // Since July 2026 the first twelve can be letters (Instrução Normativa RFB 2.229/2024).
    form(Kind::BrCnpj, "xx-xxx-xxx-xxxx-dd", "~.-/", Grouped, cnpj_letters, "cnpj"),
    form(
        Kind::NlBsn,
        "ddd-d-dd-ddd",
        ". -",
        Announced,
        bsn,
        "bsn burgerservicenummer burgerservicenr sofinummer sofi citizen",
    ),
    form(
        Kind::BePerson,
        "dd-dd-dd-ddd-dd",
        "~.- ",
        Grouped,
        belgian,
        "rijksregisternummer rijksregisternr rijksregister registre national nationaal niss insz nrn rrn",
    ),
    form(
        Kind::NoPerson,
        "dddddd-ddddd",
        " ",
        Grouped,
        norwegian,
        "fødselsnummer fødselsnr personnummer personnr fødselsnummeret fodselsnummer fnr d-nummer birth",
    ),
    form(
        Kind::DkPerson,
        "dddddd-dddd",
        "- ",
        Announced,
        danish,
        "cpr cprnr cprnummer cpr-nummeret personnummer personnummeret civil",
    ),
    form(
        Kind::ChAhv,
        "ddd-dddd-dddd-dd",
        ". ",
        Grouped,
        ahv,
        "ahv avs ahvnr ahvn13 navs navs13 sozialversicherungsnummer oasi",
    ),
    form(
        Kind::CnPerson,
        "dddddd-dddd-dddd-dddx",
        " ",
        Always,
        chinese,
        "身份证 身份证号 身份证号码 公民身份号码",
    ),
    form(Kind::MxCurp, "aaaaddddddaaaaaaxd", "", Always, curp, "curp registro población"),
    form(Kind::UsDriver, "a-d-d-d-d-d-d-d-?-?-?-?-?-?", "- ", Named, any, LICENSE),
    form(Kind::UsDriver, "ddddddd??", "", Named, any, LICENSE),
    form(Kind::UsBank, "dddddddd?????????", "", Named, any, "account bank acct ac checking savings"),
];
