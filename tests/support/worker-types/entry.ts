// An entry module in TypeScript around the gateway's Worker; it is checked, not run.
import worker from "mcp-sieve/worker";

globalThis.SIEVE_CONFIG_FILE = '{"rules": []}';
export {
  AuditObject,
  CatalogObject,
  ChangesObject,
  ConnectionsObject,
  LibraryObject,
  LimitsObject,
  SessionObject,
  TasksObject,
} from "mcp-sieve/worker";
export default worker satisfies ExportedHandler;
