// Shows the lists of a server, and filters them with the browser crate: wasm-pack build web --target web
import init, { PreferenceStore, Sieve } from "../../web/pkg/mcp_sieve_web.js";

const tool = (name, description, readOnlyHint = false) => {
  return { name, description, inputSchema: { type: "object" }, annotations: { readOnlyHint } };
};
const tools = [
  tool("create_issue", "Opens a ticket."),
  tool("list_issues", "Lists unsolved tickets.", true),
  tool("delete_issue", "Deletes a ticket for good."),
  tool("search_mail", "Finds messages by their words.", true),
  tool("send_mail", "Sends a message."),
  tool("translate_text", "Translates a text with a large model."),
];
const config = {
  groups: [{ name: "issues", title: "Issues" }],
  concerns: [{ name: "cost", description: "What a call costs.", values: ["low", "high"], default: "low" }],
  rules: [
    { match: "name:*_issue*", groups: ["issues"], concerns: { cost: "low" } },
    { match: "name:*_mail", groups: ["mail"], concerns: { cost: "low" } },
    { match: "annotation.readOnlyHint=true", tags: ["read-only"] },
    { match: "name:delete_*", tags: ["destructive"] },
    { match: "name:translate_*", concerns: { cost: "high" } },
  ],
};

await init();
const view = new Sieve({ tools }, config).view();
const picker = view.picker();
const store = new PreferenceStore("mcp-sieve-web-example");
try {
  picker.prefer(store.load() ?? "{}");
} catch (error) {
  console.warn("the stored preferences cannot be used", error.code, error.message);
}

const at = (id) => document.getElementById(id);
const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
/** Applies a change, stores the preferences, and shows the result. */
const change = (apply) => {
  apply();
  store.save(picker.preferences());
  show();
};
const labelled = (text, left, control) =>
  make("label", {}, make("span", {}, text), make("small", {}, `${left}`), control);
const choice = (options, value, onchange) => {
  const control = make("select", { onchange: () => onchange(control.value) });
  control.append(...options.map(([of, text]) => make("option", { value: of, selected: of === value }, text)));
  return control;
};
const MARKS = Object.entries({ any: "any", must: "required", not: "excluded" });

const groupBox = ({ group, state, left }, index) => {
  const onchange = () => change(() => picker.toggle(index));
  const [checked, indeterminate] = [state === "on", state === "mixed"];
  return labelled(
    group.title ?? group.name,
    left,
    make("input", { type: "checkbox", checked, indeterminate, onchange }),
  );
};
const tagChoice = ({ tag, mark, left }) => {
  const set = (next) => change(() => picker.mark(tag.name, next));
  return labelled(tag.name, left, choice(MARKS, mark, set));
};
const concernChoice = ({ concern, options }) => {
  const chosen = options.find(({ chosen }) => chosen);
  const named = ({ value }) => [value, value === concern.default ? `${value} (default)` : value];
  const set = (value) => change(() => picker.setConcern(concern.name, value ? [value] : []));
  return labelled(
    concern.name,
    chosen?.left ?? "",
    choice([["", "any"], ...options.map(named)], chosen?.value ?? "", set),
  );
};
const toolRow = ({ name, description, tokens }) =>
  make("li", {}, make("strong", {}, name), ` ${description} `, make("small", {}, `${tokens} tokens`));

function show() {
  const focused = [...at("choice").elements].indexOf(document.activeElement);
  at("groups").replaceChildren(...picker.groups().map(groupBox));
  at("tags").replaceChildren(...picker.tags().map(tagChoice));
  at("concerns").replaceChildren(...picker.concerns().map(concernChoice));
  // The controls are new: the one in the same place takes the focus.
  at("choice").elements[focused]?.focus();
  const { rows, selected, total, tokens, totalTokens, undo } = picker.summary();
  at("summary").textContent = `${selected} of ${total} tools, ${tokens} of ${totalTokens} tokens`;
  at("undo").disabled = undo === 0;
  at("rows").replaceChildren(...picker.rows(0, rows).map(toolRow));
  const filter = picker.filter();
  at("filter").textContent = JSON.stringify(filter);
  at("list").textContent = view.select("tools", filter).list();
}

at("query").oninput = ({ target }) => change(() => picker.setQuery(target.value));
at("undo").onclick = () => change(() => picker.undo());
store.subscribe((text) => (picker.prefer(text ?? "{}"), show()));
show();
