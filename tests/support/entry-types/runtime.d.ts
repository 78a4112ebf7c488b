// What the runtime of Workers lends worker/entry.js.
declare module "cloudflare:workers" {
  export class WorkerEntrypoint {
    env: unknown;
    ctx: { waitUntil(work: Promise<unknown>): void };
  }
}
