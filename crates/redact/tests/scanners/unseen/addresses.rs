//! Postal addresses with town and postcode, in the order of their country.

use mcp_sieve_redact::Kind;

use super::{checks::any, class};
use crate::corpus::Class;

/// Sentences in English in which any address can stand.
const TUNING: &[&str] = &[
    "Please send it to {}.",
    "I moved, my new address is {}",
    "Address: {}",
    "{\"shipTo\": \"{}\"}",
    "Deliver to: {}\nBefore noon",
    "We live at {}, ground floor.",
    "| office | {} |",
    "visit us: {}",
];
const JUDGING: &[&str] = &[
    "The parcel went to {} by mistake.",
    "billing address = {}",
    "Home address: {}\nPlease ring twice",
    "our shop is at {} and opens at nine",
    "<address>{}</address>",
    "\"address\": \"{}\",",
    "Could you pick it up from {}?",
    "Where: {}",
];

const fn address(
    language: &'static str,
    tuning: &'static [&'static [&'static str]],
    judging: &'static [&'static [&'static str]],
) -> Class {
    class(Kind::Address, language, any, (TUNING, tuning), (JUDGING, judging))
}

pub const CLASSES: &[Class] = &[
    address(
        "en-US",
        &[
            &["^## ", "^### ", "^# "],
            &["Maple Avenue", "W 42nd St", "Old Mill Road", "Peachtree Blvd", "N Lakeview Dr"],
            &[
                ", Springfield, IL 62###",
                ", New York, NY 100##",
                ", Apt 4B, Austin, TX 787##",
                "\nDenver, CO 802##",
            ],
        ],
        &[
            &["^#### ", "2^# ", "9## "],
            &["Sycamore Lane", "E 7th Ave", "Harbor View Ct", "Lincoln Pkwy", "Cedar Ridge Way"],
            &[
                ", Portland, OR 972##",
                ", Boston, MA 021##-####",
                ", Unit 12, Reno, NV 895##",
                "\nTampa FL 336##",
            ],
        ],
    ),
    address(
        "en-GB",
        &[
            &["^ ", "^# ", "Flat 2, ^# "],
            &["Church Lane", "Station Road", "The Crescent", "Albert Terrace", "Mill Hill"],
            &[", Leeds LS^ ^AB", ", Bristol, BS^ 4QT", "\nYork\nYO1 7HH", ", London SW1A 2AA"],
        ],
        &[
            &["1## ", "3^ ", "^a "],
            &["Victoria Street", "Kings Avenue", "Orchard Close", "Elm Grove", "Castle Gate"],
            &[", Cardiff CF1^ 3NP", ", Glasgow, G1^ 8QQ", "\nNorwich\nNR2 4SX", ", London N1^ 5LS"],
        ],
    ),
    address(
        "en-CA",
        &[
            &["^## ", "^# "],
            &["Rue Sherbrooke Ouest", "Queen Street West", "Portage Avenue", "Jasper Ave"],
            &[", Toronto, ON M5V 2T6", ", Winnipeg, MB R3C 0A5", ", Montréal, QC H3A 1G1"],
        ],
        &[
            &["^### ", "2## "],
            &["Robson Street", "Barrington Street", "Chemin Sainte-Foy", "Wellington Crescent"],
            &[", Vancouver, BC V6E 1B9", ", Halifax, NS B3J 3K5", ", Québec QC G1V 2M2"],
        ],
    ),
    address(
        "en-AU",
        &[
            &["^# ", "Unit ^, 1# "],
            &["Wattle Street", "Bourke Road", "Esplanade"],
            &[", Newtown NSW 2042", ", Carlton VIC 3053", ", Fremantle, WA 6160"],
        ],
        &[
            &["2## ", "^/4# "],
            &["Jacaranda Avenue", "Collins Street", "Marine Parade"],
            &[", Paddington QLD 4064", ", Hobart TAS 7000", ", Glenelg, SA 5045"],
        ],
    ),
    address(
        "en-IE",
        &[
            &["^# "],
            &["Grafton Street", "Patrick's Quay", "Eyre Square"],
            &[", Dublin 2, D02 X285", ", Cork, T12 W8KP", ", Galway H91 KT73"],
        ],
        &[
            &["1## "],
            &["O'Connell Street", "Merchants Road", "Strand Avenue"],
            &[", Limerick, V94 T28R", ", Dublin 8, D08 XY00", ", Waterford X91 PK15"],
        ],
    ),
    address(
        "de-DE",
        &[
            &["Goethestraße ", "Am alten Markt ", "Lindenallee ", "Müllerstr. ", "Kirchweg "],
            &["^", "^#", "1^a"],
            &[", 10^^5 Berlin", ", 50667 Köln", "\n80331 München", ", D-20095 Hamburg"],
        ],
        &[
            &["Schillerplatz ", "Unter den Eichen ", "Bahnhofstr. ", "Rosengasse ", "Hauptstraße "],
            &["2^", "1##", "^ b"],
            &[", 04109 Leipzig", ", 7017^ Stuttgart", "\n40213 Düsseldorf", ", 99084 Erfurt"],
        ],
    ),
    address(
        "de-AT, de-CH",
        &[
            &["Mariahilfer Straße ", "Bahnhofstrasse ", "Getreidegasse "],
            &["^", "^#"],
            &[", 1060 Wien", ", 8001 Zürich", ", A-5020 Salzburg"],
        ],
        &[
            &["Landstraßer Hauptstraße ", "Seestrasse ", "Kramgasse "],
            &["1##", "2^"],
            &[", 1030 Wien", ", CH-3011 Bern", ", 6020 Innsbruck"],
        ],
    ),
    address(
        "fr-FR, fr-BE",
        &[
            &["^ ", "^# ", "1^ bis, "],
            &["rue de la République", "avenue Victor-Hugo", "place du Marché", "chemin des Lilas"],
            &[", 69002 Lyon", ", 75011 Paris", "\n33000 Bordeaux", ", 1050 Bruxelles"],
        ],
        &[
            &["1## ", "2^, ", "^ ter "],
            &["boulevard Voltaire", "rue Saint-Honoré", "quai d'Orsay", "allée des Tilleuls"],
            &[", 31000 Toulouse", ", 75008 PARIS", "\n44000 Nantes Cedex", ", 4000 Liège"],
        ],
    ),
    address(
        "es",
        &[
            &["Calle Mayor ", "C/ de Alcalá, ", "Avenida de América, ", "Plaza de España "],
            &["^", "^#", "1^, 3º B"],
            &[", 28013 Madrid", ", 08002 Barcelona", "\n41001 Sevilla"],
        ],
        &[
            &["Paseo de Gracia, ", "Gran Vía ", "Av. de la Constitución, ", "Ronda Sant Pere "],
            &["2^", "1##", "^, bajo izda."],
            &[", 46002 Valencia", ", 48009 Bilbao", "\n29015 Málaga"],
        ],
    ),
    address(
        "it",
        &[
            &["Via Garibaldi ", "Corso Vittorio Emanuele II, ", "Piazza San Carlo ", "Viale Trieste "],
            &["^", "^#", "1^/A"],
            &[", 10121 Torino", ", 20121 Milano (MI)", "\n00184 Roma"],
        ],
        &[
            &["Via dei Mille, ", "Largo Augusto ", "Vicolo Stretto ", "Via XX Settembre "],
            &["2^", "1##", "^ bis"],
            &[", 40121 Bologna", ", 80133 Napoli NA", "\n50122 Firenze FI"],
        ],
    ),
    address(
        "nl-NL, nl-BE",
        &[
            &["Keizersgracht ", "Dorpsstraat ", "Burgemeester Roëllstraat ", "Meir "],
            &["^", "1##", "^#-II"],
            &[", 1016 AB Amsterdam", ", 3511 LX Utrecht", ", 2000 Antwerpen"],
        ],
        &[
            &["Lange Voorhout ", "Kerkweg ", "Van Heutszlaan ", "Veldstraat "],
            &["2^", "3##", "^ hs"],
            &[", 2514EE Den Haag", ", 9711 KG Groningen", ", 9000 Gent"],
        ],
    ),
    address(
        "pt-BR",
        &[
            &["Rua das Laranjeiras, ", "Av. Paulista, ", "Travessa do Comércio, "],
            &["^##", "1###, apto 42"],
            &[
                ", Rio de Janeiro - RJ, 22240-00^",
                ", São Paulo - SP, CEP 01310-100",
                " - Centro, Salvador - BA, 40020-000",
            ],
        ],
        &[
            &["Rua Augusta, ", "Avenida Atlântica, ", "Alameda Santos, "],
            &["2##", "^### - bloco B"],
            &[
                ", Belo Horizonte - MG, 30130-0^^",
                ", Curitiba/PR, 80020-310",
                " - Boa Vista, Recife - PE, CEP 50050-900",
            ],
        ],
    ),
    address(
        "pt-PT",
        &[
            &["Rua Augusta, ", "Avenida da Liberdade, ", "Largo do Carmo "],
            &["^", "^#, 2.º Esq."],
            &[", 1100-048 Lisboa", ", 4050-253 Porto", "\n3000-150 Coimbra"],
        ],
        &[
            &["Rua de Santa Catarina, ", "Praça do Comércio ", "Travessa da Boavista, "],
            &["1##", "2^, r/c Dto"],
            &[", 4000-447 Porto", ", 8000-076 Faro", "\n4700-424 Braga"],
        ],
    ),
    address(
        "pl",
        &[
            &["ul. Marszałkowska ", "al. Jerozolimskie ", "ul. Świętego Ducha ", "os. Słoneczne "],
            &["^", "^#/4", "1^ m. 7"],
            &[", 00-624 Warszawa", ", 31-0^^ Kraków", "\n80-834 Gdańsk"],
        ],
        &[
            &["ul. Piotrkowska ", "pl. Wolności ", "ulica Długa ", "al. Niepodległości "],
            &["1##", "2^ lok. 3", "^a"],
            &[", 90-0^^ Łódź", ", 61-738 Poznań", "\n50-071 Wrocław"],
        ],
    ),
    address(
        "sv",
        &[
            &["Storgatan ", "Drottninggatan ", "Kyrkvägen "],
            &["^", "^# B"],
            &[", 111 51 Stockholm", ", 413 0^ Göteborg", "\n211 42 Malmö"],
        ],
        &[
            &["Vasagatan ", "Odenplan ", "Skolgränd "],
            &["1##", "2^, lgh 1102"],
            &[", 753 20 Uppsala", ", SE-903 26 Umeå", "\n582 24 Linköping"],
        ],
    ),
    address(
        "no, da",
        &[
            &["Karl Johans gate ", "Strøget ", "Kirkeveien ", "Nørrebrogade "],
            &["^", "^#"],
            &[", 0154 Oslo", ", 1160 København K", ", 5014 Bergen"],
        ],
        &[
            &["Storgata ", "Vestergade ", "Fjordveien ", "Jernbane Allé "],
            &["2^", "1##, 3. tv."],
            &[", 7011 Trondheim", ", 8000 Aarhus C", ", 4006 Stavanger"],
        ],
    ),
    address(
        "fi",
        &[&["Mannerheimintie ", "Hämeenkatu "], &["^", "^# A 4"], &[", 00100 Helsinki", ", 33100 Tampere"]],
        &[&["Aleksanterinkatu ", "Rantatie "], &["1^", "2# B 12"], &[", 20100 Turku", ", 90100 Oulu"]],
    ),
    address(
        "cs, hu",
        &[
            &["Václavské náměstí ", "Kossuth Lajos utca "],
            &["^", "^#"],
            &[", 110 00 Praha 1", ", 1053 Budapest"],
        ],
        &[&["Masarykova ", "Petőfi Sándor utca "], &["1^", "2#"], &[", 602 00 Brno", ", 6720 Szeged"]],
    ),
];
