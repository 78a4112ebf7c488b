// The certificate authorities of `dev`: those of the system, those of Node where the system has none, and one of the operator.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { after, test } from "node:test";
import { authorities } from "../pkg/cli/lib/authorities.js";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { startRawServer } from "./support/raw-server.mjs";

const folder = mkdtempSync(join(tmpdir(), "sieve-authorities-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a system without authorities gets those of Node, and any other keeps its own", () => {
  const [empty, filled, file] = ["empty", "filled", "file.pem"].map((name) => join(folder, name));
  for (const path of [empty, filled]) mkdirSync(path);
  for (const path of [file, join(filled, "one.pem")]) writeFileSync(path, "");
  const missing = [join(folder, "missing"), empty];
  const { variables } = authorities(folder, {}, missing);
  assert.equal(readFileSync(variables.SSL_CERT_FILE, "utf8"), rootCertificates.join("\n"));
  for (const [environment, places] of [
    [{}, [...missing, filled]],
    [{}, [...missing, file]],
    [{ SSL_CERT_FILE: file }, missing],
    [{ SSL_CERT_DIR: filled }, missing],
  ])
    assert.deepEqual(authorities(folder, environment, places), { variables: {}, extra: undefined });
});

test("a file of NODE_EXTRA_CA_CERTS without a certificate that can be read is refused by name", () => {
  const certificate = rootCertificates[0];
  const written = (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return { NODE_EXTRA_CA_CERTS: path };
  };
  const several = written("several.pem", `# two\n${certificate}\n${rootCertificates[1]}\n`);
  assert.equal(authorities(folder, several).extra, `${certificate}\n${rootCertificates[1]}\n`);
  assert.equal(authorities(folder, { NODE_EXTRA_CA_CERTS: join(folder, "none") }).extra, undefined);
  for (const [name, text, message] of [
    ["empty.pem", "", "expected certificates in PEM form in "],
    [
      "key.pem",
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      "expected certificates in PEM form in ",
    ],
    ["cut.pem", certificate.replace("MII", ""), "a certificate of "],
  ]) {
    const environment = written(name, text);
    assert.throws(
      () => authorities(folder, environment),
      (error) => error.message.startsWith(`NODE_EXTRA_CA_CERTS: ${message}${environment.NODE_EXTRA_CA_CERTS}`),
    );
  }
});

/** Creates an authority and a certificate of it for 127.0.0.1. */
function certified() {
  const run = (...args) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const key = (name) => ["-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`];
  run("req", "-x509", ...key("authority"), "-out", "authority.pem", "-days", "2", "-subj", "/CN=Authority");
  run("req", ...key("server"), "-out", "server.csr", "-subj", "/CN=server");
  writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1\n");
  const signed = ["-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-extfile", "names"];
  run("x509", "-req", "-in", "server.csr", ...signed, "-out", "server.pem", "-days", "2");
  return { key: readFileSync(join(folder, "server.key")), cert: readFileSync(join(folder, "server.pem")) };
}

test("the gateway trusts a server whose authority NODE_EXTRA_CA_CERTS names, and no other", async () => {
  const behind = await startRawServer({ lists: { tools: [{ name: "only", inputSchema: { type: "object" } }] } });
  const server = createServer(certified(), (request, response) => {
    const { method, headers } = request;
    const passed = httpRequest(behind.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  const command = await installCommand();
  command.install("workerd");
  try {
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const args = ["dev", "--upstream", `https://127.0.0.1:${server.address().port}/mcp`, "--port", "0", "--json"];
    const report = async (authority) => {
      const running = command.start(args, { env: { NODE_EXTRA_CA_CERTS: authority } });
      const { status, message, tools: listed } = JSON.parse(await running.line(/^\{"event":"server"/));
      await running.stop();
      return { status, message, listed };
    };
    assert.equal((await report("")).status, "down");
    assert.deepEqual(await report(join(folder, "authority.pem")), { status: "ok", message: undefined, listed: 1 });
    assert.deepEqual(readdirSync(command.temporary), []);
  } finally {
    server.close();
    behind.stop();
    await command.remove();
  }
});
