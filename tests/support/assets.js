// Serves static files as the platform does. workerd's own disk service has neither content types nor an index page, and
// does not compress. Responses are always compressed, because every browser supports it.
const types = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  ts: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webp: "image/webp",
};

export default {
  async fetch(request, env) {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response("only GET and HEAD", { status: 405, headers: { allow: "GET, HEAD" } });
    }
    let { pathname } = new URL(request.url);
    if (pathname.endsWith("/")) pathname += "index.html";
    const found = await env.FILES.fetch(`http://files${pathname}`, { method: request.method });
    const type = types[pathname.slice(pathname.lastIndexOf(".") + 1)];
    // A path without a known extension is a directory, for which the disk service returns a listing.
    if (!found.ok || type === undefined) return new Response("not found", { status: 404 });
    return new Response(found.body, {
      headers: { "content-type": type, "cache-control": "no-cache", "content-encoding": "gzip" },
    });
  },
};
