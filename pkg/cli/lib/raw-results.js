// @ts-check
// List results as servers send them. The client refuses a whole list if one tool in it breaks the schema of the protocol;
// the engine leaves out that tool alone.

/**
 * Watches a transport, before a client connects by it. `whole` sends a request, and returns its result also where the client
 * refuses it, as long as that has an array as its `list`. `capabilities` returns those of the server with members that the
 * client does not know.
 */
export function rawResults(transport) {
  let receive;
  let last;
  let capabilities = {};
  Object.defineProperty(transport, "onmessage", {
    get: () => receive && watched,
    set: (handler) => {
      receive = handler;
    },
  });
  function watched(message, extra) {
    if (message.result !== undefined) {
      last = message.result;
      capabilities = last.capabilities ?? capabilities;
    }
    receive(message, extra);
  }
  return {
    async whole(list, send) {
      last = undefined;
      try {
        return await send();
      } catch (error) {
        if (error.code !== "INVALID_RESULT" || !Array.isArray(last?.[list])) throw error;
        return last;
      }
    },
    capabilities: () => capabilities,
  };
}
