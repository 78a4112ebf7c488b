// The events of a session's streams, so that a client that lost its stream receives the rest.
const MAX_EVENTS = 1_000;

/** Returns an event store for the SDK's transport. */
export function eventStore() {
  const events = new Map();
  let last = 0;
  const streamOf = (id) => events.get(id)?.stream;
  return {
    async storeEvent(stream, message) {
      last += 1;
      const id = String(last);
      events.set(id, { stream, message });
      if (events.size > MAX_EVENTS) events.delete(events.keys().next().value);
      return id;
    },
    getStreamIdForEventId: async (id) => streamOf(id),
    async replayEventsAfter(id, { send }) {
      const stream = streamOf(id);
      for (const [later, event] of events)
        if (Number(later) > Number(id) && event.stream === stream && "jsonrpc" in event.message)
          await send(later, event.message);
      return stream;
    },
  };
}
