/**
 * The gateway as a Cloudflare Worker, for an entry module of your own. It reads the configuration from the global variable
 * `SIEVE_CONFIG_FILE`, which the entry module sets to the text of `sieve.jsonc`. The variable `SIEVE_CONFIG` of the
 * deployment, if it is set, replaces that text.
 */
declare const worker: {
  fetch(request: Request, env: unknown, ctx: { waitUntil(work: Promise<unknown>): void }): Response | Promise<Response>;
};
export default worker;

/** A Durable Object of the gateway; `wrangler.jsonc` binds each of them. */
type GatewayObject = new (state: unknown, env: unknown) => { fetch(request: Request): Promise<Response> };
export const SessionObject: GatewayObject;
export const ChangesObject: GatewayObject;
export const TasksObject: GatewayObject;
export const AuditObject: GatewayObject;
export const LibraryObject: GatewayObject;
export const LimitsObject: GatewayObject;
export const CatalogObject: GatewayObject;
export const ConnectionsObject: GatewayObject;

declare global {
  /** The text of `sieve.jsonc`. */
  var SIEVE_CONFIG_FILE: string | undefined;
}
