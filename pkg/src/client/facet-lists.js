// @ts-check
// `groups/list` and `tags/list`: of the server, or for a server without filtering of its lists and the configuration.
import { filtering, whole } from "./server-lists.js";
import { KINDS, SieveError } from "../core/error.js";

/** The members of `_meta` in which the gateway writes the parents of a group, and the numbers of its members. */
const PARENT = "dev.mcpsieve/parent";
const SIZE = "dev.mcpsieve/size";

/**
 * Lists groups or tags.
 * @param {any} client
 * @param {"auto" | "server" | "client"} by
 * @param {"groups" | "tags"} half
 * @param {any} params
 * @param {() => Promise<import("../core/sieve.js").Sieve>} compiled the catalog of the server's lists, freed here
 * @param {any} options
 */
export async function listFacet(client, by, half, params, compiled, options) {
  const served = by !== "client" && filtering(client);
  if (served?.[half]) return client.request({ method: `${half}/list`, params }, whole, options);
  if (served || by === "server") throw withheld(half, `it declares no \`filtering.${half}\``);
  const { parent, counts } = checked(params);
  const sieve = await compiled();
  try {
    const all = /** @type {readonly any[]} */ (sieve[half]);
    if (all.length === 0) throw withheld(half, "neither it, nor its lists, nor `config` has any");
    const shown = half === "groups" && parent !== undefined ? all.filter((group) => isBelow(group, parent)) : all;
    return { [half]: shown.map((item) => written(item, counts && sizes(sieve, half, item.name))) };
  } finally {
    sieve.free();
  }
}

const withheld = (half, reason) => new SieveError("capability", `the server does not list ${half}: ${reason}`);

/** Refuses parameters that the gateway refuses. */
function checked({ parent, counts = false }) {
  const refuse = (path, expected) => {
    throw new SieveError("filter_type", `${path}: expected ${expected}`, { path });
  };
  if (parent !== undefined && parent !== null && typeof parent !== "string")
    refuse("parent", "the name of a group, or `null`");
  if (typeof (counts ?? false) !== "boolean") refuse("counts", "`true` or `false`");
  return { parent, counts };
}

const parentsOf = ({ parent = [] }) => [parent].flat();

/** Whether a group is directly in `parent`; for `null`, in no other group. */
const isBelow = (group, parent) =>
  parent === null ? parentsOf(group).length === 0 : parentsOf(group).includes(parent);

/** Returns a group or tag in the form of a server's list. */
function written({ parent, ...item }, size) {
  const meta = { ...(parent !== undefined && { [PARENT]: parent }), ...(size && { [SIZE]: size }) };
  return Object.keys(meta).length > 0 ? { ...item, _meta: meta } : item;
}

function sizes(sieve, half, name) {
  const counted = KINDS.map((kind) => [kind, sieve.count({ filter: { [half]: [name] }, kind })]);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
