//! Cases of a widely used recognizer, where the folder of data that `SIEVE_DATA` names has them: each is asked of the
//! one kind that its recognizer looks for, since that is how its authors ask it.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use mcp_sieve_redact::{Kind, Kinds, Scan, pii::Scanner};
use serde_json::Value;

/// The kind of a recognizer.
const KINDS: &[(&str, Kind)] = &[
    ("aba_routing", Kind::UsRouting),
    ("au_abn", Kind::AuAbn),
    ("au_acn", Kind::AuAcn),
    ("au_medicare", Kind::AuMedicare),
    ("au_tfn", Kind::AuTfn),
    ("certificate_number", Kind::MedicalLicense),
    ("crypto", Kind::Crypto),
    ("de_bsnr", Kind::DeBsnr),
    ("de_handelsregister", Kind::DeRegister),
    ("de_id_card", Kind::DeIdentity),
    ("de_lanr", Kind::DeLanr),
    ("de_plz", Kind::DePostal),
    ("de_tax_id", Kind::DeTax),
    ("de_vat_id", Kind::DeVat),
    ("email", Kind::Email),
    ("es_nie", Kind::EsNie),
    ("es_passport", Kind::EsPassport),
    ("iban", Kind::Iban),
    ("in_gstin", Kind::InGstin),
    ("in_passport", Kind::InPassport),
    ("in_voter", Kind::InVoter),
    ("it_driver_license", Kind::ItDriver),
    ("it_identity_card", Kind::ItIdentity),
    ("it_vat_code", Kind::ItVat),
    ("kr_driver_license", Kind::KrDriver),
    ("kr_passport", Kind::KrPassport),
    ("mac", Kind::Mac),
    ("ng_vehicle_registration", Kind::NgVehicle),
    ("ph_mobile_number", Kind::PhMobile),
    ("se_organisationsnummer", Kind::SeOrganisation),
    ("sg_fin", Kind::SgFin),
    ("th_tnin", Kind::ThPerson),
    ("tr_national_id", Kind::TrPerson),
    ("uk_nhs", Kind::UkNhs),
    ("uk_passport", Kind::UkPassport),
    ("uk_vehicle_registration", Kind::UkVehicle),
    ("us_bank", Kind::UsBank),
    ("us_itin", Kind::Itin),
    ("us_npi", Kind::UsNpi),
    ("us_ssn", Kind::Ssn),
];

fn cases() -> Option<Vec<Value>> {
    let folder = env::var_os("SIEVE_DATA").map(PathBuf::from)?;
    let text = fs::read_to_string(folder.join("pii/presidio-cases-dev.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// Whether a case comes out as its authors have it.
fn holds(case: &Value, kind: Kind) -> bool {
    // Where they hold the checksum against what looks like a number, so do we.
    let checked = case["case"].as_str().unwrap().contains("strict_mode");
    let scanner = Scanner::new(!checked, Some(Kinds::from_iter([kind])));
    let text = case["text"].as_str().unwrap();
    let found: Vec<_> = scanner.findings(text).collect();
    let spans: Option<Vec<(usize, usize)>> = case["spans"].as_array().and_then(|spans| {
        spans
            .iter()
            .map(|span| Some((span.get(0)?.as_u64()? as usize, span.get(1)?.as_u64()? as usize)))
            .collect()
    });
    let place = |at: usize| text[..at].chars().count();
    found.len() as u64 == case["expected"].as_u64().unwrap()
        && spans.is_none_or(|spans| {
            spans.len() != found.len()
                || found.iter().map(|found| (place(found.start), place(found.end))).eq(spans)
        })
}

/// Right cases and all, by recognizer, where the folder of data has them.
pub fn table() -> Option<BTreeMap<&'static str, (u32, u32)>> {
    let mut table: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for case in &cases()? {
        let recognizer = case["recognizer"].as_str().unwrap();
        let Some((name, kind)) = KINDS.iter().find(|(name, _)| *name == recognizer) else {
            panic!("{recognizer}")
        };
        let (right, all) = table.entry(name).or_default();
        *all += 1;
        if holds(case, *kind) {
            *right += 1;
        } else {
            println!("{recognizer}: {} ({})", case["text"], case["expected"]);
        }
    }
    Some(table)
}

#[test]
fn cases_of_presidio() {
    let Some(table) = table() else { return };
    for (recognizer, (right, all)) in &table {
        println!("{recognizer:28} {right:>4} of {all}");
    }
    for (recognizer, (right, all)) in table {
        assert!(right * 100 >= all * 95, "{recognizer}: {right} of {all}");
    }
}
