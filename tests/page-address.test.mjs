// The address of the demo page: filters, stored choices, names with commas, and the URL that it offers to clients.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sieve } from "../pkg/loaders/node.js";
import { query, unspelt } from "../web/page/state.js";
import {
  act,
  button,
  check,
  hash,
  names,
  open,
  page,
  requested,
  sample,
  settled,
  sign,
  visits,
  workers,
} from "./support/visit.mjs";

const KINDS = ["tools", "resources", "resourceTemplates", "prompts"];

visits({});

test("a filter that cannot be read is reported, and its catalog stays the one to choose from", async () => {
  const { lists, config } = sample("forge");
  await open("#from=sample&sample=forge&q=((");
  const alert = page.locator("#source-error");
  await alert.filter({ hasText: /expression, at byte/ }).waitFor();
  const sieve = Sieve.compile(lists, config);
  assert.deepEqual(await names(), sieve.names());
  assert.deepEqual(JSON.parse((await requested()).request).params.filter, undefined);
  const [{ name }] = sieve.tags;
  await act(sign(`Require tag ${name}`).click());
  assert.equal(await page.textContent("#loaded"), "Sample “forge”");
  assert.equal(hash(), `#from=sample&sample=forge&tags=${name}`);
  assert.deepEqual(await names(), sieve.names({ filter: { tags: [name] } }));
  assert.ok(await alert.isHidden());
});

test("an address without a filter begins with what is stored, and back and forward keep what was chosen", async () => {
  const { lists, config } = sample("forge");
  const sieve = Sieve.compile(lists, config);
  const bare = "#from=sample&sample=forge";
  const filter = () => page.evaluate(() => document.getElementById("picker").filter);
  const shows = (wanted) =>
    page
      .waitForFunction(
        (text) => JSON.stringify(document.getElementById("picker").filter) === text,
        JSON.stringify(wanted),
      )
      .catch(async () => assert.deepEqual(await filter(), wanted));
  await open(bare);
  const most = page.getByRole("spinbutton", { name: "Max tools" });
  await page.locator("#picker summary").click();
  await most.fill("5");
  await act(most.press("Tab"));
  const [{ name, values }] = sieve.concerns.filter(({ values }) => Array.isArray(values));
  await act(sign(`Require ${name} ${values[0]}`).click());
  const stored = { concerns: { [name]: values[0] }, limit: { count: 5 } };
  assert.deepEqual(await filter(), stored);

  await page.goto("about:blank");
  await open(bare);
  assert.deepEqual(await filter(), stored, "another visit");
  assert.deepEqual(await names(), sieve.names({ filter: stored }));
  assert.deepEqual(JSON.parse((await requested()).request).params.filter, stored);
  assert.equal(hash(), `${bare}&concern.${name}=${values[0]}&limit.count=5`, "the address holds the choice");
  const [tag] = sieve.tags;
  await act(sign(`Require tag ${tag.name}`).click());
  const more = { tags: [tag.name], ...stored };
  await shows(more);
  await page.goto("about:blank");
  await open(bare);
  assert.deepEqual(await filter(), stored, "a change stores it again");
  await act(page.getByRole("button", { name: "Load" }).locator("visible=true").click());
  assert.deepEqual(await filter(), stored, "a catalog that is loaded again keeps it");
  await check("input[name=from][value=sample]");
  for (const [other, expected] of [
    ["office", {}],
    ["forge", stored],
  ]) {
    await page.locator("#sample").selectOption(other);
    await act(page.locator("[data-for=sample] button").click());
    await page.waitForFunction((name) => document.getElementById("loaded").textContent.includes(name), other);
    await shows(expected);
  }

  await act(sign(`Require tag ${tag.name}`).click());
  await shows(more);
  await act(button("Clear filters").click());
  await shows({});
  await act(sign(`Require tag ${tag.name}`).click());
  await shows({ tags: [tag.name] });
  for (const expected of [{}, more, stored, {}]) {
    await page.goBack();
    await shows(expected);
  }
  for (const expected of [stored, more, {}, { tags: [tag.name] }]) {
    await page.goForward();
    await shows(expected);
  }
});

