// Attacks on the pages on which callers sign in: tickets, cookies, forms and states of others, and addresses that lead elsewhere.
import { request as httpRequest } from "node:http";
import { request } from "../../support/raw-client.mjs";
import { openBrowser } from "../../support/browser.mjs";
import { control, tried } from "../verdict.mjs";

const PAGE = "/connect/home";
const EVIL = "evil.example";
/** Headers of proxies that name a host. */
const FORWARDED = [
  ["x-forwarded-host", EVIL],
  ["x-forwarded-server", EVIL],
  ["x-original-host", EVIL],
  ["x-host", EVIL],
  ["x-forwarded-port", "6666"],
  ["x-forwarded-prefix", `//${EVIL}`],
  ["forwarded", `host=${EVIL};proto=https`],
  ["x-original-url", `https://${EVIL}/`],
  ["x-rewrite-url", `https://${EVIL}/`],
  ["x-forwarded-proto", `https://${EVIL}/?`],
  ["x-forwarded-proto", `javascript`],
  ["referer", `https://${EVIL}/`],
];
/** Members of forms and addresses that could name a place to return to. */
const PLACES = [
  "redirect_uri",
  "return",
  "return_to",
  "next",
  "url",
  "continue",
  "issuer",
  "server",
  "origin",
  "redirect",
];
const TARGETS = [`https://${EVIL}/`, `//${EVIL}`, `/\\${EVIL}`, `%2f%2f${EVIL}`, `\r\nLocation: https://${EVIL}`];
const hostsOf = (host) => [
  EVIL,
  `${EVIL}:443`,
  `${host}.${EVIL}`,
  `${host}@${EVIL}`,
  `${EVIL}@${host}`,
  `${EVIL}#${host}`,
  `${EVIL}/${host}`,
  `${EVIL}, ${host}`,
];

