// @ts-check

/** Resolves as `wanted` when a signal asks for an end, or fails with what ended the gateway. */
export function awaited() {
  let settle;
  const wanted = new Promise((done, fail) => (settle = { done, fail }));
  // It may fail before it is waited for.
  wanted.catch(() => {});
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => settle.done());
  return { wanted, stop: () => settle.done(), end: (error) => settle.fail(error) };
}
