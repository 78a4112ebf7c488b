import type { FilterInput } from "./filter.js";
import type { Sieve } from "./sieve.js";

/** A tool as MCP lists it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly [hint: string]: unknown };
  readonly [member: string]: unknown;
}

/** A tool call for a server. */
export interface DiscoveredCall {
  /** The name of the tool in the sieve. */
  readonly tool: string;
  /** The name of its server; `upstream` if the lists name none. */
  readonly server: string;
  /** The name of the tool on its server. */
  readonly name: string;
  /** The arguments, checked against the tool's schema as far as that is cheap and certain. */
  readonly arguments: { readonly [name: string]: unknown };
}

/** The result of a call: that of a discovery tool, or the result of `call`. */
export interface DiscoveryResult {
  content: { type: string; [member: string]: unknown }[];
  /** For a discovery tool, the JSON in `content` as an object. */
  structuredContent?: any;
  isError?: boolean;
  [member: string]: unknown;
}

/** The options of {@link discovery}. */
export interface DiscoveryOptions<Context = any> {
  /**
   * Calls a tool on its server, for example `({ name, arguments }) => client.callTool({ name, arguments })`. `context` is the
   * one passed to {@link Discovery.handle}, or the options of `execute` in the AI SDK.
   */
  call(call: DiscoveredCall, context: Context): Promise<any> | any;
  /** The tools that a model can find; by default every tool. */
  filter?: FilterInput | string | null;
  /** Tools that are listed in every mode: an expression such as `tag:core`, or a filter. */
  always?: FilterInput | string;
  /** @default "auto" */
  mode?: "flat" | "search" | "groups" | "outline" | "auto";
  /** Number of tokens up to which `auto` lists every tool. @default 8000 */
  budget?: number;
  /**
   * Scores tools for the query of a search, like the ranker of {@link SearchOptions}, and may return a promise. Scores of
   * results then come from both orders together, and only scores of one search can be compared.
   */
  ranker?: (query: string, names: readonly string[]) => ArrayLike<number> | Promise<ArrayLike<number>>;
}

/** Tools by which a model finds and calls the tools of a sieve. */
export interface Discovery<Context = any> {
  /** The current mode. `auto` becomes one of these by the tokens of the tools that can be found. */
  readonly mode: "flat" | "search" | "groups" | "outline";
  /** Returns the definitions for a model, in the format of MCP. */
  tools(): ToolDefinition[];
  /** Returns instructions for a model: how to find tools, and the names of groups. Empty in the mode `flat`. */
  instructions(): string;
  /**
   * Returns the definitions for the Messages API of Anthropic. In these, and in those for OpenAI and the AI SDK, a name that
   * providers reject, such as `files.read`, is replaced by its beginning and a hash. {@link Discovery.handle} accepts both names.
   * A schema that combines others at its root (`anyOf`, `oneOf`, `allOf`), which providers reject too, names their properties.
   */
  anthropic(): { name: string; description: string; input_schema: ToolDefinition["inputSchema"] }[];
  /** Returns the definitions for OpenAI: for the Responses API, or for Chat Completions. */
  openai(options?: { api?: "responses" }): {
    type: "function";
    name: string;
    description: string;
    parameters: ToolDefinition["inputSchema"];
    strict: false;
  }[];
  openai(options: { api: "chat" }): {
    type: "function";
    function: { name: string; description: string; parameters: ToolDefinition["inputSchema"] };
  }[];
  /** Returns the `tools` of the AI SDK, whose `execute` calls {@link Discovery.handle}. */
  aiSdk(): {
    [name: string]: {
      description: string;
      inputSchema: any;
      execute: (args: any, context?: any) => Promise<DiscoveryResult>;
      /** Returns the content of a result, which the model reads. */
      toModelOutput: (given: any) => any;
    };
  };
  /**
   * Handles a call of the model. For an unknown or hidden tool, and for arguments that violate the schema, it resolves with a
   * result with `isError`; for arguments the result contains the schema. It rejects only if `call` does.
   * @param args an object, or its JSON text
   */
  handle(name: string, args?: unknown, context?: Context): Promise<DiscoveryResult>;
}

/**
 * Offers the tools of a sieve through a few tools that never change: `search_tools`, `describe_tools`, `call_read_only_tool` and
 * `call_tool`, or `list_tool_groups` and `open_tool_group` in place of the first. The gateway offers the same tools.
 * @param sieve a sieve, or a function that returns the current one
 * @throws {SieveError} `part` in a page before `await sieve.ready("discovery")`; `invalid_option`; the codes of
 * {@link Sieve.filter} for an invalid filter
 */
export function discovery<Context = any>(
  sieve: Sieve | (() => Sieve),
  options: DiscoveryOptions<Context>,
): Discovery<Context>;
