// A browser without scripts: it keeps cookies, follows redirects within one server, and sends the forms of a page.

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#96": "`" };
const decoded = (text) => text.replaceAll(/&(#?\w+);/g, (_, name) => ENTITIES[name] ?? "?");
const attribute = (tag, name) => decoded(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** Maximum number of redirects. */
const MAX_STEPS = 8;

/** Returns a browser with its own cookies. `seen` gets the text and the headers of every response. */
export function openBrowser(seen = []) {
  const cookies = new Map();

  async function request(url, { form, ...options } = {}) {
    let at = url;
    let init = form ? { ...options, method: "POST", body: new URLSearchParams(form) } : options;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const origin = form && init.method ? { origin: new URL(at).origin, "sec-fetch-site": "same-origin" } : {};
      const headers = { ...origin, ...(cookie ? { cookie } : {}), ...init.headers };
      const response = await fetch(at, { ...init, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      const html = await response.text();
      seen.push(`${[...response.headers].join("\n")}\n${html}`);
      const location = response.headers.get("location");
      if (location) {
        at = new URL(location, at).href;
        init = {};
        continue;
      }
      return pageOf(at, response, html);
    }
    throw new Error(`too many redirects at ${at}`);
  }

  function pageOf(url, { status, headers }, html) {
    const forms = [...html.matchAll(/<form [\s\S]*?<\/form>/g)].map(([text]) => {
      const fields = {};
      for (const [tag] of text.matchAll(/<input [^>]*>/g)) fields[attribute(tag, "name")] = attribute(tag, "value");
      return {
        action: new URL(attribute(text, "action"), url).href,
        fields,
        button: /<button>([^<]*)/.exec(text)?.[1],
      };
    });
    const submit = (button, more = {}) => {
      const found = forms.find((form) => form.button === button);
      if (!found) throw new Error(`the page has no button "${button}": ${status} ${html}`);
      return request(found.action, { form: { ...found.fields, ...more } });
    };
    return {
      url,
      status,
      headers,
      html,
      forms,
      title: decoded(/<h1>([^<]*)/.exec(html)?.[1] ?? ""),
      code: /<code>([^<]*)/.exec(html)?.[1],
      /** The address to which the page sends the browser. */
      next: /^0;url=(.*)/.exec(headers.get("refresh") ?? "")?.[1],
      submit,
    };
  }

  return { get: request, cookies };
}
