//! Tokens that say by their beginning who gave them out.

/// The characters of a token behind its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharSet {
    Hex,
    Capitals,
    /// Capitals and the digits from 2 to 7.
    Base32,
    Alnum,
    /// Letters, digits, `_` and `-`.
    Url,
    /// And `.`, `+` and `/`.
    Any,
}

impl CharSet {
    pub fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'),
            Self::Capitals => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Base32 => matches!(byte, b'2'..=b'7' | b'A'..=b'Z'),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Any => byte.is_ascii_alphanumeric() || b"_-.+/".contains(&byte),
        }
    }
}

/// The name of a rule, and where the secret that it found starts and ends.
pub(crate) type SecretMatch = Option<(&'static str, usize, usize)>;

/// A kind of token: its name, its beginnings, and what follows them, least and most.
pub(crate) struct Rule {
    pub name: &'static str,
    pub prefixes: &'static str,
    pub chars: CharSet,
    pub min_length: usize,
    pub max_length: usize,
}

const fn rule(
    name: &'static str,
    prefixes: &'static str,
    chars: CharSet,
    min_length: usize,
    max_length: usize,
) -> Rule {
    Rule { name, prefixes, chars, min_length, max_length }
}

use CharSet::{Alnum, Any, Base32, Capitals, Hex, Url};

pub(crate) const RULES: &[Rule] = &[
    rule("aws-access-key", "AKIA ASIA ABIA ACCA", Base32, 16, 16),
    rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", Alnum, 36, 255),
    rule("github-token", "ghs_", Any, 40, 4096),
    rule("github-token", "github_pat_", Url, 40, 255),
    rule("gitlab-token", "glpat- glptt- gldt- glrt- glsoat- glft- glcbt- glagent- gloas-", Url, 20, 128),
    rule("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe.xoxp- xapp-", Url, 20, 255),
    rule("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", Any, 16, 255),
    rule("google-api-key", "AIza", Url, 35, 35),
    rule("google-oauth", "GOCSPX-", Url, 24, 40),
    rule("google-oauth", "ya29.", Any, 30, 1024),
    rule("anthropic-key", "sk-ant-", Url, 24, 255),
    rule("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", Url, 24, 255),
    rule("openrouter-key", "sk-or-", Url, 24, 255),
    rule("openai-key", "sk-", Alnum, 32, 64),
    rule("npm-token", "npm_", Alnum, 36, 36),
    rule("pypi-token", "pypi-", Url, 50, 512),
    rule("sendgrid-key", "SG.", Any, 50, 80),
    rule("twilio-key", "SK", Hex, 32, 32),
    rule("mailgun-key", "key-", Hex, 32, 32),
    rule("shopify-token", "shpat_ shpss_ shpca_ shppa_", Alnum, 32, 64),
    rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", Hex, 64, 64),
    rule("huggingface-token", "hf_ api_org_", Alnum, 30, 40),
    rule("databricks-token", "dapi", Hex, 32, 34),
    rule("linear-key", "lin_api_ lin_oauth_", Alnum, 32, 64),
    rule("notion-token", "ntn_ secret_", Alnum, 40, 50),
    rule("figma-token", "figd_", Url, 36, 64),
    rule("vault-token", "hvs. hvb. hvr.", Url, 24, 255),
    rule("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", Any, 40, 64),
    rule("age-key", "AGE-SECRET-KEY-1", Capitals, 58, 58),
    rule("atlassian-token", "ATATT3 ATCTT3", Any, 60, 255),
    rule("bitbucket-token", "ATBB", Alnum, 24, 64),
    rule("grafana-token", "glsa_ glc_", Any, 32, 400),
    rule("newrelic-key", "NRAK- NRII- NRJS-", Any, 19, 40),
    rule("postman-key", "PMAK-", Hex, 50, 64),
    rule("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", Any, 32, 64),
    rule("pulumi-token", "pul-", Hex, 40, 40),
    rule("rubygems-key", "rubygems_", Hex, 48, 48),
    rule("sentry-token", "sntrys_ sntryu_", Any, 40, 400),
    rule("supabase-token", "sbp_ sb_secret_", Url, 30, 64),
    rule("netlify-token", "nfp_", Alnum, 36, 40),
    rule("fly-token", "fo1_ fm1r_ fm2_", Any, 40, 1024),
    rule("docker-token", "dckr_pat_ dckr_oat_", Url, 27, 64),
    rule("dropbox-token", "sl.", Url, 100, 1024),
    rule("airtable-token", "pat", Any, 79, 79),
    rule("facebook-token", "EAAC EAAB EAAG EAAM", Alnum, 60, 400),
    rule("alibaba-key", "LTAI", Alnum, 16, 24),
    rule("tencent-key", "AKID", Alnum, 32, 32),
    rule("groq-key", "gsk_", Alnum, 40, 60),
    rule("replicate-token", "r8_", Alnum, 37, 40),
    rule("xai-key", "xai-", Alnum, 60, 100),
    rule("perplexity-key", "pplx-", Alnum, 40, 64),
    rule("square-token", "sq0atp- sq0csp- sq0idp-", Url, 22, 64),
    rule("adafruit-key", "aio_", Alnum, 28, 28),
    rule("heroku-key", "HRKU-", Url, 36, 80),
    rule("artifactory-token", "AKCp", Alnum, 60, 80),
    rule("crates-token", "cio", Alnum, 32, 32),
    rule("json-web-token", "eyJ", Any, 40, 4096),
];
