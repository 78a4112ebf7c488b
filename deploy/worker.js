// The Worker with your configuration: the file sieve.jsonc, whole and of any size.
import config from "./sieve.jsonc";
import worker from "mcp-sieve/worker";

globalThis.SIEVE_CONFIG_FILE = config;
export * from "mcp-sieve/worker";
export default worker;
