// The sign-in to upstream servers, bundled from its sources as the build does it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import "./home.mjs";
import { startModules } from "./plain-worker.mjs";

const SCRIPT = fileURLToPath(new URL("../../scripts/build-oauth", import.meta.url));
const SETTINGS = readFileSync(new URL("../../worker/wrangler.jsonc", import.meta.url), "utf8");
const COMPATIBILITY_DATE = /"compatibility_date":\s*"([\d-]+)"/.exec(SETTINGS)[1];
/** A Worker that calls the function that the path names. */
const WORKER = `import * as oauth from "./oauth.js";
export default {
  async fetch(request) {
    const name = new URL(request.url).pathname.slice(1);
    try {
      return Response.json({ result: await oauth[name](await request.json()) });
    } catch ({ name, code, message }) {
      return Response.json({ failure: { name, code, message } });
    }
  },
};
`;

/** Bundles the module, and runs `use` with a folder that has it as `oauth.js`. */
async function withBundle(use) {
  const folder = mkdtempSync(join(tmpdir(), "sieve-oauth-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    execFileSync(SCRIPT, [join(folder, "oauth.js")]);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where a module finds the `fetch` of its own while it is loaded. */
const FETCH = "sieve-test-fetch";

/** Returns the module in this process. With `fetch`, all its requests go there. */
export const loadOauth = ({ fetch } = {}) =>
  withBundle(async (folder) => {
    const path = join(folder, "oauth.js");
    if (fetch)
      writeFileSync(path, `const fetch = globalThis[${JSON.stringify(FETCH)}];\n${readFileSync(path, "utf8")}`);
    globalThis[FETCH] = fetch;
    try {
      return await import(pathToFileURL(path));
    } finally {
      delete globalThis[FETCH];
    }
  });

/** Starts workerd with the module. `oauth` has the same functions, which run there. */
export const startOauth = () =>
  withBundle(async (folder) => {
    writeFileSync(join(folder, "worker.js"), WORKER);
    const modules = { "worker.js": join(folder, "worker.js"), "oauth.js": join(folder, "oauth.js") };
    const { url, stop } = await startModules(modules, COMPATIBILITY_DATE, { local: true });
    const call = async (name, input) => {
      const response = await fetch(url + name, { method: "POST", body: JSON.stringify(input) });
      const { result, failure } = await response.json();
      if (failure) throw Object.assign(new Error(failure.message), failure);
      return result;
    };
    return { stop, oauth: new Proxy({}, { get: (_, name) => (input) => call(name, input) }) };
  });
