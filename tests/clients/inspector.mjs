// The Inspector's command line, which sends one request per run. It has no option for a filter, so the URL contains it;
// and none for subscriptions. Ending it during a call closes the connection.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { home } from "../support/home.mjs";

const RUN_MS = 60_000;
const node = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
const cli = createRequire(import.meta.url)
  .resolve("@modelcontextprotocol/inspector/package.json")
  .replace(/package\.json$/, "clients/launcher/build/index.js");
/** Returns an environment with a home of its own, because several runs at a time would share data of the Inspector. */
const env = () => ({ ...process.env, HOME: mkdtempSync(join(home, "inspector-")) });

export const inspector = (era) => {
  const words = (url, method, more) => [
    cli,
    "--cli",
    url,
    "--transport",
    "http",
    "--protocol-era",
    era,
    "--format",
    "json",
    "-q",
    "--method",
    method,
    ...more,
  ];
  const run = async (url, method, ...more) => {
    const { stdout } = await promisify(execFile)(node, words(url, method, more), { timeout: RUN_MS, env: env() });
    return JSON.parse(stdout).result;
  };
  const pairs = (flag, given) => Object.entries(given).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const narrowed = (url, filter) => {
    const narrow = new URL(url);
    for (const [field, values] of Object.entries(filter)) narrow.searchParams.append(field, values.join(","));
    return String(narrow);
  };

  return {
    async look(url, { filter, tool, args, uri, prompt, promptArguments }) {
      const [opened, all, filtered, result, read, got, resources, templates, prompts] = await Promise.all([
        run(url, "initialize"),
        run(url, "tools/list"),
        run(narrowed(url, filter), "tools/list"),
        run(url, "tools/call", "--tool-name", tool, ...pairs("--tool-arg", args)),
        run(url, "resources/read", "--uri", uri),
        run(url, "prompts/get", "--prompt-name", prompt, ...pairs("--prompt-args", promptArguments)),
        run(url, "resources/list"),
        run(url, "resources/templates/list"),
        run(url, "prompts/list"),
      ]);
      const names = (list) => list.map(({ name }) => name);
      return {
        protocol: opened.protocolVersion,
        all: names(all.tools),
        filtered: names(filtered.tools),
        called: result.content.filter(({ type }) => type === "text").map(({ text }) => text),
        isError: Boolean(result.isError),
        read: read.contents.map((content) => content.uri),
        messages: got.messages.length,
        resources: resources.resources.map((resource) => resource.uri),
        templates: templates.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        prompts: names(prompts.prompts),
      };
    },
    /** If the server returns an error, the Inspector prints it as JSON and exits with an error. */
    async use(url, { token, tool, args }) {
      const header = ["--header", `Authorization: Bearer ${token}`];
      const { tools } = await run(url, "tools/list", ...header);
      const call = run(url, "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args), ...header);
      const answer = await call.then(
        ({ content }) => content[0].text,
        ({ stderr, stdout }) => `${stdout}${stderr}`,
      );
      return { names: tools.map(({ name }) => name), answer };
    },
    /** Each run sends one request, and cannot answer a question. */
    async task(url, { token, steps }) {
      const header = ["--header", `Authorization: Bearer ${token}`];
      const { tools } = await run(url, "tools/list", ...header);
      const answers = [];
      for (const { tool, args } of steps) {
        const said = run(url, "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args), ...header);
        answers.push(
          await said.then(
            ({ content }) => content[0].text,
            ({ stderr, stdout }) => `${stdout}${stderr}`,
          ),
        );
      }
      return { names: tools.map(({ name }) => name), answers, asked: 0 };
    },
    /**
     * A closed connection cancels a call in the stateless revision only, so the Inspector cannot cancel one in a
     * session.
     */
    ...(era === "modern" && {
      async leave(url, { tool, args }, underWay) {
        // Without a token no progress is sent. A platform may not notice that a client left before it received
        // anything.
        const more = [
          "--tool-name",
          tool,
          "--tool-args-json",
          JSON.stringify(args),
          "--tool-metadata",
          "progressToken=1",
        ];
        const child = spawn(node, words(url, "tools/call", more), { stdio: "ignore", env: env() });
        await underWay();
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
        return { close: () => {} };
      },
    }),
  };
};
