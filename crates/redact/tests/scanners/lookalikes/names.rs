//! Names in small letters behind words with which people introduce themselves.

use mcp_sieve_redact::Kind;

use super::{checks::any, class};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::Person,
        "nl, ik heet",
        any,
        (
            &[
                "hoi, ik heet {} en ik zoek mijn pakket",
                "ik heet {}",
                "Ik heet {}.",
                "goedemiddag ik heet {}, klant sinds 2019",
            ],
            &[&[
                "jan",
                "sanne de vries",
                "pieter van dijk",
                "fatima el amrani",
                "joost",
                "wietske",
                "bram jansen",
            ]],
        ),
        (
            &[
                "hallo ik heet {}, kunt u mij helpen",
                "Goedemorgen, ik heet {}.",
                "ik heet {} en woon in utrecht",
                "ik heet trouwens {}",
            ],
            &[&[
                "kees",
                "lotte bakker",
                "daan van den berg",
                "youssef",
                "marloes",
                "hidde visser",
                "anna smit",
            ]],
        ),
    ),
    class(
        Kind::Person,
        "de, ich heisse",
        any,
        (
            &[
                "grüezi, ich heisse {} und habe eine frage",
                "ich heisse {}",
                "Ich heiße {}.",
                "guten abend ich heiße {}, kunde seit 2019",
                "mein name lautet {}",
            ],
            &[&["urs", "beat müller", "regula frei", "mohammed", "vreni zürcher", "stefan", "lena vogt"]],
        ),
        (
            &[
                "hoi zäme, ich heisse {}, mein login geht nicht",
                "Guten Tag, ich heisse {}.",
                "ich heiße {} und wohne in bern",
                "hallo ich heisse {} - danke",
                "mein name lautet {}.",
            ],
            &[&["reto", "daniela huber", "markus keller", "aylin", "heidi brunner", "thomas", "nadine wyss"]],
        ),
    ),
    class(
        Kind::Person,
        "en, fr, es, it, nl, de, pt, pl, a known name",
        any,
        (
            &[
                "hi, this is {} from accounting",
                "hello i am {}",
                "bonjour, je suis {} et j'ai une question",
                "hola, soy {}",
                "ciao, sono {}",
                "hoi, ik ben {}",
                "hallo, ich bin {}",
                "olá, sou a {}",
                "cześć, jestem {}",
            ],
            &[&["maria", "anna", "peter", "thomas", "laura", "daniel", "julia"]],
        ),
        (
            &[
                "hey this is {} again",
                "hi, i'm {}",
                "salut je suis {}",
                "buenas, soy {} y tengo una duda",
                "buongiorno, sono {} e ho un problema",
                "dag, ik ben {} en zoek hulp",
                "moin, ich bin {}",
                "oi, sou o {}",
                "dzień dobry, jestem {}",
            ],
            &[&["martin", "sara", "david", "andrea", "michael", "elena", "simon"]],
        ),
    ),
];
