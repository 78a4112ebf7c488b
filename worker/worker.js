// The Worker with your configuration: the file sieve.jsonc, whole and of any size.
import config from "./sieve.jsonc";
import worker from "./build/index.js";

globalThis.SIEVE_CONFIG_FILE = config;
export * from "./build/index.js";
export default worker;
