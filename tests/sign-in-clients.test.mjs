// Clients of other projects at a server that wants each user to sign in. Each shows the address that its user has to open, and
// lists the server's own tools after the sign-in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startAuthorizationServer } from "./support/authorization-server.mjs";
import { openBrowser } from "./support/browser.mjs";
import { clients } from "./support/clients.mjs";
import { startProtectedServer } from "./support/protected-server.mjs";
import { tokensVariable } from "./support/tokens.mjs";
import { startWorker } from "./support/workerd.mjs";

const people = Object.keys(clients).map((name, at) => ({ name, sub: `user${at}`, token: `token-of-user${at}` }));

let authorization, home, gateway;
before(async () => {
  authorization = await startAuthorizationServer();
  home = await startProtectedServer({ authorization, name: "home" });
  const tokens = Object.fromEntries(people.map(({ token, sub }) => [token, { sub }]));
  gateway = await startWorker({
    config: { upstreams: [{ name: "home", url: home.url, auth: "user" }] },
    env: { SIEVE_TOKENS: tokensVariable(tokens), SIEVE_ONE_USER: undefined },
  });
});
after(async () => {
  await gateway?.stop();
  await Promise.all([authorization?.stop(), home?.stop()]);
});

for (const { name, sub, token } of people) {
  test(`${name} shows the address, and then the tools of its user`, async () => {
    const { use } = clients[name];
    const url = `${gateway.url}/mcp`;
    const before = await use(url, { token, tool: "connect_home", args: {} });
    assert.deepEqual(before.names, ["connect_home"]);
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/connect\/home\?ticket=[\w.~-]+/.exec(before.answer) ?? [];
    assert.ok(address, before.answer);

    const browser = openBrowser();
    const page = await (await browser.get(address)).submit("Go on", { token });
    const begun = await page.submit("Connect");
    const done = await browser.get(await authorization.signIn(begun.next, { user: sub }));
    assert.equal(done.title, "Connected to home", done.html);

    const after = await use(url, { token, tool: "whoami", args: {} });
    assert.deepEqual(after.names.sort(), [`notes_of_${sub}`, "whoami"]);
    assert.equal(after.answer, `whoami for ${sub}`);
  });
}
