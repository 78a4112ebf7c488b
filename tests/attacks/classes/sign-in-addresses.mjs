// Leads a sign-in to addresses of the gateway's own network: by metadata of the server and of its authorization server.
import { loadOauth } from "../../support/oauth.mjs";
import { privateAddresses } from "../sign-in/addresses.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "metadata of sign-ins at private addresses and other origins";

const COUNT = [400, 40_000];
const [MCP, SERVER] = ["https://mcp.example/mcp", "https://login.example"];
const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "jwks_uri",
];
const REDIRECT = "https://gateway.example/connect/mcp/callback";

export async function* attempt(_, size, random) {
  /** Documents by address; others do not exist. */
  let documents;
  let asked;
  const oauth = await loadOauth({
    fetch: async (url) => {
      asked.push(url);
      const found = documents[url];
      if (typeof found === "string") return new Response(null, { status: 302, headers: { location: found } });
      return found ? Response.json(found) : new Response(null, { status: 404 });
    },
  });
  const resource = { resource: MCP, authorization_servers: [SERVER] };
  const metadata = { issuer: SERVER, authorization_endpoint: `${SERVER}/authorize`, token_endpoint: `${SERVER}/token` };
  const [ofResource, ofServer] = [
    "https://mcp.example/.well-known/oauth-protected-resource/mcp",
    `${SERVER}/.well-known/oauth-authorization-server`,
  ];
  /** Finds the server with changed documents. Returns the failure's code, and where requests went beside the two hosts. */
  const find = async (changes, input) => {
    documents = { [ofResource]: resource, [ofServer]: metadata, ...changes };
    asked = [];
    const found = await oauth.discover({ url: MCP, ...input }).catch((error) => error.code ?? String(error));
    const elsewhere = asked.filter(
      (url) => ![MCP, SERVER].some((known) => new URL(known).origin === new URL(url).origin),
    );
    return { found, elsewhere, saw: JSON.stringify({ found, elsewhere }) };
  };
  const good = await find({});
  yield control("public metadata is followed", good.found.issuer === SERVER, good.saw);
  const other = await find({ [ofResource]: { ...resource, authorization_servers: ["https://1.1.1.1"] } });
  yield control("a request to another address would be seen", other.elsewhere.length > 0, other.saw);

  for (const address of privateAddresses(random, COUNT[size])) {
    const named = await find({ [ofResource]: { ...resource, authorization_servers: [address] } });
    yield tried(`issuer ${address}`, named.found === "sign_in_address" && named.elsewhere.length === 0, named.saw);
    const endpoint = random.pick(ENDPOINTS);
    const ends = await find({ [ofServer]: { ...metadata, [endpoint]: `${address}/` } });
    yield tried(`${endpoint} ${address}`, ends.found === "sign_in_address" && ends.elsewhere.length === 0, ends.saw);
    const challenge = `Bearer resource_metadata="${address}/metadata"`;
    const told = await find({}, { challenge });
    yield tried(`challenge ${address}`, told.found === "sign_in_address" && told.elsewhere.length === 0, told.saw);
    for (const place of [ofResource, ofServer]) {
      const led = await find({ [place]: new URL(address).href });
      yield tried(
        `redirect of ${place} to ${address}`,
        led.found === "sign_in_address" && led.elsewhere.length === 0,
        led.saw,
      );
    }
    // A stored record that was changed is checked again before each request.
    asked = [];
    const server = { ...metadata, token_endpoint: `${address}/token` };
    const client = { id: "client", method: "none" };
    const work = random.pick([
      () => oauth.refresh({ server, client, refresh: "refresh-token" }),
      () =>
        oauth.begin({
          server: { ...server, authorization_endpoint: address },
          client,
          redirectUri: REDIRECT,
          state: "s",
        }),
    ]);
    const code = await work().catch((error) => error.code ?? String(error));
    yield tried(`kept metadata with ${address}`, code === "sign_in_address" && asked.length === 0, `${code} ${asked}`);
  }
}
