// @ts-check
// Headers for live servers, each sent to one server alone: most of them are credentials.
import { Unreadable } from "./cli-error.js";

/** `SERVER=Name: value`, or `Name: value`. A header's name has neither `=` nor `:`, so that no header reads both ways. */
const FORM = /^(?:(?<server>[\w.-]+)=)?(?<name>[\w!#$%&'*+.^`|~-]+):[ \t]*(?<value>[^]*)$/;

/**
 * The headers of each of the `servers` (their names; `""` for the only one), in their order. No message repeats a
 * value: messages end up in logs, and values are secrets.
 */
export function headersOf(lines, servers) {
  const headers = new Map(servers.map((server) => [server, new Headers()]));
  for (const line of lines) {
    const { server, name, value } = FORM.exec(line)?.groups ?? {};
    if (name === undefined)
      throw new Unreadable("--header: expected `Name: value`, or `SERVER=Name: value` where there are several servers");
    const own = headers.get(ownerOf(name, server, servers));
    try {
      own.append(name, value);
    } catch {
      throw new Unreadable(`--header: the value of \`${name}\` has characters that no header may have`);
    }
  }
  return servers.map((server) => headers.get(server));
}

/** The server that a header is for. */
function ownerOf(name, server, servers) {
  if (server !== undefined && servers.includes(server)) return server;
  if (servers.length === 0) throw new Unreadable(`--header: expected an \`--upstream\` to send \`${name}\` to`);
  if (server === undefined && servers.length === 1) return servers[0];
  if (server === undefined)
    throw new Unreadable(
      `--header: expected the server it is for, \`--header '${servers[0]}=${name}: …'\`, since there are several`,
    );
  if (servers[0] === "")
    throw new Unreadable(
      `--header: no server is called \`${server}\`, the only one has no name: \`--header '${name}: …'\``,
    );
  throw new Unreadable(
    `--header: no server is called \`${server}\`, expected ${servers.map((known) => `\`${known}\``).join(" or ")}`,
  );
}