/** Sends a request in which `Host` and the target are the attacker's to choose. */
function raw(url, { method = "GET", headers = {}, body, target }) {
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((done, fail) => {
    const options = { hostname, port, path: target ?? `${pathname}${search}`, method, headers, setHost: !headers.host };
    const sent = httpRequest(options, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      reply.on("end", () => done({ status: reply.statusCode, text: `${JSON.stringify(reply.headers)}\n${text}` }));
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

/** Attacks the pages of `front`. `pair` are a caller of each tenant that is not signed in; `headersOf` returns their headers. */
export async function* attackPages({ front, issuer, pair: [victim, attacker], headersOf, random }) {
  const page = `${front.url}${PAGE}`;
  const host = new URL(front.url).host;
  const allowed = `${front.url}${PAGE}/callback`;
  const before = issuer.redirects.length;
  const visit = async (person) => {
    const browser = openBrowser();
    return { browser, page: await (await browser.get(page)).submit("Go on", { token: person.token }) };
  };
  /** Calls the tool that returns the address of the sign-in. */
  const link = async (person, more = {}) => {
    const { method, headers, body } = request("tools/call", { name: "connect_home", arguments: {} });
    const { text } = await raw(`${front.url}/mcp`, {
      method,
      body,
      headers: { ...headers, ...headersOf(person), ...more },
    });
    return { text, url: /https?:[^\s"\\]+\?ticket=[\w-]+/.exec(text)?.[0] };
  };
  const isConnected = async (person) => (await visit(person)).page.title === "Connected to home";
  const place = (name) => `page of ${name}`;

  const [his, her] = [await visit(attacker), await visit(victim)];
  yield control(
    "each browser has the page of its caller",
    her.page.html.includes(victim.name) && his.page.title === "Connect to home",
    her.page.html,
  );
  const [herLink, hisLink] = [await link(victim), await link(attacker)];
  const welcome = await her.browser.get(herLink.url);
  yield control("the address of a caller opens in its browser", welcome.title === "Connect to home", welcome.html);

  // Addresses made for another caller.
  for (const [what, browser, url, other] of [
    ["the victim's address", his.browser, herLink.url, victim],
    ["the attacker's address, sent to the victim", her.browser, hisLink.url, attacker],
  ]) {
    const opened = await browser.get(url);
    yield tried(`${what} in the other's browser`, opened.status === 403 && opened.forms.length === 0, opened.html);
    yield tried(`${what} shows no name`, !opened.html.includes(other.name), opened.html);
  }
  const ticket = new URL(herLink.url).searchParams.get("ticket");
  for (let count = 0; count < 8; count += 1) {
    const at = random.below(ticket.length);
    const forged = `${ticket.slice(0, at)}${random.pick([..."abcXYZ019-_"].filter((letter) => letter !== ticket[at]))}${ticket.slice(at + 1)}`;
    const opened = await his.browser.get(`${page}?ticket=${forged}`);
    yield tried(`a changed ticket: ${forged}`, !opened.html.includes(victim.name), opened.html);
    const nobody = await openBrowser().get(`${page}?ticket=${forged}`);
    yield tried("a changed ticket without a cookie", nobody.title === "Who are you?", nobody.html);
  }
  // Cookies: changed, renamed, made up, and one without its prefix over HTTPS, which a neighbouring host can set.
  const [[cookieName, cookie]] = her.browser.cookies;
  const withCookie = (value, more = {}) => raw(page, { headers: { cookie: value, ...more } });
  const own = await withCookie(`${cookieName}=${cookie}`);
  yield control("the cookie identifies the browser", own.text.includes(victim.name), own.text);
  const cookies = [
    `${cookieName}-login=${cookie}`,
    `sieve-connect-login=${cookie}`,
    `${cookieName}=${ticket}`,
    `${cookieName}=${her.page.forms[0].fields.form}`,
    `${cookieName}=${cookie.slice(0, -1)}`,
    `${cookieName}=${cookie.slice(1)}`,
    ...Array.from({ length: 6 }, () => {
      const at = random.below(cookie.length);
      return `${cookieName}=${cookie.slice(0, at)}${cookie[at] === "A" ? "B" : "A"}${cookie.slice(at + 1)}`;
    }),
  ];
  for (const value of cookies) {
    const { text } = await withCookie(value);
    yield tried(`the cookie ${value}`, text.includes("Who are you?") && !text.includes(victim.name), text);
  }
  const prefixed = await withCookie(`__Host-${cookieName}=${cookie}`, { "x-forwarded-proto": "https" });
  yield control("a cookie with its prefix over HTTPS", prefixed.text.includes(victim.name), prefixed.text);
  const tossed = await withCookie(`${cookieName}=${cookie}`, { "x-forwarded-proto": "https" });
  yield tried("a cookie without its prefix over HTTPS", !tossed.text.includes(victim.name), tossed.text);

  // Forms of another caller, and tokens of other purposes.
  for (const [what, fields] of [
    ["the victim's form", her.page.forms[0].fields],
    ["a form with the cookie", { action: "connect", form: cookie }],
    ["a form with the ticket", { action: "connect", form: ticket }],
    ["a form without a token", { action: "connect" }],
    ["a form that ends a connection", { action: "disconnect", form: her.page.forms[0].fields.form }],
  ]) {
    const sent = await his.browser.get(page, { form: fields });
    yield tried(`${what} in the attacker's browser`, sent.status === 403 && sent.next === undefined, sent.html);
  }

  // The callback of one caller in the browser of the other, and states that the attacker chooses.
  const hers = await her.page.submit("Connect");
  const theirs = await his.page.submit("Connect");
  const [herCallback, hisCallback] = [issuer.signIn(hers.next, victim), issuer.signIn(theirs.next, attacker)];
  const edited = (change) => {
    const url = new URL(herCallback);
    change(url.searchParams);
    return url.href;
  };
  const state = new URL(hisCallback).searchParams.get("state");
  const callbacks = [
    ["the attacker's callback in the victim's browser", her.browser, hisCallback],
    ["the victim's callback in the attacker's browser", his.browser, herCallback],
    ["a fixed state", her.browser, edited((query) => query.set("state", "0"))],
    ["no state", her.browser, edited((query) => query.delete("state"))],
    ["the attacker's state in the victim's browser", her.browser, edited((query) => query.set("state", state))],
    ["the victim's code under the attacker's state", openBrowser(), edited((query) => query.set("state", state))],
    ["another server's page", her.browser, herCallback.replace("/connect/home/", "/connect/other/")],
    ["another issuer", his.browser, hisCallback.replace(/iss=[^&]*/, `iss=https%3A%2F%2F${EVIL}`)],
  ];
  for (const [what, browser, url] of callbacks) {
    const opened = await browser.get(url);
    const held = [403, 404, 502].includes(opened.status) && !opened.title.startsWith("Connected");
    yield tried(`the callback with ${what}`, held, opened.html);
  }
  for (const person of [victim, attacker]) {
    yield tried(`no sign-in of others connects ${place(person.tenant)}`, !(await isConnected(person)), person.name);
  }
  // The issuer was wrong once, which ended the attacker's sign-in. The victim's own is still pending.
  const done = await her.browser.get(herCallback);
  yield control("the victim's own callback connects the victim", done.title === "Connected to home", done.html);
  yield tried("the victim's callback a second time", (await her.browser.get(herCallback)).status === 403, herCallback);
  yield tried("the attacker is not connected by it", !(await isConnected(attacker)), attacker.name);
  await (await visit(victim)).page.submit("Disconnect");

  // Addresses that lead elsewhere.
  const staysHere = (text) => !text.toLowerCase().replaceAll("%2e", ".").includes(EVIL) && !text.includes(":6666");
  const sent = [];
  for (const [name, value] of FORWARDED) {
    const answer = await link(victim, { [name]: value });
    yield tried(
      `${name}: ${value} with a call`,
      staysHere(answer.text) && new URL(answer.url).host === host,
      answer.text,
    );
    const shown = await raw(page, { headers: { cookie: `${cookieName}=${cookie}`, [name]: value } });
    yield tried(`${name}: ${value} with the page`, staysHere(shown.text), shown.text);
    const { browser, page: fresh } = await visit(victim);
    const [form] = fresh.forms;
    const begun = await browser.get(form.action, { form: form.fields, headers: { [name]: value } });
    sent.push([`${name}: ${value} with the form`, begun]);
  }
  for (const name of PLACES) {
    const { browser, page: fresh } = await visit(victim);
    const [form] = fresh.forms;
    const target = random.pick(TARGETS);
    const query = `${form.action}?${new URLSearchParams({ [name]: target })}`;
    sent.push([
      `the member ${name} of the form`,
      await browser.get(form.action, { form: { ...form.fields, [name]: target } }),
    ]);
    sent.push([`the parameter ${name}`, await browser.get(query, { form: form.fields })]);
    const stranger = await openBrowser().get(query);
    yield tried(`the parameter ${name} without a cookie`, staysHere(`${[...stranger.headers]}`), stranger.html);
    const identified = await stranger.submit("Go on", { token: victim.token, [name]: target, ticket: target });
    yield tried(
      `the member ${name} with a token`,
      identified.url.startsWith(front.url) && staysHere(identified.html),
      identified.url,
    );
  }
  for (const [what, begun] of sent) {
    const target = begun.next && new URL(begun.next);
    const redirect = target?.searchParams.get("redirect_uri");
    const held = target ? target.origin === issuer.issuer && redirect === allowed : begun.status >= 400;
    yield tried(what, held, begun.next ?? begun.html);
  }
  const refused = ({ message }) => ({ status: 400, text: message });
  for (const value of hostsOf(host)) {
    const answer = await link(victim, { host: value }).catch(refused);
    yield tried(`Host: ${value} with a call`, !answer.url || new URL(answer.url).host === host, answer.text);
    const shown = await raw(page, { headers: { cookie: `${cookieName}=${cookie}`, host: value } }).catch(refused);
    yield tried(`Host: ${value} with the page`, !shown.text.includes(victim.name) || staysHere(shown.text), shown.text);
    const document = await raw(`${front.url}/connect/client.json`, { headers: { host: value } }).catch(refused);
    // The reason of a refusal repeats the name.
    const held = document.status >= 400 || staysHere(document.text);
    yield tried(`Host: ${value} with the document of the client`, held, document.text);
  }
  const absolute = await raw(page, {
    target: `http://${EVIL}${PAGE}`,
    headers: { cookie: `${cookieName}=${cookie}`, host },
  });
  yield tried("a target of another host", staysHere(absolute.text), absolute.text);
  const strangers = issuer.redirects.slice(before).filter((redirect) => redirect !== allowed);
  yield tried("every browser came back to the page", strangers.length === 0, strangers);
}
