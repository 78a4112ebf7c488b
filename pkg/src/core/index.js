// What every loader gives.
export { pick, wrapClient } from "../client/wrap-client.js";
export { Filter, Picker, Preferences, Sieve, SieveError } from "./sieve.js";
export { TaskFilter, TaskRegistry } from "./tasks.js";
