// The suite's tools on the official TypeScript SDK. A tool that asks its client returns its questions in both
// revisions. For clients with a session, the SDK sends them, and calls the tool again with the answers.
import { setTimeout as sleep } from "node:timers/promises";
import { MissingRequiredClientCapabilityError, inputRequired } from "@modelcontextprotocol/server";

const PAUSE_MS = 50;
/** A red pixel, and the header of an empty sound file. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const said = (text) => ({ type: "text", text });
const result = (...content) => ({ content });
export const image = { type: "image", data: PNG, mimeType: "image/png" };
export const resource = (uri, mimeType, text) => ({ type: "resource", resource: { uri, mimeType, text } });

const elicit = (message, properties) =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: Object.keys(properties) } });
const sample = (text, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: said(text) }], maxTokens });
const name = { name: { type: "string" } };
const asked = (inputRequests, requestState) => inputRequired({ inputRequests, ...(requestState && { requestState }) });

const answers = (ctx) => ctx.mcpReq.inputResponses ?? {};
const filled = (ctx, key, field) => answers(ctx)[key]?.content?.[field];

/** Returns a tool that asks one question, and returns the answer as text. */
const once =
  (key, request, tell = JSON.stringify) =>
  (args, ctx) =>
    key in answers(ctx) ? result(said(tell(answers(ctx)[key]))) : asked({ [key]: request(args) });

const progress = async ({ mcpReq }, done, total) => {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: done, total } });
  await sleep(PAUSE_MS);
};

async function log(_, ctx) {
  for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await ctx.mcpReq.log("info", message);
    await sleep(PAUSE_MS);
  }
  return result(said("done"));
}

const confirm = async (_, ctx, { seal }) =>
  ctx.mcpReq.requestState() === "asked" && "confirm" in answers(ctx)
    ? result(said("state-ok"))
    : asked({ confirm: elicit("Please confirm", { ok: { type: "boolean" } }) }, await seal("asked"));

export const defaults = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const plain = ["option1", "option2", "option3"];
const titled = ["First Option", "Second Option", "Third Option"].map((title, at) => ({
  const: `value${at + 1}`,
  title,
}));
export const enums = {
  untitledSingle: { type: "string", enum: plain },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: plain } },
  titledMulti: { type: "array", items: { anyOf: titled } },
};
const form = (properties) =>
  once(
    "form",
    () => inputRequired.elicit({ message: "Please check", requestedSchema: { type: "object", properties } }),
    (answer) => `Elicitation completed: ${JSON.stringify(answer)}`,
  );

async function rounds(_, ctx, { seal }) {
  const first = ctx.mcpReq.requestState()?.name ?? filled(ctx, "step1", "name");
  if (first === undefined) return asked({ step1: elicit("Step 1: What is your name?", name) }, await seal({}));
  const color = filled(ctx, "step2", "color");
  if (color !== undefined) return result(said(`${first} likes ${color}`));
  return asked(
    { step2: elicit("Step 2: What is your favorite color?", { color: { type: "string" } }) },
    await seal({ name: first }),
  );
}

async function several(_, ctx, { seal }) {
  const requests = {
    user_name: elicit("What is your name?", name),
    greeting: sample("Generate a greeting", 50),
    client_roots: inputRequired.listRoots(),
  };
  if (Object.keys(requests).every((key) => key in answers(ctx))) return result(said(JSON.stringify(answers(ctx))));
  return asked(requests, await seal("several"));
}

function possible(_, ctx, { capabilities }) {
  if (Object.keys(answers(ctx)).length > 0) return result(said(JSON.stringify(answers(ctx))));
  const requests = {
    ...(capabilities.elicitation && { user_name: elicit("What is your name?", name) }),
    ...(capabilities.sampling && { greeting: sample("Generate a greeting", 50) }),
  };
  return Object.keys(requests).length > 0 ? asked(requests) : result(said("nothing to ask"));
}

const greeting = (_, ctx) => {
  const given = filled(ctx, "user_name", "name");
  return given === undefined
    ? asked({ user_name: elicit("What is your name?", name) })
    : result(said(`Hello, ${given}!`));
};

/**
 * Tool → its implementation, a function of the arguments, the SDK's context, and the server's `seal`, `toggle` and
 * `capabilities`.
 */
export const tools = {
  test_simple_text: () => result(said("This is a simple text response for testing.")),
  test_image_content: () => result(image),
  test_audio_content: () => result({ type: "audio", data: WAV, mimeType: "audio/wav" }),
  test_embedded_resource: () =>
    result(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: () =>
    result(
      said("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
  test_error_handling: () => ({
    ...result(said("This tool intentionally returns an error for testing")),
    isError: true,
  }),
  async test_tool_with_progress(_, ctx) {
    for (const step of [0, 50, 100]) await progress(ctx, step, 100);
    return result(said("done"));
  },
  test_tool_with_logging: log,
  test_logging_tool: log,
  test_missing_capability(args, ctx, { capabilities }) {
    if (!capabilities.sampling)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return once("sample", () => sample("Anything", 10))(args, ctx);
  },
  async test_streaming_elicitation(args, ctx) {
    await progress(ctx, 1, 2);
    return once("user_name", () => elicit("What is your name?", name))(args, ctx);
  },
  test_trigger_tool_change: (_, __, { toggle }) => {
    toggle("tools");
    return result(said("changed"));
  },
  test_trigger_prompt_change: (_, __, { toggle }) => {
    toggle("prompts");
    return result(said("changed"));
  },
  test_elicitation_sep1034_defaults: form(defaults),
  test_elicitation_sep1330_enums: form(enums),
  test_input_required_result_elicitation: greeting,
  test_input_required_result_sampling: once("capital_question", () => sample("What is the capital of France?", 100)),
  test_input_required_result_list_roots: once("client_roots", () => inputRequired.listRoots()),
  test_input_required_result_request_state: confirm,
  test_input_required_result_tampered_state: confirm,
  test_input_required_result_multiple_inputs: several,
  test_input_required_result_multi_round: rounds,
  test_input_required_result_capabilities: possible,
  test_sampling: once(
    "sample",
    ({ prompt }) => sample(prompt, 100),
    ({ content }) => `LLM response: ${content.text}`,
  ),
  test_elicitation: once(
    "user",
    ({ message }) =>
      elicit(message, {
        username: { type: "string", description: "The user's name" },
        email: { type: "string", description: "The user's address" },
      }),
    (answer) => `User response: ${JSON.stringify(answer)}`,
  ),
  test_header_argument: ({ region = "" }) => result(said(region)),
};
