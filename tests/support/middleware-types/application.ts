// An application that passes items of its own and of an SDK, and arrays that it does not change.
import type { ContentBlock } from "@modelcontextprotocol/client";
import { type ContentItem, type Document, type HostFunction, Middleware, type Step } from "mcp-sieve/middleware";

interface TextBlock {
  type: "text";
  text: string;
  annotations?: { priority?: number };
}
interface Tool {
  name: string;
  inputSchema: object;
}

const documents: readonly Document[] = [];
const tools: readonly Tool[] = [];
const middleware = new Middleware({ documents, tools, warn: (problem, cause) => console.warn(problem, cause) });
const steps: readonly Step[] = ["pii_redaction"];
const handles: Readonly<Record<string, string>> = {};
const conversation = middleware.pipeline({ outbound: { steps, last: 4 }, inbound: steps }).start(handles);

const own: readonly TextBlock[] = [{ type: "text", text: "a" }];
const blocks: ContentBlock[] = [];
const items: readonly ContentItem[] = [{ type: "data", rows: [1] }];
for (const context of [own, blocks, items]) await conversation.outbound(context);
const { content, refusal } = await middleware.invoke("pii_redaction", own, { metadata: "values" });
const text: string | undefined = content[0]?.text;
const reason: string | undefined = refusal?.reason;

const refusing: HostFunction = {
  name: "refusing",
  events: ["tools/call"] as const,
  apply: (context) => ({ content: context, refusal: text === reason ? { message: "no" } : null }),
};
middleware.add(refusing).add({ name: "own", apply: async () => ({ content: own, metadata: { allow: false } }) });

// @ts-expect-error: an item has a type.
await conversation.outbound([{ text: "a" }]);
// @ts-expect-error: a refusal has a message.
middleware.add({ name: "silent", apply: (content) => ({ content, refusal: { reason: "policy" } }) });
// @ts-expect-error: an outcome has content.
middleware.add({ name: "empty", apply: () => ({}) });
