// The tools of one server, as the pages of its list. A new version of the list differs in the description of the first
// tool, which no policy of the benchmarks hides.
import { catalog } from "../../generate.mjs";

/** Maximum number of tools in a page, which then has about 2 MB. */
const PAGE_SIZE = 2_000;

/** Returns `page(version, cursor)`, the members of a result of `tools/list` as JSON, without the outer braces. */
export function pagesOf({ name, tools, padding = 0 }) {
  const listed = catalog(tools, tools).tools.map((tool) => ({ ...tool, name: `${name}_${tool.name}` }));
  listed[0].description = `The state of this server.${"x".repeat(padding)}`;
  const pages = [];
  for (let from = 0; from === 0 || from < listed.length; from += PAGE_SIZE) {
    const rest = listed.slice(from, from + PAGE_SIZE);
    // Versions differ in the first description only, so the rest is serialized once.
    const [head, ...tail] = rest.map((tool) => JSON.stringify(tool));
    const more = from + PAGE_SIZE < listed.length ? `,"nextCursor":"${from + PAGE_SIZE}"` : "";
    pages.push({ first: rest[0], head, tail: tail.map((tool) => `,${tool}`).join(""), more });
  }
  return (version, cursor = "0") => {
    const { first, head, tail, more } = pages[Number(cursor) / PAGE_SIZE];
    const written =
      version === 0 || cursor !== "0"
        ? head
        : JSON.stringify({ ...first, description: `${first.description} Version ${version}.` });
    return `"tools":[${written}${tail}]${more}`;
  };
}
