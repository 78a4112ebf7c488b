// A proxy in front of an object store, with faults that are switched on and off. Each node of a test has its own.
import { once } from "node:events";
import { Agent, createServer, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const WRITES = ["PUT", "POST", "DELETE"];
/** Refusals in the form of S3, by the name of the fault: status, code and message. */
const REFUSALS = {
  readonly: [403, "AccessDenied", "Access Denied", WRITES],
  full: [507, "XMinioStorageFull", "Storage backend has reached its minimum free drive threshold.", ["PUT", "POST"]],
  badKey: [403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."],
  badSignature: [403, "SignatureDoesNotMatch", "The request signature we calculated does not match."],
  otherEndpoint: [301, "PermanentRedirect", "The bucket must be addressed using the specified endpoint."],
  otherRegion: [400, "AuthorizationHeaderMalformed", "The region 'us-east-1' is wrong; expecting 'eu-west-1'"],
  busy: [503, "SlowDown", "Please reduce your request rate."],
};
const PRECONDITION_FAILED = [412, "PreconditionFailed", "At least one of the pre-conditions did not hold."];
const XML = { "content-type": "application/xml" };
const CONDITIONS = ["if-match", "if-none-match"];

/**
 * Starts a proxy of `store`. `faults` is assigned to, and may have at once:
 * - `refuse`: a name of REFUSALS for every request, or `rate` of them
 * - `rate`: the share of requests that `refuse` and `lose` affect, from 0 to 1
 * - `lose`: whether conditional writes get 412 without reaching the store
 * - `slow`: milliseconds before each request
 * - `cut`: whether connections are closed without a response
 * - `dateMs`: milliseconds by which the `Date` of the responses is off
 * - `unconditional`: whether the conditions of writes are ignored
 *
 * `counts` has the number of requests by method, `faulty` that of requests with a fault.
 */
export async function startBucketProxy(store) {
  const upstream = new URL(store.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const sockets = new Set();
  const proxy = { faults: {}, counts: {}, faulty: 0 };
  const refuse = (response, method, [status, code, message]) => {
    proxy.faulty += 1;
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
    response.writeHead(status, { ...XML, date: date() }).end(method === "HEAD" ? undefined : body);
  };
  const date = () => new Date(Date.now() + (proxy.faults.dateMs ?? 0)).toUTCString();

  const server = createServer(async (request, response) => {
    const { method, url } = request;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    proxy.counts[method] = (proxy.counts[method] ?? 0) + 1;
    const from = performance.now();
    response.on("close", () => proxy.times?.push([method, performance.now() - from]));
    const { refuse: fault, rate = 1, lose, slow, unconditional } = proxy.faults;
    if (slow) {
      proxy.faulty += 1;
      await sleep(slow);
    }
    if (proxy.faults.cut) return request.socket.destroy();
    const hit = Math.random() < rate;
    const refusal = hit && fault !== undefined ? REFUSALS[fault] : undefined;
    if (refusal && (refusal[3] ?? [method]).includes(method)) return refuse(response, method, refusal);
    const headers = { ...request.headers };
    const conditional = WRITES.includes(method) && CONDITIONS.some((name) => name in headers);
    if (lose && hit && conditional) return refuse(response, method, PRECONDITION_FAILED);
    if (unconditional) for (const name of CONDITIONS) delete headers[name];
    const { hostname, port } = upstream;
    const sent = httpRequest({ hostname, port, method, path: url, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, { ...answer.headers, date: date() });
      answer.pipe(response);
    });
    sent.on("error", () => request.socket.destroy());
    response.on("close", () => sent.destroy());
    sent.end(Buffer.concat(chunks));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  return Object.assign(proxy, {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The variables by which a node finds the store through this proxy. */
    environment: { ...store.environment, AWS_ENDPOINT_URL: `http://127.0.0.1:${server.address().port}` },
    /** Cuts the node off from the bucket, open connections included. */
    cut() {
      proxy.faults = { ...proxy.faults, cut: true };
      for (const socket of sockets) socket.destroy();
    },
    /** The number of requests so far. */
    total: () => Object.values(proxy.counts).reduce((sum, count) => sum + count, 0),
    async stop() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await once(server.close(), "close");
    },
  });
}
