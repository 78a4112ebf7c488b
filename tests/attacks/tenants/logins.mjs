// Attacks on the identification of browsers at the gateway's own authorization server, before they see the page of a sign-in.
import { openBrowser } from "../../support/browser.mjs";
import { control, tried } from "../verdict.mjs";

const EVIL = "evil.example";
/** Texts in place of a ticket, which comes back in the address of the page. */
const TICKETS = [
  `//${EVIL}`,
  `\r\nset-cookie: x=${EVIL}`,
  `"><script>alert(1)</script>`,
  `#@${EVIL}/`,
  `&ticket=${EVIL}`,
  "%0d%0a",
];

/** Attacks the identification at `front`. `pair` are a caller of each tenant. */
export async function* attackLogins({ front, issuer, pair: [victim, attacker], random }) {
  const page = `${front.url}/connect/home`;
  const begin = async (address = page) => {
    const browser = openBrowser();
    return { browser, begun: await browser.get(address) };
  };
  const [hers, his] = [await begin(), await begin()];
  const [herCallback, hisCallback] = [issuer.signIn(hers.begun.next, victim), issuer.signIn(his.begun.next, attacker)];
  const edited = (text, members) => {
    const url = new URL(text);
    for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
    return url.href;
  };
  const { state, code } = Object.fromEntries(new URL(hisCallback).searchParams);
  const isAnyone = ({ html }) => [victim, attacker].some(({ name }) => html.includes(name));
  for (const [what, browser, url] of [
    ["the attacker's identification in the victim's browser", hers.browser, hisCallback],
    ["the victim's identification in the attacker's browser", his.browser, herCallback],
    ["an identification in a fresh browser", openBrowser(), herCallback],
    ["a fixed state", hers.browser, edited(herCallback, { state: "0" })],
    ["the attacker's state", hers.browser, edited(herCallback, { state })],
    ["another issuer", openBrowser(), edited(herCallback, { iss: `https://${EVIL}` })],
    ["a server's callback", hers.browser, herCallback.replace("/connect/signed-in", "/connect/home/callback")],
  ]) {
    const opened = await browser.get(url);
    yield tried(what, opened.status >= 400 || (opened.next !== undefined && !isAnyone(opened)), opened.html);
  }
  // The attacker's code under the victim's state: its verifier and its nonce are the attacker's.
  const injected = await begin();
  const injection = edited(issuer.signIn(injected.begun.next, victim), { code });
  const into = await injected.browser.get(injection);
  yield tried("the attacker's code under the victim's state", into.status >= 400 && !isAnyone(into), into.html);
  for (const [what, claims] of [
    ["another nonce", { nonce: random.text(20) }],
    ["no nonce", { nonce: undefined }],
    ["another audience", { aud: "another client" }],
    ["another issuer", { iss: `https://${EVIL}` }],
    ["an end in the past", { exp: 1_000 }],
    ["no subject", { sub: undefined }],
  ]) {
    const { browser, begun } = await begin();
    const opened = await browser.get(issuer.signIn(begun.next, victim, claims));
    yield tried(`an identity token with ${what}`, opened.status >= 400 && !isAnyone(opened), opened.html);
  }
  for (const ticket of TICKETS) {
    const { browser, begun } = await begin(`${page}?${new URLSearchParams({ ticket })}`);
    const seen = `${[...begun.headers]}`;
    yield tried(
      `the ticket ${JSON.stringify(ticket)}`,
      new URL(begun.next).origin === issuer.issuer && !seen.includes(EVIL),
      seen,
    );
    const opened = await browser.get(issuer.signIn(begun.next, victim));
    const held =
      opened.url.startsWith(page) && ![...browser.cookies].flat().includes(EVIL) && !opened.html.includes("<script");
    yield tried(`the ticket ${JSON.stringify(ticket)} after the identification`, held, `${opened.url} ${opened.html}`);
  }
  const { browser, begun } = await begin();
  const done = await browser.get(issuer.signIn(begun.next, victim));
  yield control(
    "the victim's own identification",
    done.title === "Connect to home" && done.html.includes(victim.name),
    done.html,
  );
}
