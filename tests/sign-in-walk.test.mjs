// docs/sign-in.md, run as it stands: its packages from a registry on this machine, its four programs, and two users who open
// the addresses that they are shown in a browser.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openBrowser } from "./support/browser.mjs";
import { installCommand } from "./support/command.mjs";
import "./support/home.mjs";
import { freePort } from "./support/port.mjs";
import { startRegistry } from "./support/registry.mjs";
import { listening } from "./support/until.mjs";

const run = promisify(execFile);
const page = readFileSync(new URL("../docs/sign-in.md", import.meta.url), "utf8");
const modules = fileURLToPath(new URL("node_modules", import.meta.url));
/** The ports of the page, and those that are free here. */
const ports = { 9000: 0, 9100: 0, 8787: 0 };
const local = (text) =>
  Object.entries(ports).reduce((shown, [of, free]) => shown.replaceAll(new RegExp(`\\b${of}\\b`, "g"), free), text);

/** The commands of a block, each as words. */
const commands = (pattern) => {
  const blocks = [...page.matchAll(/<!-- shell -->\n```sh\n([^]*?)```/g)].map(([, text]) => local(text));
  const found = blocks.flatMap((text) => text.trim().split("\n")).filter((line) => pattern.test(line));
  assert.ok(found.length > 0, `the page has no ${pattern}`);
  return found.map((line) => line.split(" "));
};

let command, registry;
const programs = [];

/** Starts a program of the page. `line` resolves with its next line that matches. */
function start(words, options = {}) {
  const child = spawn(process.execPath, words.slice(1), {
    cwd: command.folder,
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  programs.push(child);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  const over = once(child, "close");
  const line = async (pattern) => {
    for (;;) {
      const found = text.split("\n").find((one) => pattern.test(one));
      if (found) return found;
      const ended = await Promise.race([once(child.stdout, "data").then(() => false), over.then(() => true)]);
      if (ended && !text.split("\n").some((one) => pattern.test(one))) assert.fail(`no ${pattern} in ${text}`);
    }
  };
  return { line, over, text: () => text };
}

before(async () => {
  for (const port of Object.keys(ports)) ports[port] = await freePort();
  command = await installCommand();
  const [, ...packages] = commands(/^npm install/)[0].slice(1);
  registry = await startRegistry(
    modules,
    packages.filter((name) => name !== "mcp-sieve"),
  );
  const env = {
    ...process.env,
    npm_config_registry: registry.url,
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
  const npm = (...words) => run("npm", words, { cwd: command.folder, env });
  await npm(...commands(/^npm init/)[0].slice(1));
  // The package under test is installed from its tarball already.
  await npm("install", ...packages.filter((name) => name !== "mcp-sieve"));
  command.install("workerd");
  for (const [, name, text] of page.matchAll(/<!-- file: (\S+) -->\n```\w+\n([^]*?)```/g)) {
    writeFileSync(join(command.folder, name), local(text));
  }
});
after(async () => {
  for (const child of programs) child.kill();
  await registry?.stop();
  command?.remove();
});

/** Opens an address, signs the user in wherever the authorization server asks, and goes on where the gateway asks. */
async function open(browser, url, user) {
  let at = await browser.get(url);
  for (;;) {
    const form = at.forms.find(({ fields }) => fields.prompt);
    if (form) at = await browser.get(form.action, { form: { ...form.fields, login: user, password: "any" } });
    else if (at.next) at = await browser.get(at.next);
    else if (at.forms.some(({ button }) => button === "Connect")) at = await at.submit("Connect");
    else return at;
  }
}

test("two users sign in, and each sees their own", async () => {
  for (const words of commands(/^node (provider|notes)\.mjs$/)) start(words);
  await Promise.all([ports[9000], ports[9100]].map((port) => listening(`http://127.0.0.1:${port}`)));
  const [, , ...args] = commands(/^npx mcp-sieve run/)[0];
  const gateway = command.start(args);
  try {
    await listening(`http://127.0.0.1:${ports[8787]}/health`);
    const [words] = commands(/^node each\.mjs$/);
    for (const user of ["alice", "bob"]) {
      const browser = openBrowser();
      const client = start(words);
      const [toGateway] = /http\S+/.exec(await client.line(/^Sign in to the gateway/));
      await open(browser, toGateway, user);
      assert.equal(await client.line(/^before: /), "before: connect_notes");
      const [toNotes] = /http\S+/.exec(await client.line(/^Sign in to notes/));
      const end = await open(browser, toNotes, user);
      assert.equal(end.title, "Connected to notes", end.html);
      await client.over;
      const shown = /```text\n([^]*?)```/.exec(page)[1].replaceAll("alice", user);
      const lines = client
        .text()
        .split("\n")
        .filter((line) => !line.startsWith("Sign in "));
      assert.equal(lines.join("\n"), shown);
      // The next time nothing has to be opened but the address of the gateway.
      const again = start(words);
      await open(browser, /http\S+/.exec(await again.line(/^Sign in to the gateway/))[0], user);
      assert.equal(await again.line(/^before: /), `before: notes_of_${user}`);
      await again.over;
    }
  } finally {
    await gateway.stop();
  }
});
