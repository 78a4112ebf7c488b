// The differences that are meant. Each has a row in docs/pass-through.md under its name.

/** Beginnings of patterns: raw clients, and official ones that prefer the stateless revision at servers that have only sessions. */
const RAW = String.raw`\| raw [\d-]+ \| `;
const STATELESS_CLIENT = String.raw`^(?:server-everything|server-filesystem|Python mcp 1\.30) \| v2, \w+ \| `;

/** Name of a difference → the patterns of `SERVER | CLIENT | REQUEST PATH: DIRECT → THROUGH` that it explains. */
export const NAMED = {
  filtering: [
    /\| (?:connect|introduction) (?:\/result)?\/capabilities\/(?:\w+\/)?filtering: absent → /,
    /\| (?:connect|introduction) (?:\/result)?\/capabilities\/extensions\/dev\.mcpsieve\/filtering: absent → /,
    /\| (?:connect|introduction) (?:\/result)?\/capabilities\/extensions: absent → \{"dev\.mcpsieve\/filtering":(?!.*\/tasks").*\}$/,
  ],
  "unknown-capabilities": [
    /\| (?:connect|introduction) (?:\/result)?\/capabilities\/(?:experimental|extensions\/[\w./-]+): \{\} → absent$/,
  ],
  "member-order": [
    / \/(?:result|error)(?:\/capabilities(?:\/\w+)?)?: order [\w,/.-]+ → [\w,/.-]+$/,
    /\| introduction (?:\/result)?\/(?:serverInfo|_meta)[^:]*: order /,
  ],
  "cache-time": [
    /\| \S+\/list(?: \S+)? \/result\/ttlMs: /,
    /\| introduction \/result\/(?:ttlMs|cacheScope): /,
    /\| [\w/]+\/list \/result\/(?:ttlMs: \d+|cacheScope: "\w+") → absent$/,
  ],
  revisions: [/\| introduction \/result\/supportedVersions\/\d+: /, /\| introduction \/result\/protocolVersion: /],
  "pages-and-cursors": [
    / with a bad cursor \/(?:result|error)[:/]/,
    /\/list \{"cursor":"no-such-cursor"\} \/(?:result|error|http)[:/]/,
  ],
  "empty-lists": [
    /\| (?:resources|resources\/templates|prompts)\/list \/error: \{"code":-32601,.* → absent$/,
    /\| (?:resources|resources\/templates|prompts)\/list \/(?:http: 404 → (?:200|absent)|result: absent → \{(?:"resultType".*)?"\w+":\[\].*\})$/,
  ],
  "required-capabilities": [
    /^server-everything \| .* tools\/list \/result\/tools\/[\w-]+\/_meta: absent → \{"io\.modelcontextprotocol\/requiredCapabilities":/,
  ],
  announcements: [
    /\/capabilities\/resources\/subscribe: false → absent$/,
    /\/capabilities\/\w+\/listChanged: false → absent$/,
  ],
  "both-revisions": [
    /^(?:FastMCP|Python mcp 2\.3) \| (?:v2, \w+|raw 2026-07-28) \| .*\/capabilities\/\w+\/listChanged: false → true$/,
  ],
  "first-roots": [
    // The request in which a client hears of it depends on how fast it is.
    /\| v\d, all \| [^|]+ \/questions: \[\{"method":"roots\/list"\}\] → absent$/,
    /\| v\d, all \| tools\/call \S+ \{.*\} \/questions: absent → \[\{"method":"roots\/list",/,
  ],
  "session-updates": [
    /^Python mcp 2\.3 \| v2, \w+ \| (?:subscription \/|connect \/capabilities\/resources\/subscribe: false → true)/,
    /^FastMCP \| v2, \w+ \| subscription \/(?:error: \{"code":-32601,.*|http: 404) → absent$/,
    /^(?:Python mcp 2\.3|FastMCP) \| v2, \w+ \| notifications \/notifications\/(?:subscriptions\/acknowledged|resources\/updated) /,
    /^Python mcp 2\.3 \| raw 2026-07-28 \| introduction \/result\/capabilities\/resources\/subscribe: false → true$/,
  ],
  "required-members": [
    /^rmcp \| raw 2026-07-28 \| .* \/result\/(?:resultType: absent → "complete"|_meta: absent → \{"io\.modelcontextprotocol\/serverInfo":)/,
  ],
  "failing-list": [
    /^server-postgres \| .*(?:\/result\/_meta: absent → \{"dev\.mcpsieve\/upstreams":\[.*"status":"partial".*\]\}|\/capabilities\/resources: \{\} → absent)$/,
    /^server-postgres \| .* resources\/list \/(?:error: \{"code":-32603,.* → absent|result: absent → \{"resources":\[\])/,
  ],
  "own-updates": [/^server-puppeteer \| .* notifications \/notifications\/resources\/updated .*: true → absent$/],
  "task-filters": [/^server-everything \| .*\/capabilities\/tasks\/list\/filter: absent → /],
  "unknown-names": [
    /\| (?:tools\/call|prompts\/get|completion\/complete) .*no-such-(?:tool|prompt).* \/(?:result: \{.*\} → absent|error: absent → \{"code":-32602,"message":"Unknown (?:tool|prompt): )/,
    /\| (?:tools\/call|prompts\/get|completion\/complete) .*no-such-(?:tool|prompt).* \/error\/(?:message: .* → "Unknown (?:tool|prompt): no-such|code: -\d+ → -32602$|data: .* → absent$)/,
  ],
  "missing-kinds": [
    /\| (?:resources\/read|prompts\/get) .*\/error\/(?:code: -32601 → |message: "(?:Method not found|resources\/read|prompts\/get)" → |data: absent → \{"uri")/,
    /\| completion\/complete .*\/(?:http|error\/(?:code: -32601 → -32602|message: "(?:Method not found|completion\/complete)" → |data: "completion\/complete" → absent))/,
  ],
  "server-of-question": [
    /\/questions\/\d+\/params\/_meta\/dev\.mcpsieve\/server: absent → "upstream"$/,
    /\/questions\/\d+\/params\/_meta: absent → \{"dev\.mcpsieve\/server":"upstream"\}$/,
    /\/questions\/\d+\/params: absent → \{"_meta":\{"dev\.mcpsieve\/server":"upstream"\}\}$/,
  ],
  "missing-capability": [
    /\| tools\/call .* \/error: absent → \{"code":-32021,.*"requiredCapabilities":/,
    // The client refused to answer, or the server has the tool for clients with the capability alone.
    /\| (?:v\d, nothing|raw [\d-]+) \| tools\/call .* \/result: \{.*(?:Method not found|not support|-32601|Tool (?:get|trigger)-[\w-]+ not found).*\} → absent$/,
    /\| (?:v\d, nothing|raw [\d-]+) \| tools\/call .* \/questions: .* → absent$/,
    /\| (?:v\d, nothing|raw [\d-]+) \| tools\/call .* \/result\/content\/0\/text: ".*Method not found" → "method `[\w/]+` not found"$/,
    /\| (?:v\d, nothing|raw [\d-]+) \| tools\/call .* \/error\/(?:code: -32601 → -32021|message: "Method not found" → "the client lacks|data: absent → \{"requiredCapabilities")/,
    /\| tools\/call .* \/result\/content\/0\/text: ".*Method not found" → "the client lacks the capability `\w+`"$/,
    /\| raw [\d-]+ \| notifications \/(?:elicitation\/create|roots\/list|sampling\/createMessage) .*: true → absent$/,
  ],
  "unknown-methods": [
    /\| no\/such\/method \/(?:error\/(?:code|message|data)|http: \d+ → \d+)/,
    // Methods of capabilities that the server does not announce.
    /\| (?:logging\/setLevel|resources\/subscribe|subscription).* \/error\/(?:message: .* → "method `[\w/]+` not found"|data: .* → absent)$/,
  ],
  "bad-parameters": [
    new RegExp(`${RAW}(?:tools/call|resources/read|prompts/get) \\{\\} /(?:error|result|http)`),
    new RegExp(`${RAW}tools/call \\{"name":1,.*\\} /(?:error|result|http)`),
    new RegExp(`${RAW}tools/call \\{.*"arguments":"text"\\} /(?:error|result|http)`),
    new RegExp(`${RAW}logging/setLevel \\{"level":"no-such-level"\\} /(?:error|result)`),
  ],
  "bad-messages": [new RegExp(`${RAW}(?:no JSON|an empty body|no JSON-RPC|an unknown notification) /`)],
  "http-status": [new RegExp(`${RAW}\\S+ \\{.*\\} /http: (?:400|404) → 200$`)],
  "one-definition": [
    /\| raw 2025-11-25 \| tools\/list \/result\/tools\/\w+\/(?:input|output)Schema: order /,
    // The other definition escapes what is not ASCII.
    /\| raw 2025-11-25 \| tools\/list \/result\/tools\/\w+\/title: ".*" → ".*\\u[\da-f]{4}.*"$/,
  ],
  "newer-revision": [
    new RegExp(`${STATELESS_CLIENT}connect /stateless: false → true$`),
    new RegExp(
      `${STATELESS_CLIENT}.* /result/(?:_meta: absent → \\{"io\\.modelcontextprotocol/serverInfo":|ttlMs: absent|cacheScope: absent)`,
    ),
    new RegExp(`${STATELESS_CLIENT}tools/list /result/tools/[\\w-]+/execution: .* → absent$`),
    // The tasks of this revision are an extension.
    /^server-everything \| v2, \w+ \| connect \/capabilities\/(?:tasks: .* → absent|extensions: absent → )/,
    new RegExp(`${STATELESS_CLIENT}(?:ping|logging/setLevel|tasks/\\S+) : .* → absent$`),
    new RegExp(`${STATELESS_CLIENT}no/such/method /http: absent → 404$`),
    // A client of this revision gets the log lines that it asks for in the request.
    new RegExp(`${STATELESS_CLIENT}notifications /notifications/message .*: true → absent$`),
    new RegExp(`${STATELESS_CLIENT}notifications /notifications/subscriptions/acknowledged `),
    new RegExp(
      `${STATELESS_CLIENT}notifications /notifications/resources/updated \\{(?:"uri"|"_meta":\\{"io\\.modelcontextprotocol/subscriptionId")`,
    ),
  ],
};

/** Returns the name of a difference, or `undefined` for one that is not meant. */
export const nameOf = (difference) =>
  Object.keys(NAMED).find((name) => NAMED[name].some((pattern) => pattern.test(difference)));
