//! Names of people in seven languages besides English.

use mcp_sieve_redact::Kind;

use super::{checks::any, class};
use crate::corpus::Class;

pub const CLASSES: &[Class] = &[
    class(
        Kind::Person,
        "de",
        any,
        (
            &[
                "Guten Tag, mein Name ist {}.",
                "Mit freundlichen Grüßen\n{}\nVertrieb",
                "Ich heiße {} und wohne im dritten Stock.",
                "Ansprechpartner: {}",
                "Sehr geehrter {},",
                "Bitte leiten Sie das an {} weiter.",
                "Name: {}\nAbteilung: Einkauf",
                "Gestern hat {} bei uns angerufen.",
            ],
            &[
                &["Jürgen ", "Annegret ", "Frau Dr. ", "Herr ", "Ötzan ", "Wiebke "],
                &["Schäfer", "von Arnim", "Großkopf", "Müller-Lüdenscheidt", "Yıldırım", "Pfeiffer"],
            ],
        ),
        (
            &[
                "Hallo, ich bin {} aus Bremen.",
                "Viele Grüße\n{}",
                "Der Vertrag läuft auf {}.",
                "Kunde: {}",
                "Sehr geehrte {},",
                "Könnten Sie {} bitte zurückrufen?",
                "Nachname, Vorname: {}",
                "Termin mit {} um 14 Uhr",
            ],
            &[
                &["Käthe ", "Hans-Peter ", "Frau ", "Herr Prof. ", "Ümit ", "Friedhelm "],
                &["Böttcher", "zu Guttenberg", "Weißhaupt", "Krämer-Vogt", "Öztürk", "Zimmerling"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "fr",
        any,
        (
            &[
                "Bonjour, je m'appelle {} et je souhaite annuler.",
                "Cordialement,\n{}\nService clients",
                "Nom : {}",
                "Merci de transmettre à {}.",
                "Mon nom est {}.",
                "Le dossier de {} est complet.",
                "Contact : {} (comptabilité)",
                "J'ai parlé avec {} hier.",
            ],
            &[
                &["Éloïse ", "Jean-Baptiste ", "Mme ", "M. ", "Aïcha ", "Thibault "],
                &["Lefèvre", "de La Tour", "D'Alembert", "Benkacem", "Côté", "Rousselet"],
            ],
        ),
        (
            &[
                "Bonsoir, je suis {} du bâtiment B.",
                "Bien à vous,\n{}",
                "Nom et prénom : {}",
                "Rendez-vous avec {} à 15 h",
                "Moi c\u{2019}est {}, enchantée.",
                "La facture est au nom de {}.",
                "Chère {},",
                "Pourriez-vous rappeler {} ?",
            ],
            &[
                &["Maëlle ", "Anne-Sophie ", "Madame ", "Monsieur ", "Ousmane ", "Gaëtan "],
                &["Guérin", "du Plessis", "L\u{2019}Hermitte", "Belkacem", "Bélanger", "Marchandeau"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "es",
        any,
        (
            &[
                "Hola, me llamo {} y no puedo entrar.",
                "Saludos,\n{}\nAtención al cliente",
                "Nombre: {}",
                "Mi nombre es {}.",
                "Ayer hablé con {} por teléfono.",
                "El paciente {} llegó tarde.",
                "Estimado {}:",
                "Responsable: {} (ventas)",
            ],
            &[
                &["Íñigo ", "María José ", "Sr. ", "Dña. ", "Lucía ", "Ezequiel "],
                &["Núñez Ortega", "de la Fuente", "Ibáñez", "Quispe Mamani", "Peñalver", "Zubizarreta"],
            ],
        ),
        (
            &[
                "Buenas tardes, soy {} del cuarto piso.",
                "Un saludo,\n{}",
                "Nombre y apellidos: {}",
                "La factura va a nombre de {}.",
                "Cita con {} a las cinco",
                "¿Puede avisar a {}?",
                "Estimada {}:",
                "Firmado: {}",
            ],
            &[
                &["Álvaro ", "Ana Belén ", "Sra. ", "Don ", "Rocío ", "Anselmo "],
                &["Muñoz Aguilar", "del Castillo", "Cármenes", "Huamán Flores", "Ordóñez", "Etxeberria"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "it",
        any,
        (
            &[
                "Buongiorno, mi chiamo {} e ho un problema.",
                "Cordiali saluti\n{}\nUfficio acquisti",
                "Nome: {}",
                "Il mio nome è {}.",
                "Ho parlato con {} ieri mattina.",
                "Gentile {},",
                "Referente: {}",
                "La pratica di {} è chiusa.",
            ],
            &[
                &["Niccolò ", "Maria Teresa ", "Sig. ", "Dott.ssa ", "Ilenia ", "Ettore "],
                &["Dell'Acqua", "De Santis", "Brambilla", "Lo Presti", "Fumagalli", "Zanardi"],
            ],
        ),
        (
            &[
                "Salve, sono {} del secondo piano.",
                "Distinti saluti,\n{}",
                "Nome e cognome: {}",
                "La fattura è intestata a {}.",
                "Appuntamento con {} alle tre",
                "Può avvisare {}?",
                "Egregio {},",
                "Firmato: {}",
            ],
            &[
                &["Donà ", "Anna Chiara ", "Sig.ra ", "Dott. ", "Fiorenza ", "Corrado "],
                &[
                    "D\u{2019}Ambrosio",
                    "Della Valle",
                    "Cattaneo",
                    "Lo Giudice",
                    "Pellegrinelli",
                    "Bevilacqua",
                ],
            ],
        ),
    ),
    class(
        Kind::Person,
        "nl",
        any,
        (
            &[
                "Hallo, mijn naam is {} en ik heb een vraag.",
                "Met vriendelijke groet,\n{}\nKlantenservice",
                "Naam: {}",
                "Ik heet {}.",
                "Gisteren sprak ik met {} van de afdeling.",
                "Beste {},",
                "Contactpersoon: {}",
                "De afspraak van {} is verzet.",
            ],
            &[
                &["Sjoerd ", "Anouk ", "Dhr. ", "Mevr. ", "Floris ", "Roos "],
                &["van den Heuvel", "'t Hart", "de Vries", "Hoekstra", "ten Brinke", "Bouazza"],
            ],
        ),
        (
            &[
                "Goedemiddag, ik ben {} van nummer 12.",
                "Groetjes,\n{}",
                "Voor- en achternaam: {}",
                "De factuur staat op naam van {}.",
                "Afspraak met {} om drie uur",
                "Kunt u {} terugbellen?",
                "Geachte {},",
                "Getekend: {}",
            ],
            &[
                &["Teun ", "Marijke ", "Meneer ", "Mevrouw ", "Joost ", "Fenna "],
                &["van der Meulen", "in 't Veld", "de Graaf", "Dijkstra", "op den Camp", "El Amrani"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "pt",
        any,
        (
            &[
                "Olá, meu nome é {} e preciso de ajuda.",
                "Atenciosamente,\n{}\nSuporte",
                "Nome: {}",
                "Chamo-me {}.",
                "Ontem falei com {} ao telefone.",
                "Prezado {},",
                "Responsável: {}",
                "O pedido de {} chegou.",
            ],
            &[
                &["João ", "Maria da Graça ", "Sr. ", "Dra. ", "Thaís ", "Wesley "],
                &["Gonçalves", "dos Santos", "Magalhães", "Cavalcanti", "de Souza", "Brandão"],
            ],
        ),
        (
            &[
                "Boa tarde, sou {} do bloco C.",
                "Com os melhores cumprimentos,\n{}",
                "Nome completo: {}",
                "A fatura está em nome de {}.",
                "Consulta com {} às três",
                "Pode avisar {}?",
                "Cara {},",
                "Assinado: {}",
            ],
            &[
                &["Antônio ", "Ana Luísa ", "Sra. ", "Dr. ", "Inês ", "Robson "],
                &["Araújo", "da Conceição", "Guimarães", "Albuquerque", "de Lima", "Falcão"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "pl",
        any,
        (
            &[
                "Dzień dobry, nazywam się {} i mam pytanie.",
                "Pozdrawiam,\n{}\nDział obsługi",
                "Imię i nazwisko: {}",
                "Mam na imię {}.",
                "Wczoraj rozmawiałem z panią {}.",
                "Kontakt: {}",
                "Klient: {}",
                "Umowę podpisała {}.",
            ],
            &[
                &["Łucja ", "Zbigniew ", "Święcisława ", "Grzegorz ", "Agnieszka ", "Bożena "],
                &["Wiśniewska", "Brzęczyszczykiewicz", "Dąbek", "Żak", "Kwiatkowska", "Ślusarczyk"],
            ],
        ),
        (
            &[
                "Witam, tu {} z trzeciego piętra.",
                "Z poważaniem\n{}",
                "Nazwisko i imię: {}",
                "Faktura jest na {}.",
                "Spotkanie z {} o piętnastej",
                "Proszę o telefon do {}.",
                "Szanowna Pani {},",
                "Podpisano: {}",
            ],
            &[
                &["Żaneta ", "Mieczysław ", "Ścibor ", "Krzysztof ", "Małgorzata ", "Jadwiga "],
                &["Zielińska", "Chrząszcz", "Gąsior", "Łoś", "Wójcik", "Świątek"],
            ],
        ),
    ),
];
