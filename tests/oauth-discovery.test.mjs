// How the sign-in finds the authorization server of an MCP server, and which addresses it accepts from metadata.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FAULTS } from "./support/authorization/faults.mjs";
import { codeOf } from "./support/authorization/refused.mjs";
import { metadataOf, startRoutes } from "./support/authorization/routes.mjs";
import { loadOauth } from "./support/oauth.mjs";

const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

const oauth = await loadOauth();
let mcp;
let as;
before(async () => {
  mcp = await startRoutes();
  as = await startRoutes();
});
after(() => Promise.all([mcp.stop(), as.stop()]));

/** Sets the routes of both servers. */
function serve(ofMcp, ofServer = { [SERVER]: metadataOf(as.origin) }) {
  for (const [{ routes, requests }, next] of [
    [mcp, ofMcp],
    [as, ofServer],
  ]) {
    for (const path of Object.keys(routes)) delete routes[path];
    Object.assign(routes, next);
    requests.length = 0;
  }
}
const resource = (path, changes) => ({ resource: mcp.origin + path, authorization_servers: [as.origin], ...changes });
const challenge = (header) => (_, response) => response.writeHead(401, { "www-authenticate": header }).end();
const paths = ({ requests }) => requests.map(({ method, path }) => `${method} ${path}`);
const discover = (path = "/mcp", others) => oauth.discover({ url: mcp.origin + path, ...others });

