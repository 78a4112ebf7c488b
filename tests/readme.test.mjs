// The files and transcripts of the README and of docs/, run exactly as shown.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEverything } from "./support/everything.mjs";
import "./support/home.mjs";
import { freePort } from "./support/port.mjs";
import { installTarball } from "./support/tarball.mjs";
import { listening } from "./support/until.mjs";
import { startWorker } from "./support/workerd.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const guides = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", "pkg/README.md", ...guides.map((name) => `docs/${name}`)];
const written = pages.map((page) => readFileSync(join(root, page), "utf8")).join("\n");
const run = promisify(execFile);

/** Returns the fenced block after a comment such as `<!-- file: list.mjs -->`. */
function block(comment) {
  const found = new RegExp(`<!-- ${comment} -->\\n\`\`\`\\w+\\n([^]*?)\`\`\``).exec(written);
  assert.ok(found, `no page has ${comment}`);
  return found[1];
}

/** Returns the output that the transcript shows after its last command, and the filter in that command. */
function transcript(name) {
  const text = block(`transcript: ${name}`);
  const [, filter, shown] = /\$ node list\.mjs \S+ '([^']+)'\n([^]*)$/.exec(text);
  return { filter, shown };
}

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "sieve-readme-"));
  symlinkSync(join(root, "tests/node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "list.mjs"), block("file: list.mjs"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function list(worker, filter) {
  const { stdout } = await run(process.execPath, ["list.mjs", worker.mcp, filter], { cwd: folder });
  return stdout;
}

test("the built-in tracker lists what the README shows", async () => {
  const worker = await startWorker();
  try {
    const { filter, shown } = transcript("tracker");
    assert.equal(await list(worker, filter), shown);
  } finally {
    await worker.stop();
  }
});

test("in front of server-everything, the README's rules give what it shows", async () => {
  const upstream = await startEverything();
  const worker = await startWorker({ upstream: upstream.url, config: block("file: everything.jsonc") });
  try {
    const { filter, shown } = transcript("everything");
    assert.equal(await list(worker, filter), shown);
  } finally {
    await worker.stop();
    await upstream.stop();
  }
});

test("three roles see what the README shows, and need a token (G-51)", async () => {
  const port = await freePort();
  const local = (name) =>
    block(`file: ${name}`)
      .replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`)
      .replaceAll("listen(9000", `listen(${port}`);
  for (const name of ["login.mjs", "roles.mjs"]) writeFileSync(join(folder, name), local(name));
  const login = spawn(process.execPath, ["login.mjs"], { cwd: folder, stdio: "inherit" });
  const worker = await startWorker({ config: local("roles.jsonc") });
  try {
    const url = `http://127.0.0.1:${port}`;
    await listening(url);
    const { stdout } = await run(process.execPath, ["roles.mjs", worker.mcp, url], { cwd: folder });
    const shown = /\$ node roles\.mjs .*\n([^]*)$/.exec(block("transcript: roles"))[1];
    assert.equal(stdout, shown);
    const stranger = await fetch(worker.mcp, { method: "POST" });
    assert.equal(stranger.status, 401);
    const [, metadata] = /resource_metadata="([^"]+)"/.exec(stranger.headers.get("www-authenticate"));
    assert.deepEqual((await (await fetch(metadata)).json()).authorization_servers, [url]);
  } finally {
    login.kill();
    await worker.stop();
  }
});

test("docs/middleware.md's request is answered as it shows", async () => {
  const [, token, request, shown] = /SIEVE_MIDDLEWARE_TOKEN=(\S+)\n[^]*?\$ (curl[^]*?'\n)(\{[^]*)\n$/.exec(
    block("transcript: middleware"),
  );
  const worker = await startWorker({ config: block("file: middleware.jsonc"), env: { SIEVE_MIDDLEWARE_TOKEN: token } });
  try {
    const command = request.replace("http://127.0.0.1:8787", worker.url);
    const { stdout } = await run("bash", ["-c", command], { env: { ...process.env, SIEVE_MIDDLEWARE_TOKEN: token } });
    assert.equal(stdout, shown);
  } finally {
    await worker.stop();
  }
});

/** The points of the proposal for each group of implementers, each as a pattern in Sieve's own words. */
const POINTS = {
  "Consumer products": [/no setting/, /directory/, /own safety and compliance/, /administrators only/],
  "Enterprise platforms": [
    /administrators require/,
    /configuration apart/,
    /audit trail/,
    /infrastructure that you trust/,
  ],
  "Agent frameworks and development tools": [
    /to developers/,
    /security implications/,
    /safe implementations/,
    /architecture/,
  ],
};

