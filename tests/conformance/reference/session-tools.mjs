// The suite's tools for a server with sessions. Tools that ask their client send a request during the call, and one
// tool closes its stream before it answers.
import { setTimeout as sleep } from "node:timers/promises";
import { CreateMessageResultSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { defaults, enums, tools as sharedTools } from "../foreign/tools.mjs";

const PAUSE_MS = 50;
const RECONNECT_MS = 100;

const said = (text) => ({ content: [{ type: "text", text }] });

/** Returns the client's answer as text. If the request fails, returns an error result with the message. */
async function told(asking, words) {
  try {
    return said(words(await asking));
  } catch (error) {
    return { ...said(`The client did not answer: ${error.message}`), isError: true };
  }
}

const elicit = ({ sendRequest }, message, properties, required) => {
  const requestedSchema = { type: "object", properties, ...(required && { required }) };
  return sendRequest({ method: "elicitation/create", params: { message, requestedSchema } }, ElicitResultSchema);
};
const outcome = ({ action, content = {} }) =>
  `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;

async function log(_, { sendNotification }) {
  for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await sendNotification({ method: "notifications/message", params: { level: "info", data } });
    await sleep(PAUSE_MS);
  }
  return said("done");
}

async function progress(_, { sendNotification, _meta }) {
  const progressToken = _meta?.progressToken;
  for (const done of progressToken === undefined ? [] : [0, 50, 100]) {
    await sendNotification({ method: "notifications/progress", params: { progressToken, progress: done, total: 100 } });
    await sleep(PAUSE_MS);
  }
  return said("done");
}

const { test_simple_text, test_image_content, test_audio_content, test_embedded_resource, ...further } = sharedTools;
const { test_multiple_content_types, test_error_handling, test_trigger_tool_change, test_trigger_prompt_change } =
  further;

/** Tool → its implementation, a function of the arguments, the SDK's context, and the server's `toggle`. */
export const sessionTools = {
  test_simple_text,
  test_image_content,
  test_audio_content,
  test_embedded_resource,
  test_multiple_content_types,
  test_error_handling,
  test_trigger_tool_change,
  test_trigger_prompt_change,
  test_tool_with_logging: log,
  test_tool_with_progress: progress,
  async test_reconnection(_, { closeSSEStream }) {
    closeSSEStream?.();
    await sleep(RECONNECT_MS);
    return said("The answer came on another stream than the one that was closed.");
  },
  test_sampling: ({ prompt }, { sendRequest }) => {
    const messages = [{ role: "user", content: { type: "text", text: prompt } }];
    const asking = sendRequest(
      { method: "sampling/createMessage", params: { messages, maxTokens: 100 } },
      CreateMessageResultSchema,
    );
    return told(asking, ({ content }) => `LLM response: ${content.text}`);
  },
  test_elicitation: ({ message }, context) => {
    const response = { type: "string", description: "The answer" };
    return told(elicit(context, message, { response }, ["response"]), outcome);
  },
  test_elicitation_sep1034_defaults: (_, context) => told(elicit(context, "Please check", defaults), outcome),
  test_elicitation_sep1330_enums: (_, context) => told(elicit(context, "Please choose", enums), outcome),
};