describe("metadata of the resource", () => {
  test("at the path of the server", async () => {
    serve({ [`${RESOURCE}/a/mcp`]: resource("/a/mcp", { scopes_supported: ["read", "write"] }) });
    const found = await discover("/a/mcp");
    assert.deepEqual(found, {
      resource: `${mcp.origin}/a/mcp`,
      issuer: as.origin,
      server: {
        issuer: as.origin,
        authorization_endpoint: `${as.origin}/authorize`,
        token_endpoint: `${as.origin}/token`,
        jwks_uri: `${as.origin}/keys`,
        code_challenge_methods_supported: ["S256"],
      },
      scopes: ["read", "write"],
    });
    assert.deepEqual(paths(mcp), [`GET ${RESOURCE}/a/mcp`]);
  });

  test("at the path with a slash at the end, and with a query", async () => {
    serve({ [`${RESOURCE}/mcp/`]: resource("/mcp/") });
    assert.equal((await discover("/mcp/")).resource, `${mcp.origin}/mcp/`);
    serve({ [`${RESOURCE}/mcp`]: resource("/mcp?team=1") });
    assert.equal((await discover("/mcp?team=1")).resource, `${mcp.origin}/mcp?team=1`);
    assert.deepEqual(paths(mcp), [`GET ${RESOURCE}/mcp?team=1`]);
  });

  test("at the root", async () => {
    serve({ [RESOURCE]: resource("") });
    assert.equal((await discover("/a/mcp")).resource, mcp.origin);
    assert.deepEqual(paths(mcp), [`GET ${RESOURCE}/a/mcp`, `GET ${RESOURCE}`]);
    serve({ [RESOURCE]: resource("/") });
    assert.equal((await discover("/")).resource, `${mcp.origin}/`);
  });

  test("at the address in a challenge that is given, whose scopes come first", async () => {
    serve({ "/meta": resource("/mcp", { scopes_supported: ["all"] }) });
    const header = `Bearer realm="x", error="invalid_token", scope="read issues:write", resource_metadata="${mcp.origin}/meta"`;
    assert.deepEqual((await discover("/mcp", { challenge: header })).scopes, ["read", "issues:write"]);
    assert.deepEqual(paths(mcp), ["GET /meta"]);
  });

  test("at the address in the challenge to a request without a token", async () => {
    const header = `Basic realm="old", Bearer resource_metadata=${mcp.origin}/meta, scope="read"`;
    serve({ "/meta": resource("/mcp"), "/mcp": challenge(header) });
    assert.deepEqual((await discover()).scopes, ["read"]);
    assert.deepEqual(paths(mcp), [`GET ${RESOURCE}/mcp`, `GET ${RESOURCE}`, "POST /mcp", "GET /meta"]);
    assert.ok(mcp.requests.every(({ headers }) => headers.authorization === undefined));
  });

  test("a page or a failure at one place does not hide metadata at the next", async () => {
    for (const fault of ["html", "down", "redirect", "large"]) {
      serve({ [`${RESOURCE}/mcp`]: FAULTS[fault], [RESOURCE]: resource("/mcp") });
      assert.equal((await discover()).issuer, as.origin, fault);
    }
  });

  test("a server without it may itself be at the origin of its authorization server", async () => {
    serve({ [SERVER]: metadataOf(mcp.origin), [RESOURCE]: FAULTS.html });
    const { issuer, resource } = await discover();
    assert.deepEqual([issuer, resource], [mcp.origin, `${mcp.origin}/mcp`]);
  });

  test("is optional with a configured issuer", async () => {
    for (const fault of [undefined, "html", "down", "redirect"]) {
      serve({ [`${RESOURCE}/mcp`]: FAULTS[fault] });
      const { issuer, resource } = await discover("/mcp", { issuer: as.origin });
      assert.deepEqual([issuer, resource], [as.origin, `${mcp.origin}/mcp`]);
    }
  });

  const failures = [
    ["nothing anywhere", () => ({}), "sign_in_metadata"],
    ["a page in its place", () => ({ [`${RESOURCE}/mcp`]: FAULTS.html }), "sign_in_metadata"],
    ["a list in its place", () => ({ [`${RESOURCE}/mcp`]: [] }), "sign_in_metadata"],
    ["an endless document", () => ({ [`${RESOURCE}/mcp`]: FAULTS.large }), "sign_in_metadata"],
    [
      "a server that is down",
      () => ({ [`${RESOURCE}/mcp`]: FAULTS.down, [SERVER]: metadataOf(mcp.origin) }),
      "sign_in_server",
    ],
    [
      "a redirect",
      () => ({ [`${RESOURCE}/mcp`]: FAULTS.redirect, [SERVER]: metadataOf(mcp.origin) }),
      "sign_in_address",
    ],
    [
      "no name of the resource",
      () => ({ [`${RESOURCE}/mcp`]: resource("/mcp", { resource: undefined }) }),
      "sign_in_metadata",
    ],
    [
      "no authorization server",
      () => ({ [`${RESOURCE}/mcp`]: resource("/mcp", { authorization_servers: [] }) }),
      "sign_in_metadata",
    ],
    ["another resource", () => ({ [`${RESOURCE}/mcp`]: resource("/other") }), "sign_in_address"],
    ["a resource with a similar path", () => ({ [`${RESOURCE}/mcp`]: resource("/mc") }), "sign_in_address"],
    ["a resource below it", () => ({ [`${RESOURCE}/mcp`]: resource("/mcp/below") }), "sign_in_address"],
    ["a resource with another query", () => ({ [`${RESOURCE}/mcp`]: resource("/mcp?team=2") }), "sign_in_address"],
    [
      "a resource at another origin",
      () => ({ [`${RESOURCE}/mcp`]: resource("/mcp", { resource: `${as.origin}/mcp` }) }),
      "sign_in_address",
    ],
    [
      "a resource at another host",
      () => ({ [`${RESOURCE}/mcp`]: resource("/mcp", { resource: "https://bank.example/mcp" }) }),
      "sign_in_address",
    ],
    [
      "a challenge to another origin",
      () => ({ "/mcp": challenge(`Bearer resource_metadata="${as.origin}/meta"`) }),
      "sign_in_address",
    ],
    [
      "a challenge to a private address",
      () => ({ "/mcp": challenge('Bearer resource_metadata="http://169.254.169.254/latest"') }),
      "sign_in_address",
    ],
    [
      "a challenge with no address",
      () => ({ "/mcp": challenge('Bearer resource_metadata="/meta"') }),
      "sign_in_address",
    ],
  ];
  for (const [what, routes, code] of failures)
    test(`${what}: ${code}`, async () => {
      serve(routes());
      assert.equal(await codeOf(() => discover()), code);
    });

  test("a server that changes its authorization server is not followed", async () => {
    const other = await startRoutes();
    try {
      other.routes[SERVER] = metadataOf(other.origin);
      serve({ [`${RESOURCE}/mcp`]: resource("/mcp") });
      const { issuer } = await discover();
      mcp.routes[`${RESOURCE}/mcp`].authorization_servers = [other.origin];
      assert.equal(await codeOf(() => discover("/mcp", { issuer })), "sign_in_issuer");
      assert.deepEqual(other.requests, []);
      // A further one beside it is no change.
      mcp.routes[`${RESOURCE}/mcp`].authorization_servers = [other.origin, as.origin];
      assert.equal((await discover("/mcp", { issuer })).issuer, as.origin);
      assert.deepEqual(other.requests, []);
    } finally {
      await other.stop();
    }
  });
});

