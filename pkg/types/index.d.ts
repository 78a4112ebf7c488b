export type * from "./catalog.js";
export { filterTools, wrapClient, wrapClients } from "./client.js";
export type {
  EffectiveConcerns,
  FilterReport,
  FilterToolsOptions,
  Filtered,
  ListChange,
  McpClient,
  ServerClient,
  ServerState,
  TaskReport,
  WrapClientsOptions,
  WrapOptions,
  Wrapped,
  WrappedClients,
} from "./client.js";
export type * from "./config.js";
export * from "./discovery.js";
export { SieveError } from "./error.js";
export * from "./filter.js";
export * from "./picker-model.js";
export * from "./preferences.js";
export * from "./sieve.js";
export * from "./tasks.js";