test("the URL of a choice keeps the parameters of its server's, and no fragment", async () => {
  const mcp = `${workers.urls.site}/mcp`;
  const shown = async (url) => {
    await page.goto("about:blank");
    await open(`#from=url&url=${encodeURIComponent(url)}&groups=issues`);
    return page.textContent("#address");
  };
  assert.equal(await shown(`${mcp}#part`), `${mcp}?groups=issues`);
  await check("#snippets input[value=curl]");
  assert.ok(!(await page.textContent("#snippet")).includes("#part"));
  assert.equal(await shown(`${mcp}?`), `${mcp}?groups=issues`);
  assert.equal(await shown(`${mcp}?tags=stable&x=a%2Cb#part`), `${mcp}?tags=stable&x=a%2Cb&groups=issues`);
});

test("without a single server there is no URL, and no code that names one", async () => {
  const mcp = `${workers.urls.site}/mcp`;
  const shown = (selector) => page.locator(selector).isVisible();
  for (const [at, connects] of [
    ["#from=sample&sample=forge", false],
    [`#from=url&url=${encodeURIComponent(`${mcp} ${mcp}`)}`, false],
    ["", true],
  ]) {
    await page.goto("about:blank");
    await open(at);
    assert.deepEqual([await shown("#address"), await shown("select#disclosure")], [connects, connects], at);
    assert.equal(await shown("#no-url"), !connects, at);
    assert.match((await requested()).headers, connects ? /^POST \/mcp, with / : /^POST, with /);
    for (const language of ["curl", "typescript", "python", "rust"]) {
      await check(`#snippets input[value=${language}]`);
      const has = connects || language === "rust";
      assert.deepEqual(
        [await shown("#snippet"), await shown("[data-copy=snippet]"), await shown("#no-snippet")],
        [has, has, !has],
        `${at} ${language}`,
      );
      if (has && !connects) assert.ok(!(await page.textContent("#snippet")).includes("/mcp"));
    }
  }
});

test("a name with a comma survives the address", async () => {
  const inputSchema = { type: "object" };
  const lists = {
    tools: [
      { name: "t1", inputSchema, groups: ["a,b"], tags: ["x,y", "z"] },
      { name: "t2", inputSchema, groups: ['q"\\,*'], tags: ["z"] },
      { name: "t,3", inputSchema, groups: ["c", " d "], tags: ["x,y"], _meta: { concerns: { risk: "low,ish" } } },
    ],
    resources: [
      { name: "r1", uri: "a,b://1" },
      { name: "r2", uri: "c://1" },
    ],
    prompts: [{ name: "p" }],
  };
  const sieve = Sieve.compile(lists);
  const spelt = (text) => sieve.filter(new URLSearchParams(text)).applied;
  for (const filter of [
    { groups: ["a,b"] },
    { groups: ["a,b", "c"], tags: ["x,y", "z"] },
    { groups: ['q"\\,*'] },
    { groups: [" d "], not: { groups: ["a,b"], tags: ["z"] } },
    { not: { tags: ["x,y"] }, limit: { count: 2 }, query: "a, b" },
    { namePatterns: ["t,*", "t2"], where: "name=t2 or name:t*" },
    { uriPatterns: ["a,*"] },
  ]) {
    assert.deepEqual(unspelt(filter), []);
    for (const kind of KINDS)
      assert.deepEqual(
        sieve.names({ kind, filter: spelt(query(filter)) }),
        sieve.names({ kind, filter }),
        `${kind} ${query(filter)}`,
      );
  }
  const plain = { groups: ["c"], tags: ["z"], where: "name:a,b" };
  assert.equal(query(plain), "groups=c&tags=z&q=name%3Aa%2Cb", "other filters are spelt as before");

  await open();
  await check("input[value=paste]");
  await page.fill("#text", JSON.stringify(lists));
  await act(page.locator("[data-for=paste] button").click());
  await act(page.getByRole("treeitem", { name: /^a,b,/ }).click());
  assert.equal(hash(), '#from=paste&q=group="a,b"');
  await page.reload();
  await settled();
  assert.deepEqual(await names(), ["t1"]);
  const reach = new URL(await page.textContent("#address")).searchParams;
  assert.deepEqual(sieve.names({ filter: sieve.filter(reach).applied }), ["t1"]);

  // No expression stands for a concern, so the page reports what the URL leaves out.
  assert.equal(await page.textContent("#unspelt"), "");
  await act(button("Clear filters").click());
  await act(sign("Require risk low,ish").click());
  assert.equal(hash(), "#from=paste");
  assert.match(await page.textContent("#unspelt"), /cannot hold “low,ish”: a comma/);
});
