//! Numbers of people and companies in Asia, Africa and Latin America, with their check digits.

use mcp_sieve_redact::Kind;

use super::{
    checks::{
        aadhaar, any, chinese, cnpj, cpf, curp, gstin, korean, korean_business, korean_foreigner, nric, thai,
        turkish, uen,
    },
    class, judging, tuning,
};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::InAadhaar,
        "all",
        aadhaar,
        (tuning!("Aadhaar number", "Aadhaar"; "my aadhar is {}"), &[&["2### #### ####", "5### #### ####"]]),
        (
            judging!("Aadhaar No.", "UIDAI number"; "KYC done with aadhaar card {}"),
            &[&["7###########", "9### #### ####"]],
        ),
    ),
    class(
        Kind::InPan,
        "all",
        any,
        (tuning!("PAN", "PAN number"; "PAN card {} attached"), &[&["ABCPK####F", "BNZPM####A"]]),
        (
            judging!("PAN no.", "Permanent Account Number"; "TDS certificate, PAN {}"),
            &[&["CKWPS####R", "DFGCT####L"]],
        ),
    ),
    class(
        Kind::InGstin,
        "all",
        gstin,
        (tuning!("GSTIN"; "GST no {} on the bill"), &[&["27ABCPK####F1Z#", "07BNZPM####A1Z#"]]),
        (
            judging!("GSTIN", "GST number"; "Registered under GSTIN {}"),
            &[&["29CKWPS####R1Z#", "33DFGCT####L2Z#"]],
        ),
    ),
    class(
        Kind::InPassport,
        "all",
        any,
        (
            tuning!("Indian passport number"; "passport no. {} (Republic of India)"),
            &[&["K^#####^", "M^#####^"]],
        ),
        (
            judging!("passport of India", "Indian passport"; "Indian passport {}, visa pending"),
            &[&["Z^#####^", "P^#####^"]],
        ),
    ),
    class(
        Kind::InVoter,
        "all",
        any,
        (tuning!("voter ID", "EPIC number"; "Voter card {}"), &[&["ABC#######", "XYZ#######"]]),
        (
            judging!("Voter ID", "EPIC No."; "elector photo identity card {}"),
            &[&["KLM#######", "DRT#######"]],
        ),
    ),
    class(
        Kind::InVehicle,
        "all",
        any,
        (
            tuning!("vehicle number", "vehicle registration"; "Car no. {} is parked outside"),
            &[&["MH12AB####", "KA05MJ####"]],
        ),
        (
            judging!("vehicle registration number", "Vehicle No."; "challan for vehicle {}"),
            &[&["DL 3C AB ####", "TN-07-BQ-####"]],
        ),
    ),
    class(
        Kind::KrResident,
        "all",
        korean,
        (
            tuning!("주민등록번호", "resident registration number"; "제 주민등록번호는 {}입니다."),
            &[&["8#0^1^-1######", "7#1101-2######"]],
        ),
        (judging!("주민번호", "RRN"; "주민등록번호 {} 확인"), &[&["9#0^2^-2######", "0#1110-3######"]]),
    ),
    class(
        Kind::KrForeigner,
        "all",
        korean_foreigner,
        (
            tuning!("외국인등록번호", "alien registration number"; "외국인등록증 {}"),
            &[&["8#0^1^-5######", "7#1101-6######"]],
        ),
        (
            judging!("외국인등록번호", "foreigner registration number"; "ARC no. {}"),
            &[&["9#0^2^-6######", "0#1210-7######"]],
        ),
    ),
    class(
        Kind::KrBusiness,
        "all",
        korean_business,
        (
            tuning!("사업자등록번호", "business registration number"; "사업자번호 {}"),
            &[&["1##-8#-#####", "2##-0^-#####"]],
        ),
        (
            judging!("사업자등록번호", "BRN"; "세금계산서, 사업자등록번호 {}"),
            &[&["5##-1^-#####", "6##8^#####"]],
        ),
    ),
    class(
        Kind::KrPassport,
        "all",
        any,
        (
            tuning!("여권번호", "Korean passport number"; "제 여권번호는 {}입니다."),
            &[&["M########", "M^##A####"]],
        ),
        (judging!("여권 번호", "passport of Korea"; "대한민국 여권 {}"), &[&["S########", "M^##K####"]]),
    ),
    class(
        Kind::KrDriver,
        "all",
        any,
        (tuning!("운전면허번호", "driver license number"; "운전면허 {}"), &[&["11-1^-######-##"]]),
        (
            judging!("운전면허번호", "면허번호"; "Korean driver licence {}"),
            &[&["26-0^-######-##", "13-2^-######-##"]],
        ),
    ),
    class(
        Kind::NgNin,
        "all",
        any,
        (
            tuning!("NIN", "National Identification Number"; "my NIN is {} (NIMC)"),
            &[&["2##########", "^##########"]],
        ),
        (
            judging!("NIN", "National Identification No."; "linked my NIN {} to the line"),
            &[&["7###-###-####", "5##########"]],
        ),
    ),
    class(
        Kind::NgVehicle,
        "all",
        any,
        (tuning!("plate number", "vehicle registration"; "Lagos plate {}"), &[&["ABC-^##DE", "KJA-^##AB"]]),
        (
            judging!("number plate", "registration number"; "the danfo with plate number {}"),
            &[&["LND^##XK", "EPE-^##GT"]],
        ),
    ),
    class(
        Kind::SgFin,
        "all",
        nric,
        (tuning!("NRIC", "FIN"; "my IC is {}"), &[&["S#######$", "F#######$"]]),
        (judging!("NRIC/FIN", "NRIC No."; "visitor pass, FIN {}"), &[&["T#######$", "G#######$"]]),
    ),
    class(
        Kind::SgUen,
        "all",
        uen,
        (tuning!("UEN"; "Singapore company, UEN {}"), &[&["5^######$", "200^#####$"]]),
        (judging!("UEN", "Unique Entity Number"; "PayNow to UEN {}"), &[&["0^######$", "201^#####$"]]),
    ),
    class(
        Kind::ThPerson,
        "all",
        thai,
        (
            tuning!("เลขประจำตัวประชาชน", "Thai national ID"; "บัตรประชาชน {}"),
            &[&["1-10##-#####-##-#", "341##########"]],
        ),
        (
            judging!("เลขบัตรประชาชน", "Thai ID number"; "หมายเลขบัตรประชาชน {}"),
            &[&["2-50##-#####-##-#", "583##########"]],
        ),
    ),
    class(
        Kind::TrPerson,
        "all",
        turkish,
        (tuning!("TC Kimlik No", "T.C. kimlik numarası"; "TC kimlik numaram {}"), &[&["^##########"]]),
        (
            judging!("TCKN", "kimlik numarası"; "T.C. Kimlik No {} ile kayıtlı"),
            &[&["1^#########", "^^#########"]],
        ),
    ),
    class(
        Kind::BrCpf,
        "all",
        cpf,
        (tuning!("CPF"; "Meu CPF é {}.", "CPF nº {}"), &[&["^##.###.###-##"]]),
        (judging!("CPF", "C.P.F."; "inscrito no CPF sob o nº {}"), &[&["^##########", "0##.###.###-##"]]),
    ),
    class(
        Kind::BrCnpj,
        "all",
        cnpj,
        (tuning!("CNPJ"; "Nosso CNPJ é {}.", "CNPJ nº {}"), &[&["^#.###.###/0001-##"]]),
        (
            judging!("CNPJ", "C.N.P.J."; "empresa inscrita no CNPJ {}"),
            &[&["^#######0001##", "0^.###.###/0002-##"]],
        ),
    ),
    class(
        Kind::CnPerson,
        "all",
        chinese,
        (
            tuning!("身份证号", "Chinese ID number"; "我的身份证号码是{}。"),
            &[&["11010519^^0^1^###X", "31011519^^121####4", "44010619^^051####2"]],
        ),
        (
            judging!("身份证号码", "居民身份证"; "resident identity card {}"),
            &[&["51010719^^0^2^###7", "3301062000111####8", "32010219^^0^1^##1X"]],
        ),
    ),
    class(
        Kind::MxCurp,
        "all",
        curp,
        (tuning!("CURP"; "Mi CURP es {}."), &[&["GOPM8#0^1^HDFNRL0#", "LOGA7#110^MJCPRN0#"]]),
        (
            judging!("CURP", "Clave Única de Registro de Población"; "trámite con CURP {}"),
            &[&["HEMR9#0^2^HNLRTC0#", "SAVL0#120^MGTNGZA#"]],
        ),
    ),
];
