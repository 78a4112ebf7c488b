// @ts-check
// The list changes that the server at a transport announces. All wrappers of a client share them.
const LIST_CHANGED = /^notifications\/(tools|resources|prompts|groups|tags|concerns)\/list_changed$/;

/**
 * `count` is the number of notifications so far, and `lists` the lists that changed since the handshake. `listeners` are
 * called with the list of each further notification.
 * @typedef {{ count: number, lists: Set<string>, listeners: Set<(list: string) => void> }} Announced
 */

/** @type {WeakMap<object, Announced>} */
const byTransport = new WeakMap();

/**
 * Returns what the server at a transport has announced. The first call wraps the transport's handler, so handlers that the
 * host sets on its client stay as they are; further calls, of however many wrappers, leave it alone.
 * @param {any} transport `undefined` if the client is not connected
 * @returns {Announced}
 */
export function announcedAt(transport) {
  const known = byTransport.get(transport);
  if (known) return known;
  /** @type {Announced} */
  const announced = { count: 0, lists: new Set(), listeners: new Set() };
  if (transport === undefined) return announced;
  byTransport.set(transport, announced);
  const { onmessage } = transport;
  transport.onmessage = (message, ...rest) => {
    const [, list] = LIST_CHANGED.exec(message?.method) ?? [];
    if (list) {
      announced.count += 1;
      announced.lists.add(list);
    }
    // The client drops its own copy before a listener can ask it for the list again.
    onmessage?.call(transport, message, ...rest);
    if (list) for (const listener of [...announced.listeners]) listener(list);
  };
  return announced;
}
