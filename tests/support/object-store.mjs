// An S3-compatible store on this machine: moto, a third-party server. `scripts/setup-python` installs it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import "./home.mjs";

const python = fileURLToPath(new URL("../../.tools/venv-moto/bin/python", import.meta.url));
const REGION = "us-east-1";
const ACCESS_KEY = "cluster-tests";
/** It stands in no line that a command prints. Tests search for it. */
export const SECRET_KEY = "the-secret-key-of-the-store";
/** The store checks no signature, but a request without one may not list or write. */
const AUTHORIZATION = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/20260101/${REGION}/s3/aws4_request, SignedHeaders=host, Signature=0`;

/**
 * Starts a store that has one bucket. `environment` has the variables by which a node finds the store, `objects(prefix)` resolves
 * with the keys below a prefix, and `request(method, key, init)` is one request for an object.
 */
export async function startStore({ bucket = "sieve" } = {}) {
  // The kernel ends the store when this process ends, even if it crashes.
  const command = ["--pdeathsig", "KILL", python, "-m", "moto.server", "--host", "127.0.0.1", "--port", "0"];
  const child = spawn("setpriv", command, { stdio: ["ignore", "ignore", "pipe"] });
  const gone = once(child, "exit");
  const printed = [];
  const url = await new Promise((done, fail) => {
    // It prints a line for each request, which has to be read for it to go on.
    createInterface({ input: child.stderr }).on("line", (line) => {
      printed.push(line);
      if (printed.length > 20) printed.shift();
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line);
      if (found) done(found[1]);
    });
    child.once("error", fail);
    gone.then(() => fail(new Error(`the store ended, see scripts/setup-python:\n${printed.join("\n")}`)));
  });

  const request = (method, key, { headers, ...init } = {}) =>
    fetch(`${url}/${bucket}/${key}`, { method, ...init, headers: { authorization: AUTHORIZATION, ...headers } });
  assert.equal((await request("PUT", "")).status, 200, "the store has a bucket");

  return {
    url,
    bucket,
    pid: child.pid,
    environment: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    },
    request,
    async objects(prefix = "") {
      const keys = [];
      for (let token; ; ) {
        const from = token === undefined ? "" : `&continuation-token=${encodeURIComponent(token)}`;
        const page = await request("GET", `?list-type=2&prefix=${encodeURIComponent(prefix)}${from}`);
        const text = await page.text();
        keys.push(...[...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key));
        token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1];
        if (token === undefined) return keys;
      }
    },
    async stop() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
