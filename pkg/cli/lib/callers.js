// @ts-check
// Callers that an operator describes: `--as '{"role":"analyst"}'`, `--as NAME=CLAIMS` and `--preset NAME`.
import { Unreadable } from "./cli-error.js";

/** Options of the commands that judge for a caller. */
export const CALLERS = {
  as: {
    type: "string",
    multiple: true,
    value: "CLAIMS",
    help: 'Judge for a caller with these claims: \'{"role":"analyst"}\', or analyst=\'{"role":"analyst"}\'.',
  },
  preset: { type: "string", value: "NAME", help: "The caller connects to /mcp/NAME." },
};

/** Most callers in one table. */
const MAX_CALLERS = 64;

/** The callers of `--as`: each with its claims as JSON, and the name that it is shown by. */
export function callersOf(given = []) {
  if (given.length > MAX_CALLERS)
    throw new Unreadable(`--as: expected at most ${MAX_CALLERS} callers, got ${given.length}`);
  const callers = given.map((text) => {
    const [, name, claims] = /^(?:([^={]+)=)?(\{[^]*\})$/.exec(text.trim()) ?? [];
    if (claims === undefined || !isJson(claims))
      throw new Unreadable(
        `--as: expected the claims of a caller as a JSON object, such as '{"role":"analyst"}' or analyst='{"role":"analyst"}', got \`${text}\``,
      );
    return { name: name ?? claims, claims };
  });
  const names = callers.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Unreadable(`--as: \`${twice}\` is the name of two callers`);
  return callers;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Why a caller is refused, in words. */
export const refusal = ({ check, message, preset }) =>
  check === undefined ? `/mcp/${preset} does not exist for this caller` : `refused by the check ${check}: ${message}`;

/** Returns a warning about fields of callers that `--as` cannot describe. */
export const undescribed = (unknown) =>
  unknown.length === 0
    ? []
    : [
        `the file also reads ${unknown.map((field) => `\`${field}\``).join(", ")} of callers; --as describes claims alone, so that this counts as absent`,
      ];

/** The options that try each value of the claim by which the file tells callers apart. */
export function proposed({ name, values }) {
  const callers = values
    .map((value) => JSON.stringify({ [name]: value }))
    .filter((claims) => /^[\w\s{}":.,@/+*-]*$/.test(claims));
  return [...callers, "{}"].map((claims) => `--as '${claims}'`).join(" ");
}
