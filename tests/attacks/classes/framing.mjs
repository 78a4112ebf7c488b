// Embeds the page in a frame of another site.
import { fileURLToPath } from "node:url";
import { at } from "../stage.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "the page in a frame of another site";

const site = fileURLToPath(new URL("../../../build/site", import.meta.url));
const PATHS = ["/", "/index.html", "/?x=1"];

export async function* attempt(stage) {
  const started = await stage.workers([{ name: "page", config: {}, assets: site }]);
  const front = at(started.urls.page);
  for (const path of PATHS) {
    const reply = await front.fetch(path, { headers: { accept: "text/html", "sec-fetch-dest": "iframe" } });
    const text = await reply.text();
    if (path === "/")
      yield control("the page is served", reply.status === 200 && text.includes("<"), `${reply.status}`);
    if (!reply.headers.get("content-type")?.startsWith("text/html")) continue;
    const policy = reply.headers.get("content-security-policy") ?? "";
    yield tried(`GET ${path}: frame-ancestors`, /frame-ancestors 'none'/.test(policy), policy || "no policy");
    yield tried(
      `GET ${path}: X-Frame-Options`,
      /^deny$/i.test(reply.headers.get("x-frame-options") ?? ""),
      reply.headers.get("x-frame-options"),
    );
    yield tried(
      `GET ${path}: nosniff`,
      reply.headers.get("x-content-type-options") === "nosniff",
      reply.headers.get("x-content-type-options"),
    );
  }
}
