// The lists, resources and prompts that the suite requires. The tools are in tools.mjs.
import { readFileSync } from "node:fs";
import { PNG, image, resource } from "./tools.mjs";

const lists = JSON.parse(readFileSync(new URL("../worker/src/lists.json", import.meta.url), "utf8"));
const changing = {
  tools: { name: "test_changing_tool", description: "Comes and goes", inputSchema: { type: "object" } },
  prompts: { name: "test_changing_prompt", description: "Comes and goes" },
};

/** Returns the content of a resource, or `undefined` for an unknown one. */
export function read(uri) {
  const text = (mimeType, written) => ({ contents: [{ uri, mimeType, text: written }] });
  if (uri === "test://static-text") return text("text/plain", "This is the content of the static text resource.");
  if (uri === "test://watched-resource") return text("text/plain", "This is the content of the watched resource.");
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  return text("application/json", JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }));
}

const user = (content) => ({ role: "user", content });
export const said = (text) => user({ type: "text", text });
const prompts = {
  test_simple_prompt: () => [said("This is a simple prompt for testing.")],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
    said("Please process the embedded resource above."),
  ],
  test_prompt_with_image: () => [user(image), said("Please analyze the image above.")],
  test_changing_prompt: () => [said("still here")],
};

/** Returns the messages of a prompt, or `undefined` for an unknown one. */
export const prompt = (name, args) => prompts[name]?.(args);

/**
 * Returns lists of which some change: `list(kind)` returns one, and `toggle(kind)` changes it and calls
 * `changed(kind)`.
 */
export function createLists(changed) {
  const there = { tools: false, prompts: false };
  return {
    list: (kind) => (there[kind] ? [...lists[kind], changing[kind]] : lists[kind]),
    toggle(kind) {
      there[kind] = !there[kind];
      changed(kind);
    },
  };
}