describe("metadata of the authorization server", () => {
  /** Finds an issuer with a path, whose metadata is at `place`. */
  async function findAt(place, issuer = `${as.origin}/tenant/1`, changes) {
    serve(
      { [`${RESOURCE}/mcp`]: resource("/mcp", { authorization_servers: [issuer] }) },
      { [place]: metadataOf(issuer, changes) },
    );
    return discover();
  }

  test("by all forms of its address", async () => {
    const forms = [`${SERVER}/tenant/1`, `${OPENID}/tenant/1`, `/tenant/1${OPENID}`];
    for (const [at, form] of forms.entries()) {
      assert.equal((await findAt(form)).issuer, `${as.origin}/tenant/1`);
      assert.deepEqual(
        paths(as),
        forms.slice(0, at + 1).map((path) => `GET ${path}`),
      );
    }
    for (const form of [SERVER, OPENID]) assert.equal((await findAt(form, as.origin)).issuer, as.origin);
    assert.equal((await findAt(`${SERVER}/tenant/1`, `${as.origin}/tenant/1/`)).issuer, `${as.origin}/tenant/1/`);
  });

  test("only members that are used are kept, with valid values", async () => {
    const { server } = await findAt(SERVER, as.origin, {
      registration_endpoint: `${as.origin}/register`,
      scopes_supported: ["a", 1, null, ""],
      grant_types_supported: "authorization_code",
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: "true",
      introspection_endpoint: `${as.origin}/introspect`,
      mtls_endpoint_aliases: { token_endpoint: "http://169.254.169.254/" },
      "x-large": "x".repeat(1000),
    });
    assert.deepEqual(server, {
      ...metadataOf(as.origin),
      registration_endpoint: `${as.origin}/register`,
      scopes_supported: ["a"],
      client_id_metadata_document_supported: true,
    });
  });

  test("invalid and countless scopes are left out", async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `scope:${at}`);
    serve({
      [`${RESOURCE}/mcp`]: resource("/mcp", {
        scopes_supported: ["a b", 'q"', "ü", "x".repeat(300), "\n", {}, ...many],
      }),
    });
    const { scopes } = await discover();
    assert.deepEqual([scopes.length, scopes[0], scopes[63]], [64, "scope:0", "scope:63"]);
  });

  const failures = [
    ["nothing", {}, "sign_in_metadata"],
    ["a page", { [SERVER]: FAULTS.html }, "sign_in_metadata"],
    ["no issuer", { [SERVER]: {} }, "sign_in_metadata"],
    ["another issuer", { [SERVER]: () => metadataOf("https://bank.example") }, "sign_in_issuer"],
    ["another issuer of the same host", { [SERVER]: () => metadataOf(`${as.origin}/other`) }, "sign_in_issuer"],
    ["an endless document", { [SERVER]: FAULTS.large }, "sign_in_metadata"],
    ["a failure", { [SERVER]: FAULTS.down }, "sign_in_server"],
    ["a redirect", { [SERVER]: FAULTS.redirect }, "sign_in_address"],
    ["a connection that ends", { [SERVER]: FAULTS.drop }, "sign_in_server"],
  ];
  for (const [what, routes, code] of failures)
    test(`${what}: ${code}`, async () => {
      const made = Object.entries(routes).map(([path, route]) => [
        path,
        typeof route === "function" && route.length === 0 && !Object.values(FAULTS).includes(route) ? route() : route,
      ]);
      serve({ [`${RESOURCE}/mcp`]: resource("/mcp") }, Object.fromEntries(made));
      assert.equal(await codeOf(() => discover()), code);
    });
});

