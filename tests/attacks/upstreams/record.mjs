// Keeps what reached a server: the observation of every class that asks what left the gateway.

/** The same server; `seen` holds `{method, headers, text, message}` of each HTTP request, newest last. */
export function record(behind) {
  const seen = [];
  const fetch = async (request, ...rest) => {
    const text = await request.clone().text();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      /* a GET, or no JSON */
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
