// @ts-check
// The exports of every loader.
export { filterTools, wrapClient } from "../client/wrap-client.js";
export { wrapClients } from "../client/wrap-clients.js";
export { discovery } from "../discovery/discovery.js";
export { SieveError } from "./error.js";
export { Filter } from "./filter.js";
export { Picker } from "./picker-model.js";
export { Preferences } from "./preferences.js";
export { Sieve } from "./sieve.js";
export { TaskFilter, TaskRegistry } from "./tasks.js";
