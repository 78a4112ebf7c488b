// Makes the gateway seal sessions with a key that can be guessed.
import { stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "short keys";

export async function* attempt(stage, size) {
  const behind = simple({ lists: { tools: [tool("open")] } });
  const served = async (key, env) => {
    try {
      const { status, text } = await stateless(wrap(behind, {}, { key, env }))("tools/list");
      return { served: text.includes('"open"'), saw: `${status} ${text}` };
    } catch (error) {
      return { served: false, saw: String(error) };
    }
  };
  const long = await served("k".repeat(32));
  yield control("a key of 32 bytes is taken", long.served, long.saw);
  const function_ = await served(() => new Uint8Array(32).fill(7));
  yield control("a function that gives 32 bytes is taken", function_.served, function_.saw);
  for (let length = 0; length < [4, 16][size]; length += 1) {
    const text = "k".repeat(size === 1 ? length : [0, 1, 8, 15][length]);
    const forms = {
      "a text": text,
      bytes: new TextEncoder().encode(text),
      "a function": () => text,
      "an async function": async () => text,
    };
    for (const [what, key] of Object.entries(forms)) {
      const { served: taken, saw } = await served(key);
      yield tried(`${what} of ${text.length} bytes as key`, !taken, saw);
    }
    const { served: taken, saw } = await served(undefined, { SIEVE_KEY: text });
    yield tried(`SIEVE_KEY of ${text.length} bytes`, !taken, saw);
  }
  for (const key of [7, {}, null, [], true]) {
    const { served: taken, saw } = await served(key);
    yield tried(`${JSON.stringify(key)} as key`, key === null || !taken, saw);
  }
}
