//! Names of settings that hold secrets: variables of an environment, headers, options of a command and parameters of a
//! URL. Unlike a word in a text, such a name says what its value is, so short words such as `key` and `pin` count too.

use super::secret_name::Name;

/// Words that name a secret, as a part of a name of their own: `X-Auth`, `SSH_KEY_ID`, `sessionCookie`.
const WORDS: [&str; 31] = [
    "keys",
    "secrets",
    "passwords",
    "apikeys",
    "cred",
    "creds",
    "pat",
    "pw",
    "psw",
    "pswd",
    "pin",
    "otp",
    "totp",
    "jwt",
    "jwe",
    "psk",
    "sas",
    "sig",
    "signature",
    "hmac",
    "dsn",
    "salt",
    "seed",
    "mnemonic",
    "authentication",
    "cookie",
    "cookies",
    "session",
    "sessionid",
    "passcode",
    "passkey",
];
/// Words that name a secret where a part of a name ends with them, as in `SSHKEY` and `PROXYAUTH`.
const ENDINGS: [&str; 4] = ["key", "auth", "jwt", "creds"];
/// Words with such an ending that name something else.
const OTHERS: [&str; 12] = [
    "donkey",
    "hockey",
    "hotkey",
    "jockey",
    "monkey",
    "oauth",
    "publickey",
    "primarykey",
    "foreignkey",
    "partitionkey",
    "turkey",
    "whiskey",
];
/// A name of two words that is no secret by either word alone.
const PHRASE: &str = "connectionstring";

/// Returns whether the name of a setting says that its value is a secret: `DB_PASS`, `ACCESSTOKEN`, `X-Api-Key`.
///
/// A part of a name is what stands between two signs, or between a small letter and a capital. Digits at the end of a
/// part are ignored, and what follows a secret's name may say more about it: `API_TOKEN_2`, `PASSWORD_PROD`.
///
/// ```
/// use mcp_sieve_redact::secrets::names_secret;
///
/// assert!(names_secret("DB_PASS") && names_secret("X-Api-Key"));
/// assert!(!names_secret("DB_HOST"));
/// ```
pub fn names_secret(name: &str) -> bool {
    let mut joined = String::with_capacity(name.len());
    parts(name).any(|part| {
        joined.push_str(&part);
        let word = part.as_str();
        let ends = ENDINGS.iter().any(|ending| word.ends_with(ending)) && !OTHERS.contains(&word);
        ends || WORDS.contains(&word) || joined.ends_with(PHRASE) || Name::read(joined.as_bytes()).is_some()
    })
}

/// Returns the parts of a name, in small letters and without the digits at their ends.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let ends = |before: char, after: char| {
        !before.is_alphanumeric()
            || !after.is_alphanumeric()
            || (before.is_lowercase() || before.is_ascii_digit()) && after.is_uppercase()
    };
    let mut all = vec![String::new()];
    let mut last = ' ';
    for c in name.chars() {
        if ends(last, c) {
            all.push(String::new());
        }
        if let Some(part) = all.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
        last = c;
    }
    all.into_iter()
        .map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned())
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::names_secret;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        let secret = "PGPASSWORD DB_PASS SMTP_PASS GPG_PASSPHRASE PRIVATEKEY ACCESSTOKEN JWT PIN MYSQL_PWD \
            REDISCLI_AUTH API_KEY APIKEY apiKey X-Api-Key api_key Authorization Proxy-Authorization Cookie \
            X-Auth-Token authToken AuthJWT SSHKEY deployKey SSH_KEY_PATH AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID \
            CLIENTSECRET clientSecret OTP TOTP_SECRET SSH_PASSPHRASE KEYPASS STOREPASS DB_PASSWORD_2 PASSWORD1 \
            TOKEN2 DB_PW CREDS GOOGLE_CREDENTIALS SESSIONID session_id GITHUB_PAT SAS_TOKEN CONNECTION_STRING \
            AzureConnectionString SENTRY_DSN SIGNATURE sig --api-key --token -p-password MNEMONIC \
            WALLET_SEED MOTDEPASSE passwort contraseña hasło SECRETS PASSWD PASSCODE SECRET_KEY_BASE HMAC \
            key token secret password pat pwd session auth bearer";
        for name in secret.split_whitespace() {
            assert!(names_secret(name), "{name}");
        }
    }

    #[test]
    fn other_names_hold_no_secret() {
        let other = "REGION HOME PATH NODE_ENV PORT HOST X-Team MAX_TOKENS --max-tokens PINNED SPINNER SHOPPING \
            MONKEY TURKEY HOTKEY BYPASS OVERPASS_URL COMPASS_MODE TRESPASS OAUTH_ISSUER PATTERN PATHS SESSIONS_DIR \
            AUTHOR KEYBOARD Content-Type User-Agent Accept LOG_LEVEL tokenizer secretary JWTS_OFF PUBLICKEY \
            SALTED URL DATABASE_URL base_url x";
        for name in other.split_whitespace() {
            assert!(!names_secret(name), "{name}");
        }
        assert!(!names_secret("") && !names_secret("___") && !names_secret("12"));
    }
}
