// @ts-check
// The reasons why a node cannot join its cluster or stay in it, from the lines that the runtime prints.

const CREDENTIALS = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN";
const RIGHTS = "to read, write, list and delete objects";

/** The runtime's line about a request to the bucket: the method, and the status with the code of the error. */
const REFUSED = /\bbucket: (GET|PUT|DELETE|LIST|HEAD|POST) \S+: (\d{3})(?: (\w+))?/;

/** What a code of S3 or of a compatible store means. @type {[RegExp, (bucket: string, refusal: string) => string][]} */
const CODES = [
  [/^NoSuchBucket$/, (bucket) => `the bucket ${bucket} does not exist: create it, or correct --cluster`],
  [
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|TokenRefreshRequired)$/,
    (bucket, refusal) => `the bucket ${bucket} does not accept the credentials (${refusal}): correct ${CREDENTIALS}`,
  ],
  [
    /^(?:PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    (bucket, refusal) =>
      `the bucket ${bucket} is in another region (${refusal}): set AWS_REGION, and AWS_ENDPOINT_URL for a store of your own`,
  ],
  [
    /^(?:RequestTimeTooSkewed)$/,
    (bucket) => `the clock of this machine is too far from that of ${bucket}: synchronize it, for example by NTP`,
  ],
  [
    /(?:StorageFull|QuotaExceeded|InsufficientStorage|InsufficientCapacity)$/,
    (bucket, refusal) => `the bucket ${bucket} is full (${refusal}): free space, or raise its quota`,
  ],
];

/** What a status means whose code says no more. @type {(bucket: string, method: string, status: number, refusal: string) => string} */
function ofStatus(bucket, method, status, refusal) {
  if (status === 507) return `the bucket ${bucket} is full (${refusal}): free space, or raise its quota`;
  if (status === 401 || status === 403)
    return `the credentials may not ${method === "GET" ? "read" : "write to"} the bucket ${bucket} (${refusal}): allow them ${RIGHTS}`;
  if (status === 404) return `the bucket ${bucket} does not exist: create it, or correct --cluster`;
  if (status === 301 || status === 307)
    return `the bucket ${bucket} is in another region (${refusal}): set AWS_REGION, and AWS_ENDPOINT_URL for a store of your own`;
  if (status === 412) return `the bucket ${bucket} refuses conditional writes (${refusal}), which a cluster needs`;
  if (status === 429 || status >= 500)
    return `the bucket ${bucket} does not serve requests (${refusal}): wait, and look at the store itself`;
  return `the bucket ${bucket} refused ${method} with ${refusal}`;
}

/** What the runtime's other lines mean. @type {[RegExp, (bucket: string, found: RegExpExecArray) => string][]} */
const LINES = [
  [
    /clock off from the bucket's by (-?)(\d+) ms/,
    (bucket, [, behind, ms]) =>
      `the clock of this machine is ${(Number(ms) / 1000).toFixed(1)} s ${behind ? "behind" : "ahead of"} that of the bucket ${bucket}: synchronize it, for example by NTP`,
  ],
  [
    /the bucket ignores conditional writes/,
    (bucket) => `the store of ${bucket} ignores conditional writes (If-None-Match, If-Match), which a cluster needs`,
  ],
  [
    /set aws_(?:access_key_id|secret_access_key) or (AWS_\w+)/,
    (_, [, name]) => `${name} is not set: the runtime takes ${CREDENTIALS} or AWS_CREDENTIALS_FILE, and no others`,
  ],
  [
    /\bbucket: \S+ \S+: client error \((\w+)\)/,
    (bucket, [, what]) =>
      `the store of ${bucket} cannot be reached (${what}): correct AWS_ENDPOINT_URL, or look at the network`,
  ],
  [
    /cluster address `?([^\s`]+)`? is public/,
    (_, [, address]) =>
      `the address ${address} is public, and the traffic between nodes is not encrypted: use an address of a private network`,
  ],
  [
    /cluster address `?([^\s`]+)`? is a wildcard/,
    (_, [, address]) =>
      `the other nodes cannot reach the address ${address}: name this node's own by --cluster-advertise`,
  ],
  [
    /cluster CONNECT refused: .*(?:cf-cluster-auth)/,
    () => "a connection of a node with another key, or with a clock that is off, was refused",
  ],
  [
    /cluster lease in the bucket has lapsed/,
    (bucket) => `the bucket ${bucket} did not take this node's lease in time: other nodes take over its objects`,
  ],
];

/**
 * Returns the reason in a line of the runtime, with what to do; nothing for other lines.
 * @param {string} line
 * @param {string} bucket
 * @returns {string | undefined}
 */
export function causeOf(line, bucket) {
  for (const [pattern, words] of LINES) {
    const found = pattern.exec(line);
    if (found !== null) return words(bucket, found);
  }
  const refused = REFUSED.exec(line);
  if (refused === null) return undefined;
  const [, method, status, code = ""] = refused;
  const refusal = [status, code].filter(Boolean).join(" ");
  const words = CODES.find(([pattern]) => pattern.test(code))?.[1];
  return words?.(bucket, refusal) ?? ofStatus(bucket, method, Number(status), refusal);
}

/**
 * Returns how the lines of a node are printed, and `cause`, the last reason in them. A reason that is given while the runtime
 * starts is left to the message about the failed start.
 * @param {string} bucket
 * @param {(line: string) => string | undefined} log
 */
export function nodeLog(bucket, log) {
  /** @type {{ starting: boolean, cause?: string, last?: string }} */
  const state = { starting: true };
  return {
    state,
    log: (/** @type {string} */ line) => {
      const cause = causeOf(line, bucket);
      if (cause === undefined) return state.starting && line.startsWith("***") ? undefined : log(line);
      state.cause = cause;
      // The runtime tries again and again, and says so each time.
      if (state.starting || state.last === cause) return undefined;
      state.last = cause;
      return `cluster: ${cause}`;
    },
  };
}