/** Addresses that are not public, in the forms that `URL` accepts. */
const PRIVATE = [
  "https://10.0.0.1",
  "https://10.255.255.255",
  "https://172.16.0.1",
  "https://172.31.255.255",
  "https://192.168.1.1",
  "https://169.254.169.254",
  "https://100.64.0.1",
  "https://0.0.0.0",
  "https://0.1.2.3",
  "https://192.0.0.1",
  "https://192.0.2.1",
  "https://198.18.0.1",
  "https://198.51.100.1",
  "https://203.0.113.1",
  "https://224.0.0.1",
  "https://255.255.255.255",
  // 169.254.169.254 and 10.0.0.1 in other forms.
  "https://2852039166",
  "https://0xa9fea9fe",
  "https://0xA9.0xFE.0xA9.0xFE",
  "https://0251.0376.0251.0376",
  "https://169.254.43518",
  "https://10.1",
  "https://10.0.0.1.",
  "https://１０.０.０.１",
  "https://[fe80::1]",
  "https://[fc00::1]",
  "https://[fd12:3456:789a::1]",
  "https://[ff02::1]",
  "https://[::]",
  "https://[::ffff:10.0.0.1]",
  "https://[::ffff:a9fe:a9fe]",
  "https://[0:0:0:0:0:ffff:c0a8:0101]",
  "https://[64:ff9b::10.0.0.1]",
  "https://[64:ff9b:1::1]",
  "https://[2002:0a00:0001::]",
  "https://[2001:db8::1]",
  "https://[2001::1]",
  "https://[::10.0.0.1]",
  "https://metadata.google.internal",
  "https://printer.local",
  "https://router.lan",
  "https://router.home.arpa",
  "https://intranet",
  "https://INTRANET.",
];
const LOOPBACK = [
  "http://127.0.0.1",
  "https://127.0.0.1",
  "https://127.255.0.1",
  "https://2130706433",
  "https://0x7f.1",
  "https://017700000001",
  "https://[::1]",
  "https://[::ffff:127.0.0.1]",
  "https://[::ffff:7f00:1]",
  "https://localhost",
  "https://LOCALHOST.",
  "https://a.localhost",
];
const NOT_ADDRESSES = [
  "http://as.example",
  "ftp://as.example",
  "javascript:alert(1)",
  "data:application/json,{}",
  "file:///etc/passwd",
  "//as.example",
  "as.example",
  "",
  "https://user:password@as.example",
  "https://as.example#fragment",
  `https://as.example/${"x".repeat(3000)}`,
];
const PUBLIC = [
  "https://as.example",
  "https://1.1.1.1",
  "https://172.32.0.1",
  "https://[2606:4700::1111]",
  "https://[64:ff9b::1.1.1.1]",
  "https://[::ffff:1.1.1.1]",
  "https://[2002:101:101::]",
  "https://as.example:8443",
  "https://notlocalhost.example",
  "https://localhost.example",
];

