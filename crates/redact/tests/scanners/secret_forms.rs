//! Secrets that are recognized by their context, with a generated value for each documented form.

use std::collections::BTreeMap;

use mcp_sieve_redact::secrets::Secrets;

use crate::{
    random::Random,
    secret_samples::{DIGITS, HEX, LETTERS, draw},
};

/// Seeds of the half that rules may be tuned with, and of the half that only judges.
const TUNING: u64 = 1 << 20;
const JUDGING: u64 = 1 << 40;
pub const SAMPLES: u64 = 500;

/// Words of which passwords are made: the first half for tuning, the second for judging.
const WORDS: [&str; 64] = [
    "horse", "staple", "battery", "river", "candle", "orange", "winter", "garden", "silver", "monkey",
    "dragon", "purple", "coffee", "guitar", "planet", "rocket", "summer", "turtle", "yellow", "marble",
    "pepper", "sunset", "forest", "copper", "window", "bridge", "ladder", "pillow", "butter", "castle",
    "desert", "engine", "falcon", "gravel", "hammer", "island", "jungle", "kettle", "lemon", "mirror",
    "needle", "ocean", "pirate", "quartz", "rabbit", "saddle", "tunnel", "umbrella", "violin", "walnut",
    "yogurt", "zebra", "anchor", "basket", "cactus", "dolphin", "ember", "feather", "glacier", "harvest",
    "iceberg", "jasmine", "lantern", "meadow",
];

const NAMES: [&str; 6] = ["jane", "root", "app", "deploy", "svc_backup", "j.smith"];
const HOSTS: [&str; 5] = ["db.example.com", "10.0.0.7", "cache", "mail.example.org", "cluster0.example.net"];
const PASSWORD_NAMES: [&str; 6] =
    ["password", "db_password", "Password", "smtp.passwd", "userPwd", "MYSQL_PASSWORD"];
const KEY_NAMES: [&str; 8] = [
    "api_key",
    "apiKey",
    "client_secret",
    "access_token",
    "AUTH_TOKEN",
    "aws_secret_access_key",
    "secretKey",
    "API key",
];

/// What draws values, in one of the halves.
struct Values<'r> {
    random: &'r mut Random,
    judging: bool,
}

impl Values<'_> {
    fn word(&mut self) -> &'static str {
        let (tuning, judging) = WORDS.split_at(WORDS.len() / 2);
        self.random.pick::<&str>(if self.judging { judging } else { tuning })
    }

    fn words(&mut self) -> String {
        loop {
            let words: String = (0..2 + self.random.below(2)).map(|_| self.word()).collect();
            if words.len() >= 10 {
                return words;
            }
        }
    }

    /// A password with letters, digits and `signs`, of 8 to 24 characters.
    fn drawn(&mut self, signs: &[u8]) -> String {
        let length = 8 + self.random.below(17);
        let alphabet = [LETTERS, signs].concat();
        draw(self.random, &alphabet, length)
    }

    /// What people use: words, words with a number, or drawn.
    fn password(&mut self, signs: &[u8]) -> String {
        match self.random.below(3) {
            0 => self.words(),
            1 => format!("{}{}", self.words(), 10 + self.random.below(90)),
            _ => self.drawn(signs),
        }
    }

    fn key(&mut self) -> String {
        let length = 24 + self.random.below(24);
        match self.random.below(3) {
            0 => draw(self.random, HEX, 2 * (length / 2)),
            1 => draw(self.random, LETTERS, length),
            _ => draw(self.random, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 40),
        }
    }

    fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|length| draw(self.random, HEX, length)).join("-")
    }

    fn user(&mut self) -> &'static str {
        self.random.pick::<&str>(&NAMES)
    }

    fn host(&mut self) -> &'static str {
        self.random.pick::<&str>(&HOSTS)
    }
}

