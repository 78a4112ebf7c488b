// Secrets and tokens of context middleware at the edge.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  OPERATOR,
  TOKEN,
  WRONG_TOKENS,
  at,
  call,
  middlewareWorkers,
  operationsOf,
  post,
} from "./support/middleware-workers.mjs";
import { until } from "./support/until.mjs";

middlewareWorkers();

test("M-39: middleware is configured and opened apart from the users' endpoint", async () => {
  // Users receive the same with and without middleware, whatever its configuration.
  for (const [method, key] of [
    ["server/discover", "capabilities"],
    ["tools/list", "tools"],
    ["prompts/list", "prompts"],
    ["resources/list", "resources"],
  ]) {
    const [on, few, off] = await Promise.all(
      ["on", "few", "off"].map((name) => call(name, "/mcp", method, {}, { token: null })),
    );
    assert.deepEqual(on.result[key], off.result[key], method);
    assert.deepEqual(few.result[key], off.result[key], method);
  }
  // A user's token opens the endpoint for users and no middleware. The application's token does not open the users'
  // endpoint.
  const person = "a person's token";
  const statuses = async (path, method, token) => {
    const response = await post("people", path, method, {}, { token });
    await response.body?.cancel();
    return response.status;
  };
  assert.deepEqual(
    [await statuses("/mcp", "tools/list", person), await statuses("/mcp", "tools/list", TOKEN)],
    [200, 401],
  );
  for (const path of ["/middleware", "/middleware/documents"])
    assert.deepEqual([await statuses(path, "middleware/list", person), path], [401, path]);
  assert.equal(await statuses("/middleware", "middleware/list", TOKEN), 200);
});

test("M-50: each secret opens its own door and no other", async () => {
  const person = "a person's token";
  const status = async (path, token, init = {}) => {
    const response = await fetch(at("people", path), { ...init, headers: { authorization: `Bearer ${token}` } });
    await response.body?.cancel();
    return response.status;
  };
  const doors = {
    "/middleware": TOKEN,
    "/middleware/documents": TOKEN,
    "/middleware/records": TOKEN,
    "/audit": OPERATOR,
    "/catalog/tools": person,
  };
  for (const [path, key] of Object.entries(doors)) {
    const init = path === "/middleware" ? { method: "POST" } : {};
    for (const token of [TOKEN, OPERATOR, person]) {
      const found = await status(path, token, init);
      assert.equal(found === 401, token !== key, `${path}: ${found}`);
    }
  }
  for (const [token, served] of [
    [TOKEN, false],
    [OPERATOR, false],
    [person, true],
  ]) {
    assert.equal((await call("people", "/mcp", "tools/list", {}, { token })).result !== undefined, served);
  }
});

test("wrong tokens at the mounts are logged, and refused for a while beyond a limit", async () => {
  const from = async (address, path, token) => {
    const headers = { authorization: `Bearer ${token}`, "cf-connecting-ip": address };
    const response = await fetch(at("on", path), { method: "POST", headers });
    await response.body?.cancel();
    return response.status;
  };
  const statuses = [];
  for (let round = 0; round < WRONG_TOKENS + 5; round += 1)
    statuses.push(await from("203.0.113.20", "/middleware", `guess-${round}`));
  assert.deepEqual(statuses.slice(0, WRONG_TOKENS), Array(WRONG_TOKENS).fill(401));
  assert.ok(statuses.slice(WRONG_TOKENS).includes(429), statuses.join());
  assert.ok([401, 429].includes(await from("203.0.113.20", "/middleware/documents", "guess")));
  assert.equal(await from("203.0.113.21", "/middleware", "guess"), 401, "others are counted for themselves");
  assert.equal(await from("203.0.113.20", "/middleware", TOKEN), 415, "the right token always passes");
  let line;
  const counted = async () => {
    line = (await operationsOf("on")).find(({ kind, reason }) => kind === "middleware" && reason === "unauthorized");
    return line?.count >= WRONG_TOKENS + 5;
  };
  await until(counted, () => `every wrong token in ${JSON.stringify(line)}`);
});
