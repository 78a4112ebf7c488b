// Reads the gateway of this machine from a web page: by a foreign `Origin`, and by a name that is rebound to 127.0.0.1.
import { request as httpRequest } from "node:http";
import { request } from "../../support/raw-client.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "foreign `Origin` and `Host` headers";

const HOSTS = [
  "evil.example",
  "evil.example:PORT",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "127.0.0.1:PORT.evil.example",
  "0.0.0.0",
  "127.0.0.2",
  "evil@127.0.0.1",
  "localhost@evil.example",
  "[::2]",
  "127.0.0.1,evil.example",
  " evil.example",
  "xn--localhost-",
  "LOCALHOST.",
  "2130706433",
  "127.1",
  "0x7f000001",
  "::1",
  "[::ffff:127.0.0.1]",
];
const ORIGINS = [
  "https://evil.example",
  "http://evil.example",
  "null",
  "http://localhost.evil.example",
  "http://127.0.0.1.evil.example",
  "file://",
  "chrome-extension://x",
  "http://evil.example:PORT",
  "https://127.0.0.1@evil.example",
  "http://[::2]",
  "evil",
];
const PATHS = [
  "/mcp",
  "/catalog/tools",
  "/audit",
  "/audit/calls",
  "/middleware",
  "/.well-known/oauth-protected-resource/mcp",
  "/",
  "/mcp/read-only",
  "/catalog/read-only/tools",
];

/** Sends a request with exactly this Host, which fetch would overwrite. */
function raw(url, { verb, headers, body }) {
  return new Promise((done, fail) => {
    const sent = httpRequest(
      url,
      { method: verb, headers, setHost: false, agent: false, timeout: 10_000 },
      async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        done({ status: response.statusCode, headers: response.headers, text });
      },
    );
    sent.on("error", fail);
    sent.end(body);
  });
}

export async function* attempt(stage, size) {
  const upstream = await stage.served(simple({ lists: { tools: [tool("open_secret")] } }));
  const started = await stage.workers([
    {
      name: "local",
      upstream,
      config: { middleware: { interceptors: true } },
      env: { SIEVE_MIDDLEWARE_TOKEN: "a token of the application, long enough" },
    },
  ]);
  const url = started.urls.local;
  const { host, port } = new URL(url);
  const list = request("tools/list");
  const ask = (path, verb, more) =>
    raw(new URL(path, url), {
      verb,
      headers: {
        host,
        ...(verb === "POST" ? { ...list.headers, "content-length": Buffer.byteLength(list.body) } : {}),
        ...more,
      },
      ...(verb === "POST" && { body: list.body }),
    });
  for (const [path, verb] of [
    ["/mcp", "POST"],
    ["/catalog/tools", "GET"],
  ]) {
    const seen = await ask(path, verb, {});
    yield control(`${verb} ${path} by its own name lists the tool`, seen.text.includes("open_secret"), seen.text);
  }
  const verbs = size === 1 ? ["POST", "GET", "HEAD", "OPTIONS", "DELETE"] : ["POST", "GET"];
  for (const path of PATHS) {
    for (const verb of verbs) {
      for (const named of HOSTS) {
        const foreign = named.replace("PORT", port);
        let seen;
        try {
          seen = await ask(path, verb, { host: foreign });
        } catch (error) {
          seen = { status: 0, text: String(error) };
        }
        yield tried(
          `${verb} ${path} with Host ${foreign}`,
          seen.status === 0 || seen.status >= 400,
          `${seen.status} ${seen.text}`,
        );
      }
      if (path === "/") continue;
      for (const named of ORIGINS) {
        const origin = named.replace("PORT", port);
        const { status, headers, text } = await ask(path, verb, { origin });
        const readable = [origin, "*"].includes(headers["access-control-allow-origin"]);
        // Metadata of RFC 9728 is public by design. Everything else is for pages of the same origin.
        yield tried(
          `${verb} ${path} with Origin ${JSON.stringify(origin)}`,
          path.startsWith("/.well-known") || !(text.includes("open_secret") && (readable || verb === "POST")),
          `${status} ${text}`,
        );
      }
    }
  }
}
