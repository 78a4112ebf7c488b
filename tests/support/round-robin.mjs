// A server that forwards each request to the next of several URLs, as a platform does with its isolates.
import { once } from "node:events";
import { createServer, request as send } from "node:http";

/** Resolves with the URL and `stop`. */
export async function roundRobin(targets) {
  let turn = 0;
  const proxy = createServer((request, response) => {
    const target = new URL(targets[turn++ % targets.length] + request.url);
    const passed = send(
      target,
      { method: request.method, headers: { ...request.headers, host: target.host } },
      (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers)),
    );
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const stop = () => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${proxy.address().port}`, stop };
}
