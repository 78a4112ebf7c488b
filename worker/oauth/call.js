// @ts-check
// The steps of a sign-in for WebAssembly: JSON goes in, and JSON comes out.
import * as steps from "./index.js";

/**
 * Takes a step, by its name. Resolves with `{"ok": …}` or `{"failure": {"code", "message"}}`, as JSON. A failure of another kind
 * is logged by its name alone: its message could repeat what a server sent.
 * @type {(name: string, input: string) => Promise<string>}
 */
export async function call(name, input) {
  const step = /** @type {Record<string, (input: any) => unknown>} */ (/** @type {unknown} */ (steps))[name];
  try {
    // What WebAssembly leaves out is `null` there.
    const read = JSON.parse(input, (_, value) => value ?? undefined);
    return JSON.stringify({ ok: await step(read) });
  } catch (error) {
    const isKnown = error instanceof steps.SignInFailure;
    if (!isKnown) console.error(`sign-in: ${name} failed with ${error instanceof Error ? error.name : typeof error}`);
    const { code, message } = isKnown
      ? error
      : { code: "sign_in_server", message: "The sign-in failed unexpectedly. Begin it again." };
    return JSON.stringify({ failure: { code, message } });
  }
}
