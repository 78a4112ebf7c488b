// @ts-check
// The demo page of a local gateway. It runs in workerd: the Worker asks it for the files that it serves itself nowhere.

/** The files of the page, and the modules of this package that it loads. */
const FILES =
  /^\/(?:[a-z]+\.(?:html|js|css)|samples\/[a-z]+\.json|dist\/(?:sieve_bg|middleware_bg)\.wasm|dist\/middleware\.js|loaders\/middleware-web\.js|src\/(?:(?:core|remote)\/)?[a-z-]+\.js)$/;
const OF_PACKAGE = /^\/(?:dist|loaders|src)\//;

/** Whether a request is for a file of the page. These are the same for everyone, and contain no secret. */
export const isForPage = (/** @type {Request} */ { method, url }) => {
  const { pathname } = new URL(url);
  return (method === "GET" || method === "HEAD") && (pathname === "/" || FILES.test(pathname));
};

export default {
  /** @type {(request: Request, env: { PACKAGE: { fetch: typeof fetch } }) => Response | Promise<Response>} */
  fetch({ url }, { PACKAGE }) {
    const { pathname } = new URL(url);
    if (!FILES.test(pathname)) return new Response("nothing is served here", { status: 404 });
    return PACKAGE.fetch(`http://package${OF_PACKAGE.test(pathname) ? "" : "/dist/page"}${pathname}`);
  },
};
