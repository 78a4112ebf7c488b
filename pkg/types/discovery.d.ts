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

/** A call of a tool, to be made at its server. */
export interface DiscoveredCall {
  /** The name under which the tool is listed here. */
  readonly tool: string;
  /** The name of its server; `upstream` unless the lists name another. */
  readonly server: string;
  /** The name under which its server knows it. */
  readonly name: string;
  /** The arguments, which fit the schema of the tool as far as that was checked. */
  readonly arguments: { readonly [name: string]: unknown };
}

/** The result of a call: that of a discovery tool, or what `call` returned. */
export interface DiscoveryResult {
  content: { type: string; [member: string]: unknown }[];
  /** The JSON of `content` as an object, of a discovery tool. */
  structuredContent?: any;
  isError?: boolean;
  [member: string]: unknown;
}

/** The options of {@link discovery}. */
export interface DiscoveryOptions<Context = any> {
  /**
   * Calls a tool at its server, such as `({ name, arguments }) => client.callTool({ name, arguments })`. `context` is what
   * {@link Discovery.handle} was given, or the options of `execute` in the AI SDK.
   */
  call(call: DiscoveredCall, context: Context): Promise<any> | any;
  /** What can be found; by default every tool. */
  filter?: FilterInput | string | null;
  /** Tools that are listed in every mode: an expression such as `tag:core`, or a filter. */
  always?: FilterInput | string;
  /** @default "auto" */
  mode?: "flat" | "search" | "groups" | "auto";
  /** Number of tokens up to which `auto` lists every tool. @default 8000 */
  budget?: number;
  /**
   * Scores what can be found for the query of a search, as that of {@link SearchOptions} does; it may return a promise. A
   * result then has the score of both orders together, which compares the results of one search only.
   */
  ranker?: (query: string, names: readonly string[]) => ArrayLike<number> | Promise<ArrayLike<number>>;
}

/** Tools by which a model finds and calls the tools of a sieve. */
export interface Discovery<Context = any> {
  /** The mode that is in force: `auto` is decided by the tokens of what can be found. */
  readonly mode: "flat" | "search" | "groups";
  /** The definitions to list to a model, as MCP has them. */
  tools(): ToolDefinition[];
  /** What to tell a model: how tools are found, and which groups there are. Empty in the mode `flat`. */
  instructions(): string;
  /**
   * The definitions for the Messages API of Anthropic. Here, for OpenAI and for the AI SDK a name that providers refuse, such as
   * `files.read`, becomes its beginning and a hash. {@link Discovery.handle} knows both names.
   */
  anthropic(): { name: string; description: string; input_schema: ToolDefinition["inputSchema"] }[];
  /** The definitions for OpenAI: the Responses API, or Chat Completions. */
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
  /** The `tools` of the AI SDK: `execute` calls {@link Discovery.handle}. */
  aiSdk(): {
    [name: string]: {
      description: string;
      inputSchema: any;
      execute: (args: any, context?: any) => Promise<DiscoveryResult>;
    };
  };
  /**
   * Answers a call of the model. A tool that cannot be found is answered like one that does not exist, and arguments that
   * do not fit are answered with the schema: both are results with `isError`. Rejects only if `call` does.
   * @param args an object, or its JSON text
   */
  handle(name: string, args?: unknown, context?: Context): Promise<DiscoveryResult>;
}

/**
 * Offers the tools of a sieve through a few that never change: `search_tools`, `describe_tools`, `call_read_only_tool` and
 * `call_tool`, or `list_tool_groups` and `open_tool_group` in place of the first. The gateway offers the same.
 * @param sieve a sieve, or a function that returns the present one
 * @throws {SieveError} `part` in a page before `await sieve.ready("discovery")`; `invalid_option`; the codes of {@link Sieve.filter}
 * for a filter that is refused
 */
export function discovery<Context = any>(
  sieve: Sieve | (() => Sieve),
  options: DiscoveryOptions<Context>,
): Discovery<Context>;
