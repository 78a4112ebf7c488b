// @ts-check
// The playground of context middleware: functions on a text, wholly in this page. Their WebAssembly is fetched when the
// view is opened, and nothing is ever sent: the mount of a server is for applications, not for pages.
/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);
const view = $("middleware");
const SAMPLES = {
  pii_redaction: [
    "Could you file the lease of Jane Smith (jane@example.com, SSN: 987-65-4321)",
    { metadata: "values" },
  ],
  pii_restoration: ["[PERSON_1] will be informed.", { redactions: { "[PERSON_1]": "Jane Smith" } }],
  document_retrieval: ["How many days of leave do I have?", { maxResults: 1 }],
  tool_filter: [
    "Find my notes from last week's meeting about the budget",
    { availableTools: ["search_documents", "send_email", "search_email", "calculate", "search_calendar"] },
  ],
  hallucination_check: [
    "See https://docs.example.com/guide/instal.",
    { given: ["https://docs.example.com/guide/install"] },
  ],
};
const DOCUMENTS = [
  { id: "leave", title: "Leave", text: "Employees have 25 days of leave a year." },
  { id: "travel", title: "Travel", text: "Trains are booked by the travel desk." },
];

/** The functions, once the view has been opened: it may be closed and opened again while they load. */
let loading;
let attempts = 0;
let middleware;
let turn = 0;

async function open() {
  if (!view.open || loading) return;
  $("middleware-result").textContent = "Loading…";
  try {
    await (loading = load());
  } catch (problem) {
    // Opening the view again tries again.
    loading = undefined;
    $("middleware-result").textContent = `The functions cannot be loaded: ${problem.message}`;
  }
}

async function load() {
  // A browser keeps the failure of a module for its address, so another attempt needs another address.
  const again = attempts > 0 ? `?attempt=${attempts + 1}` : "";
  attempts += 1;
  const address = new URL(`./loaders/middleware-web.js${again}`, location.href).href;
  const { Middleware } = await import(address);
  middleware = new Middleware({ documents: DOCUMENTS });
  const options = middleware
    .list()
    .map(({ name, description }) =>
      Object.assign(document.createElement("option"), { value: name, title: description, textContent: name }),
    );
  $("middleware-name").replaceChildren(...options);
  choose();
}

function choose() {
  const [text, args] = SAMPLES[$("middleware-name").value] ?? [$("middleware-text").value, {}];
  $("middleware-text").value = text;
  $("middleware-arguments").value = JSON.stringify(args, null, 2);
  run();
}

async function run() {
  if (!middleware) return;
  const own = (turn += 1);
  const out = $("middleware-result");
  let said;
  try {
    const args = JSON.parse($("middleware-arguments").value || "{}");
    const context = [{ type: "text", text: $("middleware-text").value }];
    said = JSON.stringify(await middleware.invoke($("middleware-name").value, context, args), null, 2);
  } catch (error) {
    said = error.message;
  }
  // A later turn has the word.
  if (own === turn) out.textContent = said;
}

view.addEventListener("toggle", open);
$("middleware-name").addEventListener("change", choose);
for (const id of ["middleware-text", "middleware-arguments"]) $(id).addEventListener("input", run);
