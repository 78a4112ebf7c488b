// The storage of `oidc-provider`, in memory.

/** Runs `work` without the notices that `oidc-provider` prints about settings for production. */
export function quietly(work) {
  const { info, warn } = console;
  console.info = () => {};
  console.warn = () => {};
  try {
    return work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** Fetches the metadata document of a client on loopback. The server itself takes documents by HTTPS only. */
async function loadDocument(id) {
  const { hostname, protocol } = URL.parse(id) ?? {};
  if (protocol !== "http:" || hostname !== "127.0.0.1") return undefined;
  const response = await fetch(id, { redirect: "error" });
  return response.ok ? { ...(await response.json()), client_uri: undefined } : undefined;
}

/** Returns an adapter with entries of its own. */
export function adapterOf() {
  const entries = new Map();
  return class Adapter {
    constructor(model) {
      this.model = model;
    }
    #key(id) {
      return `${this.model}:${id}`;
    }
    async upsert(id, payload, expiresIn) {
      const ends = expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY;
      entries.set(this.#key(id), { payload, ends });
    }
    async find(id) {
      const entry = entries.get(this.#key(id));
      if (entry && entry.ends > Date.now()) return entry.payload;
      return this.model === "Client" ? loadDocument(id) : undefined;
    }
    async findByUid(uid) {
      for (const [key, { payload }] of entries) {
        if (key.startsWith(`${this.model}:`) && payload.uid === uid) return payload;
      }
      return undefined;
    }
    async consume(id) {
      entries.get(this.#key(id)).payload.consumed = Math.floor(Date.now() / 1000);
    }
    async destroy(id) {
      entries.delete(this.#key(id));
    }
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
    }
  };
}
