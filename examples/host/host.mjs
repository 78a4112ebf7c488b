// A host application with context middleware on both sides of its model:
// question → redact → moderate → retrieve → model ⇄ tools → check → restore → answer.
// Redaction and restoration run on a server of the application's own (examples/pii-server), the rest in this process.
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Middleware } from "mcp-sieve/middleware";

const HANDBOOK = "https://handbook.example.com/leave";
const MAX_TOOL_CALLS = 3;

/** Creates the middleware of the application, once for all conversations. `pii` is the URL and token of the server. */
export async function createApplication({ pii }) {
  const middleware = new Middleware({
    documents: [
      {
        id: "leave",
        source: "handbook",
        title: "Leave",
        text: `Employees have 25 days of leave. Details: ${HANDBOOK}`,
      },
      { id: "lunch", source: "handbook", title: "Lunch", text: "The kitchen opens at noon." },
    ],
  });
  await middleware.connect("pii", {
    url: pii.url,
    headers: { Authorization: `Bearer ${pii.token}` },
    functions: ["pii_redaction", "pii_restoration"],
  });
  middleware.add({
    name: "greeting",
    apply: (content) => ({ content: [{ type: "text", text: "Hello." }, ...content] }),
  });
  return {
    middleware,
    // Everything that the model reads or writes passes through these two, including results and arguments of tools.
    privacy: middleware.pipeline({ outbound: ["pii/pii_redaction"], inbound: ["pii/pii_restoration"] }),
    guard: middleware.pipeline({
      outbound: [
        { use: "content_moderation", arguments: { policies: ["violence"] } },
        { use: "document_retrieval", arguments: { maxResults: 1 } },
      ],
      inbound: ["greeting"],
    }),
  };
}

/** Starts a conversation. Pass the `handles` of an earlier one to continue it after a restart. */
export const startConversation = ({ privacy, guard }, handles) => ({
  privacy: privacy.start(handles),
  guard: guard.start(),
});

/** A function has refused a context. */
class Refused extends Error {}

/** Returns the content of a result. A refused result still has the refused content, which must not be used. */
function accepted({ content, refusal }) {
  if (refusal) throw new Refused(refusal.reason);
  return content;
}

/**
 * Answers one question. `model` turns a context into content. It receives no personal data and no metadata. If a function
 * refuses a context, the result has only the reason, as `refused`.
 */
export async function answer(application, conversation, asked) {
  try {
    return await answerAccepted(application, conversation, asked);
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

async function answerAccepted({ middleware }, { privacy, guard }, { question, model, tools }) {
  const redacted = accepted(await privacy.outbound([{ type: "text", text: question }]));
  let context = accepted(await guard.outbound(redacted));
  let said = await model(context);
  for (let calls = 0; said[0]?.type === "tool_use" && calls < MAX_TOOL_CALLS; calls += 1) {
    const [call] = accepted(await privacy.inbound(said));
    const { content } = await tools.callTool({ name: call.name, arguments: call.input });
    const result = accepted(await privacy.outbound([{ type: "tool_result", toolUseId: call.id, content }]));
    context = [...context, ...said, ...result];
    said = await model(context);
  }

  const checked = await middleware.invoke("hallucination_check", said, { given: context });
  if (checked.metadata.rerun) return { rerun: checked.metadata.findings };
  const greeted = accepted(await guard.inbound(accepted(checked)));
  return { context, content: accepted(await privacy.inbound(greeted)) };
}

/** Stands in for a model. It calls a tool for the remaining days, and misspells the URL of the handbook. */
export async function standInModel(context) {
  const text = JSON.stringify(context);
  const person = /\[PERSON_\d+\]/.exec(text)?.[0] ?? "you";
  const left = /(\d+) days are left/.exec(text)?.[1];
  if (!left) return [{ type: "tool_use", id: "call-1", name: "leave_balance", input: { employee: person } }];
  const address = HANDBOOK.replace("leave", "leavs");
  return [{ type: "text", text: `${person} has ${left} days of leave left: ${address}` }];
}

/** Connects to the MCP server whose tools the model uses. */
export async function connectTools(url) {
  const client = new Client({ name: "host", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { PII_URL, PII_TOKEN, TOOLS_URL } = process.env;
  const application = await createApplication({ pii: { url: PII_URL, token: PII_TOKEN } });
  const tools = await connectTools(TOOLS_URL);
  const question = "How many days of leave does Jane Smith (jane@example.com) have left?";
  const { refused, context, content } = await answer(application, startConversation(application), {
    question,
    model: standInModel,
    tools,
  });
  if (refused) throw new Error(`The question or its answer was refused: ${refused}`);
  console.log("The model reads:\n%s\n", context.map((item) => item.text ?? JSON.stringify(item)).join("\n"));
  console.log("The user reads:\n%s", content.map(({ text }) => text).join("\n"));
  await tools.close();
}
