// The skills extension (SEP-2640) for a low-level server of the official SDK: lists, entries and directories of the
// skills of a world. `tests/protocol/upstream_skills.rs` is its native counterpart.
import { z } from "zod";

export const EXTENSION = "io.modelcontextprotocol/skills";

const request = (method) =>
  z.object({ method: z.literal(method), params: z.looseObject({ uri: z.string().optional() }).optional() });

/** Returns every file of the skills. */
export const filesOf = (skills) =>
  skills.flatMap(({ uri, resources }) => [...(Array.isArray(resources) ? resources.map((file) => file.uri) : []), uri]);

function children(skills, uri) {
  const found = new Map();
  for (const file of filesOf(skills).filter((file) => file.startsWith(`${uri}/`))) {
    const [name, ...below] = file.slice(uri.length + 1).split("/");
    const mimeType = below.length > 0 ? "inode/directory" : "text/markdown";
    found.set(name, { uri: `${uri}/${name}`, name, mimeType });
  }
  return [...found.values()];
}

/** Registers handlers for `listed` skills, and for `others`, which are not listed. */
export function serveSkills(server, refusal, listed, others = [], pages = Infinity) {
  const all = [...listed, ...others];
  const cache = { ttlMs: 1, cacheScope: "public" };
  server.setRequestHandler(request("skills/list"), ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + pages;
    const more = to < listed.length ? { nextCursor: String(to) } : {};
    return { skills: listed.slice(from, to), ...more, ...cache };
  });
  server.setRequestHandler(request("skills/get"), ({ params: { uri } }) => {
    const skill = all.find((one) => one.uri === uri);
    if (!skill) throw refusal(-32602, `no skill at ${uri}`);
    return { skill, ...cache };
  });
  server.setRequestHandler(request("resources/directory/read"), ({ params: { uri } }) => {
    const resources = children(all, uri);
    if (resources.length === 0) throw refusal(-32602, `no directory at ${uri}`);
    return { resources };
  });
}