test("M-43: each group of implementers has its guidance, and every point names what there is for it", () => {
  const guidance = readFileSync(join(root, "docs/middleware-security.md"), "utf8");
  const read = (file) => readFileSync(join(root, file), "utf8");
  const { properties } = JSON.parse(read("crates/gateway/src/config/sieve.schema.json"));
  const [exported, api, types] = ["pkg/package.json", "docs/public-api/gateway.txt", "pkg/types/middleware.d.ts"].map(
    read,
  );
  const exists = (name) =>
    name in properties ||
    name in properties.middleware.properties ||
    /^(GET )?\/(mcp|middleware|audit)$/.test(name) ||
    (name.startsWith("SIEVE_") && read("docs/configuration.md").includes(`| \`${name}\` |`)) ||
    (name.startsWith("mcp-sieve ") &&
      existsSync(join(root, `pkg/cli/commands/${name.slice("mcp-sieve ".length)}.js`))) ||
    (name.startsWith("mcp-sieve/") && exported.includes(`"./${name.slice("mcp-sieve/".length)}"`)) ||
    (name.includes("::") && api.includes(` ${name}`)) ||
    (name.startsWith("Middleware.") && types.includes(` ${name.slice("Middleware.".length)}(`));
  for (const [group, points] of Object.entries(POINTS)) {
    const section = new RegExp(`\n### ${group}\n\n([^]*?)\n\n`).exec(guidance)?.[1] ?? "";
    const bullets = section.split(/^- /m).slice(1);
    assert.equal(bullets.length, points.length, group);
    for (const [index, point] of points.entries()) {
      const bullet = bullets[index].replaceAll("\n", " ");
      assert.match(bullet, point, group);
      const links = [...bullet.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link);
      for (const link of links) assert.ok(existsSync(join(root, "docs", link)), link);
      const names = [...bullet.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      assert.ok(links.length > 0 || names.some(exists), `nothing that exists: ${bullet}`);
    }
  }
});

test("the tables of docs/middleware.md name every function and every member of its configuration", async () => {
  const guidance = readFileSync(join(root, "docs/middleware.md"), "utf8");
  const rows = [...guidance.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const schema = JSON.parse(readFileSync(join(root, "crates/gateway/src/config/sieve.schema.json"), "utf8"));
  const consumer = await installTarball();
  try {
    consumer.write(
      "names.mjs",
      'import { Middleware } from "mcp-sieve/middleware"; console.log(new Middleware().list().map(({ name }) => name).join());',
    );
    const { stdout } = await run(process.execPath, ["names.mjs"], { cwd: consumer.folder });
    assert.deepEqual(
      rows.sort(),
      [...Object.keys(schema.properties.middleware.properties), ...stdout.trim().split(",")].sort(),
    );
  } finally {
    await consumer.remove();
  }
});

test("the policies and patterns that docs/middleware.md shows do what it says", async () => {
  const own = block("file: bank.jsonc");
  const { name, context } = JSON.parse(block("own patterns: request"));
  const moderated = "Pr0ject f.a.l.c.o.n and the merging talks";
  const consumer = await installTarball();
  try {
    consumer.write(
      "own.mjs",
      `import { Middleware } from "mcp-sieve/middleware";
      const middleware = new Middleware((${own}).middleware);
      const redacted = await middleware.invoke("${name}", ${JSON.stringify(context)});
      const context = [{ type: "text", text: "${moderated}" }];
      const { metadata } = await middleware.invoke("content_moderation", context, { policies: ["regulated"] });
      console.log(JSON.stringify([redacted, metadata]));`,
    );
    const { stdout } = await run(process.execPath, ["own.mjs"], { cwd: consumer.folder });
    assert.deepEqual(JSON.parse(stdout), [
      JSON.parse(block("own patterns: result")),
      { flags: ["unreleased_products"], severity: "high", allow: false },
    ]);
  } finally {
    await consumer.remove();
  }
});

test("every file of rules that a page shows is in order", async () => {
  const files = [...written.matchAll(/```jsonc\n([^]*?)```/g)].map(([, text]) => text);
  assert.ok(files.length > 5);
  const consumer = await installTarball();
  // One of them names the lock that `check --lock FILE --accept` writes.
  consumer.write("sieve.lock.json", JSON.stringify({ version: 3, servers: {} }));
  try {
    for (const text of files) {
      consumer.write("shown.jsonc", text);
      // The exit code is 1 if `check` has findings, and 2 if the file is invalid.
      const { code = 0, stderr } = await run(
        process.execPath,
        [join(consumer.package, "cli/main.js"), "check", "shown.jsonc"],
        { cwd: consumer.folder },
      ).catch((error) => error);
      assert.ok(code < 2, `${stderr}\n${text}`);
    }
  } finally {
    await consumer.remove();
  }
});

test("the web host's snippet prints what its comments say", async () => {
  const host = block("file: host.mjs");
  const consumer = await installTarball();
  const stdout = await consumer.print("host.mjs", host).finally(consumer.remove);
  const promised = [...host.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, comment]) => `${comment}\n`);
  assert.equal(stdout, promised.join(""));
});

test("the links for editors hold the gateway of `mcp-sieve dev`", () => {
  const config = (pattern, decode) => JSON.parse(decode(new URL(pattern.exec(written)[1]).searchParams.get("config")));
  const url = "http://127.0.0.1:8787/mcp";
  assert.deepEqual(config(/\[VS Code\]\((.*?)\)/, String), { type: "http", url });
  assert.deepEqual(config(/\[Cursor\]\((.*?)\)/, atob), { url });
});
