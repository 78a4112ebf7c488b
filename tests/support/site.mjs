// Static files on loopback with the content security policy that the package supports, and Chromium to view them.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import "./home.mjs";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"];

/** Serves files. `folders` maps path prefixes to folders, `pages` maps paths to texts. */
export async function startSite({ folders = {}, pages = {}, policy = POLICY }) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const answer = (type, body) =>
      response
        .writeHead(200, { "content-type": type, "content-security-policy": policy, "access-control-allow-origin": "*" })
        .end(body);
    if (pathname in pages) return answer(TYPES[extname(pathname)] ?? "text/html", pages[pathname]);
    const [under, folder] = Object.entries(folders).find(([under]) => pathname.startsWith(under)) ?? [];
    try {
      answer(TYPES[extname(pathname)], await readFile(join(folder, pathname.slice(under.length))));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

export const launch = () => chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });

/** Returns the list of a page's errors, warnings, and requests to other origins, which grows as they occur. */
export function overheard(page, origin) {
  const mishaps = [];
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type())) mishaps.push(line.text());
  });
  page.on("pageerror", (error) => mishaps.push(error.message));
  page.on("request", (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && asked !== origin) mishaps.push(`asks ${asked}`);
  });
  return mishaps;
}

const axe = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/**
 * Runs axe on a page with every rule and best practice. Returns its findings, and the number of places at which rules
 * held.
 */
export async function axeLooks(page, ...without) {
  await page.evaluate(await readFile(axe, "utf8"));
  return page.evaluate(async (without) => {
    const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
    const { violations, passes } = await globalThis.axe.run(document, { rules });
    const finds = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`,
    );
    return { finds, held: passes.reduce((sum, { nodes }) => sum + nodes.length, 0) };
  }, without);
}

export const axeFinds = async (page, ...without) => (await axeLooks(page, ...without)).finds;
