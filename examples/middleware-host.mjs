// A host with context middleware on both sides of its model, in the eight steps of the proposal's diagram:
// a person asks (1); what identifies people is redacted (2); the question is moderated (3); documents are put in
// front of it (4); the model answers (5); what it says is checked (6) and restored (7); the person reads it (8).
import { pathToFileURL } from "node:url";
import { Middleware } from "mcp-sieve/middleware";

const HANDBOOK = "https://handbook.example.com/leave";

/** The middleware of one application: made once, shared by its conversations. */
export function application() {
  const middleware = new Middleware({
    documents: [
      {
        id: "leave",
        source: "handbook",
        title: "Leave",
        text: `Everybody has 25 days of leave a year. Details: ${HANDBOOK}`,
      },
      { id: "lunch", source: "handbook", title: "Lunch", text: "The kitchen opens at noon." },
    ],
  });
  // A function of the host's own, beside those that come with the package.
  middleware.add({
    name: "house_style",
    inputSchema: {
      type: "object",
      properties: { greeting: { type: "string", default: "Hello" } },
      additionalProperties: false,
    },
    apply: (content, { greeting }) => ({
      content: [{ type: "text", text: `${greeting}.` }, ...content],
      metadata: { greeted: true },
    }),
  });
  return middleware;
}

/** One turn. `model` is whatever turns a context into an answer; it sees what comes out of step 4 and nothing else. */
export async function turn(middleware, conversation, question, model) {
  const out = await conversation.outbound([{ type: "text", text: question }]);
  if (out.refusal) return { refused: out.refusal.reason };
  const shown = out.content; // metadata stays here
  const answer = await model(shown);

  const checked = await middleware.invoke("hallucination_check", [{ type: "text", text: answer }], { given: shown });
  if (checked.metadata.rerun) return { rerun: checked.metadata.findings };
  const { content } = await conversation.inbound(checked.content);
  return { shown, answer: content };
}

export const pipeline = {
  outbound: [
    "pii_redaction",
    { use: "content_moderation", arguments: { policies: ["violence"] } },
    { use: "document_retrieval", arguments: { maxResults: 1 } },
  ],
  inbound: ["house_style", "pii_restoration"],
};

/** Stands for a model: it answers from the passage, and misspells the address a little. */
export async function standIn([{ text }]) {
  const person = /\[PERSON_\d+\]/.exec(text)?.[0] ?? "you";
  return `${person} has 25 days of leave: ${HANDBOOK.replace("leave", "leavs")}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const middleware = application();
  const conversation = middleware.pipeline(pipeline).start();
  const { shown, answer } = await turn(
    middleware,
    conversation,
    "How many days of leave does Jane Smith (jane@example.com) have?",
    standIn,
  );
  console.log("the model reads:\n%s\n", shown[0].text);
  console.log("the person reads:\n%s", answer.map(({ text }) => text).join("\n"));
}
