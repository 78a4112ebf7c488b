// Runs scripts, opens connections or forges elements in the picker and in the page, by text of a hostile server.
import { fileURLToPath } from "node:url";
import { launch, overheard, startSite } from "../../support/site.mjs";
import { simple } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "script and foreign elements from names, in the picker and the page";

const HOST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><link rel="icon" href="data:,"><script type="module" src="/host.js"></script></head><body><mcp-sieve-picker></mcp-sieve-picker></body></html>`;
const SCRIPT = `import { Sieve } from "/mcp-sieve/loaders/web.js";
import "/mcp-sieve/src/element/picker.js";
globalThis.load = (lists, config) => { document.querySelector("mcp-sieve-picker").sieve = Sieve.compile(lists, config); };
globalThis.ready = true;`;
/** The picker must be safe without a content security policy of its host. */
const NO_POLICY = "default-src * 'unsafe-inline' 'unsafe-eval' data: blob:";
const RUN = "globalThis.attacked=1";
const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}">`,
  `"><script>${RUN}</script>`,
  `' onmouseover='${RUN}`,
  `" autofocus onfocus="${RUN}" x="`,
  `javascript:${RUN}`,
  `<iframe srcdoc="<script>parent.attacked=1</script>">`,
  `</style><script>${RUN}</script>`,
  `</template><img src=x onerror=${RUN}>`,
  `<a href="javascript:${RUN}">x</a>`,
  `{{${RUN}}}`,
  "${globalThis.attacked=1}",
  `<link rel=stylesheet href="http://evil.example/x">`,
  `<form action=http://evil.example><button>x`,
  `<base href=http://evil.example/>`,
  `--><script>${RUN}</script>`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `<math><mi xlink:href="javascript:${RUN}">`,
  "__proto__",
];
const PLACES = ["name", "title", "description", "groups", "tags", "uri"];
const MARK = "marked";

/** Returns a list of a tool, or of a resource, with the payload in one place. */
function made(place, payload) {
  const primitive = { name: `${MARK}_tool`, groups: ["shown"], tags: ["shown"], inputSchema: { type: "object" } };
  if (place === "uri") return { resources: [{ uri: payload, name: MARK }], tools: [primitive] };
  return { tools: [{ ...primitive, [place]: ["groups", "tags"].includes(place) ? [payload] : payload }] };
}

export async function* attempt(stage, size, random) {
  const folders = { "/mcp-sieve/": fileURLToPath(new URL("../../../pkg/", import.meta.url)) };
  const site = await startSite({ folders, pages: { "/": HOST, "/host.js": SCRIPT }, policy: NO_POLICY });
  stage.defer(() => site.stop());
  const browser = await launch();
  stage.defer(() => browser.close());
  const open = async (url, lists) => {
    const page = await browser.newPage();
    const asked = overheard(page, new URL(url).origin);
    await page.goto(url);
    if (lists) {
      await page.waitForFunction(() => globalThis.ready);
      await page.evaluate((lists) => globalThis.load(lists, {}), lists);
    }
    return { page, asked };
  };
  const state = (page) =>
    page.evaluate(() => {
      const seen = [];
      const walk = (root) =>
        root.querySelectorAll("*").forEach((element) => {
          if (element.shadowRoot) walk(element.shadowRoot);
          const handler = [...element.attributes].some(
            ({ name, value }) =>
              /^on/i.test(name) || (/^(?:xlink:)?href$|^src$|action$/i.test(name) && /^\s*javascript:/i.test(value)),
          );
          if (
            handler ||
            ["IFRAME", "OBJECT", "EMBED", "BASE", "MATH"].includes(element.tagName) ||
            (element.tagName === "IMG" && element.getAttribute("src") === "x")
          )
            seen.push(element.outerHTML.slice(0, 200));
        });
      walk(document);
      return { attacked: globalThis.attacked, polluted: {}.attacked, foreign: seen };
    });
  /** Clicks every button twice, because the first clicks may show more of them. */
  const click = (page) =>
    page.evaluate(() => {
      const walk = (root) =>
        root.querySelectorAll("*").forEach((element) => {
          if (element.shadowRoot) walk(element.shadowRoot);
          if (element.matches("button, summary, [role=treeitem]")) element.click();
        });
      walk(document);
      walk(document);
    });
  const shown = await open(site.url, made("name", `${MARK}_name`));
  await shown.page.getByText(`${MARK}_name`).first().waitFor();
  await shown.page.evaluate((code) => {
    const script = document.createElement("script");
    script.textContent = code;
    document.body.append(script);
  }, RUN);
  const ran = await state(shown.page);
  yield control("a name is shown, and script that runs is seen", ran.attacked === 1, ran);
  await shown.page.close();
  for (const place of PLACES) {
    for (const payload of size === 1 ? PAYLOADS : random.shuffle(PAYLOADS).slice(0, 2)) {
      const { page, asked } = await open(site.url, made(place, payload));
      await click(page);
      const saw = await state(page);
      const others = asked.filter((line) => line.startsWith("asks "));
      yield tried(
        `the picker, ${place} ${JSON.stringify(payload)}`,
        saw.attacked === undefined && saw.polluted === undefined && saw.foreign.length === 0 && others.length === 0,
        { ...saw, others },
      );
      await page.close();
    }
  }
  const all = PAYLOADS.flatMap((payload) =>
    PLACES.filter((place) => place !== "uri").map((place) => made(place, payload).tools[0]),
  );
  const tools = all.map((tool, at) => ({ ...tool, name: tool.name === `${MARK}_tool` ? `${MARK}_${at}` : tool.name }));
  const started = await stage.workers([
    {
      name: "page",
      upstream: await stage.served(simple({ lists: { tools } })),
      config: {},
      assets: fileURLToPath(new URL("../../../build/site", import.meta.url)),
    },
  ]);
  const { page, asked } = await open(started.urls.page);
  await page.getByText(`${MARK}_`).first().waitFor({ timeout: 15_000 });
  await click(page);
  const saw = await state(page);
  const others = asked.filter((line) => line.startsWith("asks "));
  yield tried(
    `the page, ${tools.length} payloads at once`,
    saw.attacked === undefined && saw.polluted === undefined && saw.foreign.length === 0 && others.length === 0,
    { ...saw, others },
  );
}
