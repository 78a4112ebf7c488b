// What a request that arrived at the server does if it is read in any way in which servers read it: the first or the last
// of repeated members, members in another case, escapes of paths taken out once or several times.
import { posix } from "node:path";
import { treeOf } from "../../../pkg/cli/lib/json-tree.js";
import { HIDDEN, LIMIT, PEOPLE, REFUSED, REGION } from "./world.mjs";

const fold = (key) => key.toUpperCase().toLowerCase();
/** Returns every value that a server may read as the member `key`. */
const read = (trees, key) =>
  trees
    .flatMap(each)
    .flatMap(({ members = [] }) => members.filter(([name]) => fold(name) === key).map(([, value]) => value));
const at = (tree, path) => path.split(".").reduce(read, [tree]);
/** Returns the values of arrays, or the value itself. */
const each = (tree) => (tree.elements === undefined ? [tree] : tree.elements.flatMap(each));
const isText = ({ text }) => text.startsWith('"');

/** Returns whether a number as it is written is at most `limit`, without rounding. */
function atMost(text, limit) {
  const [, sign, whole, part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return false;
  if (sign === "-" || /^0*$/.test(whole + part)) return true;
  const shift = Number(power) - part.length;
  if (Math.abs(shift) > 300) return shift < 0;
  const [scaled, most] = [BigInt(whole + part), BigInt(limit)];
  return shift < 0 ? scaled <= most * 10n ** BigInt(-shift) : scaled * 10n ** BigInt(shift) <= most;
}

const decoded = (text) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
const READINGS = [
  decoded,
  (text) => text.normalize("NFKC"),
  (text) => text.replaceAll("\\", "/"),
  (text) => text.trim(),
  (text) => text.split("\0")[0],
  (text) => text.replace(/;[^/]*/g, ""),
  (text) => text.replace(/(?<=[^/.\s])[.\s]+(?=\/|$)/g, ""),
  (text) => text.replace(/(?<=\/\.\.)\s+(?=\/|$)/g, ""),
  (text) => text.replace(/[\t\r\n]/g, ""),
  (text) => text.replace(/^file:(?:\/\/[^/]*)?/i, ""),
];
function readings(text) {
  let found = new Set([text]);
  for (let round = 0; round < 3; round += 1)
    found = new Set([...found].flatMap((each) => [each, ...READINGS.map((reading) => reading(each))]));
  return [...found];
}
const within = (text) =>
  readings(text).every((each) => {
    const path = posix.normalize(each);
    return path === "/srv/public" || path.startsWith("/srv/public/");
  });
function atHome(text) {
  const host = /^https:\/\/([^/?#]*)/.exec(text)?.[1];
  try {
    return host === "api.acme.com" && new URL(text).origin === "https://api.acme.com";
  } catch {
    return false;
  }
}

const parsed = (tree) => (isText(tree) ? JSON.parse(tree.text) : undefined);
const text = (test) => (tree) => isText(tree) && test(parsed(tree));
const most = (limit) => (tree) => atMost(tree.text, limit);
/** The argument that each condition is about, and whether it holds for a value. */
const CONDITIONS = {
  pay: ["amount", most(100), { free: "root" }],
  mark: ["amount", most(100)],
  page: ["limit", most(10), { optional: true }],
  push: ["repo", text((value) => value === "acme/site")],
  send: ["mail.to", text((value) => value === "a@example.com")],
  wipe: ["force", ({ text: written }) => written === "false"],
  load: ["path", text(within)],
  open: ["url", text(atHome)],
};
const tenant = (who) => PEOPLE[`${who}-token`]?.org?.tenant;
const BOUND = {
  order: (who) => ({ tenant_id: tenant(who), region: REGION, "options.limit": LIMIT }),
  ship: (who) => ({ tenant_id: tenant(who) }),
};

const parameter = (value = "") => {
  const [, base64] = /^=\?base64\?(.*)\?=$/i.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
};

function brokenCondition(name, all, who) {
  const [path, holds, { free, optional } = {}] = CONDITIONS[name] ?? [];
  if (path === undefined || free === who) return undefined;
  const found = all.flatMap((tree) => at(tree, path));
  if (found.length === 0) return optional ? undefined : `${name} without ${path}`;
  // A server that looks into arrays on the way sees other values.
  const values = found.flatMap(each);
  return values.length > 0 && values.every(holds) ? undefined : `${name} with ${found.map((value) => value.text)}`;
}

function brokenBinding(name, all, who) {
  for (const [path, value] of Object.entries(BOUND[name]?.(who) ?? {})) {
    const found = all.flatMap((tree) => at(tree, path));
    const isBound = found.length === 1 && value !== undefined && found[0].text === JSON.stringify(value);
    if (!isBound) return `${name} with ${path} = ${found.map((each) => each.text)}`;
  }
  return undefined;
}

function brokenHeader(name, headers, who) {
  const [amount, own] = ["mcp-param-amount", "mcp-param-tenant"].map((header) => headers[header]);
  if (name === "mark" && amount !== undefined && !atMost(parameter(amount), 100)) return `a header ${amount}`;
  if (name === "ship" && own !== undefined && parameter(own) !== tenant(who)) return `a header ${own}`;
  return undefined;
}

const unreviewed = (value) => [HIDDEN, REFUSED].some((name) => readings(value).some((one) => fold(one).includes(name)));

function brokenCall(params, headers, who) {
  const all = read(params, "arguments");
  for (const name of read(params, "name").map(parsed)) {
    const broken = brokenCondition(name, all, who) ?? brokenBinding(name, all, who) ?? brokenHeader(name, headers, who);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** Returns what is wrong with a request that arrived for `who`; `undefined` if it may arrive. */
export function wrong({ verb, text: body, headers }, who) {
  if (verb !== "POST") return undefined;
  try {
    JSON.parse(body);
  } catch {
    return "a body that is not JSON";
  }
  const tree = treeOf(body);
  for (const message of tree.elements ?? [tree]) {
    const methods = read([message], "method").map(parsed);
    const params = read([message], "params");
    if (methods.some((method) => /\/list$/.test(method) || method === "initialize")) continue;
    const named = [...read(params, "name"), ...read(params, "uri"), ...read(read(params, "ref"), "name")];
    const aim = [...named, ...read(read(params, "ref"), "uri")].filter(isText).map(parsed).find(unreviewed);
    if (aim !== undefined) return `a request for ${aim}`;
    const broken = methods.includes("tools/call") ? brokenCall(params, headers, who) : undefined;
    if (broken !== undefined) return broken;
  }
  return undefined;
}
