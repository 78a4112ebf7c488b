//! Webhook URLs. They are secrets, because the URL is all that is needed to post to it.

use crate::{
    scan::bytes::{at, before, end_of},
    secrets::{
        rules::SecretMatch,
        secret_value::{is_random, is_uuid},
    },
};

/// Maximum length of a host and of a path, in bytes.
const HOST: usize = 128;
const PATH: usize = 512;
/// Minimum length of the secret after a known path, in bytes.
const MIN_SECRET: usize = 10;

/// The ends of hosts, and the paths that a secret follows.
const HOOKS: [(&[u8], &[u8]); 11] = [
    (b"hooks.slack.com", b"/services/"),
    (b"hooks.slack.com", b"/workflows/"),
    (b"hooks.slack.com", b"/triggers/"),
    (b"discord.com", b"/api/webhooks/"),
    (b"discordapp.com", b"/api/webhooks/"),
    (b".webhook.office.com", b"/webhookb2/"),
    (b"outlook.office.com", b"/webhook/"),
    (b"outlook.office365.com", b"/webhook/"),
    (b"hooks.zapier.com", b"/hooks/catch/"),
    (b".make.com", b"/"),
    (b"open.feishu.cn", b"/open-apis/bot/v2/hook/"),
];

/// The segments of other paths after which a random segment is a secret.
const SEGMENTS: [&[u8]; 4] = [b"hook", b"hooks", b"webhook", b"webhooks"];

/// Finds the secret in the path of the URL around the `://` at a position.
pub(crate) fn webhook(bytes: &[u8], place: usize) -> SecretMatch {
    if at(bytes, place + 1) != b'/'
        || at(bytes, place + 2) != b'/'
        || !matches!(before(bytes, place, 1), b's' | b'S')
    {
        return None;
    }
    let start = place + 3;
    let host_end =
        end_of(bytes, start, HOST, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let host = bytes.get(start..host_end)?;
    let path_start = end_of(bytes, host_end, 6, |byte| byte == b':' || byte.is_ascii_digit());
    let url = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~%@+".contains(&byte);
    let mut end = end_of(bytes, path_start, PATH, url);
    while matches!(before(bytes, end, 1), b'.' | b'/') && end > path_start {
        end -= 1;
    }
    let path = bytes.get(path_start..end)?;
    for (known, prefix) in HOOKS {
        let Some(rest) = path.strip_prefix(prefix) else { continue };
        let make = prefix != b"/" || host.starts_with(b"hook.");
        if make && host.ends_with(known) && rest.len() >= MIN_SECRET && rest.iter().any(u8::is_ascii_digit) {
            return Some(("webhook-url", end - rest.len(), end));
        }
    }
    let (mut place, mut hook) = (path_start, false);
    for segment in path.split(|byte| *byte == b'/') {
        if hook && (is_random(segment) || is_uuid(segment)) {
            return Some(("webhook-url", place, place + segment.len()));
        }
        hook |= SEGMENTS.contains(&segment);
        place += segment.len() + 1;
    }
    None
}
