// @ts-check
// The environment of a local server.
import { Unreadable } from "../lib/cli-error.js";

/** The variables that every program inherits. All others may be secrets of other servers. */
const INHERITED =
  process.platform === "win32"
    ? [
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
      ].concat(
        [
          "PROGRAMDATA",
          "PROGRAMFILES",
          "PROGRAMFILES(X86)",
          "SYSTEMDRIVE",
          "SYSTEMROOT",
          "TEMP",
          "USERNAME",
          "USERPROFILE",
        ],
        ["WINDIR"],
      )
    : ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/**
 * Returns the environment of a server with the variables `env`, whose values refer to those of `outer` as `${NAME}`.
 * A variable that is not set, or empty, is added to `unset`.
 * @param {{ name: string, env: Record<string, string> }} server
 * @param {Record<string, string | undefined>} outer
 * @param {import("../lib/unset-variables.js").UnsetVariables} unset
 */
export function environmentOf({ name, env }, outer, unset) {
  const inherited = INHERITED.map((key) => [key, outer[key]]).filter(([, value]) => value !== undefined);
  const own = Object.entries(env).map(([key, template]) => [
    key,
    expanded(template, outer, unset, { member: `env.${key}`, server: name }),
  ]);
  return Object.fromEntries([...inherited, ...own]);
}

/**
 * Returns the words of a command with the variables that they refer to. `$${` is `${` itself, and any other dollar sign
 * part of a word. A variable that is not set, or empty, is added to `unset`.
 * @param {{ name: string, command: string[] }} server
 * @param {Record<string, string | undefined>} outer
 * @param {import("../lib/unset-variables.js").UnsetVariables} unset
 */
export function argumentsOf({ name, command }, outer, unset) {
  const place = { member: "command", server: name };
  return command.map((word) =>
    word.replaceAll(
      /\$(\$\{)|\$\{([A-Za-z_]\w*)\}/g,
      (_, escaped, inner) => escaped ?? variable(inner, outer, unset, place),
    ),
  );
}

/**
 * Returns a text with the variables that it refers to. A variable that is not set, or empty, is added to `unset`.
 * @param {string} template
 * @param {Record<string, string | undefined>} outer
 * @param {import("../lib/unset-variables.js").UnsetVariables} unset
 * @param {{ member: string, server: string }} place
 * @returns {string}
 */
export function expanded(template, outer, unset, place) {
  return template.replaceAll(/\$\$|\$\{([^}]*)\}|\$/g, (found, name) => {
    if (found === "$$") return "$";
    if (name === undefined) throw new Unreadable(`${shown(place)}: expected \`\${NAME}\`, or \`$$\` for a dollar sign`);
    return variable(name, outer, unset, place);
  });
}

function variable(name, outer, unset, place) {
  const value = outer[name];
  if (!value) unset.add(name, shown(place), place.server);
  return value ?? "";
}

const shown = ({ member, server }) => `\`${member}\` of the server \`${server}\``;