describe("addresses from metadata", () => {
  /** The requests that left for another place than `mcp` and `as`. None is answered unless `answer` does. */
  let asked;
  let answer;
  let oauth;
  before(async () => {
    oauth = await loadOauth({
      fetch: (url, options) => {
        if ([mcp.origin, as.origin].includes(new URL(url).origin)) return fetch(url, options);
        asked.push(url);
        return answer ? Promise.resolve(answer(url)) : Promise.reject(new TypeError("no network"));
      },
    });
  });
  const discover = (path = "/mcp", others) => oauth.discover({ url: mcp.origin + path, ...others });
  const listed = (issuer) => ({ [`${RESOURCE}/mcp`]: resource("/mcp", { authorization_servers: [issuer] }) });

  /** Returns the code for an issuer that the metadata of the resource names. */
  async function codeFor(issuer, url = "/mcp") {
    asked = [];
    serve(listed(issuer));
    return codeOf(() => discover(url));
  }
  /** Returns the code for an endpoint that the metadata of a public server names. */
  async function codeForEndpoint(name, address) {
    asked = [];
    const client = { id: "client", method: "none" };
    const server = { ...metadataOf("https://as.example"), [name]: address };
    return codeOf(async () => {
      const common = { server, client, redirectUri: "http://127.0.0.1:1/callback", state: "state-of-test" };
      await oauth.begin(common);
      await oauth.refresh({ server, client, refresh: "refresh-token" });
    });
  }

  test("private ones are refused before anything is sent", async () => {
    for (const address of PRIVATE) {
      assert.equal(await codeFor(address), "sign_in_address", address);
      assert.equal(await codeForEndpoint("token_endpoint", `${address}/token`), "sign_in_address", address);
      assert.deepEqual(asked, [], address);
    }
  });

  test("those of this machine are refused unless the issuer is on it", async () => {
    for (const address of LOOPBACK) {
      assert.equal(await codeForEndpoint("token_endpoint", `${address}/token`), "sign_in_address", address);
      assert.deepEqual(asked, [], address);
    }
  });

  test("those of this machine are refused for MCP servers elsewhere", async () => {
    for (const address of [...LOOPBACK, ...PRIVATE]) {
      asked = [];
      answer = () => Response.json({ resource: "https://mcp.example/mcp", authorization_servers: [address] });
      const code = await codeOf(() => oauth.discover({ url: "https://mcp.example/mcp" })).finally(() => {
        answer = undefined;
      });
      assert.deepEqual([code, asked], ["sign_in_address", [`https://mcp.example${RESOURCE}/mcp`]], address);
    }
  });

  test("other schemes, and addresses with credentials, are refused", async () => {
    for (const address of NOT_ADDRESSES) {
      // An empty entry of the list is left out.
      if (address) assert.equal(await codeFor(address), "sign_in_address", address);
      for (const name of [
        "authorization_endpoint",
        "token_endpoint",
        "jwks_uri",
        "revocation_endpoint",
        "registration_endpoint",
      ])
        assert.equal(await codeForEndpoint(name, address), "sign_in_address", `${name} ${address}`);
      assert.deepEqual(asked, [], address);
    }
  });

  test("endpoints that are no text are refused", async () => {
    for (const address of [1, null, {}, ["https://as.example/token"], true])
      assert.equal(await codeForEndpoint("token_endpoint", address), "sign_in_address");
  });

  test("a path with two slashes does not become a host", async () => {
    assert.equal(await codeFor("https://as.example//169.254.169.254"), "sign_in_server");
    assert.ok(asked.length > 0 && asked.every((url) => url.startsWith("https://as.example/")), asked.join(" "));
  });

  test("servers that are slow each time are not waited for longer than 20 s", async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: 0 });
    asked = [];
    answer = () => {
      t.mock.timers.tick(7_000);
      return new Response(null, { status: 404 });
    };
    t.after(() => {
      answer = undefined;
    });
    assert.equal(await codeOf(() => oauth.discover({ url: "https://mcp.example/mcp" })), "sign_in_timeout");
    assert.equal(asked.length, 3);
  });

  test("public ones are asked", async () => {
    for (const address of PUBLIC) {
      assert.equal(await codeFor(address), "sign_in_server", address);
      assert.deepEqual(asked, [new URL(SERVER, address).href]);
      assert.equal(await codeForEndpoint("token_endpoint", `${address}/token`), "sign_in_server", address);
      assert.deepEqual(asked, [new URL("/token", address).href]);
    }
  });

  test("an issuer that the configuration names is found without an MCP server", async () => {
    serve({}, { [`${OPENID}`]: metadataOf(as.origin) });
    const { issuer, server } = await oauth.discoverIssuer({ issuer: as.origin });
    assert.deepEqual([issuer, server], [as.origin, metadataOf(as.origin)]);
    as.routes[OPENID] = metadataOf("https://bank.example");
    assert.equal(await codeOf(() => oauth.discoverIssuer({ issuer: as.origin })), "sign_in_issuer");
    as.routes[OPENID] = metadataOf(as.origin, { token_endpoint: "https://10.0.0.1/token" });
    assert.equal(await codeOf(() => oauth.discoverIssuer({ issuer: as.origin })), "sign_in_address");
    asked = [];
    for (const issuer of [
      "http://as.example",
      "http://10.0.0.1",
      "ftp://as.example",
      "nonsense",
      "https://u:p@as.example",
    ])
      assert.equal(await codeOf(() => oauth.discoverIssuer({ issuer })), "sign_in_address", issuer);
    assert.deepEqual(asked, []);
  });

  test("a private issuer that the configuration names is asked", async () => {
    serve({});
    asked = [];
    assert.equal(await codeOf(() => discover("/mcp", { issuer: "https://10.0.0.1/realm" })), "sign_in_server");
    assert.deepEqual(asked, [`https://10.0.0.1${SERVER}/realm`]);
    for (const issuer of ["http://as.example", "http://10.0.0.1", "ftp://as.example", "nonsense"])
      assert.equal(await codeOf(() => discover("/mcp", { issuer })), "sign_in_address", issuer);
  });

  test("an authorization server on this machine keeps its endpoints on it or in public", async () => {
    for (const address of PRIVATE) {
      serve(listed(as.origin), { [SERVER]: metadataOf(as.origin, { token_endpoint: `${address}/token` }) });
      asked = [];
      assert.equal(await codeOf(() => discover()), "sign_in_address", address);
      assert.deepEqual(asked, []);
    }
  });
});
