// What every loader gives.
export { pick, wrapClient } from "./client.js";
export { Filter, Picker, Sieve, SieveError } from "./sieve.js";
