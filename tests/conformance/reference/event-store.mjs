// Events of the streams of a session, so that a client that lost one gets the rest.
const MAX_EVENTS = 1_000;

/** An event store as the SDK's transport takes it. */
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
