// @ts-check
/** Members of an error beside its code and message, if they are known. */
const DETAILS = ["at", "path", "part", "url", "status", "contentType"];

export class SieveError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ cause?: any, [detail: string]: any }} [details]
   */
  constructor(code, message, { cause, ...details } = {}) {
    super(message, cause && { cause });
    this.code = code;
    for (const name of DETAILS) if (details[name] !== undefined) this[name] = details[name];
  }
}
SieveError.prototype.name = "SieveError";

/** Converts an error of the engine, which has a code. Returns any other error unchanged. */
export function refusal(error) {
  return typeof error.code === "string" && !(error instanceof SieveError)
    ? new SieveError(error.code, error.message, error)
    : error;
}

export function textOf(input, code, expected) {
  return typeof input === "string" ? input : jsonOf(input, code, expected);
}

export function jsonOf(value, code, expected) {
  // As JSON, a promise is an empty object.
  if (typeof (/** @type {any} */ (value)?.then) === "function")
    throw new SieveError(code, `expected ${expected}, got a promise: \`await\` it first`);
  if (isCollection(value))
    throw new SieveError(code, `expected ${expected}, got a \`${value[Symbol.toStringTag] ?? "collection"}\``);
  let text;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new SieveError(code, `expected ${expected}, got what JSON cannot hold`, { cause });
  }
  if (text === undefined) throw new SieveError(code, `expected ${expected}, got ${typeof value}`);
  return text;
}

/** Whether a value is a collection such as a `Map` or `URLSearchParams`, which is an empty object as JSON. */
export function isCollection(/** @type {any} */ value) {
  return (
    typeof value === "object" &&
    typeof value?.[Symbol.iterator] === "function" &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    typeof value.toJSON !== "function"
  );
}

export const KINDS = ["tools", "resources", "resourceTemplates", "prompts", "skills"];

/** The engine's number for a kind. */
export function place(kind) {
  if (kind === undefined || kind === "tools") return 0;
  const place = KINDS.indexOf(kind);
  if (place > 0) return place;
  const got = typeof kind === "string" ? `\`${kind}\`` : typeof kind;
  throw new SieveError(
    "kind",
    `unknown kind ${got}, expected one of ${KINDS.map((known) => `\`${known}\``).join(", ")}`,
  );
}

/**
 * @param {string} what
 * @returns {never}
 */
export function freed(what) {
  throw new SieveError("freed", `this ${what} was freed`);
}
