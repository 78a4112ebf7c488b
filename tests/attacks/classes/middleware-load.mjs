// Blocks an application by contexts on which chained functions take far more than linear time.
import { Middleware } from "../../../pkg/loaders/middleware-node.js";
import { SieveError } from "../../../pkg/src/core/error.js";
import { control, tried } from "../verdict.mjs";

export const description = "contexts that block context middleware";
/** Measures time or memory, so no other class may run meanwhile. */
export const alone = true;

/**
 * Maximum factor of the time for four times the text. Nine is far above linear growth, and far below quadratic growth.
 */
const FACTOR = 9;
const SLACK_MS = 250;
const SIZES = [[4_000], [4_000, 12_000, 30_000]];
/** Counts for shapes that are costly in large numbers only: a table of handles. */
const MANY = { addresses: 12_000 };
const CHAINS = [
  ["pii_redaction"],
  ["secret_detection"],
  ["content_moderation"],
  ["pii_redaction", "secret_detection"],
  ["pii_redaction", "content_moderation"],
  ["secret_detection", "content_moderation"],
  ["pii_redaction", "secret_detection", "content_moderation"],
];
const MADE = {
  addresses: (count) => Array.from({ length: count }, (_, at) => `a${at}@b.com`).join(" "),
  brackets: (count) => "[note 12] ".repeat(count),
  "handles of its own": (count) => Array.from({ length: count }, (_, at) => `[EMAIL_${at}]`).join(" "),
  "digits and spaces": (count) => "12 34 ".repeat(count),
  names: (count) => Array.from({ length: count }, (_, at) => `My name is Jane Doe${at}.`).join(" "),
  keys: (count) => Array.from({ length: count }, (_, at) => `password=hunter${at}Xy!9`).join(" "),
  "opening brackets": (count) => "[".repeat(count * 4),
  "one word": (count) => "a".repeat(count * 8),
  dates: (count) => "born 1.1.19 dob 2/3/ ".repeat(count),
};
const deep = (levels) => {
  let value = {};
  for (let at = 0; at < levels; at += 1) value = { x: value };
  return value;
};

export async function* attempt(stage, size) {
  const middleware = new Middleware();
  stage.defer(() => middleware.free());
  const through = async (steps, text) => {
    const begun = performance.now();
    const ran = await middleware
      .pipeline({ outbound: steps })
      .start()
      .outbound([{ type: "text", text }])
      .catch((error) => ({ error }));
    return { ms: performance.now() - begun, ran };
  };
  const { ran } = await through(["pii_redaction"], "jane@example.com");
  yield control("a chain redacts", ran.content?.[0].text === "[EMAIL_1]", ran);
  for (const steps of CHAINS) {
    for (const [what, make] of Object.entries(MADE)) {
      for (const count of size === 0 && MANY[what] ? [MANY[what]] : SIZES[size]) {
        const [small, large] = [await through(steps, make(count)), await through(steps, make(4 * count))];
        yield tried(
          `${steps.join(", ")} on ${4 * count} ${what}`,
          large.ms < FACTOR * small.ms + SLACK_MS,
          `${Math.round(large.ms)} ms; a quarter ${Math.round(small.ms)} ms`,
        );
      }
    }
  }
  for (const value of [deep(200), deep(5_000), deep(100_000), { type: "text", text: "x", _meta: deep(5_000) }]) {
    const error = await middleware.invoke("pii_redaction", [{ type: "text", text: "x", more: value }]).then(
      () => undefined,
      (error) => error,
    );
    yield tried(
      "a context of thousands of levels ends in another error than SieveError",
      error === undefined || error instanceof SieveError,
      String(error),
    );
  }
  const after = await through(["pii_redaction"], "jane@example.com");
  yield control("the module still works", after.ran.content?.[0].text === "[EMAIL_1]", after.ran);
}
