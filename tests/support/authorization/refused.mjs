// Failures of a sign-in: their codes, and that they hold no secrets.
import assert from "node:assert/strict";
import { inspect } from "node:util";

/** Minimum length of a text that counts as a secret. */
const MIN_SECRET = 8;

/** Returns the code of a failure that `work` ends with, after it was searched for the secrets. */
export async function codeOf(work, secrets = []) {
  let failure;
  try {
    await work();
  } catch (error) {
    failure = error;
  }
  assert.ok(failure, "it did not fail");
  assert.equal(failure.name, "SignInFailure", inspect(failure));
  assert.match(failure.message, /^\S.*\.$/s, "the message is a sentence");
  assert.equal(failure.cause, undefined);
  const shown = [inspect(failure, { depth: 10, showHidden: true }), JSON.stringify(failure), failure.stack].join("\n");
  for (const secret of secrets) {
    assert.ok(secret.length >= MIN_SECRET);
    assert.ok(!shown.includes(secret), `the failure shows a secret: ${failure.message}`);
  }
  return failure.code;
}
