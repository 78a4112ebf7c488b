//! Numbers of Asia, Africa and South America, announced in other forms than in the other sets.

use mcp_sieve_redact::Kind;

use super::{checks::*, class, judging, tuning};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::BrCpf,
        "all",
        cpf,
        (tuning!("CPF"; "CPF/MF {}", "inscrito no CPF sob o nº {}"), &[&["^##.###.###-##", "0##########"]]),
        (
            judging!("CPF"; "portador do CPF nº {}", "Seu CPF? {}"),
            &[&["3##.###.###-##", "1##########", "4## ### ### ##"]],
        ),
    ),
    class(
        Kind::BrCnpj,
        "all",
        cnpj,
        (tuning!("CNPJ"; "CNPJ/MF sob o nº {}"), &[&["^#.###.###/0002-##", "1#######0001##"]]),
        (judging!("CNPJ"; "empresa inscrita no CNPJ nº {}"), &[&["3#.###.###/0001-##", "4#######0001##"]]),
    ),
    class(
        Kind::InPassport,
        "all",
        any,
        (tuning!("passport number"; "Passport No. {} (India)"), &[&["P^#####^", "R^#####^"]]),
        (judging!("passport number"; "Indian passport: {}"), &[&["T^#####^", "Z^#####^"]]),
    ),
    class(
        Kind::InVehicle,
        "all",
        any,
        (
            tuning!("vehicle registration number"; "RC of my bike: reg no {}"),
            &[&["TN09BC####", "UP 32 AB ####", "DL 1C AA ####"]],
        ),
        (
            judging!("vehicle number", "car registration"; "my scooter's number plate is {}"),
            &[&["GJ01KL####", "RJ 14 CD ####", "DL 3C AB ####", "AP-16-BX-####", "22 BH #### AA"]],
        ),
    ),
    class(
        Kind::InVoter,
        "all",
        any,
        (tuning!("voter ID"; "EPIC No. {}"), &[&["DLH#######", "TNX#######"]]),
        (judging!("voter ID number"; "my Voter ID Card: {}", "EPIC: {}"), &[&["GJB#######", "WRK#######"]]),
    ),
    class(
        Kind::KrForeigner,
        "all",
        korean_foreigner,
        (tuning!("외국인등록번호"; "ARC number {}"), &[&["8#0^1^-5######", "7#1102-6######"]]),
        (judging!("외국인등록번호"; "alien registration no. {}"), &[&["9#0^0^-5######", "6#1203-6######"]]),
    ),
    class(
        Kind::KrPassport,
        "all",
        any,
        (
            tuning!("여권번호"; "대한민국 여권 {}", "Republic of Korea passport {}"),
            &[&["M2#######", "M4##B####"]],
        ),
        (
            judging!("여권번호"; "여권 번호: {}", "South Korean passport no. {}"),
            &[&["M3#######", "M7##C####", "S1#######"]],
        ),
    ),
    class(
        Kind::NgVehicle,
        "all",
        any,
        (tuning!("plate number"; "Abuja plate: {}"), &[&["ABJ-^##XY", "LSR ^##FG"]]),
        (judging!("plate number"; "My car's registration: {}"), &[&["KAN-^##PQ", "BEN ^##HK"]]),
    ),
    class(
        Kind::PhMobile,
        "all",
        any,
        (tuning!("mobile number"; "GCash {}", "Smart no. {}"), &[&["0918 ### ####", "0995-###-####"]]),
        (
            judging!("mobile number", "cellphone number"; "Contact no.: {}"),
            &[&["0916 ### ####", "0947-###-####", "0905#######"]],
        ),
    ),
    class(
        Kind::SgUen,
        "all",
        uen,
        (tuning!("UEN"; "UEN No. {}"), &[&["5^######$", "201^#####$"]]),
        (judging!("UEN"; "Unique Entity Number: {}"), &[&["4^######$", "199^#####$"]]),
    ),
    class(
        Kind::ThPerson,
        "all",
        thai,
        (
            tuning!("เลขบัตรประชาชน"; "Thai ID card {}", "เลขประจำตัวประชาชนคือ {}"),
            &[&["1-20##-#####-##-#", "321##########"]],
        ),
        (
            judging!("เลขประจำตัวประชาชน"; "Thai citizen ID {}", "หมายเลขบัตรประชาชน {}"),
            &[&["3-10##-#####-##-#", "184##########", "5 77## ##### ## #"]],
        ),
    ),
    class(
        Kind::TrPerson,
        "all",
        turkish,
        (tuning!("T.C. Kimlik No"; "TCKN {}"), &[&["1##########"]]),
        (
            judging!("TC kimlik numarası"; "T.C. kimlik numaram {}", "TCKN: {}"),
            &[&["2##########", "5##########"]],
        ),
    ),
];