/// A text with `⟦` and `⟧` around its secret.
type Form = fn(&mut Values<'_>) -> String;

const FORMS: &[(&str, Form)] = &[
    ("netrc", |v| format!("machine {} login {} password ⟦{}⟧\n", v.host(), v.user(), v.password(b"!%+"))),
    ("netrc in lines", |v| {
        format!("machine {}\n  login {}\n  password ⟦{}⟧\n", v.host(), v.user(), v.password(b"!%+"))
    }),
    ("--password", |v| {
        let number = 10 + v.random.below(90);
        format!("pg_dump --host {} --password ⟦{}{number}⟧ --verbose", v.host(), v.word())
    }),
    ("--token", |v| format!("deploy --token ⟦{}⟧ --prod", v.key())),
    ("mysql -p", |v| format!("mysql -u {} -p⟦{}⟧ shop", v.user(), v.password(b"!%+"))),
    ("sshpass -p", |v| format!("sshpass -p ⟦{}⟧ ssh {}", v.password(b"!%+"), v.host())),
    ("sshpass -p, quoted", |v| format!("sshpass -p '⟦{}⟧' ssh {}", v.password(b"!%+$&*()"), v.host())),
    ("curl -u", |v| format!("curl -s -u {}:⟦{}⟧ https://{}/", v.user(), v.password(b"!%+"), v.host())),
    ("curl --user, quoted", |v| {
        format!("curl --user \"{}:⟦{}⟧\" https://{}/", v.user(), v.password(b"!%+&*()"), v.host())
    }),
    ("YAML", |v| format!("db:\n  user: x\n  {}: ⟦{}⟧\n", v.random.pick(&PASSWORD_NAMES), v.password(b"!%+"))),
    ("YAML, quoted", |v| {
        format!(
            "db:\n  {}: '⟦{}⟧'\n  port: 1\n",
            v.random.pick(&PASSWORD_NAMES),
            v.password(b"!%+&*()[]{},;:=")
        )
    }),
    ("YAML, key", |v| format!("{}: ⟦{}⟧\nregion: x\n", v.random.pick(&KEY_NAMES), v.key())),
    ("INI", |v| format!("[db]\n{} = ⟦{}⟧\n", v.random.pick(&PASSWORD_NAMES), v.password(b"!%+"))),
    ("environment", |v| format!("export DB_PASSWORD=⟦{}⟧\nX=1", v.password(b"!%+"))),
    ("environment, key", |v| format!("X=1\nAPI_TOKEN=⟦{}⟧\n", v.key())),
    ("XML element", |v| format!("<db><password>⟦{}⟧</password></db>", v.password(b"!%+"))),
    ("XML element, key", |v| format!("<apiKey>⟦{}⟧</apiKey>", v.key())),
    ("XML attribute", |v| format!("<db host=\"x\" password=\"⟦{}⟧\"/>", v.password(b"!%+*()[]"))),
    ("XML pair", |v| format!("<add key=\"DbPassword\" value=\"⟦{}⟧\" />", v.password(b"!%+*()[]"))),
    ("JSON", |v| {
        format!("{{\"{}\": \"⟦{}⟧\"}}", v.random.pick(&PASSWORD_NAMES), v.password(b"!%+&*()[]{},;:='"))
    }),
    ("JSON, key", |v| format!("{{\"{}\":\"⟦{}⟧\"}}", v.random.pick(&KEY_NAMES), v.key())),
    ("JSON in JSON", |v| {
        let name = *v.random.pick(&PASSWORD_NAMES);
        format!("{{\"body\":\"{{\\\"{name}\\\":\\\"⟦{}⟧\\\"}}\"}}", v.password(b"!%+&*()[]{},;:="))
    }),
    ("JSON in JSON, key", |v| {
        format!("{{\"body\":\"{{\\\"{}\\\": \\\"⟦{}⟧\\\"}}\"}}", v.random.pick(&KEY_NAMES), v.key())
    }),
    ("JSON pair", |v| {
        format!("{{\"name\": \"DB_PASSWORD\", \"value\": \"⟦{}⟧\"}}", v.password(b"!%+&*()[]{},;:="))
    }),
    ("announced UUID", |v| format!("My {}: ⟦{}⟧.", v.random.pick(&KEY_NAMES), v.uuid())),
    ("announced password", |v| {
        format!("The password is ⟦{}{}⟧, thanks.", v.words(), 10 + v.random.below(90))
    }),
    ("URL", |v| {
        let scheme = *v.random.pick(&[
            "postgresql+asyncpg",
            "mysql",
            "redis",
            "amqps",
            "mongodb+srv",
            "https",
            "sftp",
        ]);
        format!("{scheme}://{}:⟦{}⟧@{}/x", v.user(), v.password(b"!%+*()=&"), v.host())
    }),
    ("URL without a name", |v| format!("redis://:⟦{}⟧@{}:6379/0", v.password(b"!%+"), v.host())),
    ("URL in JSON", |v| format!("\"postgres:\\/\\/{}:⟦{}⟧@{}\\/x\"", v.user(), v.password(b"!%+"), v.host())),
    ("Oracle URL", |v| {
        format!("jdbc:oracle:thin:{}/⟦{}⟧@//{}:1521/x", v.user(), v.password(b"!%+"), v.host())
    }),
    ("connection string", |v| format!("Server=db;User Id=sa;Password=⟦{}⟧;Encrypt=1", v.drawn(b"!%+"))),
    ("Slack webhook", |v| {
        let secret = format!(
            "T{}/B{}/{}",
            draw(v.random, LETTERS, 9),
            draw(v.random, LETTERS, 10),
            draw(v.random, LETTERS, 24)
        );
        format!("post to https://hooks.slack.com/services/⟦{}⟧ now", secret)
    }),
    ("Discord webhook", |v| {
        let secret = format!("{}/{}", draw(v.random, DIGITS, 18), draw(v.random, LETTERS, 68));
        format!("https://discord.com/api/webhooks/⟦{secret}⟧")
    }),
    ("Teams webhook", |v| {
        let secret =
            format!("{}@{}/IncomingWebhook/{}/{}", v.uuid(), v.uuid(), draw(v.random, HEX, 32), v.uuid());
        format!("https://acme.webhook.office.com/webhookb2/⟦{secret}⟧")
    }),
    ("Zapier webhook", |v| {
        let secret = format!(
            "{}/{}",
            draw(v.random, DIGITS, 7),
            draw(v.random, b"abcdefghijklmnopqrstuvwxyz0123456789", 7)
        );
        format!("https://hooks.zapier.com/hooks/catch/⟦{secret}⟧/")
    }),
    ("webhook of any host", |v| {
        let token = draw(v.random, LETTERS, 32);
        format!("https://{}/api/hooks/⟦{token}⟧?x=1", "ci.example.com")
    }),
    ("Bearer", |v| {
        let token = draw(v.random, LETTERS, 40);
        format!("curl -H 'Authorization: Bearer ⟦{token}⟧' https://x.example/")
    }),
    ("Telegram bot", |v| {
        format!("bot ⟦{}:AA{}⟧ runs", 100_000_000 + v.random.below(900_000_000), draw(v.random, LETTERS, 33))
    }),
    ("private key", |v| {
        let lines: Vec<_> = (0..20).map(|_| draw(v.random, LETTERS, 64)).collect();
        format!("x\n⟦-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----⟧\n", lines.join("\n"))
    }),
    ("private key, cut off", |v| {
        let lines: Vec<_> = (0..5).map(|_| draw(v.random, LETTERS, 64)).collect();
        format!("⟦-----BEGIN PRIVATE KEY-----\n{}⟧\n\nAnd so on.", lines.join("\n"))
    }),
];

/// How many samples of each form are found from their first byte to their last, and misses to show.
fn recall(judging: bool) -> (BTreeMap<&'static str, u64>, Vec<String>) {
    let (secrets, mut found, mut missed) = (Secrets::default(), BTreeMap::new(), Vec::new());
    for (number, (name, form)) in FORMS.iter().enumerate() {
        found.insert(*name, 0);
        for seed in 0..SAMPLES {
            let half = if judging { JUDGING } else { TUNING };
            let mut random = Random::new(half + number as u64 * SAMPLES + seed);
            let marked = form(&mut Values { random: &mut random, judging });
            let (start, end) = (marked.find('⟦').unwrap(), marked.find('⟧').unwrap() - '⟦'.len_utf8());
            let text = marked.replace(['⟦', '⟧'], "");
            let held: Vec<_> = secrets.secrets(&text).map(|secret| (secret.start, secret.end)).collect();
            if held == [(start, end)] {
                *found.entry(name).or_default() += 1;
            } else {
                let held: Vec<_> = held.iter().map(|(start, end)| &text[*start..*end]).collect();
                missed.push(format!("{name}: {marked:?}: {held:?}"));
            }
        }
    }
    (found, missed)
}

/// How many samples of each form are found in the tuning and in the judging half.
pub fn both_halves() -> BTreeMap<&'static str, [u64; 2]> {
    let [tuning, judging] = [false, true].map(|judging| recall(judging).0);
    tuning.iter().map(|(name, found)| (*name, [*found, judging[name]])).collect()
}

#[test]
fn secrets_are_found_in_every_form() {
    let (found, missed) = recall(false);
    found.iter().for_each(|(name, found)| println!("tuning: {name}: {found} of {SAMPLES}"));
    missed.iter().for_each(|missed| println!("missed {missed}"));
    // The misses of this half are not shown, so that no rule is made for them.
    let (found, _) = recall(true);
    found.iter().for_each(|(name, found)| println!("judging: {name}: {found} of {SAMPLES}"));
    for (name, found) in &found {
        assert!(found * 100 >= SAMPLES * 98, "{name}: {found} of {SAMPLES}");
    }
    let (found, all) = (found.values().sum::<u64>(), SAMPLES * FORMS.len() as u64);
    println!("judging: {found} of {all}");
}
