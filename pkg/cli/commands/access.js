// @ts-check
// `mcp-sieve access`: bearer tokens for callers, of which the gateway keeps the hash and the claims.
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { variablesIn, withVariable } from "../lib/env-file.js";
import { PRIVATE } from "../lib/files.js";
import { Unreadable, output, textOf } from "../lib/input.js";
import { canonical, memberOf, stringOf, treeOf } from "../lib/json-tree.js";
import { JSON_LINE, OUT } from "../lib/options.js";
import { print, printJson, warn } from "../lib/print.js";

/** The variable with the callers, by the SHA-256 of their tokens. */
const VARIABLE = "SIEVE_TOKENS";
/** Length of a token, in bytes of randomness. */
const TOKEN_BYTES = 32;
/** Maximum length, in characters, of the name of a caller. */
const MAX_NAME = 256;
/** Maximum length, in bytes, of a variable at Cloudflare. */
const MAX_VALUE = 5_000;

export const usage = {
  summary: "Make a bearer token for a caller, and its entry in SIEVE_TOKENS.",
  takes: "add NAME",
  most: 2,
  about:
    "NAME is the `sub` of the caller: in logs, limits and conditions (`claim.sub`). Prints the token once, and SIEVE_TOKENS with\nthe entry of the caller: the hash of the token and the claims. Give the token to the caller and the variable to the gateway.",
  options: {
    claims: {
      type: "string",
      value: "CLAIMS",
      help: `What conditions read as claim.NAME: '{"role":"support"}' (default: {}).`,
    },
    out: { ...OUT, help: "Set SIEVE_TOKENS in a file such as .env, whose other lines stay as they are." },
    another: { type: "boolean", help: "Make one more token for a caller that has one, until it uses the new one." },
    json: JSON_LINE,
  },
  examples: [`add alice --claims '{"role":"support"}'`, `add alice --claims '{"role":"support"}' -o .env`],
};

/** @param {Record<string, any>} given */
export default function access({ subjects: [action, name], claims = "{}", out, another, json }) {
  if (action !== "add" || name === undefined)
    throw new Unreadable("expected `add` and the name of a caller: `npx mcp-sieve access add alice`");
  const entry = entryOf(name, claims);
  const file = out === "-" ? undefined : out;
  const text = file !== undefined && existsSync(file) ? textOf(file) : "";
  const known = valueIn(file, text);
  const source = file ?? "the environment";
  if (!another && (treeOf(known).members ?? []).some(([, caller]) => stringOf(memberOf(caller, "sub")) === name))
    throw new Unreadable(
      `${source}: \`${name}\` has a token in ${VARIABLE} already: remove its entry, or add --another for a second one`,
    );
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  const hash = createHash("sha256").update(token).digest("hex");
  const entries = known.trim().slice(1, -1).trim();
  // A quote in JSON stands in a text, where an escape is the same.
  const value = `{${entries === "" ? "" : `${entries},`}"${hash}":${entry}}`.replaceAll("'", "\\u0027");
  if (file !== undefined) output(file, withVariable(text, VARIABLE, value), PRIVATE);
  if (json) printJson({ name, token, hash, claims: JSON.parse(entry), variable: VARIABLE, value, file });
  else
    print(
      `  token   ${token}`,
      `  caller  ${entry}`,
      "",
      file === undefined
        ? `${VARIABLE}='${value}'`
        : `${file}: ${VARIABLE} is set; \`npx mcp-sieve run --env-file ${file}\` reads it`,
      `The token is printed this once: its caller sends it as \`Authorization: Bearer …\`.`,
    );
  if (Buffer.byteLength(value) > MAX_VALUE)
    warn(`${VARIABLE} has more than ${MAX_VALUE} bytes, which Cloudflare does not accept for a variable`);
  return 0;
}

/**
 * The claims of a caller as JSON, on one line.
 * @param {string} name
 * @param {string} claims
 */
function entryOf(name, claims) {
  if (name.trim() !== name || name === "" || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    throw new Unreadable(`expected a name of 1 to ${MAX_NAME} characters without white space around it`);
  const tree = objectIn(claims);
  if (tree === undefined)
    throw new Unreadable(`--claims: expected a JSON object, such as '{"role":"support"}', got \`${claims}\``);
  const repeated = repeatedIn(tree);
  if (repeated !== undefined) throw new Unreadable(`--claims: \`${repeated}\` occurs twice, expected once`);
  if (memberOf(tree, "sub") !== undefined)
    throw new Unreadable(`--claims: \`sub\` is the name of the caller, which is given as \`access add ${name}\``);
  const own = canonical(tree).slice(1, -1);
  return `{"sub":${JSON.stringify(name)}${own === "" ? "" : `,${own}`}}`;
}

/**
 * The value of SIEVE_TOKENS in a file, or in the environment without one.
 * @param {string | undefined} file
 * @param {string} text
 */
function valueIn(file, text) {
  const ofProcess = process.env[VARIABLE];
  if (file !== undefined && ofProcess)
    throw new Unreadable(
      `${VARIABLE} is set in the environment, which wins over ${file}: unset it, or leave out --out`,
    );
  if (/^\s*(?:[{[]|\/[/*])/.test(text))
    throw new Unreadable(`${file}: expected a file of variables such as .env, where ${VARIABLE} belongs, got JSON`);
  const value = (file === undefined ? ofProcess : variablesIn(text)[VARIABLE]) || "{}";
  if (objectIn(value) !== undefined) return value;
  throw new Unreadable(
    `${file ?? "the environment"}: ${VARIABLE}: expected a JSON object, such as {"SHA-256 of a token in hex": {"sub": "alice"}}`,
  );
}

/** Parses a JSON object; returns nothing for other texts. */
function objectIn(/** @type {string} */ text) {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tree = treeOf(text);
  return tree.members === undefined ? undefined : tree;
}

/**
 * The first name that an object has twice.
 * @param {import("../lib/json-tree.js").Tree} tree
 * @returns {string | undefined}
 */
function repeatedIn({ members = [], elements = [] }) {
  const names = members.map(([key]) => key);
  const twice = names.find((key, at) => names.indexOf(key) < at);
  return twice ?? [...members.map(([, part]) => part), ...elements].map(repeatedIn).find((key) => key !== undefined);
}
