// @ts-check
// Variables that stand in the file for header values, which are secrets.

/** Variables of the Worker have these names; a header must not refer to them by accident. */
const RESERVED = /^(SIEVE_|UPSTREAM_URL$)/;

/**
 * Returns the headers of each server as the file has them, and the variables they refer to:
 * `{ headers: [{Authorization: "Bearer ${FORGE_TOKEN}"}], variables: [{ name, header, server }] }`.
 */
export function placeholders(servers, given) {
  const variables = [];
  const headers = servers.map((server, at) => {
    const own = [...given[at].entries()].map(([lower, value]) => {
      const header = lower.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
      const name = variableOf(
        server || "upstream",
        header,
        variables.map((variable) => variable.name),
      );
      variables.push({ name, header, server });
      // The scheme of an `Authorization` is no secret.
      const [, scheme = ""] = header === "Authorization" ? (/^([A-Za-z]+ )\S/.exec(value) ?? []) : [];
      return [header, `${scheme}\${${name}}`];
    });
    return own.length === 0 ? undefined : Object.fromEntries(own);
  });
  return { headers, variables };
}

function variableOf(server, header, taken) {
  const words = `${server}_${header === "Authorization" ? "token" : header}`;
  const plain = words
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replace(/^_+/, "");
  const name = /^[0-9]/.test(plain) || RESERVED.test(plain) ? `SERVER_${plain}` : plain;
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}
