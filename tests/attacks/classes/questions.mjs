// Answers a server's questions to other callers: `requestState` of another caller, tool or argument, altered or
// replayed.
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { startSessionServer } from "../../support/session-server.mjs";
import { stateless } from "../client.mjs";
import { parallel } from "../parallel.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "`requestState` of questions to other callers";

const FLIPS = [50, 1_500];
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
const CAPABILITIES = { _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } } };
const question = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Pay?",
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
  },
};

export async function* attempt(stage, size, random) {
  const call = async ({ params: { name, arguments: args } }, { sendRequest, signal }) => {
    const { action, content } = await sendRequest(question, ElicitResultSchema, { signal, timeout: 60_000 });
    return {
      content: [
        { type: "text", text: action === "accept" && content.ok ? `paid by ${name} ${JSON.stringify(args)}` : action },
      ],
    };
  };
  const server = await startSessionServer({ name: "paying", tools: ["pay", "other"], call });
  stage.defer(server.stop);
  const people = { "alice-token": { sub: "alice" }, "bob-token": { sub: "bob" } };
  const { world: fronts } = await stage.fronts({
    world: { behind: { label: "SDK 1 (sessions)", url: server.url }, config: {}, people },
  });
  for (const front of fronts) {
    const [alice, bob, stranger] = ["alice-token", "bob-token", undefined].map((token) => stateless(front, { token }));
    let yes;
    const begin = async () => {
      const { inputRequests = {}, requestState } = (
        await alice("tools/call", { name: "pay", arguments: { to: "carol" }, ...CAPABILITIES })
      ).message.result;
      yes = Object.fromEntries(
        Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { ok: true } }]),
      );
      return requestState;
    };
    const answer = (who, requestState, more = {}) =>
      who("tools/call", {
        name: "pay",
        arguments: { to: "carol" },
        inputResponses: yes,
        requestState,
        ...CAPABILITIES,
        ...more,
      });
    const paid = ({ text }) => text.includes("paid by");
    const own = await answer(alice, await begin());
    yield control(`${front.name}: alice answers her own question`, paid(own), own.text);
    for (const [what, who, more] of [
      ["bob", bob],
      ["a stranger", stranger],
      ["alice for another tool", alice, { name: "other" }],
      ["alice with other arguments", alice, { arguments: { to: "eve" } }],
      ["alice without arguments", alice, { arguments: {} }],
    ]) {
      const reply = await answer(who, await begin(), more);
      yield tried(`${front.name}: the state of alice, answered by ${what}`, !paid(reply), reply.text);
    }
    const state = await begin();
    yield* parallel(
      Array.from({ length: FLIPS[size] }, () => random.below(state.length)),
      async (at) => {
        const flipped = `${state.slice(0, at)}${random.pick(LETTERS.filter((letter) => letter !== state[at]))}${state.slice(at + 1)}`;
        const reply = await answer(alice, flipped);
        return tried(`${front.name}: the state with letter ${at} changed`, !paid(reply), reply.text);
      },
    );
    for (const odd of ["", "x", state.slice(1), `${state}A`, state.repeat(2), null, 7, {}]) {
      const reply = await answer(alice, odd);
      yield tried(`${front.name}: the state ${JSON.stringify(odd)?.slice(0, 60)}`, !paid(reply), reply.text);
    }
  }
}
