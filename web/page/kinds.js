// @ts-check
export const KINDS = {
  tools: { method: "tools/list", id: "name", term: "tool", many: "tools" },
  resources: { method: "resources/list", id: "uri", term: "resource", many: "resources" },
  resourceTemplates: { method: "resources/templates/list", id: "uriTemplate", term: "template", many: "templates" },
  prompts: { method: "prompts/list", id: "name", term: "prompt", many: "prompts" },
};
