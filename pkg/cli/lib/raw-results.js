// @ts-check
// List results as servers send them. The client refuses a whole list if one tool in it breaks the schema of the protocol;
// the engine leaves out that tool alone.

/**
 * Watches a transport, before a client connects by it. `whole` sends a request, and returns its result and the text of it, also
 * where the client refuses the result, as long as that has an array as its `list`. `capabilities` returns those of the server with
 * members that the client does not know, and `about` the text of the result that they stand in.
 * @param {any} transport
 * @param {import("./message-texts.js").ResultTexts} texts the texts of the results that the transport receives
 */
export function rawResults(transport, texts) {
  let receive;
  let last;
  let lastText;
  let capabilities = {};
  let about = "{}";
  Object.defineProperty(transport, "onmessage", {
    get: () => receive && watched,
    set: (handler) => {
      receive = handler;
    },
  });
  function watched(message, extra) {
    if (message.result !== undefined) {
      last = message.result;
      lastText = texts.take(message.id) ?? JSON.stringify(last);
      if (last.capabilities !== undefined) [capabilities, about] = [last.capabilities, lastText];
    }
    receive(message, extra);
  }
  return {
    async whole(list, send) {
      last = undefined;
      try {
        return { result: await send(), text: lastText };
      } catch (error) {
        if (error.code !== "INVALID_RESULT" || !Array.isArray(last?.[list])) throw error;
        return { result: last, text: lastText };
      }
    },
    capabilities: () => capabilities,
    about: () => about,
  };
}
