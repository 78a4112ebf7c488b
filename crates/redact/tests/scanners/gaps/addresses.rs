//! Addresses of Brazil, Czechia and Hungary, in the order that their postal services ask for.

use mcp_sieve_redact::Kind;

use super::{checks::any, class};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::Address,
        "pt-BR",
        any,
        (
            &[
                "Meu endereço é {}.",
                "Endereço: {}",
                "Please ship it to {} next week.",
                "Entregar em {}, obrigado",
                "{\"endereco\": \"{}\"}",
                "Moramos na {}",
                "- loja: {}",
            ],
            &[
                &[
                    "Rua Augusta",
                    "Av. Paulista",
                    "Avenida Rio Branco",
                    "Rua das Palmeiras",
                    "Travessa do Ouvidor",
                ],
                &[", 1^#", ", ^##", ", nº ^#"],
                &["", ", Apto ^#", " - Bela Vista", " - Centro", ", Bairro Floresta"],
                &[" - São Paulo", ", Rio de Janeiro", ", Belo Horizonte", " - Curitiba"],
                &[" - SP", " - RJ", "/PR", ", MG"],
                &[", 0^###-###", ", CEP ^0###-0##", ""],
            ],
        ),
        (
            &[
                "O pacote foi para {} por engano.",
                "Endereço de entrega: {}",
                "I live at {} now.",
                "Mande a nota para {}.",
                "\"address\": \"{}\"",
                "Nossa sede fica na {}.",
                "| matriz | {} |",
            ],
            &[
                &[
                    "Rua Oscar Freire",
                    "Av. Atlântica",
                    "Avenida Sete de Setembro",
                    "Rua dos Andradas",
                    "Alameda Santos",
                ],
                &[", 2^#", ", 1^##", ", n. ^##"],
                &[", casa ^", ", Ap. ^0^", " - Jardins", " - Copacabana", ", sala ^#"],
                &[" - Salvador", ", Porto Alegre", ", Recife", " - Fortaleza"],
                &[" - BA", " - RS", "/PE", ", CE"],
                &[", 4^###-###", ", CEP: ^1###-1##", " - ^2###-2##"],
            ],
        ),
    ),
    class(
        Kind::Address,
        "cs",
        any,
        (
            &[
                "Moje adresa je {}.",
                "Adresa: {}",
                "Please ship it to {} next week.",
                "Bydlíme na adrese {}, druhé patro",
                "{\"adresa\": \"{}\"}",
                "sídlo: {}",
            ],
            &[
                &["Nádražní", "Národní třída", "Na Příkopě", "Pod Lipami", "Masarykova", "nám. Svobody"],
                &[" ^#", " 1^#/^", " ^##/1#"],
                &[", 110 00", ", 6^2 00", ", 30^ 00"],
                &[" Praha 1", " Brno", " Plzeň", " Praha"],
            ],
        ),
        (
            &[
                "Zásilka šla na {} omylem.",
                "Doručit na: {}",
                "I live at {} now.",
                "Nová adresa naší firmy: {}.",
                "\"address\": \"{}\"",
                "| sklad | {} |",
            ],
            &[
                &["Jiráskova", "Vinohradská třída", "U Stadionu", "Ke Hradu", "Husova", "náměstí Míru"],
                &[" 2#", " 2^#/^^", " ^^#/2"],
                &[", 120 00", ", 7^3 01", ", 37^ 01"],
                &[" Praha 2", " Ostrava", " České Budějovice", " Olomouc"],
            ],
        ),
    ),
    class(
        Kind::Address,
        "hu",
        any,
        (
            &[
                "A címem {}.",
                "Cím: {}",
                "Please ship it to {} next week.",
                "Kérem ide küldeni: {}",
                "{\"cim\": \"{}\"}",
                "székhely: {}",
            ],
            &[
                &["1051 Budapest", "6720 Szeged", "4024 Debrecen", "1137 Budapest"],
                &[
                    ", Petőfi utca",
                    ", Kossuth Lajos u.",
                    ", Szent István körút",
                    ", Fő tér",
                    ", Bartók Béla út",
                ],
                &[" ^.", " ^#.", " ^#. 2. em. ^.", " ^#"],
            ],
        ),
        (
            &[
                "A csomag ide érkezett: {}, tévedésből.",
                "Szállítási cím: {}",
                "I live at {} now.",
                "Irodánk címe {}.",
                "\"address\": \"{}\"",
                "| raktár | {} |",
            ],
            &[
                &["1061 Budapest", "7621 Pécs", "9022 Győr", "3525 Miskolc"],
                &[
                    ", Arany János utca",
                    ", Rákóczi u.",
                    ", Teréz körút",
                    ", Dózsa György tér",
                    ", Andrássy út",
                ],
                &[" 1^.", " 2^", " 3#. fszt. ^.", " 4#/B"],
            ],
        ),
    ),
];
