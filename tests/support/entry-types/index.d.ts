// What wasm-bindgen exports from the Worker's module, as far as worker/entry.js uses it.
export function __worker_init_state(): { criticalError: boolean; instanceId: number };
export function __wbg_reset_state(): void;
export function fetch(request: Request, env: unknown, context: unknown): Promise<Response>;
export function answer(
  head: string,
  body: Uint8Array | undefined,
  arriving: Promise<ArrayBuffer> | undefined,
  unread: Request | undefined,
  env: unknown,
  context: unknown,
): Response | Promise<Response>;
