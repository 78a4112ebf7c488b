// Records the requests that reach a server, for the classes that check what the gateway sends.

/** Returns the same server with `seen`: `{method, headers, text, message}` of each HTTP request, newest last. */
export function record(behind) {
  const seen = [];
  const fetch = async (request, ...rest) => {
    const text = await request.clone().text();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      /* a GET request, or a body that is not JSON */
    }
    seen.push({ verb: request.method, url: request.url, headers: Object.fromEntries(request.headers), text, message });
    return behind.fetch(request, ...rest);
  };
  return {
    ...behind,
    url: undefined,
    fetch,
    seen,
    calls: (method) => seen.filter(({ message }) => message?.method === method),
  };
}
