// @ts-check
// List results as servers send them. The client refuses a whole list if one tool in it breaks the schema of the protocol;
// the engine leaves out that tool alone.

/**
 * Watches the transport of a connected client. The function that is returned sends a request, and returns its result also
 * where the client refuses it, as long as that has an array as its `list`.
 */
export function rawResults(transport) {
  const receive = transport.onmessage;
  let last;
  transport.onmessage = (message, extra) => {
    if (message.result !== undefined) last = message.result;
    receive(message, extra);
  };
  return async (list, send) => {
    last = undefined;
    try {
      return await send();
    } catch (error) {
      if (error.code !== "INVALID_RESULT" || !Array.isArray(last?.[list])) throw error;
      return last;
    }
  };
}
