// @ts-check
// Which filters a server applies, and the lists of one that does not, filtered here.
import { filtering, filtersBy, ignoredOf, unknownIn } from "./server-lists.js";
import { withParts } from "../core/parts.js";
import { Sieve } from "../core/sieve.js";

const REPORT = "dev.mcpsieve/filter";
const utf8 = new TextDecoder();

/** Whether the server supports every field of the filter. */
export function supports(client, filter) {
  return (
    filtering(client) !== undefined &&
    Object.entries(filter ?? {}).every(([field, value]) => empty(value) || filtersBy(client, field))
  );
}

const empty = (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0);
/** Whether a filter asks for nothing. */
export const nothing = (filter) => filter === undefined || filter === null || Object.values(filter).every(empty);

/** The result as the client's server would have given it, with who did it. `compiled` gets the catalog of the whole list. */
export async function narrowed(client, result, kind, wanted, config, tags, compiled) {
  const sieve = Sieve.compile({ [kind]: result[kind] }, config, { tags });
  try {
    compiled(sieve);
    const filter = await withParts(() => sieve.filter(wanted));
    const list = JSON.parse(utf8.decode(sieve.view({ filter, kind })));
    const remote = result._meta?.[REPORT];
    const report = {
      applied: { ...remote?.applied, ...filter.applied },
      ignored: [...(remote?.ignored ?? []), ...ignoredOf([client], filter.ignored)],
      ...unknownIn([...(remote?.unknown ?? []), ...filter.unknown]),
      total: remote?.total ?? sieve.count({ kind }),
      matched: list[kind].length,
      by: "client",
    };
    // As from a server: a list without a filter has no report.
    if (nothing(report.applied) && report.ignored.length === 0) return { ...result, ...list };
    return { ...result, ...list, _meta: { ...result._meta, [REPORT]: report } };
  } finally {
    sieve.free();
  }
}
