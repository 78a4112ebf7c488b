// An entry module in TypeScript around the gateway's Worker; it is checked, not run.
import worker, {
  AuditObject,
  CatalogObject,
  ChangesObject,
  LibraryObject,
  LimitsObject,
  SessionObject,
  TasksObject,
} from "mcp-sieve/worker";

globalThis.SIEVE_CONFIG_FILE = '{"rules": []}';
export const objects = {
  AuditObject,
  CatalogObject,
  ChangesObject,
  LibraryObject,
  LimitsObject,
  SessionObject,
  TasksObject,
};
export default worker satisfies ExportedHandler;
