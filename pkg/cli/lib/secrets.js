// @ts-check
// The secrets of a deployed gateway, each with its purpose.
import { parseConfig } from "./input.js";
import { addressesOf, referred, writtenClients, writtenHeaders } from "./environment.js";
import { isSecretAddress, looksSecret } from "./credentials.js";
import { namesSecret } from "./engine.js";

/**
 * A claim or a scope in a condition as text, `claim.role:x`, and in one as JSON, `{"claim.role": "x"}` or
 * `{"claim": {"role": "x"}}`.
 */
const IN_TEXT = /(^|[\s(-])(claim\.|scope\b)/;
const IN_JSON = /"(claim(\.[^"]*)?|scope)"\s*:/;

/** Returns whether a condition of the configuration reads the claims of a caller, or a policy needs a scope. */
function readsClaims({ checks = [], policies = [], presets = [] }) {
  if (policies.some(({ scope }) => scope != null)) return true;
  const conditions = [
    ...checks.map(({ require }) => require),
    ...policies.map(({ show }) => show),
    ...presets.map(({ when }) => when),
  ];
  return conditions.some((condition) =>
    typeof condition === "string"
      ? IN_TEXT.test(condition) || IN_JSON.test(condition)
      : IN_JSON.test(JSON.stringify(condition) ?? ""),
  );
}

/** `{ name, purpose, optional }` each, those first that the gateway cannot do without. */
export function secretsOf(config) {
  const settings = parseConfig(config);
  return [
    ...referred(config).map((name) => ({
      name,
      purpose: "the settings of an upstream server, or a client of `auth`, refer to it",
    })),
    ...(settings.middleware
      ? [{ name: "SIEVE_MIDDLEWARE_TOKEN", purpose: "the token that your application shows at /middleware" }]
      : []),
    ...(readsClaims(settings) && settings.auth === undefined
      ? [
          {
            name: "SIEVE_TOKENS",
            purpose: 'callers: {"<sha256 of a token, hex>": {"sub": "alice"}}, with the claims that conditions read',
          },
        ]
      : []),
    {
      name: "SIEVE_KEY",
      purpose:
        "random text of 16 bytes or more that seals sessions and cursors; without it the gateway makes a key and keeps it",
    },
    {
      name: "SIEVE_OPERATOR",
      purpose: "the SHA-256, in hex, of the token that reads /audit and /upstreams",
      optional: true,
    },
  ];
}

/** Warnings about secrets that the configuration contains. It becomes part of the deployed code. */
export const writtenSecrets = (config) => [
  ...writtenHeaders(config)
    .filter(({ header, value }) => namesSecret(header) || looksSecret(value))
    .map(
      ({ header, server }) =>
        `the header \`${header}\` of the server \`${server}\` has its value in the file, which becomes part of the deployed code: write \`\${NAME}\` in its place, and set the secret NAME`,
    ),
  ...writtenClients(config).map(
    ({ member, server }) =>
      `\`auth.client.${member}\` of the server \`${server}\` has its value in the file, which becomes part of the deployed code: write \`\${NAME}\` in its place, and set the secret NAME`,
  ),
  ...addressesOf(config)
    .filter(({ url }) => isSecretAddress(url))
    .map(
      ({ server }) =>
        `the \`url\` of the server \`${server}\` contains a credential, which becomes part of the deployed code: send it in a header as \`\${NAME}\` if the server accepts that, and set the secret NAME`,
    ),
];
