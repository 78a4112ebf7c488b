// Attacks the command: headers meant for another server, text that takes over a terminal, names that crash `init`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import "../../support/home.mjs";
import { parallel } from "../parallel.mjs";
import { record } from "../upstreams/record.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "the command: headers for other servers, text of servers, hostile names";

const main = fileURLToPath(new URL("../../../pkg/cli/main.js", import.meta.url));
// eslint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const PAYLOADS = [
  "\u001b[2J\u001b[H",
  "\u001b]0;title\u0007",
  "\u009b31m",
  "\u202egnp.exe",
  "\u2066x\u2069",
  "a\nsieve: all clear",
  "a\rsieve: all clear",
  "\u0008\u0008\u0008ok",
  "\u2028sieve: all clear",
  "\u0000",
  "\u007f",
  "\u200f",
  "\u061c",
];
const NAMES = [
  ...PAYLOADS.map((text) => `n${text}`),
  "n".repeat(10_000),
  "*/",
  "//",
  '"',
  "'",
  "`",
  "\\",
  "${AWS_SECRET_ACCESS_KEY}",
  "$${x}",
  "${",
  "a b",
  "__proto__",
  "constructor",
  "",
  " ",
  "<script>",
  "--flag",
  "-x",
  "a,b",
  "name:*",
  "*",
  "(",
  "/* x",
  "𝕏".repeat(50),
];
const COUNT = [32, 1_000];

export async function* attempt(stage, size) {
  const folder = mkdtempSync(join(tmpdir(), "sieve-attacks-"));
  stage.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CACHE_HOME: folder,
    XDG_CONFIG_HOME: folder,
    CI: "true",
    AWS_SECRET_ACCESS_KEY: "TOP-SECRET-VARIABLE",
  };
  let made = 0;
  /** Runs the command in its own folder. */
  const run = async (args, files = {}) => {
    const cwd = mkdtempSync(join(folder, `run-${(made += 1)}-`));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const child = spawn(process.execPath, [main, ...args], { cwd, env, timeout: 60_000 });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      err += text;
    });
    const [status, signal] = await once(child, "close");
    const written = readdirSync(cwd)
      .filter((name) => !(name in files))
      .map((name) => readFileSync(join(cwd, name), "utf8"));
    return { status: status ?? signal, out, err, written, cwd };
  };
  const config = {
    "sieve.jsonc": JSON.stringify({
      upstreams: [
        { name: "forge", url: "https://a.example/mcp" },
        { name: "evil", url: "https://b.example/mcp" },
      ],
    }),
  };

  const [forge, evil] = ["forge", "evil"].map((name) => record(simple({ lists: { tools: [tool(`${name}_tool`)] } })));
  const [forgeUrl, evilUrl] = [await stage.served(forge), await stage.served(evil)];
  const SECRET = "FORGE-SECRET";
  const got = (behind) => behind.seen.some(({ headers }) => JSON.stringify(headers).includes(SECRET));
  const servers = ["--upstream", `forge=${forgeUrl}`, "--upstream", `evil=${evilUrl}`];
  const meant = await run(
    ["check", "sieve.jsonc", ...servers, "--header", `forge=Authorization: Bearer ${SECRET}`],
    config,
  );
  yield control("a header for one server reaches it", got(forge), meant);
  for (const header of [
    `Authorization: Bearer ${SECRET}`,
    `X-Api-Key: ${SECRET}`,
    `forge=Authorization: Bearer ${SECRET}`,
    `forge=X-Api-Key: ${SECRET}`,
    `FORGE=Authorization: ${SECRET}`,
    `other=Authorization: ${SECRET}`,
    `forge:Authorization: ${SECRET}`,
    `=Authorization: ${SECRET}`,
  ]) {
    for (const word of size === 1 ? ["check", "init", "explain", "tokens"] : ["check", "init"]) {
      evil.seen.length = 0;
      const { status, out, err, written } = await run(
        [
          word,
          ...(word === "init" ? [] : ["sieve.jsonc"]),
          ...servers,
          "--header",
          header,
          ...(word === "explain" ? ["--name", "forge_tool"] : []),
        ],
        word === "init" ? {} : config,
      );
      yield tried(
        `${word} --header ${JSON.stringify(header)} with two servers`,
        !got(evil) && !`${out}${written}`.includes(SECRET),
        `${status} ${out} ${err}`,
      );
    }
  }

  const hostile = [];
  for (let number = 0; hostile.length < COUNT[size] && number < NAMES.length * 4; number += 1)
    hostile.push({
      name: NAMES[number % NAMES.length],
      place: ["name", "title", "description", "server"][Math.floor(number / NAMES.length)],
    });
  yield* parallel(
    size === 1 ? hostile : hostile.filter((_, at) => at % 2 === 0),
    async ({ name, place }) => {
      const made = tool(
        place === "name" ? name : "plain",
        place === "name" || place === "server" ? {} : { [place]: name },
      );
      const answer =
        place === "server"
          ? {
              "server/discover": () => ({
                supportedVersions: ["2026-07-28"],
                capabilities: { tools: {} },
                serverInfo: { name, version: "1" },
                ttlMs: 0,
                cacheScope: "public",
              }),
            }
          : {};
      const url = await stage.served(simple({ lists: { tools: [made, tool("second")] }, answer }));
      const runs = [await run(["init", "--upstream", url])];
      runs.push(
        await run(["check", "sieve.jsonc", "--upstream", url], {
          "sieve.jsonc": '{"rules":[{"match":"name:n*","groups":["a"]}]}',
        }),
      );
      const saw = runs.map(({ status, out, err, written }) => `${status} ${out} ${err} ${written}`).join("\n");
      const crashed = runs.some(({ status, err }) => ![0, 1].includes(status) || /\n\s+at .*:\d+:\d+/.test(err));
      const forged = runs.some(({ out, err }) => /^sieve: all clear/m.test(`${out}\n${err}`));
      return tried(
        `a server lists a ${place} ${JSON.stringify(name.slice(0, 60))}`,
        !RAW.test(saw) && !saw.includes("TOP-SECRET-VARIABLE") && !crashed && !forged,
        JSON.stringify(saw.slice(0, 1_500)),
      );
    },
    4,
  );
}
