//! The kinds of tokens that are known by their prefixes, with their formats as far as these are documented.
//!
//! The rules of the scanner are built from this table, and so are the samples that test them.

/// A kind of token.
pub(crate) struct TokenKind {
    /// Name of the rule.
    pub name: &'static str,
    /// Prefixes, separated by spaces.
    pub prefixes: &'static str,
    /// The parts after the prefix, separated by spaces: `'` and literal text, or the letter of an alphabet and a number
    /// of characters, as in `w36` and `s20-64`.
    ///
    /// | letter | alphabet |
    /// |---|---|
    /// | `d` | `0-9` |
    /// | `x` | `0-9 a-f` |
    /// | `b` | `A-Z 2-7` |
    /// | `u` | `A-Z 0-9` |
    /// | `l` | `a-z 0-9` |
    /// | `w` | `A-Z a-z 0-9` |
    /// | `s` | `A-Z a-z 0-9 _ -` |
    /// | `p` | `A-Z a-z 0-9 + /` |
    pub body: &'static str,
}

const fn kind(name: &'static str, prefixes: &'static str, body: &'static str) -> TokenKind {
    TokenKind { name, prefixes, body }
}

/// The comment at a row names where the format is documented: by its issuer, or "scanners" where only the rules of
/// public scanners and tokens in examples agree. Issuers change formats without notice.
pub(crate) const KINDS: &[TokenKind] = &[
    // IAM User Guide, "Unique identifiers": a prefix and 16 characters of Base32.
    kind("aws-access-key", "AKIA ASIA ABIA ACCA", "b16"),
    // GitHub Blog, "Behind GitHub's new authentication token formats": up to 255 characters.
    kind("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "w36-251"),
    // GitHub changelog: installation tokens that hold a JSON Web Token.
    kind("github-token", "ghs_", "d1-12 '_eyJ s10-1000 '. s10-2000 '. s20-700"),
    // GitHub Docs, fine-grained tokens; a token of 82 characters in examples.
    kind("github-token", "github_pat_", "w22 '_ w59"),
    kind("github-token", "github_pat_", "s82"),
    // GitLab Docs, "Token overview": routable tokens, then those of 20 and more characters.
    kind("gitlab-token", "glpat- glrt- gldt- glcbt-", "s27-300 '. l2 '. l9"),
    kind(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glsoat- glft- glcbt- glagent- gloas- glimt- glffct-",
        "s20-64",
    ),
    // Slack API, "Token types".
    kind("slack-token", "xoxb-", "d10-13 '- d10-13 '- w24"),
    kind("slack-token", "xoxp- xoxe-", "d10-13 '- d10-13 '- d10-13 '- w28-34"),
    kind("slack-token", "xapp-", "d1 '- u9-13 '- d10-13 '- x64"),
    kind("slack-token", "xoxe.xoxp- xoxe.xoxb- xoxe-", "d1 '- w140-170"),
    kind("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs-", "s20-80"),
    // Stripe Docs, "API keys" and "Webhooks".
    kind("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_live_", "w24-107"),
    kind("stripe-key", "whsec_", "p32-44"),
    // Google Cloud, "API keys"; "Using OAuth 2.0": secrets of clients, access and refresh tokens.
    kind("google-api-key", "AIza", "s35"),
    kind("google-oauth", "GOCSPX-", "s28"),
    kind("google-oauth", "ya29. ya29.c.", "s60-1000"),
    kind("google-oauth", "1//0", "s50-250"),
    // Anthropic Docs; scanners.
    kind("anthropic-key", "sk-ant-api03- sk-ant-admin01-", "s93 'AA"),
    kind("anthropic-key", "sk-ant-", "s40-130"),
    // OpenAI Docs; scanners: the marker in the middle is Base64 of the issuer's name.
    kind("openai-key", "sk-proj- sk-svcacct- sk-admin-", "s58 'T3BlbkFJ s58"),
    kind("openai-key", "sk-proj- sk-svcacct- sk-admin-", "s74 'T3BlbkFJ s74"),
    kind("openai-key", "sk-proj- sk-None-", "s40-156"),
    kind("openai-key", "sk-", "w20 'T3BlbkFJ w20"),
    kind("openai-key", "sk-", "w32-64"),
    // OpenRouter Docs.
    kind("openrouter-key", "sk-or-v1-", "x64"),
    // GitHub Blog, "npm has a new access token format".
    kind("npm-token", "npm_", "w36"),
    // PyPI: macaroons in Base64 that begin with the address of the index.
    kind("pypi-token", "pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", "s50-200"),
    // SendGrid Docs, "API keys": 69 characters.
    kind("sendgrid-key", "SG.", "s22 '. s43"),
    // Twilio Docs, "API keys": SIDs are two letters and 32 hexadecimal digits.
    kind("twilio-key", "SK", "x32"),
    // Mailgun Docs; scanners.
    kind("mailgun-key", "key-", "x32"),
    // Brevo Docs; scanners.
    kind("brevo-key", "xkeysib- xsmtpsib-", "x64 '- w16"),
    // Shopify changelog, "Length of the shared secret is increasing": 38 characters at most.
    kind("shopify-token", "shpat_ shpss_ shpca_ shppa_", "w32-38"),
    // DigitalOcean Blog, "Secret scanning".
    kind("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "x64"),
    // Hugging Face Docs, "User access tokens": 34 letters in examples.
    kind("huggingface-token", "hf_ api_org_", "w34"),
    // Databricks Docs: 32 hexadecimal digits, and a number where a token was renewed.
    kind("databricks-token", "dapi", "x32"),
    kind("databricks-token", "dapi", "x32 '- d1"),
    // Linear Docs; scanners.
    kind("linear-key", "lin_api_ lin_oauth_", "w40-64"),
    // Notion changelog: 50 characters since 2024; before, `secret_` and 43.
    kind("notion-token", "ntn_", "d11 w35"),
    kind("notion-token", "ntn_", "w46"),
    kind("notion-token", "secret_", "w43"),
    // Figma Docs; scanners.
    kind("figma-token", "figd_", "s40-43"),
    // HashiCorp Vault, "Tokens": 95 or more characters, batch tokens longer, root tokens 28.
    kind("vault-token", "hvs. hvb. hvr.", "s90-300"),
    kind("vault-token", "hvs.", "w24"),
    // Doppler Docs, "Auth token formats".
    kind("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "w40-44"),
    kind("doppler-token", "dp.st.", "l2-35 '. w40-44"),
    // The specification of age: Bech32 in capitals.
    kind("age-key", "AGE-SECRET-KEY-1", "u58"),
    // Atlassian Docs, "API tokens": 192 characters in examples, a checksum at the end.
    kind("atlassian-token", "ATATT3 ATCTT3", "s170-180 '= u8"),
    kind("atlassian-token", "ATATT3 ATCTT3", "s60-250"),
    // Bitbucket: app passwords; scanners.
    kind("bitbucket-token", "ATBB", "w24-32"),
    // Grafana Docs, "Service accounts": 32 characters and a checksum.
    kind("grafana-token", "glsa_", "w32 '_ x8"),
    kind("grafana-token", "glsa_", "w40"),
    kind("grafana-token", "glc_", "p32-400"),
    // New Relic Docs, "API keys".
    kind("newrelic-key", "NRAK-", "u27"),
    kind("newrelic-key", "NRII-", "s32"),
    kind("newrelic-key", "NRJS-", "x19"),
    // Postman Docs; scanners.
    kind("postman-key", "PMAK-", "x24 '- x34"),
    // PlanetScale Docs: GitHub's partners' formats.
    kind("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "s32-64"),
    // Pulumi Docs; RubyGems Guides; scanners.
    kind("pulumi-token", "pul-", "x40"),
    kind("rubygems-key", "rubygems_", "x48"),
    // Sentry, RFC 91: JSON in Base64 and a signature.
    kind("sentry-token", "sntryu_", "x64"),
    kind("sentry-token", "sntrys_", "p80-300 '_ p43"),
    // Supabase Docs, "API keys".
    kind("supabase-token", "sbp_", "x40"),
    kind("supabase-token", "sb_secret_", "s31"),
    // Netlify, Fly.io, Docker: documentation; scanners.
    kind("netlify-token", "nfp_", "w36"),
    kind("fly-token", "fo1_", "s43"),
    kind("fly-token", "fm1r_ fm1a_ fm2_", "p100-900"),
    kind("docker-token", "dckr_pat_ dckr_oat_", "s27-32"),
    // Dropbox Docs, "OAuth guide": short-lived tokens.
    kind("dropbox-token", "sl. sl.u.", "s130-1200"),
    // Airtable Docs, "Personal access tokens".
    kind("airtable-token", "pat", "w14 '. x64"),
    // Meta for Developers, "Access tokens"; scanners.
    kind("facebook-token", "EAAC EAAB EAAG EAAM", "w80-300"),
    // Alibaba Cloud: AccessKey IDs of 24 characters; Tencent Cloud: 36 characters.
    kind("alibaba-key", "LTAI", "w16-20"),
    kind("tencent-key", "AKID", "w32"),
    // Issuers' examples; scanners.
    kind("groq-key", "gsk_", "w52"),
    kind("replicate-token", "r8_", "w37"),
    kind("xai-key", "xai-", "w80"),
    kind("perplexity-key", "pplx-", "w48"),
    kind("nvidia-key", "nvapi-", "s64"),
    kind("langsmith-key", "lsv2_pt_ lsv2_sk_", "x32 '_ x10"),
    kind("tailscale-key", "tskey-auth- tskey-api- tskey-client-", "w11-17 '- w32"),
    // Square Docs, "Access tokens".
    kind("square-token", "sq0atp- sq0idp-", "s22"),
    kind("square-token", "sq0csp-", "s43"),
    kind("square-token", "EAAA", "s60"),
    // Adafruit IO, JFrog Artifactory, crates.io: documentation; scanners.
    kind("adafruit-key", "aio_", "w28"),
    kind("artifactory-token", "AKCp", "w69"),
    kind("artifactory-token", "cmVmdGtu", "w56"),
    kind("crates-token", "cio", "w32"),
    // Heroku Dev Center, "OAuth": the prefix is newer than the UUID.
    kind("heroku-key", "HRKU-", "x8 '- x4 '- x4 '- x4 '- x12"),
    kind("heroku-key", "HRKU-AA", "s58"),
    // HubSpot Docs, "Private apps".
    kind("hubspot-token", "pat-na1- pat-na2- pat-eu1-", "x8 '- x4 '- x4 '- x4 '- x12"),
    // Dynatrace Docs, "Tokens and authentication".
    kind("dynatrace-token", "dt0c01. dt0s01. dt0s02.", "u24 '. u64"),
    // Contentful, Duffel, EasyPost, Shippo, ReadMe, Prefect, Typeform, SonarQube, Sourcegraph, Buildkite: scanners.
    kind("contentful-token", "CFPAT-", "s43"),
    kind("duffel-token", "duffel_test_ duffel_live_", "s43"),
    kind("easypost-key", "EZAK EZTK", "w54"),
    kind("shippo-token", "shippo_live_ shippo_test_", "x40"),
    kind("readme-key", "rdme_", "l70"),
    kind("prefect-key", "pnu_ pnb_", "w36"),
    kind("typeform-token", "tfp_", "s59"),
    kind("sonarqube-token", "squ_ sqp_ sqa_", "x40"),
    kind("sourcegraph-token", "sgp_", "x40"),
    kind("sourcegraph-token", "sgp_", "x16 '_ x40"),
    kind("buildkite-token", "bkua_", "x40"),
    // 1Password Developer, "Service accounts": JSON in Base64.
    kind("onepassword-token", "ops_eyJ", "p250-900"),
    // RFC 7516 and RFC 7519: five parts if encrypted, three if signed.
    kind("json-web-token", "eyJ", "s10-1000 '. s0-700 '. s12-24 '. s10-2000 '. s16-43"),
    kind("json-web-token", "eyJ", "s10-1000 '. s8-2500 '. s20-700"),
];
