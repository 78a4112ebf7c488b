// A browser that signs in: it follows redirects of one server with cookies, and stops before it leaves it.

/** Maximum number of redirects of a sign-in. */
const MAX_STEPS = 12;

/** Follows the redirects from `url` within `origin`, and returns the first address elsewhere. */
export async function signInAt(url, origin, headers) {
  const cookies = new Map();
  let at = url;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (new URL(at).origin !== origin) return at;
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: { ...headers, ...(cookie ? { cookie } : {}) } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const text = await response.text();
    if (!location) throw new Error(`the sign-in stopped at ${at} with ${response.status}: ${text.slice(0, 500)}`);
    at = new URL(location, at).href;
  }
  throw new Error("the sign-in goes round in circles");
}
